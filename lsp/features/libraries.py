"""The built-in library: what each of its files brings, and the import that brings it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from parspec.grammar.document import Chunk
from parspec.grammar.syntax import (
    BlockStatement,
    DeviceStatement,
    DimStatement,
    LinkStatement,
    OpStatement,
    Statement,
)
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Fix
from parspec.interpreter.fixes.imports import import_edit
from parspec.interpreter.spec.library_files import library_file, library_name, library_names
from parspec.interpreter.spec.library_statements import (
    brought,
    library_document,
    library_statements,
)
from parspec.lsp.features.edits import placed
from parspec.lsp.mentions import Space
from parspec.lsp.names import Names
from parspec.lsp.ranges import Edit
from parspec.lsp.regions import Entry
from parspec.lsp.snapshot import Snapshot

_NOTE = re.compile(r"\A#\s*(.*)")


@value
class LibraryFunction:
    """An op or a block (`kind`) with the names of its parameters, and the dimensions of the spec
    that these have: none of an op, which has its own."""

    kind: str
    name: str
    parameters: tuple[str, ...]
    dims: tuple[str, ...]


@value
class Library:
    """A file of the library: `name` is what `import` calls it (`std.h100`), `summary` the line that
    it begins with. `hardware`: the links and devices that it declares, kinds and names;
    `functions`: its ops and blocks. `brings`: itself and all that it imports; `declared`: what
    these declare that a spec has once only, by space and name; `unsized`: the dimensions that they
    leave to the spec to size."""

    name: str
    summary: str
    hardware: tuple[tuple[str, str], ...]
    functions: tuple[LibraryFunction, ...]
    brings: tuple[str, ...]
    declared: frozenset[tuple[str, str]]
    unsized: frozenset[str]


@cache
def libraries() -> tuple[Library, ...]:
    """All files of the library, by name."""
    return tuple(_library(f"std.{name}") for name in library_names())


def _library(name: str) -> Library:
    summary = _NOTE.match(library_file(name) or "")
    own = library_statements(name)
    brings = brought(name)
    every = [each for file in brings for each in library_statements(file)]
    return Library(
        name,
        summary[1] if summary else "",
        tuple(
            ("link" if isinstance(each, LinkStatement) else "device", each.name.text)
            for each in own
            if isinstance(each, LinkStatement | DeviceStatement)
        ),
        tuple(_function(each) for each in own if isinstance(each, OpStatement | BlockStatement)),
        brings,
        frozenset(declared for each in every for declared in _declares(each)),
        frozenset(name for each in every for name in unsized_in(each)),
    )


def unsized_in(statement: Statement | None) -> Iterator[str]:
    """The dimensions that a statement declares without a size."""
    if isinstance(statement, DimStatement):
        yield from (item.name.text for item in statement.items if item.size is None)


def _declares(statement: Statement) -> Iterator[tuple[str, str]]:
    """What a statement declares that a spec has once only, by space and name."""
    match statement:
        case OpStatement(name=name) | BlockStatement(name=name):
            yield "function", name.text
        case LinkStatement(name=name):
            yield "link", name.text
        case DeviceStatement(name=name):
            yield "device", name.text
        case DimStatement(items=items):
            yield from (("dim", item.name.text) for item in items if item.size is not None)


def _function(header: OpStatement | BlockStatement) -> LibraryFunction:
    kind = "op" if isinstance(header, OpStatement) else "block"
    items = header.parameters
    dims = (dim.text for item in items for dim in item.dims)
    return LibraryFunction(
        kind,
        header.name.text,
        tuple(item.name.text for item in items),
        tuple(dict.fromkeys(dims)) if kind == "block" else (),
    )


def declaration(library: str, kind: str, name: str) -> Chunk | None:
    """The statement of a library's file that declares a link, a device, an op or a block."""
    every = library_document(library).every
    return next((chunk for chunk in every if _declared(chunk.statement, kind) == name), None)


def _declared(statement: Statement | None, kind: str) -> str | None:
    """The name that a statement declares as of some kind."""
    match kind, statement:
        case (
            ("link", LinkStatement(name=name))
            | ("device", DeviceStatement(name=name))
            | ("op", OpStatement(name=name))
            | ("block", BlockStatement(name=name))
        ):
            return name.text
    return None


def fits(library: Library, names: Names) -> bool:
    """Whether a spec declares nothing that a library declares too, but what both import, and sizes
    of the dimensions that the library leaves to it."""
    brought = frozenset(map(library_name, library.brings))
    spaces: tuple[Space, ...] = ("function", "dim", "link", "device")
    return not any(
        _clashes(entry, library)
        for space in spaces
        for symbol in names.declared(space, None)
        for entry in names.declarations(symbol)
        if names.file(entry) not in brought
    )


def _clashes(entry: Entry, library: Library) -> bool:
    if entry.key in library.declared:
        return True
    name = entry.mention.name
    return name in library.unsized and name in unsized_in(entry.chunk.statement)


def import_of(library: str, snapshot: Snapshot) -> tuple[Edit, ...]:
    """The edit that imports a file of the library; none where there is nothing to import it
    for."""
    edit = import_edit(library, snapshot.file, snapshot.analysis.model)
    return () if edit is None else placed(Fix("", (edit,)), snapshot)

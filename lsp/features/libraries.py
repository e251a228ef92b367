"""The built-in library: what each of its files declares, and the import that brings it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from parspec.grammar.document import Chunk, Document
from parspec.grammar.parser import parse
from parspec.grammar.span import Span
from parspec.grammar.syntax import DeviceStatement, ImportStatement, LinkStatement
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Fix, Site
from parspec.interpreter.fixes.spots import spot
from parspec.interpreter.spec.library_files import library_file, library_names
from parspec.lsp.features.edits import placed
from parspec.lsp.ranges import Edit
from parspec.lsp.snapshot import Snapshot

_HARDWARE = re.compile(r"^(link|device) (\S+)", re.MULTILINE)
_NOTE = re.compile(r"\A#\s*(.*)")


@value
class Library:
    """A file of the library: `name` is what `import` calls it (`std.h100`), `summary` the line that
    it begins with. `hardware`: the links and devices that it declares, kinds and names."""

    name: str
    summary: str
    hardware: tuple[tuple[str, str], ...]


@cache
def libraries() -> tuple[Library, ...]:
    """All files of the library, by name."""
    return tuple(_library(f"std.{name}") for name in library_names())


def _library(name: str) -> Library:
    text = library_file(name) or ""
    summary = _NOTE.match(text)
    hardware = tuple((kind, one) for kind, one in _HARDWARE.findall(text))
    return Library(name, summary[1] if summary else "", hardware)


@cache
def document(name: str) -> Document:
    """A file of the library, parsed; an empty one where there is none."""
    return parse(library_file(name) or "")


def declaration(library: str, kind: str, name: str) -> Chunk | None:
    """The statement of a library's file that declares a link or a device."""
    wanted = LinkStatement if kind == "link" else DeviceStatement
    return next(
        (
            chunk
            for chunk in document(library).every
            if isinstance(chunk.statement, wanted) and chunk.statement.name.text == name
        ),
        None,
    )


def import_of(library: str, snapshot: Snapshot) -> tuple[Edit, ...]:
    """The edit that imports a file of the library: below the last import, else above the first
    statement."""
    own = list(_chunks(snapshot))
    if not own:
        return ()
    imports = [each for each in own if isinstance(each.statement, ImportStatement)]
    site = Site(snapshot.file, (imports or own)[-1 if imports else 0].key, Span(0, 0))
    beside = spot(site, snapshot.analysis.model)
    if beside is None:
        return ()
    statement = f"import {library}"
    edit = beside.below(statement) if imports else beside.above(statement)
    return placed(Fix("", (edit,)), snapshot)


def _chunks(snapshot: Snapshot) -> Iterator[Chunk]:
    return (chunk for run in snapshot.document.runs for chunk in run.chunks)

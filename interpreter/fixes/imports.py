"""Imports of what the library declares and a spec has not imported: its ops and blocks.

What such a file says of dimensions, a spec cannot say again: what it says of them in the same words
is taken away, and where it says something else, or another file says it, the file is not offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from parspec.grammar.syntax import (
    BlockStatement,
    DimItem,
    DimStatement,
    ImportStatement,
    OpStatement,
)
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.entry import items, word
from parspec.interpreter.diagnostics.findings import Edit, Fix
from parspec.interpreter.fixes.case import Case, fix
from parspec.interpreter.fixes.spots import Spot, every, last
from parspec.interpreter.spec.library_declarations import declaring
from parspec.interpreter.spec.library_files import is_library
from parspec.interpreter.spec.library_statements import brought, library_document
from parspec.interpreter.spec.model import Model


@value
class _Brought:
    """What an import brings: the names of ops and blocks, how the dimensions that are sized are
    written, by name, and the names of those that are not."""

    functions: frozenset[str]
    sized: Mapping[str, str]
    symbolic: frozenset[str]

    def has(self, item: DimItem) -> bool:
        """Is it a dimension that cannot be declared beside what the import brings?"""
        return item.name.text in self.sized or (not item.size and item.name.text in self.symbolic)

    def says(self, item: DimItem, text: str) -> bool:
        """Does it say of such a dimension all that an item says that is so written?"""
        if item.size:
            return text == self.sized[item.name.text]
        return text == item.name.text


def functions(case: Case) -> Iterator[Fix]:
    """An import of each file of the library that declares an unknown function, or one of a close
    name, which the name that is written becomes."""
    if case.text("kind") != "function":
        return
    name = case.text("name")
    for meant in (name, *map(word, items(case.facts.get("near")))):
        for library in declaring("function", meant) if case.is_to_import(meant) else ():
            agreed = _agreed(case, _brought(library))
            added = import_edit(library, case.at.file, case.model)
            if agreed is not None and added is not None:
                beside = "" if meant == name else f" for `{meant}`"
                renamed = () if meant == name else case.named_everywhere(meant)
                yield fix(f"Add `import {library}`{beside}", added, *agreed, *renamed)


def import_edit(library: str, file: str, model: Model) -> Edit | None:
    """The import of a file of the library, below the last import of a file or above everything
    else in it; None where it has no statements or nobody can edit it."""
    if is_library(file):
        return None
    statement = f"import {library}"
    imports, first = last(ImportStatement, file, model), next(every(file, model), None)
    if imports is not None:
        return imports.below(statement)
    return None if first is None else first.above(statement)


def _agreed(case: Case, brought: _Brought) -> tuple[Edit, ...] | None:
    """The edits that take away what the spec says in the words of the files that an import would
    bring; None where it says something else of the same names."""
    edits: list[Edit] = []
    own = (file for file, _ in case.model.documents if not is_library(file))
    said = (one for file in own for one in every(file, case.model) if not one.around)
    for one in said:
        match one.chunk.statement:
            case OpStatement(name=name) | BlockStatement(name=name):
                if name.text in brought.functions:
                    return None
            case DimStatement() as dims:
                taken = _taken(one, dims, brought)
                if taken is None or (taken and one.file != case.at.file):
                    return None
                edits += taken
    return tuple(edits)


def _taken(one: Spot, statement: DimStatement, brought: _Brought) -> tuple[Edit, ...] | None:
    """The dimensions taken away of which an import says the same; None where it says something else
    of one."""
    said = [item for item in statement.items if brought.has(item)]
    if not all(brought.says(item, one.text(item.span)) for item in said):
        return None
    if len(said) == len(statement.items):
        return (one.removed(),)
    places = [place for place, item in enumerate(statement.items) if item in said]
    return tuple(one.without_some([item.span for item in statement.items], places))


@cache
def _brought(library: str) -> _Brought:
    """What a file of the library brings with all that it imports."""
    functions: set[str] = set()
    symbolic: set[str] = set()
    sized: dict[str, str] = {}
    for file in brought(library):
        for chunk in library_document(file).chunks:
            match chunk.statement:
                case OpStatement(name=name) | BlockStatement(name=name):
                    functions.add(name.text)
                case DimStatement(items=dims):
                    written = {item.name.text: item for item in dims if item.size}
                    sized |= {dim: chunk.text[slice(*item.span)] for dim, item in written.items()}
                    symbolic |= {item.name.text for item in dims if not item.size}
    return _Brought(frozenset(functions), sized, frozenset(symbolic - sized.keys()))

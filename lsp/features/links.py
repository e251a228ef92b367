"""Links: the files that imports name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from parspec.grammar.syntax import ImportStatement
from parspec.interpreter.spec.sources import imported_file
from parspec.lsp.ranges import Range
from parspec.lsp.snapshot import Snapshot


class Link(NamedTuple):
    """What an import names, and the file that is."""

    range: Range
    file: str


def links(snapshot: Snapshot) -> Iterator[Link]:
    """The imports of a file that bring something."""
    for start, chunk in snapshot.document.placed():
        if isinstance(statement := chunk.statement, ImportStatement):
            file = imported_file(statement, snapshot.file)
            if file in snapshot.sources:
                span = statement.span
                yield Link(Range(start + span.start, start + span.end), file)

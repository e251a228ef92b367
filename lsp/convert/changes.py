"""Edits of open files, from the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from parspec.grammar.lines import Position
from parspec.lsp.documents import Change


def changes(said: Iterable[types.TextDocumentContentChangeEvent]) -> Iterator[Change]:
    """The changes of one notification, in their order."""
    for change in said:
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = change.range.start, change.range.end
            yield Change(
                change.text,
                Position(start.line, start.character),
                Position(end.line, end.character),
            )
        else:
            yield Change(change.text)

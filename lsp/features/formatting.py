"""Formatting: what brings a text, or a part of it, into the one style."""

from __future__ import annotations

from collections.abc import Iterable

from parspec.grammar import edits as texts
from parspec.grammar import formatter
from parspec.lsp.ranges import Edit, Location, Range
from parspec.lsp.snapshot import Snapshot


def formatted(snapshot: Snapshot) -> tuple[Edit, ...]:
    """What brings a file into the one style."""
    return _edits(snapshot, formatter.edits(snapshot.document))


def formatted_within(snapshot: Snapshot, within: Range) -> tuple[Edit, ...]:
    """The same for the statements and comments that a range touches."""
    return _edits(snapshot, formatter.range_edits(snapshot.document, *within))


def _edits(snapshot: Snapshot, edits: Iterable[texts.Edit]) -> tuple[Edit, ...]:
    return tuple(
        Edit(Location(snapshot.file, Range(edit.start, edit.end)), edit.replacement)
        for edit in edits
    )

"""Edits of files: those of a fix where they are to be made, and texts with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parspec.grammar.edits import Edit as TextEdit
from parspec.grammar.edits import applied
from parspec.interpreter.diagnostics.findings import Fix
from parspec.lsp.ranges import Edit
from parspec.lsp.snapshot import Snapshot


def by_file(edits: Iterable[Edit]) -> Mapping[str, Sequence[Edit]]:
    """The edits of each file, in their order."""
    found: dict[str, list[Edit]] = {}
    for edit in edits:
        found.setdefault(edit.location.file, []).append(edit)
    return found


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits that do not overlap; what is inserted at one place comes in order."""
    in_order = sorted(edits, key=lambda edit: edit.location.range)
    return applied(text, [TextEdit(*edit.location.range, edit.text) for edit in in_order])


def placed(fix: Fix, snapshot: Snapshot) -> tuple[Edit, ...]:
    """The edits of a fix where they are to be made; none where one of them cannot be."""
    edits = []
    for edit in fix.edits:
        location = snapshot.location(edit.site)
        if location is None:
            return ()
        edits.append(Edit(location, edit.text))
    return tuple(edits)

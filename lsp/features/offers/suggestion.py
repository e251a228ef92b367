"""Suggestions: what may be typed at one place, in the order in which it is likely."""

from __future__ import annotations

from typing import NamedTuple

from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Site
from parspec.lsp.ranges import Edit, Range


@value
class Suggestion:
    """Something that may be typed. `kind`: `statement`, `keyword`, or the kind of a name or word;
    `rank`: 1 to 9, lower ones come first. `insert` is the text where that is not the label;
    `snippet` has places to fill in. What it means is the explanation of `label`, or stands at
    `site`, or in a file of the `library`; `adds` are edits elsewhere that it needs."""

    label: str
    kind: str
    detail: str = ""
    rank: int = 5
    snippet: str | None = None
    insert: str | None = None
    site: Site | None = None
    library: str = ""
    adds: tuple[Edit, ...] = ()


class Completion(NamedTuple):
    """What may be typed in place of a range of the text. `partial`: there is more, and more is
    known with more letters."""

    replaces: Range
    suggestions: tuple[Suggestion, ...]
    partial: bool

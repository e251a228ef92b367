"""The cursor: what has been typed of a statement in front of an offset, and what may follow.

Only the text in front of the cursor counts, and the parser is asked what it takes next; so a
statement that is half typed, or broken behind the cursor, is no obstacle.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from parspec.grammar.keywords import FIGURES, NAME
from parspec.grammar.lexer import END
from parspec.grammar.machine import Run
from parspec.grammar.splitter import split
from parspec.grammar.syntax import BlockStatement, PlanStatement, StackStatement
from parspec.grammar.values import value
from parspec.lsp.extents import extents_around
from parspec.lsp.ranges import Range
from parspec.lsp.snapshot import Placed, Snapshot

Place: TypeAlias = Literal["file", "stack", "block", "plan"]

_TYPED = re.compile(rf"(?:{NAME}(?:-{NAME})*-?|\d\w*)\Z")
_BLANK = re.compile(r"(?:\s|#[^\r\n]*(?=[\r\n]))*")
_COMMENT = re.compile(r'"[^"\r\n]*"|#[^\r\n]*')
_FIGURE = re.compile(rf"(?<![\w.])expect[ \t]+(?:{'|'.join(sorted(FIGURES))})[ \t]+\Z")


@value
class Cursor:
    """An offset as a place to type at.

    `typed`: the word that is being typed, up to the offset; `before`: the text of its statement in
    front of it, "" where a statement can only begin; `placed`: the chunk in which that stands; it
    may begin with an earlier one. `accepted`: the terminals that the parser takes there, `rules`:
    what a name can be there (none where it has lost track). `place`: in whose body it stands.
    `fresh`: a line begins there."""

    typed: Range
    before: str
    placed: Placed | None
    accepted: frozenset[str]
    rules: frozenset[str]
    place: Place
    owner: Placed | None
    fresh: bool

    @property
    def start(self) -> int:
        """Where the statement starts."""
        return self.typed.start - len(self.before)

    @property
    def begins(self) -> bool:
        """May a statement begin there?"""
        return not self.before or END in self.accepted


def cursor_at(snapshot: Snapshot, offset: int) -> Cursor | None:
    """The cursor at an offset; None inside a comment."""
    text = snapshot.text
    line = snapshot.lines.line_span(snapshot.lines.line_of(offset))[0]
    if any(m[0][0] == "#" for m in _COMMENT.finditer(text, line, offset)):
        return None
    typed = _TYPED.search(text, line, offset)
    start = typed.start() if typed else offset
    placed = _continued(snapshot, start)
    before = text[_begun(text, placed.start, start) : start] if placed else ""
    run = Run()
    followed = all(map(run.feed, run.tokens(before)))
    owner = _owner(snapshot, start)
    return Cursor(
        Range(start, offset),
        before,
        placed,
        frozenset(run.accepted() if followed else ()),
        frozenset(run.name_rules() if followed else ()),
        _place(owner),
        owner,
        fresh=not text[line:start].strip(),
    )


def _continued(snapshot: Snapshot, start: int) -> Placed | None:
    """The statement that what is typed at an offset goes on with, if there is one."""
    if start == 0:
        return None
    placed = snapshot.chunk_at(start - 1)
    if placed is None:
        return None
    end = placed.range.end
    if end <= start and (placed.chunk.text.endswith("{") and _is_bodied(placed)):
        return None
    gap = snapshot.text[end:start]
    return None if "}" in _COMMENT.sub("", gap) else placed


def _begun(text: str, first: int, start: int) -> int:
    """Where the last statement starts in a text from `first` to `start`, nothing following it: what
    follows may make a name of its keyword (`dim = 4` before the name is typed), and `expect` in
    front of it a figure."""
    figure = _FIGURE.search(text, text.rfind("\n", 0, start) + 1, start)
    if figure is not None:
        return figure.start()
    pieces = split(text[first:start]).pieces
    return first + pieces[-1].start if pieces else first


def _is_bodied(placed: Placed) -> bool:
    return isinstance(placed.chunk.statement, (BlockStatement, PlanStatement, StackStatement))


def _owner(snapshot: Snapshot, start: int) -> Placed | None:
    """The header in whose body an offset stands."""
    for extent in reversed(extents_around(snapshot.document, max(0, start))):
        inside = extent.range.start + len(extent.chunk.text) <= start
        closed = snapshot.text.endswith("}", extent.range.start, extent.range.end)
        behind = start >= extent.range.end and closed
        placed = Placed(extent.chunk, extent.range.start)
        if inside and not behind and _is_bodied(placed):
            return placed
    for placed in snapshot.around(start):  # a body that is not closed goes on to the end
        if _is_bodied(placed) and placed.chunk.parsed.faults and placed.range.end <= start:
            return placed
    return None


def _place(owner: Placed | None) -> Place:
    match owner and owner.chunk.statement:
        case StackStatement():
            return "stack"
        case BlockStatement():
            return "block"
        case PlanStatement():
            return "plan"
    return "file"

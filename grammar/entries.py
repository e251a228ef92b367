"""A document -> its lines in the one style, grouped by what they belong to.

Statements, comments and what closes bodies come in the order of the text, each with the blank line
above it that it had. A statement with a syntax error stays as it is, but for the indentation of its
first line; so does the one in front of it where what is wrong may be part of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from parspec.grammar.columns import BODY, LIMIT, Line, width, with_comment
from parspec.grammar.document import Chunk, Document
from parspec.grammar.layout import laid_out
from parspec.grammar.lines import LineIndex
from parspec.grammar.splitter import BLANKS
from parspec.grammar.syntax import Statement

_MARK = re.compile(r"\r\n|\r|\n|#[^\r\n]*|[^\s\ufeff]|[\x1c-\x1f]")


class Entry(NamedTuple):
    """The lines of a statement, a comment line or a `}`; is a blank line above, and are the lines
    `alone`, sharing no columns with those around?"""

    lines: tuple[Line, ...]
    blank: bool
    alone: bool

    @property
    def opens(self) -> bool:
        """Does a body begin below?"""
        return "".join(self.lines[-1].cells).endswith("{")


class _Unit(NamedTuple):
    """A statement in so many bodies, or text that stays as it is (no statement)."""

    start: int
    end: int
    depth: int
    statement: Statement | None


class _Mark(NamedTuple):
    """A comment or a `}` between statements, and how many lines end in front of it; without text
    where the next statement starts."""

    text: str
    lines: int


def entries(document: Document) -> list[Entry] | None:
    """All of a document; None if it holds text that belongs to no statement."""
    text = document.text
    units = _units(document, LineIndex(text))
    starts = [*(unit.start for unit in units), len(text)]
    depths = [*(unit.depth for unit in units), 0]
    marks = _marks(text[: starts[0]])
    if marks is None:
        return None
    found = _opening(marks, depths[0], len(units))
    for index, unit in enumerate(units):
        blank = bool(found) and marks[-1].lines > 1 and not found[-1].opens
        marks = _marks(text[unit.end : starts[index + 1]])
        if marks is None:
            return None
        beside = _beside(marks[0])
        found.append(_entry(text, unit, blank, beside))
        below = _marked(marks[1:] if beside else marks, depths[index + 1])
        if found[-1].opens and marks[0].text == "}" and not marks[0].lines:
            found[-1], below = _shut(found[-1], below)
        found += _without_blank(below) if found[-1].opens else below
    return found


# -- statements ----------------------------------------------------------------------------------


def _units(document: Document, lines: LineIndex) -> list[_Unit]:
    depths = _depths(document.chunks, 0)
    units: list[_Unit] = []
    above = 0  # where the chunk above starts
    for (start, chunk), depth in zip(document.placed(), depths, strict=True):
        broken = bool(chunk.parsed.faults) or chunk.statement is None
        statement = None if broken else chunk.statement
        unit = _Unit(start, start + len(chunk.text), depth, statement)
        if broken and units and _may_continue(document.text, lines, units[-1], above, unit):
            units[-1] = unit._replace(start=units[-1].start)
        else:
            units.append(unit)
        above = start
    return units


def _depths(chunks: Sequence[Chunk], depth: int) -> Iterator[int]:
    """In how many bodies chunks and those inside them stand, in reading order."""
    for chunk in chunks:
        yield depth
        yield from _depths(chunk.body, depth + 1)


def _may_continue(text: str, lines: LineIndex, unit: _Unit, above: int, broken: _Unit) -> bool:
    """May what is broken be part of the unit above it, whose last chunk starts at `above`: is it on
    the same line, or further in, and further than statements stand?"""
    if unit.depth != broken.depth or text[unit.end - 1] == "{":
        return False
    in_style = broken.depth * BODY
    further = _column(lines, broken.start) > max(_column(lines, above), in_style)
    return further or lines.line_of(broken.start) == lines.line_of(unit.end)


def _column(lines: LineIndex, offset: int) -> int:
    return offset - lines.line_span(lines.line_of(offset))[0]


def _entry(text: str, unit: _Unit, blank: bool, beside: str) -> Entry:
    """A unit, with the comment beside it that is not part of its own text."""
    own = text[unit.start : unit.end]
    indent = unit.depth * BODY
    if unit.statement is None:
        return Entry((Line(indent, (own,), beside),), blank, alone=True)
    laid = laid_out(own, unit.statement, indent, beside)
    return Entry(laid, blank, alone=len(laid) > 1 or own.endswith("{"))


def _shut(header: Entry, below: list[Entry]) -> tuple[Entry, list[Entry]]:
    """A header with the `}` that comes first below it on its own line, if that fits: `plan p {}`;
    and what is left below."""
    last, brace = header.lines[-1], below[0].lines[0]
    line = Line(last.indent, (*last.cells[:-1], f"{last.cells[-1]}}}"), brace.comment)
    if line.indent + with_comment(width("".join(line.cells)), line.comment) > LIMIT:
        return header, below
    return header._replace(lines=(*header.lines[:-1], line)), below[1:]


# -- what stands between them --------------------------------------------------------------------


def _marks(between: str) -> list[_Mark] | None:
    marks: list[_Mark] = []
    lines = 0
    for match in _MARK.finditer(between):
        mark = match[0]
        if mark[0] in "\r\n":
            lines += 1
        elif mark[0] in "#}":
            marks.append(_Mark(mark.rstrip(BLANKS), lines))
            lines = 0
        else:
            return None
    return [*marks, _Mark("", lines)]


def _beside(mark: _Mark) -> str:
    """The comment that stands on the line of what is in front of it, or ""."""
    return mark.text if mark.text.startswith("#") and not mark.lines else ""


def _opening(marks: Sequence[_Mark], depth: int, statements: int) -> list[Entry]:
    """What stands on top of a text. A blank line above comments stays where they would document
    the file without it."""
    found = _without_blank(_marked(marks, depth))
    below = next((mark.lines for mark in marks[1:] if mark.lines != 1), 1 if statements else 2)
    if found and marks[0].lines and below > 1:
        found[0] = found[0]._replace(blank=True)
    return found


def _marked(marks: Sequence[_Mark], depth: int) -> list[Entry]:
    """The comments and the `}` in front of a statement in so many bodies."""
    found: list[Entry] = []
    level = depth + sum(mark.text == "}" for mark in marks)
    for index, mark in enumerate(marks[:-1]):
        if mark.text == "}":
            level -= 1
            line = Line(level * BODY, ("}",), _beside(marks[index + 1]))
            found.append(Entry((line,), blank=False, alone=True))
        elif mark.lines or not index:
            line = Line(level * BODY, (), mark.text)
            found.append(Entry((line,), blank=mark.lines > 1, alone=False))
    return found


def _without_blank(found: list[Entry]) -> list[Entry]:
    """The same, the first at the beginning of a body or of the text."""
    return [found[0]._replace(blank=False), *found[1:]] if found else found

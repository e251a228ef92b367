"""Offsets of a text <-> lines and columns, in the units that editors and terminals count in.

A line ends at `\\n`, `\\r\\n` or `\\r`, nowhere else. One index serves one text; a query costs
O(log n). Positions outside the text or behind a line's end clamp; a column inside a character
means that character's start.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
"""What a column counts: bytes, 16-bit units, or code points."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_WIDE = {"utf-8": re.compile(r"[^\x00-\x7f]"), "utf-16": re.compile("[\U00010000-\U0010ffff]")}


class Position(NamedTuple):
    """A line and a column."""

    line: int
    column: int


def line_starts(text: str) -> list[int]:
    """The offset of every line's first character."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def _extra_units(character: str, encoding: Encoding) -> int:
    """Units of a wide character beyond the first."""
    if encoding == "utf-16":
        return 1
    return 1 if character < "\u0800" else 2 if character < "\U00010000" else 3


class LineIndex:
    """Where the lines of one text begin and end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = line_starts(text)
        self._wide: dict[Encoding, tuple[list[int], list[int]]] = {"utf-32": ([], [0])}

    @cached_property
    def line_count(self) -> int:
        """Number of lines; an empty text has one."""
        return len(self._starts)

    def line_of(self, offset: int) -> int:
        """The 0-based line that holds `offset`."""
        return bisect_right(self._starts, max(offset, 0)) - 1

    def line_span(self, line: int) -> tuple[int, int]:
        """Offsets of the line's first character and of its end, without what ends it."""
        line = min(max(line, 0), self.line_count - 1)
        start = self._starts[line]
        if line == self.line_count - 1:
            return start, len(self._text)
        end = self._starts[line + 1] - 1
        if end > start and self._text[end - 1 : end + 1] == "\r\n":
            end -= 1
        return start, end

    def position(self, offset: int, encoding: Encoding) -> Position:
        """The 0-based line and column of `offset`."""
        offset = min(max(offset, 0), len(self._text))
        line = self.line_of(offset)
        start, end = self.line_span(line)
        return Position(line, self._units(start, min(offset, end), encoding))

    def offset(self, line: int, column: int, encoding: Encoding) -> int:
        """The offset at a 0-based line and column."""
        if line >= self.line_count:
            return len(self._text)
        start, end = self.line_span(line) if line >= 0 else (0, 0)
        places = range(start, end + 1)
        behind = bisect_right(
            places, max(column, 0), key=lambda place: self._units(start, place, encoding)
        )
        return places[behind - 1]

    def place(self, offset: int) -> Position:
        """The 1-based line and column of `offset` in code points, as people read them."""
        line, column = self.position(offset, "utf-32")
        return Position(line + 1, column + 1)

    def _units(self, start: int, end: int, encoding: Encoding) -> int:
        """Units between two offsets."""
        wide, extra = self._wide_characters(encoding)
        return end - start + extra[bisect_left(wide, end)] - extra[bisect_left(wide, start)]

    def _wide_characters(self, encoding: Encoding) -> tuple[list[int], list[int]]:
        """Offsets of the characters of more than one unit; units beyond the first before each."""
        if encoding not in self._wide:
            found = list(_WIDE[encoding].finditer(self._text))
            extra = accumulate((_extra_units(match[0], encoding) for match in found), initial=0)
            self._wide[encoding] = ([match.start() for match in found], list(extra))
        return self._wide[encoding]

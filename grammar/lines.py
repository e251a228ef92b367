"""Offsets of a text <-> lines and columns, in the units that editors and terminals count in.

A line ends at `\\n`, `\\r\\n` or `\\r`, nowhere else. One index serves one text; the index of an
edited text is made from the one before and shares all that the edit did not touch. Positions
outside the text or behind a line's end clamp; a column inside a character means that character's
start.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
"""What a column counts: bytes, 16-bit units, or code points."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_WIDE = {"utf-8": re.compile(r"[^\x00-\x7f]"), "utf-16": re.compile("[\U00010000-\U0010ffff]")}
_BLOCK = 4096  # characters, and up to the end of the line; an edit costs about as much as a block


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


class _Block:
    """Whole lines of a text, and at its end the beginning of one that may be empty. Offsets count
    from the block's start."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._wide: dict[Encoding, tuple[list[int], list[int]]] = {"utf-32": ([], [0])}

    @cached_property
    def starts(self) -> list[int]:
        """Where its lines start; the last is the one that goes on behind the block."""
        return line_starts(self.text)

    @property
    def line_ends(self) -> int:
        """How many of its lines end in it."""
        return len(self.starts) - 1

    def line_span(self, line: int) -> tuple[int, int]:
        """Where one of its lines begins and ends, without what ends it."""
        start = self.starts[line]
        if line == self.line_ends:
            return start, len(self.text)
        end = self.starts[line + 1] - 1
        return start, end - 1 if end > start and self.text[end - 1 : end + 1] == "\r\n" else end

    def units(self, start: int, end: int, encoding: Encoding) -> int:
        """Units between two offsets."""
        wide, extra = self._wide_characters(encoding)
        return end - start + extra[bisect_left(wide, end)] - extra[bisect_left(wide, start)]

    def _wide_characters(self, encoding: Encoding) -> tuple[list[int], list[int]]:
        """Offsets of the characters of more than one unit; units beyond the first before each."""
        if encoding not in self._wide:
            found = list(_WIDE[encoding].finditer(self.text))
            extra = accumulate((_extra_units(match[0], encoding) for match in found), initial=0)
            self._wide[encoding] = ([match.start() for match in found], list(extra))
        return self._wide[encoding]


def _blocks(text: str) -> Iterator[_Block]:
    """A text in blocks; the last one, which may be empty, holds the last line."""
    start = 0
    while end := _LINE_END.search(text, start + _BLOCK):
        yield _Block(text[start : end.end()])
        start = end.end()
    yield _Block(text[start:])


class LineIndex:
    """Where the lines of one text begin and end."""

    def __init__(self, text: str) -> None:
        self._over(tuple(_blocks(text)))

    def _over(self, blocks: Sequence[_Block]) -> None:
        self._parts = blocks
        self._offsets = list(accumulate((len(block.text) for block in blocks), initial=0))

    @cached_property
    def _first_lines(self) -> list[int]:
        """The number of the first line of each block."""
        return list(accumulate((block.line_ends for block in self._parts[:-1]), initial=0))

    @cached_property
    def line_count(self) -> int:
        """Number of lines; an empty text has one."""
        return self._first_lines[-1] + self._parts[-1].line_ends + 1

    def edited(self, start: int, end: int, new: str) -> LineIndex:
        """The index of the text with `new` in place of what is between two offsets."""
        first, last = self._part(start), self._part(end)
        before = self._parts[first].text[: start - self._offsets[first]]
        after = self._parts[last].text[end - self._offsets[last] :]
        if first > 0 and not before:  # a `\n` may now follow the `\r` that ends the block before
            first -= 1
            before = self._parts[first].text
        if not after and last + 1 < len(self._parts):
            last += 1
            after = self._parts[last].text
        middle = tuple(_blocks(before + new + after))
        if last + 1 < len(self._parts) and not middle[-1].text:
            middle = middle[:-1]
        index = LineIndex.__new__(LineIndex)
        index._over((*self._parts[:first], *middle, *self._parts[last + 1 :]))
        return index

    def line_of(self, offset: int) -> int:
        """The 0-based line that holds `offset`."""
        offset = min(max(offset, 0), self._offsets[-1])
        part = self._part(offset)
        inside = bisect_right(self._parts[part].starts, offset - self._offsets[part]) - 1
        return self._first_lines[part] + inside

    def line_span(self, line: int) -> tuple[int, int]:
        """Offsets of the line's first character and of its end, without what ends it."""
        part, inside = self._line(line)
        base = self._offsets[part]
        start, end = self._parts[part].line_span(inside)
        return base + start, base + end

    def position(self, offset: int, encoding: Encoding) -> Position:
        """The 0-based line and column of `offset`."""
        offset = min(max(offset, 0), self._offsets[-1])
        part = self._part(offset)
        block, base = self._parts[part], self._offsets[part]
        inside = bisect_right(block.starts, offset - base) - 1
        start, end = block.line_span(inside)
        column = block.units(start, min(offset - base, end), encoding)
        return Position(self._first_lines[part] + inside, column)

    def offset(self, line: int, column: int, encoding: Encoding) -> int:
        """The offset at a 0-based line and column."""
        if line >= self.line_count:
            return self._offsets[-1]
        part, inside = self._line(line)
        block = self._parts[part]
        start, end = block.line_span(inside) if line >= 0 else (0, 0)
        places = range(start, end + 1)
        behind = bisect_right(
            places, max(column, 0), key=lambda place: block.units(start, place, encoding)
        )
        return self._offsets[part] + places[behind - 1]

    def place(self, offset: int) -> Position:
        """The 1-based line and column of `offset` in code points, as people read them."""
        line, column = self.position(offset, "utf-32")
        return Position(line + 1, column + 1)

    def _part(self, offset: int) -> int:
        """The block that holds an offset; the last one for the end of the text."""
        return min(bisect_right(self._offsets, offset), len(self._parts)) - 1

    def _line(self, line: int) -> tuple[int, int]:
        """The block that holds a line, and its number in there."""
        line = min(max(line, 0), self.line_count - 1)
        part = bisect_right(self._first_lines, line) - 1
        return part, line - self._first_lines[part]

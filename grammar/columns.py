"""Lines that stand together share columns.

In a run of lines of one body, without a blank line between them, three things stand below one
another: what follows the names of layers (and the roles of tensors), the clauses of layers, and
comments, which go into the column of the clauses where none stands behind one. A line that a column
would make too long stays out of it, and places far from one another make columns of their own.
Widths are those of a terminal: wide characters count twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import combining, east_asian_width

LIMIT = 100
"""Columns that a line may take."""

BODY = 2
"""How far a body's statements stand further in than its header."""

STEP = 4
"""How far the further lines of one statement stand further in than its first."""

_FAR = 40  # columns between neighbouring places that belong to no common column
_SPACES = (0, 1, 2)  # at the least, in front of a line's cells
_BEFORE_COMMENT = 2


class Line(NamedTuple):
    """A line at `indent`: what it says, cut where columns may begin, and the comment behind it.

    The cells of a layer on one line are its name, what follows, and its clauses ("" for none);
    those of tensors their role and what follows; other lines have one. A blank line has neither
    cells nor a comment.
    """

    indent: int
    cells: tuple[str, ...]
    comment: str = ""


def width(text: str) -> int:
    """Columns that a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def with_comment(code: int, comment: str) -> int:
    """Columns of a line with so many of code, and a comment or none."""
    return code + _BEFORE_COMMENT + width(comment) if code and comment else code + width(comment)


def rendered(lines: Sequence[Line]) -> list[str]:
    """The texts of lines that stand together."""
    texts = [" " * line.indent + "".join(line.cells[:1]) for line in lines]
    for cell, rows in _columns(lines):
        room = [_room(texts[row], lines[row], cell) for row in rows]
        for row, spaces in zip(rows, _padding([width(texts[r]) for r in rows], room), strict=True):
            following = lines[row].cells[cell]
            texts[row] += " " * spaces + (" " * _SPACES[cell] + following if following else "")
    rows = [row for row, line in enumerate(lines) if line.comment and line.cells]
    widths = [width(texts[row]) for row in rows]
    room = [
        max(LIMIT - with_comment(code, lines[row].comment), 0)
        for row, code in zip(rows, widths, strict=True)
    ]
    for row, spaces in zip(rows, _padding(widths, room), strict=True):
        texts[row] += " " * (spaces + _BEFORE_COMMENT)
    return [text + line.comment for text, line in zip(texts, lines, strict=True)]


def _columns(lines: Sequence[Line]) -> Iterator[tuple[int, list[int]]]:
    """Every column: the cell that stands in it, and in which lines."""
    for cells in (2, 3):
        yield 1, [row for row, line in enumerate(lines) if len(line.cells) == cells]
    layers = [row for row, line in enumerate(lines) if len(line.cells) == 3]
    with_clauses = [row for row in layers if lines[row].cells[2]]
    if any(lines[row].comment for row in with_clauses):
        yield 2, with_clauses
    else:
        yield 2, [row for row in layers if lines[row].cells[2] or lines[row].comment]


def _room(text: str, line: Line, cell: int) -> int:
    """Columns that are left of a line with all that follows its `cell`; the comment does not count
    where the line is too long because of it."""
    cells = range(cell, len(line.cells))
    rest = sum(_SPACES[at] + width(line.cells[at]) for at in cells if line.cells[at])
    code = width(text) + rest
    whole = with_comment(code, line.comment)
    return LIMIT - (whole if whole <= LIMIT else code)


def _padding(widths: Sequence[int], room: Sequence[int]) -> list[int]:
    """The spaces that bring what follows so wide texts into columns."""
    spaces = [0] * len(widths)
    for near in _neighbours(widths):
        column = near
        while column:
            target = max(widths[row] for row in column)
            fitting = [row for row in column if target - widths[row] <= room[row]]
            if len(fitting) == len(column):
                break
            column = fitting
        for row in column:
            spaces[row] = target - widths[row]
    return spaces


def _neighbours(widths: Sequence[int]) -> list[list[int]]:
    """The rows by width, apart where two neighbouring widths lie far apart."""
    found: list[list[int]] = []
    for row in sorted(range(len(widths)), key=widths.__getitem__):
        if found and widths[row] - widths[found[-1][-1]] <= _FAR:
            found[-1].append(row)
        else:
            found.append([row])
    return found

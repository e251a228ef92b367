"""Prose: what is shown in a box beside the text, in blocks, as markdown or as plain text.

It reads well either way: columns are aligned also where nobody draws the table. Inside a line
`code` and **strong** mean what they mean in markdown; what users write goes through `code` or
`quoted` and is never taken for markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.output.terminal.cells import padded, safe, width


@value
class Code:
    """Text of the language."""

    text: str


@value
class Lines:
    """A paragraph; each line begins on a line of its own."""

    lines: tuple[str, ...]


@value
class Items:
    """A list; an item may have several lines."""

    items: tuple[str, ...]


@value
class Table:
    """Cells of plain text; the last `numbers` columns hold figures."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: int = 0


Block: TypeAlias = Code | Lines | Items | Table

_EDGES = r"(?<!\w)_|_(?!\w)"  # of a word, where markdown sees emphasis
_INSIDE = rf"[\\`]|\*(?=\S)|(?<=\S)\*|{_EDGES}|(?<=\])\(|~(?=~)|<(?=[\w/!?])|&(?=#?\w+;)"
_MARKS = re.compile(rf"{_INSIDE}|^[#>|]|^[-+](?=\s)|^[=-](?=[=-]*\s*$)")
_CELL_MARKS = re.compile(rf"{_INSIDE}|\|")
_CODE = re.compile("`([^`]+)`")
_DRAWN = re.compile(r"\\([\\`*_(~<&#>|=+-])|\*\*|`")
_ENDS = re.compile(r"\r\n|[\r\n]")


def lines(*texts: str) -> Lines:
    """A paragraph of the lines that say something."""
    return Lines(tuple(text for text in texts if text))


def code(text: str) -> str:
    """A name or a state in a line."""
    shown = safe(text)
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence, gap = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{gap}{shown or ' '}{gap}{fence}"


def quoted(text: str) -> str:
    """A sentence that somebody wrote, as it is; what stands in backquotes is code."""
    parts = _CODE.split(text)
    return "".join(
        code(part) if place % 2 else _MARKS.sub(r"\\\g<0>", safe(part))
        for place, part in enumerate(parts)
    )


def note(comment: str) -> Lines:
    """A comment that documents something, a line for each of its own."""
    return lines(*map(quoted, _ENDS.split(comment)))


def markdown(blocks: Iterable[Block]) -> str:
    """The blocks as markdown."""
    return "\n\n".join(filter(None, map(_markdown, blocks)))


def plain(blocks: Iterable[Block]) -> str:
    """The blocks as text that nobody draws."""
    return "\n\n".join(filter(None, map(_plain, blocks)))


def _markdown(block: Block) -> str:
    match block:
        case Code(text):
            fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 0)
            return f"{fence}par\n{text}\n{fence}"
        case Lines(texts):
            return "  \n".join(texts)
        case Items(items):
            return "\n".join("- " + item.replace("\n", "  \n  ") for item in items)
        case Table(heads, rows, numbers):
            body = [[_cell(cell) for cell in row] for row in (heads, *rows)]
            widths = [max(3, *map(width, column)) for column in zip(*body, strict=True)]
            left = len(heads) - numbers
            ruler = [
                "-" * (cells - (place >= left)) + ":" * (place >= left)
                for place, cells in enumerate(widths)
            ]
            head, *others = (_aligned(row, widths, left) for row in body)
            shown = (head, ruler, *others) if rows else ()
            return "\n".join(f"| {' | '.join(row)} |" for row in shown)


def _plain(block: Block) -> str:
    match block:
        case Code(text):
            return text
        case Lines(texts):
            return "\n".join(map(_undrawn, texts))
        case Items(items):
            return "\n".join("- " + _undrawn(item).replace("\n", "\n  ") for item in items)
        case Table(heads, rows, numbers):
            body = [[safe(cell) for cell in row] for row in (heads, *rows)] if rows else []
            widths = [max(map(width, column)) for column in zip(*body, strict=True)]
            aligned = (_aligned(row, widths, len(heads) - numbers) for row in body)
            return "\n".join("  ".join(row).rstrip() for row in aligned)


def _aligned(row: Sequence[str], widths: Sequence[int], left: int) -> list[str]:
    """Cells as wide as their columns, those from `left` on at the right."""
    return [
        padded(cell, cells) if place < left else " " * (cells - width(cell)) + cell
        for place, (cell, cells) in enumerate(zip(row, widths, strict=True))
    ]


def _cell(text: str) -> str:
    """A cell of a markdown table; names and states are as they are, for the sake of columns."""
    return _CELL_MARKS.sub(r"\\\g<0>", safe(text))


def _undrawn(text: str) -> str:
    return _DRAWN.sub(lambda mark: mark[1] or "", text)

"""Tables for a terminal: within the columns, nothing behind a line's end. Rich draws them, but for
listings that fit as they are: of thousands of rows it would measure and style each cell anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import zip_longest
from typing import NamedTuple

from rich import box
from rich.console import Console, OverflowMethod, RenderableType
from rich.table import Table

from parspec.interpreter.output.terminal.cells import padded, safe, width
from parspec.interpreter.output.terminal.screen import PLAIN, Screen

_GAP = "  "
_STYLES = {"": "", "strong": "bold"}  # of rich, by role


class Row(NamedTuple):
    """Cells, the last ones left out where they are empty, and the role of the row's colour."""

    cells: tuple[str, ...]
    role: str = ""


def drawn(parts: Iterable[RenderableType], screen: Screen) -> str:
    """The parts below one another."""
    coloured = screen.palette is not PLAIN
    console = Console(
        file=StringIO(),
        width=screen.columns,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
        no_color=not coloured,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(f"{part}\n")
            continue
        with console.capture() as capture:
            console.print(part)
        texts.append(capture.get())
    return "".join(f"{line.rstrip()}\n" for line in "".join(texts).split("\n")[:-1])


def open_table(columns: Sequence[str], numbers: int) -> Table:
    """A table without rules, of names, which are cut where there is no room; the last so many
    columns hold numbers."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    _columns(table, columns, numbers, "ellipsis")
    return table


def listing(
    columns: Sequence[str], numbers: int, rows: Sequence[Row], screen: Screen
) -> RenderableType:
    """An open table of all these rows."""
    lines = [[_shown(cell).split("\n") for cell in row.cells] for row in (Row((*columns,)), *rows)]
    sizes = [
        max(width(line) for cell in column for line in cell)
        for column in zip_longest(*lines, fillvalue=("",))
    ]
    if sum(sizes) + len(_GAP) * (len(sizes) - 1) > screen.columns:
        table = open_table(columns, numbers)
        for row in rows:
            add_row(table, row.cells, _STYLES[row.role])
        return table
    height = max(map(len, lines[0]))
    lines[0] = [[""] * (height - len(cell)) + cell for cell in lines[0]]  # heads stand at the foot
    texts: list[str] = []
    for shown, role in zip(lines, ("faint", *(row.role for row in rows)), strict=True):
        for cells in zip_longest(*shown, fillvalue=""):
            line = _GAP.join(_aligned(cells, sizes, len(columns) - numbers)).rstrip()
            texts.append(screen.palette.paint(role, line))
    return "\n".join(texts)


def _aligned(cells: Sequence[str], sizes: Sequence[int], words: int) -> Iterator[str]:
    """Cells as wide as their columns, those behind so many of words at the right."""
    for place, (cell, size) in enumerate(zip(cells, sizes, strict=False)):
        yield padded(cell, size) if place < words else " " * (size - width(cell)) + cell


def ruled_table(title: str, columns: Sequence[str], numbers: int) -> Table:
    """A table with rules, under a title, of formulas, which go on in the next line."""
    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    _columns(table, columns, numbers, "fold")
    return table


def add_row(table: Table, cells: Iterable[str], style: str = "") -> None:
    """A row of cells, safe to show."""
    table.add_row(*map(_shown, cells), style=style)


def _shown(cell: str) -> str:
    return "\n".join(map(safe, cell.split("\n")))


def _columns(table: Table, columns: Sequence[str], numbers: int, overflow: OverflowMethod) -> None:
    for position, column in enumerate(columns):
        number = position >= len(columns) - numbers
        table.add_column(
            _shown(column),
            justify="right" if number else "left",
            no_wrap=number or position == 0,
            overflow=overflow,
        )

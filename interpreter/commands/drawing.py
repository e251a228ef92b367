"""Tables for a terminal, drawn by rich: within the columns, nothing behind a line's end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO

from rich import box
from rich.console import Console, OverflowMethod, RenderableType
from rich.table import Table

from parspec.interpreter.commands.cells import safe
from parspec.interpreter.commands.terminal import PLAIN, Screen


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
    with console.capture() as capture:
        for part in parts:
            console.print(part, soft_wrap=isinstance(part, str))
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def open_table(columns: Sequence[str], numbers: int) -> Table:
    """A table without rules, of names, which are cut where there is no room; the last so many
    columns hold numbers."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    _columns(table, columns, numbers, "ellipsis")
    return table


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

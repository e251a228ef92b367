"""`compare --format text`: the memo within a terminal's columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from parspec.interpreter.output.comparisons.memo import Cell, Memo, Role, Sheet
from parspec.interpreter.output.comparisons.prose import Fact
from parspec.interpreter.output.terminal.cells import padded, safe, width, wrapped
from parspec.interpreter.output.terminal.drawing import drawn, open_table
from parspec.interpreter.output.terminal.screen import Screen

_GAP = 2
_STYLES: dict[Role, str] = {
    "": "",
    "strong": "bold",
    "faint": "dim",
    "good": "green",
    "warning": "yellow",
    "error": "bold red",
}


def compare_text(memo: Memo, screen: Screen) -> str:
    """The memo as text."""
    return drawn(_parts(memo, screen), screen)


def _parts(memo: Memo, screen: Screen) -> Iterator[RenderableType]:
    title = wrapped(safe(memo.title), screen.columns)
    yield "\n".join(screen.palette.paint("strong", line) for line in title)
    yield "\n".join(wrapped(safe(memo.verdict), screen.columns))
    yield ""
    yield "\n".join(_told(memo.grounds, screen))
    for part in memo.parts:
        yield ""
        if isinstance(part, Sheet):
            if part.rows:
                yield _table(part)
            if part.below:
                yield "\n".join(wrapped(safe(part.below), screen.columns, "  "))
        else:
            yield "\n".join(
                (screen.palette.paint("strong", safe(part.title)), *_told(part.facts, screen))
            )


def _table(sheet: Sheet) -> Table:
    """The table; names rather than numbers give way where columns are narrow."""
    table = open_table(sheet.columns, sheet.numbers)
    table.columns[0].no_wrap = not sheet.numbers
    for row in sheet.rows:
        table.add_row(*map(_cell, row))
    return table


def _cell(cell: Cell) -> Text:
    return Text("\n".join(map(safe, cell.text.split("\n"))), _STYLES[cell.role])


def _told(facts: Iterable[Fact], screen: Screen) -> Iterator[str]:
    """Each fact beside its name, which stands once for several in a row."""
    told = list(facts)
    margin = max((width(name) for name, _ in told), default=0) + _GAP
    before = ""
    for name, text in told:
        first, *rest = wrapped(safe(text), screen.columns - margin)
        label = "" if name == before else name
        before = name
        yield screen.palette.paint("faint", padded(safe(label), margin)) + first
        yield from (" " * margin + line for line in rest)

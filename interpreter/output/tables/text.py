"""`tables --format text`: the article's tables."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group

from parspec.interpreter.output.tables.sheets import Sheet
from parspec.interpreter.output.terminal.cells import safe, wrapped
from parspec.interpreter.output.terminal.drawing import add_row, drawn, ruled_table
from parspec.interpreter.output.terminal.screen import Screen


def tables_text(sheets: Iterable[Sheet], screen: Screen) -> str:
    """Tables with empty lines between them."""
    return "\n\n".join(_table(sheet, screen) for sheet in sheets)


def _table(sheet: Sheet, screen: Screen) -> str:
    table = ruled_table(sheet.title, sheet.heads, 0)
    for row in sheet.rows:
        add_row(table, row)
    notes = (line for note in sheet.notes for line in wrapped(safe(note), screen.columns, "  "))
    return drawn((Group(table, *notes),), screen).rstrip("\n") + "\n"

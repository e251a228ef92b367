"""`tables --format markdown`: the article's tables for a page or a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from parspec.interpreter.output.markdown_text import table, text, titled
from parspec.interpreter.output.tables.sheets import Sheet


def tables_markdown(sheets: Iterable[Sheet]) -> str:
    """Tables with empty lines between them."""
    return "\n\n".join(map(_table, sheets)) + "\n"


def _table(sheet: Sheet) -> str:
    rows = [[text(cell) for cell in row] for row in sheet.rows]
    shown = titled(text(sheet.title), table([text(head) for head in sheet.heads], rows, 0))
    return "\n\n".join((shown, *map(text, sheet.notes)))

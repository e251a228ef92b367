"""Tables: rows that sort by a click on a heading, figures at the right edge of their columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from parspec.grammar.values import value
from parspec.interpreter.output.reports.page.markup import NOTHING, Html, element

MOST_ROWS = 1000  # of a table; what is more is said below it


class Column(NamedTuple):
    """A heading and what stands below it; only prose is broken into lines."""

    head: str
    kind: Literal["text", "number", "prose"] = "text"


class Row(NamedTuple):
    """Cells, one for each column, and a name that links lead to ("" for none)."""

    cells: Sequence[str]
    name: str = ""


@value
class Table:
    """A table by what it lists; `total`: how many rows there would be without a limit."""

    label: str
    columns: Sequence[Column]
    rows: Iterable[Row]
    total: int


def numbers(*heads: str) -> tuple[Column, ...]:
    """Columns of numbers."""
    return tuple(Column(head, "number") for head in heads)


def prose(*heads: str) -> tuple[Column, ...]:
    """Columns of sentences."""
    return tuple(Column(head, "prose") for head in heads)


def texts(*heads: str) -> tuple[Column, ...]:
    """Columns of text."""
    return tuple(Column(head) for head in heads)


def table(given: Table, left_out: str) -> Html:
    """The table in a frame that scrolls. Where rows are left out a note says so, in these words
    behind the count."""
    if not given.total:
        return NOTHING
    heads = (
        element("th", {"scope": "col", "class": column.kind}, column.head)
        for column in given.columns
    )
    body = (_row(row, given.columns) for row in islice(given.rows, MOST_ROWS))
    drawn = element(
        "table",
        {"class": "sorts", "aria-label": given.label},
        element("thead", {}, element("tr", {}, *heads)),
        element("tbody", {}, *body),
    )
    frame = {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": given.label}
    note = NOTHING
    if given.total > MOST_ROWS:
        note = element("p", {"class": "note"}, f"{MOST_ROWS} of {given.total} {left_out}")
    return element("div", {"class": "listing"}, element("div", frame, drawn), note)


def _row(row: Row, columns: Sequence[Column]) -> Html:
    cells = (
        element("td", {} if column.kind == "text" else {"class": column.kind}, cell)
        for cell, column in zip(row.cells, columns, strict=True)
    )
    return element("tr", {"id": row.name} if row.name else {}, *cells)

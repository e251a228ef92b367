"""Communication in a report: each primitive with its figures, below it its price as a formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.output.terminal.cells import padded, safe, width, wrapped
from parspec.interpreter.output.wording.facts import moved
from parspec.interpreter.output.wording.pricing import measures, one_priced, traffic
from parspec.interpreter.output.wording.quantities import figure_in_bytes, in_seconds
from parspec.interpreter.theory.primitives import PriceList

_HEADS = ("traffic", "per device", "time")
_GAP = "  "
_LONGEST_NAME = 16  # a longer name has a line of its own


@value
class _Sheet:
    """The measures of one list: `columns` in all, `margin` for names, `cells` for figures."""

    columns: int
    margin: int
    cells: tuple[int, ...]

    @property
    def room(self) -> int:
        """Cells left of the figures."""
        return self.columns - sum(self.cells) - len(_GAP) * len(self.cells)

    def line(self, text: str, figures: Sequence[str]) -> str:
        """A text with figures at the right."""
        shown = zip(figures, self.cells, strict=True)
        numbers = (" " * (cell - width(figure)) + figure for figure, cell in shown)
        return _GAP.join((padded(text, self.room), *numbers))

    def indented(self, text: str, room: int) -> list[str]:
        """A text behind the names, in so many cells from the left."""
        return [" " * self.margin + line for line in wrapped(text, room - self.margin)]


def move_lines(
    title: str,
    moves: Sequence[Move],
    group: str,
    labels: Mapping[str, str],
    prices: PriceList,
    columns: int,
) -> list[str]:
    """A line of headings, then two or more lines for each move, within the columns. Layers of
    the group go by their names inside it, others by their full names."""
    figures = [_figures(move, prices) for move in moves]
    names = [safe(_name(move, group, labels)) for move in moves]
    sheet = _Sheet(
        columns,
        min(max(map(width, names)), _LONGEST_NAME) + len(_GAP),
        tuple(max(map(width, column)) for column in zip(_HEADS, *figures, strict=True)),
    )
    lines = [sheet.line(title, _HEADS)]
    for move, name, shown in zip(moves, names, figures, strict=True):
        first, *rest = sheet.indented(safe(_what(move, labels)), sheet.room)
        lines += _named(name, sheet.line(first, shown), sheet.margin)
        lines += [*rest, *_formula(move, prices, sheet)]
    return lines


def _named(name: str, line: str, margin: int) -> list[str]:
    """A line with a name in its margin, or above it where it is too long."""
    if width(name) + len(_GAP) > margin:
        return [name, line]
    return [padded(name, margin) + line[margin:]]


def _formula(move: Move, prices: PriceList, sheet: _Sheet) -> list[str]:
    if move.primitive is None:
        return []
    price, sizes = one_priced(move, prices), measures(move, prices)
    together = ", ".join(part for part in (price, sizes) if part)
    if width(together) <= sheet.columns - sheet.margin:
        return sheet.indented(together, sheet.columns)
    return [*sheet.indented(price, sheet.columns), *sheet.indented(sizes, sheet.columns)]


def _figures(move: Move, prices: PriceList) -> tuple[str, str, str]:
    return (
        figure_in_bytes(traffic(move, prices)),
        figure_in_bytes(move.per_device),
        in_seconds(move.time),
    )


def _name(move: Move, group: str, labels: Mapping[str, str]) -> str:
    """The layer that it is in front of, or the output that it is at."""
    return move.layer.removeprefix(f"{group}.") or labels.get(move.tensor, move.tensor)


def _what(move: Move, labels: Mapping[str, str]) -> str:
    what = moved(move, labels.get(move.tensor, move.tensor))
    named = f"{move.primitive} ({move.order}) of {what}" if move.primitive else f"{what}, free,"
    return f"{named} on {', '.join(move.axes)}: {move.before} → {move.after}"

"""Where the rows of a plan stand in its picture: heights from top to bottom, edges from left to
right. All measures are in pixels of the unscaled picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.output.reports.page.rails import Rail, Span
from parspec.interpreter.output.reports.page.rows import Line, Row
from parspec.interpreter.output.terminal.cells import width

Thickness = Callable[[Move], float]

MARGIN = 10.0
INDENT = 10.0  # of a group inside a group
CHIP = 16.0  # how high a state is
TIME = 92.0  # the column of times
HEADER = 26.0  # of a layer or a group
LONGEST_NAME = 20
LONGEST_LABEL = 60  # of what has no states
LONGEST_STATE = 14
LONGEST_STRATEGY = 16

_LANE = 12.0
_SHORTEST = 70.0  # of an arrow
_GUTTER = 12.0  # between the lanes and the arrows
_CHARACTER = 6.6  # of the small type, on the safe side
_BOLD = 7.6
_TEXT = 14.0  # a line of text above an arrow
_PLAIN = 21.0  # a line without an arrow
_EXIT = 13.0
_PADDING = 6.0
_GAP = 8.0  # between rows


@value
class Placed:
    """A line with the heights at which its arrows run; the last, or the only one where there is no
    arrow, is the height of its variable."""

    line: Line
    heights: tuple[float, ...]

    @property
    def middle(self) -> float:
        """Where the variable stands."""
        return self.heights[-1]

    @property
    def exit(self) -> float:
        """Where the variable leaves for later rows: under its way in, where it has one."""
        return self.middle if self.line.source is None else self.middle + _EXIT


@value
class Block:
    """A row from its top to its bottom."""

    row: Row
    top: float
    lines: tuple[Placed, ...]
    bottom: float


@value
class Sheet:
    """Edges from left to right: where arrows and cards begin, the columns of axes by left edge and
    width, where cards end, and the width of it all."""

    arrows: float
    card: float
    columns: tuple[tuple[float, float], ...]
    right: float
    width: float

    @property
    def names(self) -> float:
        """Where names begin."""
        return self.card + 10

    def lane(self, lane: int) -> float:
        """The middle of a lane."""
        return self.arrows - _GUTTER - _LANE * lane


def blocks_of(rows: Sequence[Row], thickness: Thickness) -> tuple[Block, ...]:
    """The rows below one another."""
    blocks: list[Block] = []
    top = MARGIN
    for row in rows:
        block = _block(row, top, thickness)
        blocks.append(block)
        top = block.bottom + _GAP
    return tuple(blocks)


def _block(row: Row, top: float, thickness: Thickness) -> Block:
    y = top + (HEADER if row.title else 0)
    lines = []
    for line in row.lines:
        heights = []
        for move in line.moves:
            head = head_of(thickness(move))
            heights.append(y + _TEXT + head)
            y += _TEXT + 2 * head + 2
        if not heights:
            heights.append(y + _PLAIN / 2)
            y += _PLAIN
        else:
            y = max(y, heights[-1] + CHIP / 2 + 2)
        if line.source is not None and line.result is not None:
            y += _EXIT
        lines.append(Placed(line, tuple(heights)))
    return Block(row, top, tuple(lines), y + _PADDING if lines else y)


def head_of(thickness: float) -> float:
    """Half the height of an arrow's head."""
    return thickness / 2 + 3


def spans_of(blocks: Sequence[Block]) -> tuple[Span, ...]:
    """A span for each variable that a row makes and a later one reads."""
    tops: dict[str, tuple[str, float]] = {}
    ends: dict[str, list[float]] = {}
    for block in blocks:
        for placed in block.lines:
            line = placed.line
            if line.source in tops:
                ends.setdefault(line.source or "", []).append(placed.heights[0])
            if line.result is not None:
                tops[line.result] = (line.label, placed.exit)
    return tuple(
        Span(name, label, top, tuple(ends[name]))
        for name, (label, top) in tops.items()
        if name in ends
    )


def sheet_of(
    rows: Sequence[Row], heads: Sequence[str], rails: Sequence[Rail], arrows_text: int
) -> Sheet:
    """The edges that the rows' texts need, the headings of axes, and above arrows so many
    characters."""
    lanes = max((rail.lane + 1 for rail in rails), default=0)
    depth = max(row.depth for row in rows)
    arrows = MARGIN + INDENT * (depth + 1) + _LANE * lanes + _GUTTER
    card = arrows + max(_SHORTEST, _CHARACTER * arrows_text + 24 if arrows_text else 0) + 4
    left = card + 10 + _names(rows)
    columns = []
    for place, head in enumerate(heads):
        room = max(map(_room, _texts(rows, place, head)))
        columns.append((left, room))
        left += room
    time = TIME if any(row.time is not None for row in rows) else _PADDING
    right = max(left + time, card + 10 + _alone(rows))
    return Sheet(arrows, card, tuple(columns), right, right + INDENT * (depth + 1) + MARGIN)


def _names(rows: Sequence[Row]) -> float:
    titles = (min(width(row.title), LONGEST_NAME) for row in rows if row.kind == "layer")
    labels = (
        min(width(placed.label), LONGEST_NAME)
        for row in rows
        for placed in row.lines
        if placed.states
    )
    return max(70.0, _BOLD * max(titles, default=0), _CHARACTER * max(labels, default=0) + 20) + 8


def _alone(rows: Sequence[Row]) -> float:
    """What texts need that have no columns behind them."""
    titles = (_BOLD * min(width(row.title), LONGEST_LABEL) for row in rows if row.kind == "open")
    labels = (
        _CHARACTER * min(width(line.label), LONGEST_LABEL)
        for row in rows
        for line in row.lines
        if not line.states
    )
    return max((*titles, *labels), default=0.0)


def _texts(rows: Sequence[Row], place: int, head: str) -> Iterator[tuple[str, int]]:
    yield f"{head}  ", LONGEST_NAME
    for row in rows:
        if row.strategies:
            yield row.strategies[place], LONGEST_STRATEGY
        for line in row.lines:
            if line.states:
                yield line.states[place], LONGEST_STATE


def _room(text_and_longest: tuple[str, int]) -> float:
    text, longest = text_and_longest
    return _CHARACTER * min(width(text), longest) + 16

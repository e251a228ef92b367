"""The picture of a plan: layers from top to bottom with the states of their variables, one column
for each axis, and the primitives as arrows as thick as their traffic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis, Move
from parspec.interpreter.output.reports.axes import axes_of
from parspec.interpreter.output.reports.page.bars import share
from parspec.interpreter.output.reports.page.markup import (
    NOTHING,
    Attributes,
    Html,
    element,
    joined,
)
from parspec.interpreter.output.reports.page.placing import (
    CHIP,
    INDENT,
    LONGEST_LABEL,
    LONGEST_NAME,
    LONGEST_STATE,
    LONGEST_STRATEGY,
    MARGIN,
    TIME,
    Block,
    Placed,
    Sheet,
    blocks_of,
    head_of,
    sheet_of,
    spans_of,
)
from parspec.interpreter.output.reports.page.rails import Rail, rails_of
from parspec.interpreter.output.reports.page.rows import rows_of
from parspec.interpreter.output.reports.page.states import kind_of
from parspec.interpreter.output.terminal.cells import shortened, width
from parspec.interpreter.output.wording.facts import labels_of, moved, price_of
from parspec.interpreter.output.wording.pricing import approximation, traffic
from parspec.interpreter.output.wording.quantities import in_bytes, in_seconds, sized
from parspec.interpreter.theory.formulas import Amount, is_number

MOST_LAYERS = 400  # a longer picture is looked through by nobody

_THICKEST = 16.0
_THINNEST = 1.5
_UNKNOWN = 3.0  # where the traffic is a formula
_WAY = 44  # characters above an arrow, its traffic included
_HEADS = 28.0
_BEND = 5.0


Arrivals: TypeAlias = Mapping[tuple[str, float], Rail]  # by variable and height


@value
class _Scale:
    """What is drawn, by the names of variables, and what its figures are drawn against: the most
    traffic of a primitive, the most time of a layer."""

    analysis: Analysis
    labels: Mapping[str, str]
    traffic: Amount | None
    time: float | None

    def thickness(self, move: Move) -> float:
        """How thick a primitive's arrow is."""
        part = share(traffic(move, self.analysis.model.cost), self.traffic)
        return _UNKNOWN if part is None else max(_THINNEST, _THICKEST * part)


def picture(analysis: Analysis, moves: Iterable[Move]) -> Html:
    """The plan's first layers with those of the moves that belong there, as SVG under headings that
    stay in sight; nothing where there are no layers."""
    rows = rows_of(analysis, moves, MOST_LAYERS)
    if not rows:
        return NOTHING
    drawn_moves = [move for row in rows for line in row.lines for move in line.moves]
    amounts = (traffic(move, analysis.model.cost) for move in drawn_moves)
    most = max(filter(is_number, amounts), default=None)
    times = [row.time for row in rows if row.time is not None]
    labels = labels_of(analysis)
    scale = _Scale(analysis, labels, most, max(times, default=None))
    blocks = blocks_of(rows, scale.thickness)
    rails = rails_of(spans_of(blocks))
    heads = _heads(analysis)
    above = (sum(map(width, _above(move, analysis))) for move in drawn_moves)
    sheet = sheet_of(rows, heads, rails, max(above, default=0))
    arrivals = {(rail.span.variable, end): rail for rail in rails for end in rail.span.ends}
    drawn = (
        *_frames(blocks, sheet),
        *(_rail(rail, sheet) for rail in rails),
        *(_block(block, sheet, scale, arrivals) for block in blocks),
    )
    height = blocks[-1].bottom + MARGIN
    headings = _headings(heads, sheet, scale)
    return joined(
        (
            element("div", {"class": "heads"}, _svg(sheet, _HEADS, "mesh axes", headings)),
            _svg(sheet, height, "layers, states and primitives", drawn),
        )
    )


def signs() -> Iterator[Html]:
    """What stands for what in the picture, for its legend."""
    for shape, meaning in (
        (_path("arrow", _shape(0, 26, 5, 3)), "a primitive, as thick as its traffic"),
        (_rest(9, 5), "a variable at rest"),
    ):
        size = {"width": "26", "height": "10", "aria-hidden": "true"}
        yield element("li", {}, element("svg", size, shape), meaning)


def _svg(sheet: Sheet, height: float, label: str, drawn: Iterable[Html]) -> Html:
    attributes: Attributes = {
        "role": "group",
        "aria-label": label,
        "width": sheet.width,
        "height": height,
        "viewBox": f"0 0 {sheet.width:g} {height:g}",
    }
    return element("svg", attributes, *drawn)


def _heads(analysis: Analysis) -> tuple[str, ...]:
    """What stands above the columns: axes with their sizes."""
    sizes = {axis.name: sized(axis.name, axis.size) for axis in analysis.model.mesh.axes}
    return tuple(shortened(sizes.get(axis, axis), LONGEST_NAME) for axis in axes_of(analysis))


def _headings(heads: Sequence[str], sheet: Sheet, scale: _Scale) -> Iterator[Html]:
    for (left, room), head in zip(sheet.columns, heads, strict=True):
        yield _text("head", left + room / 2 - 3, 18, head, "middle")
    if scale.time is not None:
        yield _text("head", sheet.right - 12, 18, "time", "end")


# Groups


def _frames(blocks: Sequence[Block], sheet: Sheet) -> Iterator[Html]:
    """A frame around each group, outer ones first."""
    opened: list[Block] = []
    frames = []
    for block in blocks:
        if block.row.kind == "open":
            opened.append(block)
        elif block.row.kind == "close":
            frames.append((opened.pop(), block))
    for first, last in sorted(frames, key=lambda frame: frame[0].top):
        left = MARGIN / 2 + INDENT * first.row.depth
        box = {"x": left, "y": first.top, "width": sheet.width - 2 * left, "rx": 7}
        yield element("rect", {"class": "frame", **box, "height": last.bottom - first.top})
        yield _text("group", sheet.names, first.top + 17, shortened(first.row.title, LONGEST_LABEL))


# Rows


def _block(block: Block, sheet: Sheet, scale: _Scale, arrivals: Arrivals) -> Html:
    lines = [part for placed in block.lines for part in _line(placed, sheet, scale, arrivals)]
    row = block.row
    if row.kind in ("open", "close"):
        return joined(lines)
    box = {"x": sheet.card, "y": block.top, "width": sheet.right - sheet.card, "rx": 5}
    card = element("rect", {"class": "card", **box, "height": block.bottom - block.top})
    name = _text("name", sheet.names, block.top + 17, shortened(row.title, LONGEST_NAME))
    if row.layer is not None:
        layer = scale.analysis.layers[row.layer].name
        name = element("a", {"href": f"#layer-{row.layer}", "aria-label": f"layer {layer}"}, name)
    return element("g", {"class": "row"}, card, name, *_header(block, sheet, scale), *lines)


def _header(block: Block, sheet: Sheet, scale: _Scale) -> Iterator[Html]:
    row = block.row
    for (left, room), strategy in zip(sheet.columns, row.strategies, strict=False):
        if strategy:
            shown = shortened(strategy, LONGEST_STRATEGY)
            yield _text("strategy", left + room / 2 - 3, block.top + 17, shown, "middle")
    if row.time is not None:
        right = sheet.right - 12
        yield _text("time", right, block.top + 17, in_seconds(row.time), "end")
        length = (TIME - 24) * (share(row.time, scale.time) or 0)
        box = {"x": right - length, "y": block.top + 22, "width": length, "height": 3}
        yield element("rect", {"class": "compute", **box})


def _line(placed: Placed, sheet: Sheet, scale: _Scale, arrivals: Arrivals) -> Iterator[Html]:
    line = placed.line
    begin = placed.heights[0]
    if line.source is not None:
        rail = arrivals.get((line.source, begin))
        yield _rest(sheet.arrows - 7, begin) if rail is None else _branch(rail, begin, sheet)
        if not line.moves:
            yield _path("wire", f"M{sheet.arrows:g} {begin:g}H{sheet.card - 6:g}")
            yield _path("tip", f"M{sheet.card - 7:g} {begin - 3:g}l6 3l-6 3z")
    for move, height in zip(line.moves, placed.heights, strict=False):
        yield _arrow(move, height, sheet, scale)
    longest = LONGEST_NAME if line.states else LONGEST_LABEL
    mark = "→ " if line.source is None and line.result is not None else ""
    label = mark + shortened(line.label, longest)
    yield _text("variable", sheet.names, placed.middle + 4, label)
    for (left, room), state in zip(sheet.columns, line.states, strict=False):
        yield from _chip(left, room, placed.middle, state)


def _chip(left: float, room: float, middle: float, state: str) -> Iterator[Html]:
    kind = kind_of(state).css
    box = {"x": left, "y": middle - CHIP / 2, "width": room - 6, "height": CHIP, "rx": 3}
    yield element("rect", {"class": f"state {kind}", **box})
    shown = shortened(state, LONGEST_STATE)
    yield _text(f"state {kind}", left + room / 2 - 3, middle + 4, shown, "middle")


# What goes between them


def _rail(rail: Rail, sheet: Sheet) -> Html:
    """From the row that makes a variable to the last that reads it."""
    x, top, bottom = sheet.lane(rail.lane), rail.span.top, rail.span.bottom
    down = f"M{sheet.card:g} {top:g}H{x + _BEND:g}Q{x:g} {top:g} {x:g} {top + _BEND:g}"
    back = f"V{bottom - _BEND:g}Q{x:g} {bottom:g} {x + _BEND:g} {bottom:g}H{sheet.arrows:g}"
    return element("path", {"class": "rail", "d": down + back}, _title(rail.span.label))


def _branch(rail: Rail, height: float, sheet: Sheet) -> Html:
    """Where a rail passes a row that reads its variable."""
    if height == rail.span.bottom:
        return NOTHING
    x = sheet.lane(rail.lane)
    dot = element("circle", {"class": "dot", "cx": x, "cy": height, "r": 2.5})
    return joined((_path("wire", f"M{x:g} {height:g}H{sheet.arrows:g}"), dot))


def _rest(x: float, y: float) -> Html:
    """Where a variable lies that no row makes."""
    box: Attributes = {"x": x, "y": y - 3.5, "width": 7, "height": 7, "rx": 1}
    return element("rect", {"class": "rest", **box})


def _arrow(move: Move, height: float, sheet: Sheet, scale: _Scale) -> Html:
    """A primitive, to the right; on the way back to the left. Above it what it does and how much it
    moves."""
    thick = scale.thickness(move)
    start, end = sheet.arrows + 1, sheet.card - 2
    shape = _shape(start, end, height, thick)
    if move.direction == "backward":
        shape = _shape(end, start, height, thick)
    what, amount = _above(move, scale.analysis)
    above = height - head_of(thick) - 3
    return element(
        "g",
        {"class": "move"},
        _title(_told(move, scale)),
        _path("arrow", shape),
        _text("what", start + 4, above, what),
        _text("amount", end - 8, above, amount, "end"),
    )


def _above(move: Move, analysis: Analysis) -> tuple[str, str]:
    """What stands above an arrow: what the primitive does, and how much it moves."""
    moves = traffic(move, analysis.model.cost)
    amount = in_bytes(moves) if is_number(moves) else f"≈ {approximation(move)}"
    what = f"{move.primitive or 'free'} {', '.join(move.axes)}: {move.before} → {move.after}"
    return shortened(what, _WAY - width(amount)), amount


def _shape(start: float, end: float, y: float, thick: float) -> str:
    half, head = thick / 2, head_of(thick)
    way = 1 if end > start else -1
    neck = end - way * (head + 3)
    return (
        f"M{start:g} {y - half:g}H{neck:g}V{y - head:g}L{end:g} {y:g}"
        f"L{neck:g} {y + head:g}V{y + half:g}H{start:g}z"
    )


def _told(move: Move, scale: _Scale) -> str:
    """All that is known of a primitive."""
    analysis = scale.analysis
    what = moved(move, scale.labels.get(move.tensor, move.tensor))
    return ". ".join(
        (
            f"{move.primitive or 'free move'} of {what} on {', '.join(move.axes)}",
            f"{in_bytes(traffic(move, analysis.model.cost))} in all",
            f"{in_bytes(move.per_device)} per device, {in_seconds(move.time)}",
            *price_of(move, analysis),
        )
    )


def _title(text: str) -> Html:
    return element("title", {}, text)


def _path(name: str, way: str) -> Html:
    return element("path", {"class": name, "d": way})


def _text(name: str, x: float, y: float, text: str, anchor: str = "start") -> Html:
    place: dict[str, str | float] = {"class": name, "x": float(x), "y": float(y)}
    if anchor != "start":
        place["text-anchor"] = anchor
    return element("text", place, text)

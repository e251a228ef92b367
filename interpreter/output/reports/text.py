"""`report --format text`: the plan as tables, one for each group of layers, and the totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice

from rich.console import RenderableType

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import (
    Analysis,
    LayerResult,
    Move,
    StateOf,
    Totals,
)
from parspec.interpreter.diagnostics.readable import share_text
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.diagnostic import place
from parspec.interpreter.output.checks.summary import counted_diagnostics
from parspec.interpreter.output.reports.axes import axes_of
from parspec.interpreter.output.reports.moves import move_lines
from parspec.interpreter.output.terminal.cells import flowed, padded, safe, shortened, width
from parspec.interpreter.output.terminal.drawing import Row, add_row, drawn, listing, open_table
from parspec.interpreter.output.terminal.screen import Screen
from parspec.interpreter.output.wording.axes import mesh_of, said_on, strategy_on
from parspec.interpreter.output.wording.errors import doubt_of, understood
from parspec.interpreter.output.wording.facts import (
    NO_STEP,
    NO_TOTAL,
    PASSES,
    axes_by_size,
    by_size,
    dims_of,
    groups_of,
    kept,
    labels_of,
    lacks_step,
    lacks_total,
    stage_rows,
    step_of,
    times_of,
    verdict,
)
from parspec.interpreter.output.wording.quantities import UNKNOWN, how_many, in_bytes, in_seconds
from parspec.interpreter.spec.model import Mesh
from parspec.interpreter.theory.formulas import Amount

_DOT = " · "
_LONGEST_NAME = 24  # a longer one leaves too little to its states


@value
class _Fact:
    """What is said under one name, in items."""

    name: str
    items: tuple[str, ...]
    separator: str = ", "


_LEGEND = (
    _Fact(
        "states", ("P(d) a slice of d", "R a copy", "R(partial) an addend", "C(k) on node k"), _DOT
    ),
    _Fact(
        "layers",
        ("bytes/turn: operands and result on a device", "time: all its turns"),
        _DOT,
    ),
    _Fact("moves", ("(order)", "per device, time: the busiest, all turns", "≈ for N >> 1"), _DOT),
)


def report_text(found: Checked, moves: tuple[Move, ...], screen: Screen) -> str:
    """The report on the first analysis, with the given moves."""
    analysis = found.analyses[0]
    parts = [
        _header(found, moves, screen),
        *_layers(analysis, moves, screen),
        *_later_passes(analysis, moves, screen),
        "",
        _totals(analysis, screen),
        *_stages(analysis),
        *_expects(found),
    ]
    return drawn(parts, screen)


def _header(found: Checked, moves: Iterable[Move], screen: Screen) -> str:
    analysis = found.analyses[0]
    model = analysis.model
    plan = f" · plan {model.plan}" if model.plan is not None else ""
    facts = [
        _Fact("mesh", mesh_of(model) or ("none",)),
        _Fact("dims", tuple(dims_of(model)) or ("none",)),
        _Fact("figures", tuple(_figures(analysis))),
    ]
    if model.plan is None and model.plans:
        facts.append(_Fact("plans", (*model.plans, "--plan shows one of them")))
    wrong = counted_diagnostics(found.diagnostics)
    if wrong:
        facts.append(
            _Fact("found", (wrong, "parspec check shows them, given the same options"), "; ")
        )
    if analysis.layers:
        facts += _LEGEND
        facts += _order_told(moves, model.mesh)
    return "\n".join((safe(f"{model.file}{plan}"), *_told(facts, screen)))


def _figures(analysis: Analysis) -> Iterator[str]:
    """What figures are of."""
    model = analysis.model
    yield from (f"of {step_of(model)}", f"traffic at {model.cost} prices")
    if doubt := understood(doubt_of(analysis)):
        yield doubt


def _order_told(moves: Iterable[Move], mesh: Mesh) -> Iterator[_Fact]:
    """What it means that a move names its axes in another order than the mesh."""
    other = (move.axes for move in moves if move.axes != mesh.in_order(move.axes))
    for axes in islice(other, 1):
        told = f"on {', '.join(axes)}: in the order in which they partition the dimension"
        yield _Fact("axes", (told,))


def _layers(
    analysis: Analysis, moves: tuple[Move, ...], screen: Screen
) -> Iterator[RenderableType]:
    forward = [move for move in moves if move.direction == "forward"]
    groups = dict(groups_of(analysis))
    for group, layers in groupby(analysis.layers, key=lambda layer: groups[layer.name]):
        members = tuple(layers)
        names = {layer.name for layer in members}
        yield ""
        yield _states(group, members, analysis, screen)
        own = [move for move in forward if move.layer in names]
        if own:
            yield ""
            yield _moves("communication", own, group, analysis, screen)
    names = {layer.name for layer in analysis.layers}
    elsewhere = [move for move in forward if move.layer not in names]
    if elsewhere:
        yield ""
        yield _moves("between stages and at outputs", elsewhere, "", analysis, screen)


def _states(
    group: str, layers: tuple[LayerResult, ...], analysis: Analysis, screen: Screen
) -> RenderableType:
    axes = axes_of(analysis)
    labels = labels_of(analysis)
    rows: list[Row] = []
    for layer in layers:
        name = shortened(layer.name.removeprefix(f"{group}."), _LONGEST_NAME)
        rows.append(Row((name, *_strategies(layer, axes, labels), *_costs(layer)), "strong"))
        for state in layer.states:
            if state.direction == "forward":
                cells = (str(state.layout.state(axis)) for axis in axes)
                label = shortened(labels.get(state.tensor, state.tensor), _LONGEST_NAME)
                rows.append(Row((f"  {_arrow(state)}{label}", *cells)))
    columns = (_title(group, layers[0]), *axes, "bytes/turn", "time")
    return listing(columns, 2, rows, screen)


def _title(group: str, layer: LayerResult) -> str:
    """The group's name, below it how often it is run, and how often on the busiest device."""
    name = shortened(group or "layers", _LONGEST_NAME)
    if layer.turns == 1:
        return name
    times = f"{how_many(layer.turns)} times"
    if layer.busiest_turns != layer.turns:
        times += f", {how_many(layer.busiest_turns)} on a device"
    return f"{name}\n({times})"


def _strategies(
    layer: LayerResult, axes: tuple[str, ...], labels: Mapping[str, str]
) -> Iterator[str]:
    for axis in axes:
        tensor = said_on(layer.follows, axis)
        followed = "" if tensor is None else f"\nfollows {labels.get(tensor, tensor)}"
        yield (strategy_on(layer, axis) or UNKNOWN) + followed


def _costs(layer: LayerResult) -> tuple[str, str]:
    return in_bytes(layer.bytes_per_device), in_seconds(layer.time)


def _arrow(state: StateOf) -> str:
    return "→ " if state.role == "out" else ""


def _moves(
    title: str, moves: Sequence[Move], group: str, analysis: Analysis, screen: Screen
) -> str:
    labels = labels_of(analysis)
    heading, *lines = move_lines(title, moves, group, labels, analysis.model.cost, screen.columns)
    return "\n".join((screen.palette.paint("faint", heading), *lines))


def _later_passes(
    analysis: Analysis, moves: tuple[Move, ...], screen: Screen
) -> Iterator[RenderableType]:
    for direction in PASSES[1:]:
        own = [move for move in moves if move.direction == direction]
        if own:
            yield ""
            yield _moves(direction, own, "", analysis, screen)


def _totals(analysis: Analysis, screen: Screen) -> str:
    totals = analysis.totals
    facts = [
        _Fact("parameters", (how_many(totals.parameters),)),
        _amounts("traffic", totals.traffic),
        _amounts("by axis", axes_by_size(totals)),
        _amounts("by primitive", by_size(totals.by_primitive)),
        _memory(analysis),
        _Fact("time", tuple(_times(analysis)), _DOT),
        _Fact("throughput", tuple(_throughput(totals)), _DOT),
    ]
    return "\n".join(_told([fact for fact in facts if fact.items], screen))


def _amounts(name: str, amounts: Iterable[tuple[str, Amount | None]]) -> _Fact:
    known = (f"{key} {in_bytes(value)}" for key, value in amounts if value is not None)
    return _Fact(name, tuple(known), _DOT)


def _throughput(totals: Totals) -> Iterator[str]:
    if totals.tokens_per_second is not None:
        yield f"{how_many(round(totals.tokens_per_second))} tokens/s"
    if totals.mfu is not None:
        yield f"{share_text(totals.mfu)} of peak FLOPs"


def _times(analysis: Analysis) -> Iterator[str]:
    for name, time in times_of(analysis):
        yield f"{name} {in_seconds(time)}"
    if lacks_step(analysis):
        yield f"step: {NO_STEP}"


def _memory(analysis: Analysis) -> _Fact:
    memory = analysis.totals.memory
    fact = _amounts("memory per device", (("total", memory.total), *kept(memory)))
    if lacks_total(analysis):
        return replace(fact, items=(*fact.items, NO_TOTAL))
    return fact


def _stages(analysis: Analysis) -> Iterator[RenderableType]:
    if not analysis.stages:
        return
    table = open_table(("stage", "holds", "memory"), 1)
    for stage, holds, memory in stage_rows(analysis):
        add_row(table, (stage, ", ".join(holds), memory))
    yield ""
    yield table


def _expects(found: Checked) -> Iterator[RenderableType]:
    analysis = found.analyses[0]
    if not analysis.expects:
        return
    table = open_table(("line", "expect", "", "value"), 0)
    for expect in analysis.expects:
        line = place(expect.site, found.sources, analysis.model.file).start.line
        add_row(table, (str(line), expect.text, verdict(expect), expect.value))
    yield ""
    yield table


def _told(facts: Sequence[_Fact], screen: Screen) -> Iterator[str]:
    """A line or more for each fact, names in a column of their own."""
    margin = max(width(fact.name) for fact in facts) + 2
    for fact in facts:
        items = map(safe, fact.items)
        first, *rest = flowed(items, fact.separator, screen.columns - margin)
        yield screen.palette.paint("faint", padded(fact.name, margin)) + first
        yield from (" " * margin + line for line in rest)

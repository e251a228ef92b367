"""`report --format text`: the plan as tables, one for each group of layers, and the totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from parspec.interpreter.analysis.result import (
    Analysis,
    ExpectResult,
    LayerResult,
    Memory,
    Move,
    Pass,
    StateOf,
)
from parspec.interpreter.commands.cells import safe
from parspec.interpreter.commands.checked import Checked
from parspec.interpreter.commands.diagnostic import place
from parspec.interpreter.commands.drawing import add_row, drawn, open_table
from parspec.interpreter.commands.pricing import axes_of, measures, one_priced, traffic
from parspec.interpreter.commands.quantities import UNKNOWN, how_many, in_bytes, in_seconds
from parspec.interpreter.commands.summary import counted_diagnostics
from parspec.interpreter.commands.terminal import Screen
from parspec.interpreter.diagnostics.readable import share_text
from parspec.interpreter.spec.model import Model
from parspec.interpreter.theory.formulas import is_number
from rich.console import RenderableType
from rich.table import Table

_PASSES: tuple[Pass, ...] = ("forward", "backward", "update")


def report_text(found: Checked, moves: tuple[Move, ...], screen: Screen) -> str:
    """The report on the first analysis, with the given moves."""
    analysis = found.analyses[0]
    parts = [
        *_header(found),
        *_layers(analysis, moves),
        *_later_passes(analysis, moves),
        *_totals(analysis),
        *_stages(analysis),
        *_expects(found),
    ]
    return drawn(parts, screen)


def _header(found: Checked) -> Iterator[RenderableType]:
    model = found.analyses[0].model
    plan = f" · plan {model.plan}" if model.plan is not None else ""
    yield safe(f"{model.file}{plan}")
    mesh = ", ".join(
        f"{axis.name} = {axis.size}{f' over {axis.link}' if axis.link else ''}"
        for axis in model.mesh.axes
    )
    table = _facts()
    add_row(table, ("mesh", mesh or "none"))
    add_row(table, ("dims", ", ".join(_dims(model)) or "none"))
    add_row(table, ("figures", f"of {_step(model)}, traffic at {model.cost} prices"))
    wrong = counted_diagnostics(found.diagnostics)
    if wrong:
        add_row(table, ("found", f"{wrong}; parspec check shows them"))
    yield table


def _dims(model: Model) -> Iterator[str]:
    for dim in model.dims:
        size = "" if not is_number(dim.size) else f" = {dim.size}"
        extent = "" if dim.extent == dim.size else f" (padded to {dim.extent})"
        yield f"{dim.name}{size}{extent}"


def _step(model: Model) -> str:
    verb = model.settings.verb if model.settings else None
    match verb:
        case "train":
            return "one optimizer step"
        case "infer":
            return "one forward pass of inference"
    return "one forward pass"


def _layers(analysis: Analysis, moves: tuple[Move, ...]) -> Iterator[RenderableType]:
    axes = axes_of(analysis)
    forward = [move for move in moves if move.direction == "forward"]
    for group, layers in groupby(analysis.layers, key=lambda layer: _group(layer.name)):
        members = tuple(layers)
        names = {layer.name for layer in members}
        yield ""
        yield _states(group, members, analysis, axes)
        own = [move for move in forward if move.layer in names]
        if own:
            yield ""
            yield _moves("communication", own, analysis)
    at_outputs = [move for move in forward if not move.layer]
    if at_outputs:
        yield ""
        yield _moves("at the outputs", at_outputs, analysis)


def _group(name: str) -> str:
    return name.rpartition(".")[0]


def _states(
    group: str, layers: tuple[LayerResult, ...], analysis: Analysis, axes: tuple[str, ...]
) -> Table:
    labels = {tensor.name: tensor.label for tensor in analysis.tensors}
    title = f"{group} ({how_many(layers[0].turns)} times)" if group else "layers"
    table = open_table((title, *axes, "per device", "time"), 2)
    for layer in layers:
        add_row(table, (_own_name(layer.name), *_strategies(layer, axes), *_costs(layer)), "bold")
        for state in layer.states:
            if state.direction == "forward":
                cells = (str(state.layout.state(axis)) for axis in axes)
                add_row(
                    table, (f"  {_arrow(state)}{labels.get(state.tensor, state.tensor)}", *cells)
                )
    return table


def _own_name(name: str) -> str:
    return name.rpartition(".")[2]


def _strategies(layer: LayerResult, axes: tuple[str, ...]) -> Iterator[str]:
    strategies, follows = dict(layer.strategy), dict(layer.follows)
    for axis in axes:
        followed = f"\nfollows {_own_name(follows[axis])}" if axis in follows else ""
        yield strategies.get(axis, UNKNOWN) + followed


def _costs(layer: LayerResult) -> tuple[str, str]:
    return in_bytes(layer.bytes_per_device), in_seconds(layer.time)


def _arrow(state: StateOf) -> str:
    return "→ " if state.role == "out" else ""


def _moves(title: str, moves: Iterable[Move], analysis: Analysis) -> Table:
    labels = {tensor.name: tensor.label for tensor in analysis.tensors}
    prices = analysis.model.cost
    table = open_table((title, "", "traffic", "per device", "time"), 3)
    for move in moves:
        add_row(
            table,
            (
                _own_name(move.layer) if move.layer else labels.get(move.tensor, move.tensor),
                f"{_what(move, labels.get(move.tensor, move.tensor))}\n"
                + (f"{one_priced(move, prices)}\n{measures(move)}" if move.primitive else "free"),
                in_bytes(traffic(move, prices)),
                in_bytes(move.per_device),
                in_seconds(move.time),
            ),
        )
    return table


def _what(move: Move, label: str) -> str:
    what = f"{move.statistic} of {label}" if move.statistic else label
    named = f"{move.primitive} ({move.order}) of {what}" if move.primitive else what
    return f"{named} on {', '.join(move.axes)}: {move.before} → {move.after}"


def _later_passes(analysis: Analysis, moves: tuple[Move, ...]) -> Iterator[RenderableType]:
    for direction in _PASSES[1:]:
        own = [move for move in moves if move.direction == direction]
        if own:
            yield ""
            yield _moves(direction, own, analysis)


def _totals(analysis: Analysis) -> Iterator[RenderableType]:
    totals = analysis.totals
    passes = [f"{name} {in_bytes(amount)}" for name, amount in totals.traffic if amount is not None]
    table = _facts()
    add_row(table, ("parameters", how_many(totals.parameters)))
    add_row(table, ("traffic", " · ".join(passes) or UNKNOWN))
    for name, amounts in (("by axis", totals.by_axis), ("by primitive", totals.by_primitive)):
        if amounts:
            add_row(table, (name, " · ".join(f"{key} {in_bytes(value)}" for key, value in amounts)))
    add_row(table, ("memory per device", _memory(totals.memory)))
    times = [
        f"{name} {in_seconds(seconds)}"
        for name, seconds in (
            ("compute", totals.compute_time),
            ("communication", totals.communication_time),
            ("bubble", totals.bubble_time),
            ("step", totals.step_time),
        )
        if seconds is not None
    ]
    add_row(table, ("time", " · ".join(times) or UNKNOWN))
    if totals.tokens_per_second is not None:
        mfu = "" if totals.mfu is None else f" · {share_text(totals.mfu)} of peak FLOPs"
        add_row(table, ("throughput", f"{how_many(round(totals.tokens_per_second))} tokens/s{mfu}"))
    yield ""
    yield table


def _memory(memory: Memory) -> str:
    parts = [
        f"{name} {in_bytes(amount)}"
        for name, amount in (
            ("total", memory.total),
            ("weights", memory.weights),
            ("gradients", memory.gradients),
            ("optimizer", memory.optimizer),
            ("activations", memory.activations),
            ("cache", memory.cache),
            ("buffers", memory.buffers),
        )
        if amount is not None
    ]
    return " · ".join(parts) or UNKNOWN


def _stages(analysis: Analysis) -> Iterator[RenderableType]:
    if not analysis.stages:
        return
    table = open_table(("stage", "holds", "memory"), 1)
    for stage in analysis.stages:
        add_row(table, (str(stage.stage), ", ".join(stage.holds), in_bytes(stage.memory.total)))
    yield ""
    yield table


def _expects(found: Checked) -> Iterator[RenderableType]:
    analysis = found.analyses[0]
    if not analysis.expects:
        return
    table = open_table(("line", "expect", "", "value"), 0)
    for expect in analysis.expects:
        line = place(expect.site, found.sources, analysis.model.file).start.line
        add_row(table, (str(line), expect.text, _verdict(expect), expect.value))
    yield ""
    yield table


def _verdict(expect: ExpectResult) -> str:
    if expect.holds is None:
        return "not evaluated"
    return "holds" if expect.holds else "fails"


def _facts() -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    return table

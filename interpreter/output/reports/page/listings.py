"""The tables of a report's page: layers, primitives, variables, expectations, diagnostics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parspec.interpreter.analysis.result import Analysis, LayerResult, Move, TensorResult
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.diagnostic import place
from parspec.interpreter.output.reports.axes import axes_of
from parspec.interpreter.output.reports.page.figures import (
    bytes_figure,
    count_figure,
    seconds_figure,
)
from parspec.interpreter.output.reports.page.markup import NOTHING, Html, element, joined
from parspec.interpreter.output.reports.page.states import chip
from parspec.interpreter.output.reports.page.tables import (
    MOST_ROWS,
    Row,
    Table,
    numbers,
    prose,
    table,
    texts,
)
from parspec.interpreter.output.wording.axes import said_on, strategy_on
from parspec.interpreter.output.wording.facts import heaviest, labels_of, moved, price_of, verdict
from parspec.interpreter.output.wording.pricing import traffic
from parspec.interpreter.output.wording.quantities import how_many
from parspec.interpreter.theory.formulas import is_number

_ALL = "--format csv lists them all."


def layers(analysis: Analysis) -> Html:
    """Each layer with its strategy on each axis and what a turn of it costs."""
    axes = axes_of(analysis)
    labels = labels_of(analysis)
    columns = (
        *texts("layer"),
        *numbers("turns"),
        *texts(*axes),
        *numbers("bytes a turn", "FLOPs a turn", "time"),
    )
    rows = (
        Row(_layer(layer, axes, labels), f"layer-{place}")
        for place, layer in enumerate(analysis.layers)
    )
    listed = Table("layers", columns, rows, len(analysis.layers))
    return table(listed, f"layers. {_ALL}")


def _layer(layer: LayerResult, axes: Sequence[str], labels: Mapping[str, str]) -> list[str]:
    return [
        layer.name,
        joined((count_figure(layer.turns), _busiest(layer))),
        *(_on_axis(layer, axis, labels) for axis in axes),
        bytes_figure(layer.bytes_per_device),
        count_figure(layer.flops_per_device),
        seconds_figure(layer.time),
    ]


def _busiest(layer: LayerResult) -> Html:
    """How many turns the busiest device runs, where that is not all of them."""
    if layer.busiest_turns == layer.turns:
        return NOTHING
    return element("small", {}, f" {how_many(layer.busiest_turns)} on a device")


def _on_axis(layer: LayerResult, axis: str, labels: Mapping[str, str]) -> Html:
    dim, followed = said_on(layer.partition, axis), said_on(layer.follows, axis)
    follows = f" follows {labels.get(followed, followed)}" if followed else ""
    return joined(
        (
            strategy_on(layer, axis) or "",
            " ",
            chip(f"P({dim})") if dim else NOTHING,
            element("small", {}, follows) if follows else NOTHING,
        )
    )


def primitives(analysis: Analysis, moves: Sequence[Move]) -> Html:
    """Each primitive with its figures, its price as a formula on demand."""
    columns = (
        *texts("layer", "pass", "primitive", "variable", "axis", "from", "to"),
        *numbers("times", "group", "traffic", "per device", "time"),
    )
    labels = labels_of(analysis)
    shown = moves if len(moves) <= MOST_ROWS else heaviest(moves, analysis.model.cost)
    rows = (Row(_primitive(move, analysis, labels)) for move in shown)
    listed = Table("primitives", columns, rows, len(moves))
    return table(listed, f"primitives, those that move most first. {_ALL}")


def _primitive(move: Move, analysis: Analysis, labels: Mapping[str, str]) -> list[str]:
    return [
        move.layer or element("span", {"class": "none"}, "output"),
        move.direction,
        move.primitive or "free",
        moved(move, labels.get(move.tensor, move.tensor)),
        ", ".join(move.axes),
        chip(move.before),
        chip(move.after),
        count_figure(move.times),
        count_figure(move.group),
        bytes_figure(traffic(move, analysis.model.cost), price_of(move, analysis)),
        bytes_figure(move.per_device),
        seconds_figure(move.time),
    ]


def variables(analysis: Analysis) -> Html:
    """Each variable with its size and its state on each axis, at rest or as produced."""
    axes = axes_of(analysis)
    columns = (
        *texts("variable", "role", "dims", "type"),
        *numbers("bytes", "per device"),
        *texts(*axes),
    )
    tensors = analysis.tensors
    shown = tensors if len(tensors) <= MOST_ROWS else _largest(tensors)
    rows = (Row(_variable(tensor, axes)) for tensor in shown)
    listed = Table("variables", columns, rows, len(tensors))
    return table(listed, f"variables, the largest first. {_ALL}")


def _largest(tensors: Sequence[TensorResult]) -> Sequence[TensorResult]:
    """The largest first, formulas last."""
    sizes = {place: tensor.size for place, tensor in enumerate(tensors) if is_number(tensor.size)}
    order = sorted(range(len(tensors)), key=lambda place: sizes.get(place, 0), reverse=True)
    return [tensors[place] for place in order]


def _variable(tensor: TensorResult, axes: Sequence[str]) -> list[str]:
    return [
        tensor.name,
        tensor.role,
        " ".join(tensor.dims),
        tensor.dtype,
        bytes_figure(tensor.size),
        bytes_figure(tensor.per_device),
        *(chip(str(tensor.layout.state(axis))) for axis in axes),
    ]


def expectations(found: Checked) -> Html:
    """Each `expect` with the real value."""
    analysis = found.analyses[0]
    rows = (
        Row(
            (
                _mark(verdict(expect), {True: "good", False: "error", None: "none"}[expect.holds]),
                expect.text,
                expect.value,
                count_figure(place(expect.site, found.sources, analysis.model.file).start.line),
            )
        )
        for expect in analysis.expects
    )
    columns = (*texts(""), *prose("expectation", "value"), *numbers("line"))
    return table(Table("expectations", columns, rows, len(analysis.expects)), "expectations.")


def diagnostics(found: Checked) -> Html:
    """What is wrong, or could be better."""
    columns = (*texts("severity", "code"), *prose("message"), *texts("place"))
    rows = (
        Row(
            (
                _mark(diagnostic.severity, diagnostic.severity),
                element("span", {"class": "code"}, f"{diagnostic.code} {diagnostic.name}"),
                diagnostic.message,
                f"{diagnostic.place.file}:{diagnostic.place.start.line}",
            )
        )
        for diagnostic in found.diagnostics
    )
    return table(Table("diagnostics", columns, rows, len(found.diagnostics)), "diagnostics.")


def _mark(text: str, name: str) -> Html:
    return element("span", {"class": f"mark {name}"}, text)

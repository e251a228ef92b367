"""`report --format json`: every field there, None where nothing was computed.

Numbers are exact where they are whole. Where a size is symbolic the number is None, and the
formula stands beside it as an expression over names that a program can evaluate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parspec.interpreter.analysis.grid import build_grid
from parspec.interpreter.analysis.result import (
    LayerResult,
    Memory,
    Move,
    StageResult,
    StateOf,
    TensorResult,
    Totals,
)
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.diagnostics_json import diagnostics_json, expects_json
from parspec.interpreter.output.json_text import Json, formula_text, json_text, number
from parspec.interpreter.output.reports.axes import axes_of
from parspec.interpreter.output.wording.facts import PASSES, labels_of, memory_kinds
from parspec.interpreter.output.wording.pricing import approximation, formula
from parspec.interpreter.spec.model import Model
from parspec.interpreter.theory.formulas import Amount, is_number, plain
from parspec.interpreter.theory.layouts import Layout

SCHEMA = 1


def report_json(found: Checked, moves: Iterable[Move]) -> str:
    """The report on the first analysis, with the given moves."""
    analysis = found.analyses[0]
    model = analysis.model
    labels = labels_of(analysis)
    axes = axes_of(analysis)
    grid = build_grid(model)
    return json_text(
        {
            "schema": SCHEMA,
            "file": model.file,
            "plan": model.plan,
            "plans": list(model.plans),
            "cost": model.cost,
            "mesh": [
                {"axis": axis.name, "size": number(axis.size), "link": axis.link}
                for axis in model.mesh.axes
            ],
            "views": [
                {
                    "axis": view.name,
                    "size": number(view.size),
                    "link": view.link,
                    "covers": list(grid.shown(grid.covers.get(view.name, ()))),
                }
                for view in model.mesh.views
            ],
            "dims": [
                {
                    "name": dim.name,
                    "size": number(dim.size),
                    "extent": number(dim.extent),
                    "formula": formula_text(dim.size),
                }
                for dim in model.dims
            ],
            "tensors": [_tensor(tensor, axes) for tensor in analysis.tensors],
            "layers": [_layer(layer, labels, axes) for layer in analysis.layers],
            "primitives": [_move(move, labels, model) for move in moves],
            "totals": _totals(analysis.totals),
            "stages": [_stage(stage) for stage in analysis.stages],
            "expects": expects_json(analysis, found.sources),
            "diagnostics": diagnostics_json(found.diagnostics),
        }
    )


def _tensor(tensor: TensorResult, axes: tuple[str, ...]) -> Json:
    return {
        "name": tensor.label,
        "path": tensor.name,
        "dims": list(tensor.dims),
        "dtype": tensor.dtype,
        "role": tensor.role,
        "bytes": number(tensor.size),
        "bytes_per_device": number(tensor.per_device),
        "formula": formula_text(tensor.size),
        "layout": _layout(tensor.layout, axes),
    }


def _layer(layer: LayerResult, labels: Mapping[str, str], axes: tuple[str, ...]) -> Json:
    return {
        "name": layer.name,
        "turns": number(layer.turns),
        "busiest_turns": number(layer.busiest_turns),
        "partition": dict(layer.partition),
        "follows": {axis: labels.get(tensor, tensor) for axis, tensor in layer.follows},
        "strategy": dict(layer.strategy),
        "states": [_state(state, labels, axes) for state in layer.states],
        "bytes_per_device": number(layer.bytes_per_device),
        "flops_per_device": number(layer.flops_per_device),
        "time_s": layer.time,
    }


def _state(state: StateOf, labels: Mapping[str, str], axes: tuple[str, ...]) -> Json:
    return {
        "tensor": labels.get(state.tensor, state.tensor),
        "path": state.tensor,
        "role": state.role,
        "pass": state.direction,
        "layout": _layout(state.layout, axes),
    }


def _layout(layout: Layout, axes: tuple[str, ...]) -> Json:
    states: dict[str, Json] = {axis: str(layout.state(axis)) for axis in axes}
    order = {dim: list(cutting) for dim, cutting in layout.order().items()}
    return states | {"order": order} if order else states


def _move(move: Move, labels: Mapping[str, str], model: Model) -> Json:
    prices = dict(move.traffic)
    return {
        "pass": move.direction,
        "layer": move.layer,
        "tensor": labels.get(move.tensor, move.tensor),
        "path": move.tensor,
        "axis": ",".join(move.axes),
        "from": move.before,
        "to": move.after,
        "primitive": move.primitive,
        "order": move.order,
        "times": number(move.times),
        "group": number(move.group),
        "groups": number(move.groups),
        "m_bytes": number(move.size),
        "traffic_bytes": number(prices[model.cost]),
        "per_device_bytes": number(move.per_device),
        "traffic": {name: _amount(amount) for name, amount in move.traffic},
        "formula": formula(move, model.cost),
        "approx": approximation(move),
        "time_s": move.time,
        "cause": move.cause,
        "statistic": move.statistic,
    }


def _totals(totals: Totals) -> Json:
    passes = dict(totals.traffic)
    return {
        "parameters": number(totals.parameters),
        "traffic_bytes": {direction: number(passes.get(direction)) for direction in PASSES},
        "by_axis": {axis: number(amount) for axis, amount in totals.by_axis},
        "by_primitive": {name: number(amount) for name, amount in totals.by_primitive},
        "memory_per_device": _memory(totals.memory),
        "time_s": {
            "compute": totals.compute_time,
            "communication": totals.communication_time,
            "bubble": totals.bubble_time,
            "step": totals.step_time,
        },
        "throughput": {"tokens_per_s": totals.tokens_per_second, "mfu": totals.mfu},
        "formulas": _formulas(totals),
    }


def _formulas(totals: Totals) -> Json:
    """The symbolic ones among the totals."""
    return {
        "parameters": formula_text(totals.parameters),
        "traffic_bytes": {name: formula_text(amount) for name, amount in totals.traffic},
        "by_axis": {name: formula_text(amount) for name, amount in totals.by_axis},
        "by_primitive": {name: formula_text(amount) for name, amount in totals.by_primitive},
    }


def _memory(memory: Memory) -> Json:
    amounts = memory_kinds(memory) | {"total": memory.total}
    return {name: number(amount) for name, amount in amounts.items()}


def _stage(stage: StageResult) -> Json:
    return {
        "stage": stage.stage,
        "holds": list(stage.holds),
        "memory": _memory(stage.memory),
    }


def _amount(amount: Amount) -> Json:
    """A number, or the formula."""
    return number(amount) if is_number(amount) else plain(amount)

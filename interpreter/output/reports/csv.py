"""`report --format csv`: one table with a row for each primitive, layer or tensor.

By RFC 4180: commas, quotes doubled, lines that end with CR LF, first a line of names. Numbers are
those of `--format json`. A field is empty where nothing was computed, and where a size is symbolic;
the formula then stands in a column of its own, as an expression that a program can evaluate.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import TypeAlias

from parspec.interpreter.analysis.result import Analysis, Move
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.json_text import formula_text, number
from parspec.interpreter.output.reports.axes import axes_of
from parspec.interpreter.output.wording.axes import said_on, strategy_on
from parspec.interpreter.output.wording.facts import labels_of
from parspec.interpreter.output.wording.pricing import approximation, formula, traffic

_Row: TypeAlias = Sequence[str | int | float | None]

_PRIMITIVE = (
    *("pass", "layer", "tensor", "path", "statistic", "axis", "from", "to", "primitive", "order"),
    *("times", "group", "groups", "m_bytes", "traffic_bytes", "per_device_bytes", "time_s"),
    *("price", "price_approx", "traffic_formula"),
)
_LAYER = ("layer", "turns", "busiest_turns", "bytes_per_device", "flops_per_device", "time_s")
_LAYER_ON_AXIS = ("strategy", "partition", "follows")
_TENSOR = ("tensor", "path", "role", "dims", "dtype", "bytes", "bytes_per_device", "formula")


def report_csv(found: Checked, moves: Iterable[Move], table: str) -> str:
    """A table of the first analysis: `layers`, `tensors`, or `primitives`, of the given moves."""
    analysis = found.analyses[0]
    match table:
        case "layers":
            return _written(_layers(analysis))
        case "tensors":
            return _written(_tensors(analysis))
    return _written(_primitives(analysis, moves))


def _written(rows: Iterable[_Row]) -> str:
    text = StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()


def _primitives(analysis: Analysis, moves: Iterable[Move]) -> Iterator[_Row]:
    yield _PRIMITIVE
    labels = labels_of(analysis)
    prices = analysis.model.cost
    for move in moves:
        moved = traffic(move, prices)
        yield (
            *(move.direction, move.layer, labels.get(move.tensor, move.tensor), move.tensor),
            *(move.statistic, ",".join(move.axes), move.before, move.after),
            *(move.primitive, move.order),
            *map(number, (move.times, move.group, move.groups, move.size, moved, move.per_device)),
            *(move.time, formula(move, prices), approximation(move), formula_text(moved)),
        )


def _layers(analysis: Analysis) -> Iterator[_Row]:
    axes = axes_of(analysis)
    labels = labels_of(analysis)
    yield (*_LAYER, *(f"{what}.{axis}" for what in _LAYER_ON_AXIS for axis in axes))
    for layer in analysis.layers:
        follows = [(axis, labels.get(tensor, tensor)) for axis, tensor in layer.follows]
        yield (
            layer.name,
            *map(number, (layer.turns, layer.busiest_turns)),
            *map(number, (layer.bytes_per_device, layer.flops_per_device)),
            layer.time,
            *(strategy_on(layer, axis) for axis in axes),
            *(said_on(said, axis) for said in (layer.partition, follows) for axis in axes),
        )


def _tensors(analysis: Analysis) -> Iterator[_Row]:
    axes = axes_of(analysis)
    yield (*_TENSOR, *(f"state.{axis}" for axis in axes))
    for tensor in analysis.tensors:
        yield (
            *(tensor.label, tensor.name, tensor.role, " ".join(tensor.dims), tensor.dtype),
            *map(number, (tensor.size, tensor.per_device)),
            formula_text(tensor.size),
            *(str(tensor.layout.state(axis)) for axis in axes),
        )

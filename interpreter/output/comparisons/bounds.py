"""What bounds a plan: the kind of memory, the layer, the axis and the primitive that dominate."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from parspec.interpreter.analysis.loads import sent_by_busiest, time_of_busiest
from parspec.interpreter.analysis.result import Analysis, LayerResult, Move, sum_known
from parspec.interpreter.output.comparisons.figures import links_of, on_axes
from parspec.interpreter.output.comparisons.values import (
    Bounds,
    Largest,
    Quantity,
    Variant,
    largest,
)
from parspec.interpreter.output.wording.facts import at_work, labels_of, memory_kinds, moved
from parspec.interpreter.spec.model import Device
from parspec.interpreter.theory.formulas import is_number, product


def bounds(variant: Variant) -> Bounds:
    """What bounds one variant."""
    analysis = variant.analysis
    timed = all(move.time is not None for move in at_work(analysis.moves))
    axis = largest(
        [(",".join(axes), _together(moves, timed)) for axes, moves in on_axes(analysis).items()]
    )
    links = {",".join(axes): link for axes, link in links_of(analysis).items()}
    return Bounds(
        largest([*memory_kinds(analysis.totals.memory).items()]),
        _fullest(analysis),
        _waiting(analysis, variant.device),
        _layer(analysis),
        axis,
        None if axis is None else links[axis.name],
        _exchange(analysis, timed),
        timed,
    )


def _together(moves: tuple[Move, ...], timed: bool) -> Quantity:
    if timed:
        return time_of_busiest(moves)
    return sent_by_busiest(moves)


def _fullest(analysis: Analysis) -> int | None:
    """The pipeline stage that needs most memory."""
    known = [
        (stage.memory.total, -stage.stage)
        for stage in analysis.stages
        if is_number(stage.memory.total)
    ]
    return -max(known)[1] if known else None


def _waiting(analysis: Analysis, device: Device | None) -> Fraction | None:
    """The share of compute time in layers that wait for memory rather than for FLOPs."""
    spent = sum_known(layer.time for layer in analysis.layers)
    if device is None or not spent:
        return None
    slow = sum(layer.time or 0.0 for layer in analysis.layers if _waits(layer, device))
    return Fraction(slow) / Fraction(spent)


def _waits(layer: LayerResult, device: Device) -> bool:
    flops, moved = layer.flops_per_device, layer.bytes_per_device
    if device.flops is None or device.hbm is None or not (is_number(flops) and is_number(moved)):
        return False
    return moved / device.hbm > flops / device.flops


def _layer(analysis: Analysis) -> Largest | None:
    """The layer that computes longest; of most FLOPs where no time is known."""
    layers = analysis.layers
    if all(layer.time is not None for layer in layers):
        return largest([(layer.name, layer.time) for layer in layers])
    done = [(one.name, one.turns, one.flops_per_device) for one in layers]
    return largest(
        [(name, None if flops is None else product((turns, flops))) for name, turns, flops in done]
    )


def _exchange(analysis: Analysis, timed: bool) -> Largest | None:
    labels = labels_of(analysis)
    cost = analysis.model.cost
    parts = [
        (_name(move, labels), move.time if timed else dict(move.traffic)[cost])
        for move in at_work(analysis.moves)
    ]
    return largest(parts)


def _name(move: Move, labels: Mapping[str, str]) -> str:
    what = moved(move, labels.get(move.tensor, move.tensor))
    place = f"at {move.layer}" if move.layer else "at the output"
    return f"{move.primitive} of {what} {place} on {', '.join(move.axes)}"

"""What reports in every format say in the same words, from an analysis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from parspec.interpreter.analysis.loads import sent_by_busiest
from parspec.interpreter.analysis.result import (
    Analysis,
    ExpectResult,
    Memory,
    Move,
    Pass,
    Totals,
)
from parspec.interpreter.diagnostics.entry import axes
from parspec.interpreter.output.wording.pricing import measures, one_priced, traffic
from parspec.interpreter.output.wording.quantities import in_bytes, sized, sum_of
from parspec.interpreter.spec.model import Device, Model, layers_of
from parspec.interpreter.theory.formulas import Amount, Number, is_number
from parspec.interpreter.theory.primitives import PriceList

MOST_STAGES = 256  # that are listed
PASSES: tuple[Pass, ...] = ("forward", "backward", "update")
NO_TOTAL = "no total: the backward pass is not evaluated"
NO_STEP = "depends on the schedule, not evaluated"

Parts: TypeAlias = tuple[tuple[str, Amount], ...]


def step_of(model: Model) -> str:
    """What the figures are of."""
    verb = model.settings.verb if model.settings else None
    match verb:
        case "train":
            return "the forward pass of one optimizer step"
        case "infer":
            return "one forward pass of inference"
    return "one forward pass"


def dims_of(model: Model) -> Iterator[str]:
    """The dimensions: `B = 4096`, and to what they are padded."""
    for dim in model.dims:
        extent = "" if dim.extent == dim.size else f" (padded to {dim.extent})"
        yield sized(dim.name, dim.size) + extent


def stage_rows(analysis: Analysis) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Each stage: its number, what it holds and its memory; of very many the first, and a last row
    that says how many more there are."""
    for stage in analysis.stages[:MOST_STAGES]:
        yield str(stage.stage), stage.holds, in_bytes(stage.memory.total)
    if len(analysis.stages) > MOST_STAGES:
        yield "…", (f"{len(analysis.stages) - MOST_STAGES} more",), ""


def memory_kinds(memory: Memory) -> dict[str, Amount | None]:
    """What memory is used for, by name."""
    return {
        "weights": memory.weights,
        "gradients": memory.gradients,
        "optimizer": memory.optimizer,
        "activations": memory.activations,
        "cache": memory.cache,
        "buffers": memory.buffers,
    }


def kept(memory: Memory) -> Parts:
    """What there is of each kind of memory, the total left out."""
    amounts = memory_kinds(memory).items()
    return tuple((name, amount) for name, amount in amounts if amount is not None and amount != 0)


def lacks_total(analysis: Analysis) -> bool:
    """Whether memory has no total because a pass is not evaluated."""
    return analysis.totals.memory.total is None and analysis.model.trains


def is_linked(model: Model) -> bool:
    """Whether communication takes a time that is known."""
    return any(axis.link is not None for axis in model.mesh.axes)


def times_of(analysis: Analysis) -> Iterator[tuple[str, float]]:
    """Times of a step that are known, in seconds."""
    totals = analysis.totals
    linked = is_linked(analysis.model)
    for name, time in (
        ("compute", totals.compute_time),
        ("communication", totals.communication_time if linked else None),
        ("bubble", totals.bubble_time),
        ("step", totals.step_time),
    ):
        if time is not None:
            yield name, time


def lacks_step(analysis: Analysis) -> bool:
    """Whether a step has no time because its schedule is not evaluated."""
    return analysis.totals.step_time is None and bool(analysis.stages)


def traffic_of(analysis: Analysis) -> Amount | None:
    """Bytes that all passes move, in the model's price list."""
    return sum_of(amount for _, amount in analysis.totals.traffic if amount is not None)


def per_device_of(analysis: Analysis) -> Amount | None:
    """Bytes that the busiest device sends or receives, all primitives together."""
    return sent_by_busiest(analysis.moves) if analysis.moves else None


def groups_of(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Layers with the stack or block that each stands in, "" for none."""
    parents = {layer.name: layer.parent for layer in layers_of(analysis.model.items)}
    for layer in analysis.layers:
        yield layer.name, parents.get(layer.name, layer.name).rpartition(".")[0]


def labels_of(analysis: Analysis) -> Mapping[str, str]:
    """How the spec calls each variable, by its unique name."""
    return {tensor.name: tensor.label for tensor in analysis.tensors}


def device_of(model: Model) -> Device | None:
    """The device that the mesh is of, where it is described."""
    return next((device for device in model.devices if device.name == model.mesh.device), None)


def moved(move: Move, label: str) -> str:
    """What a primitive moves: the variable, or a statistic of it."""
    return f"{move.statistic} of {label}" if move.statistic else label


def price_of(move: Move, analysis: Analysis) -> tuple[str, ...]:
    """How the traffic of a primitive comes about: its price as a formula, what that speaks of."""
    if move.primitive is None:
        return ()
    prices = analysis.model.cost
    return tuple(part for part in (one_priced(move, prices), measures(move, prices)) if part)


def verdict(expect: ExpectResult) -> str:
    """Whether an `expect` holds, in words."""
    if expect.holds is None:
        return "not evaluated"
    return "holds" if expect.holds else "fails"


def at_work(moves: Iterable[Move]) -> tuple[Move, ...]:
    """The moves that have a primitive."""
    return tuple(move for move in moves if move.primitive is not None)


def by_size(amounts: Iterable[tuple[str, Amount]]) -> Parts:
    """The largest first; a formula counts as more than any number."""
    return tuple(sorted(amounts, key=lambda part: _size(part[1]), reverse=True))


def axes_by_size(totals: Totals) -> Parts:
    """What moves on axes, or on several taken together, the most first."""
    return tuple((axes(name), amount) for name, amount in by_size(totals.by_axis))


def heaviest(moves: Iterable[Move], prices: PriceList) -> list[Move]:
    """Those with the most traffic first; a formula counts as more than any number."""
    return sorted(moves, key=lambda move: _size(traffic(move, prices)), reverse=True)


def _size(amount: Amount) -> tuple[bool, Number]:
    """A key that sorts numbers below formulas."""
    return (False, amount) if is_number(amount) else (True, 0)

"""Memory on the busiest device: weights and caches at rest, and the peak of what lives at once in a
forward pass. What training adds is not computed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Inference, Placed
from parspec.interpreter.analysis.moves import Pricing, whole
from parspec.interpreter.analysis.result import Memory, StageResult
from parspec.interpreter.spec.model import Layer, Model, Stack, Tensor
from parspec.interpreter.spec.settings import DTYPES
from parspec.interpreter.theory.formulas import Amount, ceil_divide, generic, total
from parspec.interpreter.theory.layouts import FLAT, TURN, Layout


def bytes_of(tensor: Tensor, where: Layout, grid: Grid) -> Amount:
    """Bytes of one slice of a variable on a node that has one (one turn's of a stacked one)."""
    dims = (*tensor.leaves, FLAT) if where.axes(FLAT) else tensor.leaves
    return whole(grid.space.local(dims, where) * DTYPES[tensor.dtype])


@dataclass(frozen=True, slots=True)
class Resident:
    """Variables at rest: what each takes on a device, and where."""

    pricing: Pricing
    origins: Mapping[str, Layout]

    def on_stage(self, role: str, stage: int, axis: str | None) -> Amount:
        """Bytes of all variables of a role on a device of one pipeline stage."""
        return total(
            self._bytes(tensor) * self._turns(tensor, stage, axis)
            for tensor in self.pricing.tensors.values()
            if tensor.role == role and self._lives(tensor, stage, axis)
        )

    def _bytes(self, tensor: Tensor) -> Amount:
        return bytes_of(tensor, self.origins[tensor.name], self.pricing.grid)

    def _lives(self, tensor: Tensor, stage: int, axis: str | None) -> bool:
        nodes = self.origins[tensor.name].state(axis).nodes if axis is not None else ()
        return not nodes or nodes == (TURN,) or stage in nodes

    def _turns(self, tensor: Tensor, stage: int, axis: str | None) -> Amount:
        """How many turns' slices of a stacked variable a device has: the layers of its stage."""
        turns: Amount = 1
        for dim in tensor.stacked:
            layers = self.pricing.grid.by_name[dim].extent
            if axis is not None and self.origins[tensor.name].state(axis).nodes == (TURN,):
                stages = self.pricing.grid.space.sizes[axis]
                layers = _stage_layers(layers, stages, stage)
            turns *= layers
        return turns


def _stage_layers(layers: Amount, stages: Amount, stage: int) -> Amount:
    """Layers of one stage; where they do not divide the first stages have one more."""
    if isinstance(layers, int) and isinstance(stages, int):
        return layers // stages + (stage < layers % stages)
    return ceil_divide(layers, stages)


def memory(
    model: Model,
    pricing: Pricing,
    origins: Mapping[str, Layout],
) -> tuple[Memory, tuple[StageResult, ...]]:
    """Memory of the busiest device, and of each pipeline stage where there are stages."""
    inference = pricing.inference
    resident = Resident(pricing, origins)
    axis = next((axes[0] for axes in inference.pipelines.values()), None)
    size = pricing.grid.space.sizes[axis] if axis is not None else 1
    stages = range(size) if isinstance(size, int) else range(1)
    peak = None if _trains(model) else peak_live(model, pricing, origins)
    each = [
        _memory(resident.on_stage("weight", s, axis), resident.on_stage("cache", s, axis), peak)
        for s in stages
    ]
    busiest = max(each, key=lambda m: generic((m.weights or 0) + (m.cache or 0)))
    if axis is None or not isinstance(size, int):
        return busiest, ()
    return busiest, tuple(
        StageResult(s, held, m)
        for s, m, held in zip(stages, each, _holds(model, inference, size, pricing), strict=True)
    )


def _trains(model: Model) -> bool:
    return model.settings is not None and model.settings.verb == "train"


def _memory(weights: Amount, cache: Amount, peak: Amount | None) -> Memory:
    if peak is None:
        return Memory(weights, None, None, None, cache, None, None)
    return Memory(weights, 0, 0, peak, cache, 0, weights + cache + peak)


def peak_live(model: Model, pricing: Pricing, origins: Mapping[str, Layout]) -> Amount:
    """The most bytes of inputs and activations that live at once on a device in a forward pass: a
    variable lives from the layer that makes it to the last that reads it (outputs, and a carry's
    last value, to the end), a copy in another layout while its reader runs; a fused group keeps
    only what it is read for outside."""
    layers = pricing.inference.layers
    dies = _last_uses(model, layers)
    inside = _fused_inside(layers)
    live: dict[str, Amount] = {
        tensor.name: bytes_of(tensor, origins[tensor.name], pricing.grid)
        for tensor in model.tensors
        if tensor.role == "input" and tensor.name in dies
    }
    peak: Amount = total(live.values())
    for place, placed in enumerate(layers):
        copies = total(
            bytes_of(tensor, where.renamed(_own(operand.leaves, tensor.leaves)), pricing.grid)
            for operand, where in zip(placed.layer.operands, placed.inputs, strict=True)
            for tensor in [pricing.tensors[operand.tensor]]
            if tensor.role == "activation"
            and tensor.name not in inside
            and where.renamed(_own(operand.leaves, tensor.leaves))
            != pricing.inference.produced.get(tensor.name)
        )
        out = pricing.tensors[placed.layer.out]
        if out.name not in inside and out.role == "activation":
            produced = placed.output.renamed(
                dict(zip(placed.layer.operator.output, out.leaves, strict=True))
            )
            live[out.name] = bytes_of(out, produced, pricing.grid)
        now = total(live.values()) + copies
        peak = now if generic(now) > generic(peak) else peak
        live = {name: size for name, size in live.items() if dies.get(name, place) > place}
    return peak


def _own(read: Iterable[str | None], own: Iterable[str]) -> dict[str, str]:
    return {r: o for r, o in zip(read, own, strict=True) if r is not None}


def _last_uses(model: Model, layers: tuple[Placed, ...]) -> dict[str, int]:
    """The place of the last layer that reads each variable."""
    last: dict[str, int] = {}
    for place, placed in enumerate(layers):
        for operand in placed.layer.operands:
            last[operand.tensor] = place
    kept = [output.tensor for output in model.outputs]
    return last | dict.fromkeys(kept, len(layers))


def _fused_inside(layers: tuple[Placed, ...]) -> frozenset[str]:
    """Variables that are made and read only inside one fused group."""
    group_of = {p.layer.out: p.layer.fused for p in layers if p.layer.fused is not None}
    outside = {
        operand.tensor
        for p in layers
        for operand in p.layer.operands
        if group_of.get(operand.tensor) not in (None, p.layer.fused)
    }
    read = {operand.tensor for p in layers for operand in p.layer.operands}
    return frozenset(name for name in group_of if name in read and name not in outside)


def _holds(
    model: Model, inference: Inference, stages: int, pricing: Pricing
) -> list[tuple[str, ...]]:
    """What each stage holds, in words: layers by name, stacks by their range of layers."""
    held: list[list[str]] = [[] for _ in range(stages)]
    reached = 0
    for item in model.items:
        if isinstance(item, Stack) and item.name in inference.pipelines:
            layers = pricing.grid.by_name[item.dim].extent
            first = 0
            for stage in range(stages):
                if isinstance(layers, int):
                    count = int(generic(_stage_layers(layers, stages, stage)))
                    if count:
                        held[stage].append(f"{item.name} {first}-{first + count - 1}")
                    first += count
            reached = stages - 1
        else:
            pinned = item.stage if isinstance(item, Layer) else None
            held[reached if pinned is None else min(pinned.index, stages - 1)].append(item.name)
    return [tuple(names) for names in held]

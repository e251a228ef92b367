"""Memory on the busiest device: weights and caches at rest, and the peak of what lives at once in a
forward pass. What training adds is not computed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.moves import Pricing, whole
from parspec.interpreter.analysis.pipeline import Course, Pipeline
from parspec.interpreter.analysis.result import Memory, StageResult
from parspec.interpreter.spec.model import Layer, Model, Tensor
from parspec.interpreter.spec.settings import DTYPES
from parspec.interpreter.theory.formulas import Amount, generic, total
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
            course = self._course(dim)
            on_stages = axis is not None and self.origins[tensor.name].state(axis).nodes == (TURN,)
            if on_stages and course is not None:
                turns *= course.on_stage(stage)
            else:
                turns *= self.pricing.grid.by_name[dim].extent
        return turns

    def _course(self, dim: str) -> Course | None:
        """The course of the pipelined stack along a dimension."""
        courses = self.pricing.inference.pipeline.courses
        return next((c for s, c in courses.items() if self.pricing.stacks[s].dim == dim), None)


def memory(
    model: Model,
    pricing: Pricing,
    origins: Mapping[str, Layout],
) -> tuple[Memory, tuple[StageResult, ...]]:
    """Memory of the busiest device, and of each pipeline stage where there are stages."""
    inference = pricing.inference
    resident = Resident(pricing, origins)
    axis = next(iter(inference.pipeline.axes), None)
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
        for s, m, held in zip(stages, each, _holds(model, inference.pipeline, size), strict=True)
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


def _holds(model: Model, pipeline: Pipeline, stages: int) -> list[tuple[str, ...]]:
    """What each stage holds, in words: layers by name, stacks by their ranges of layers."""
    held: list[list[str]] = [[] for _ in range(stages)]
    here = 0
    for item in model.items:
        course = None if isinstance(item, Layer) else pipeline.courses.get(item.name)
        if course is None:
            stage = here
            if isinstance(item, Layer):
                stage = pipeline.placed.get(item.name, ("", here))[1]
                stage = stage if item.stage is None else item.stage.index
            held[min(stage, stages - 1)].append(item.name)
            continue
        first = 0
        for stage, count in course.chunks:
            if count:
                through = "" if count == 1 else f"-{first + count - 1}"
                held[stage].append(f"{item.name} {first}{through}")
            first += count
        here = stages - 1
    return [tuple(names) for names in held]

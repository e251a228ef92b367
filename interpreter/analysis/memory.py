"""Memory on the busiest device: weights and caches at rest, and the peak of what lives at once in a
forward pass. What training adds is not computed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.liveness import peak_gathered, peak_live
from parspec.interpreter.analysis.moves import Pricing
from parspec.interpreter.analysis.pipeline import Course, holdings
from parspec.interpreter.analysis.result import Memory, StageResult
from parspec.interpreter.analysis.sizes import bytes_of
from parspec.interpreter.diagnostics.findings import Datum, Finding, Related
from parspec.interpreter.diagnostics.readable import bytes_text
from parspec.interpreter.spec.model import Device, Model, Tensor
from parspec.interpreter.theory.formulas import Amount, generic, is_number, product, total
from parspec.interpreter.theory.layouts import TURN, Layout, Node

GB = 10**9


@dataclass(frozen=True, slots=True)
class _Resident:
    """A variable at rest on a device: bytes for one layer of each of the pipelined stacks that run
    by `courses`; the pipeline stages that have it, all of them where none is named."""

    size: Amount
    stages: tuple[Node, ...]
    courses: tuple[Course, ...]

    def on_stage(self, stage: int) -> Amount:
        """Bytes on a device of one stage."""
        if self.stages in ((), (TURN,)) or stage in self.stages:
            return self.size * product(course.on_stage(stage) for course in self.courses)
        return 0


def memory(
    pricing: Pricing, origins: Mapping[str, Layout]
) -> tuple[Memory, tuple[StageResult, ...]]:
    """Memory of the busiest device, and of each pipeline stage where there are stages; `origins`
    are the layouts that variables have before anybody moves them."""
    model, pipeline = pricing.model, pricing.inference.pipeline
    axis = next(iter(pipeline.axes), None)
    size = 1 if axis is None else pricing.grid.space.sizes[axis]
    stages = range(size if isinstance(size, int) else 1)
    courses = _courses(pricing)
    weights, caches = (
        [
            _resident(tensor, origins[tensor.name], axis, courses, pricing.grid)
            for tensor in model.tensors
            if tensor.role == role
        ]
        for role in ("weight", "cache")
    )
    live = None
    if not model.trains:
        live = peak_live(pricing, origins), peak_gathered(pricing, origins)
    each = [_memory(_held(weights, stage), _held(caches, stage), live) for stage in stages]
    busiest = max(each, key=lambda one: generic((one.weights or 0) + (one.cache or 0)))
    if axis is None or not isinstance(size, int):
        return busiest, ()
    return busiest, tuple(map(StageResult, stages, holdings(model, pipeline, size), each))


def _courses(pricing: Pricing) -> dict[tuple[str, str], Course]:
    """(variable, dimension) to the course of the pipelined stack along it that uses it."""
    courses = pricing.inference.pipeline.courses
    return {
        (need.tensor, pricing.stacks[stack].dim): courses[stack]
        for need in pricing.inference.needs
        for stack in need.stacks
        if stack in courses
    }


def _resident(
    tensor: Tensor,
    where: Layout,
    axis: str | None,
    courses: Mapping[tuple[str, str], Course],
    grid: Grid,
) -> _Resident:
    """A variable at rest, as the stages on `axis` have it."""
    nodes = () if axis is None else where.state(axis).nodes
    pipelined = {
        dim: courses[tensor.name, dim]
        for dim in tensor.stacked
        if nodes == (TURN,) and (tensor.name, dim) in courses
    }
    everywhere = (grid.by_name[dim].extent for dim in tensor.stacked if dim not in pipelined)
    size = bytes_of(tensor, where, grid) * product(everywhere)
    return _Resident(size, nodes, tuple(pipelined.values()))


def _held(resident: Iterable[_Resident], stage: int) -> Amount:
    """Bytes of all these on a device of one stage."""
    return total(one.on_stage(stage) for one in resident)


def _memory(weights: Amount, cache: Amount, live: tuple[Amount, Amount] | None) -> Memory:
    """What rests and what lives for a while: activations, gathered weights."""
    if live is None:
        return Memory(weights, None, None, None, cache, None, None)
    activations, buffers = live
    everything = weights + cache + activations + buffers
    return Memory(weights, 0, 0, activations, cache, buffers, everything)


def over_memory(model: Model, busiest: Memory, device: Device | None) -> tuple[Finding, ...]:
    """A finding where the busiest device needs more than it has."""
    if device is None or model.mesh.site is None:
        return ()
    needed, has = busiest.total, device.memory
    if not (is_number(needed) and is_number(has)) or needed <= has:
        return ()
    parts = (("weights", busiest.weights), ("cache", busiest.cache), ("buffers", busiest.buffers))
    shares = (*parts, ("activations", busiest.activations))
    facts: dict[str, Datum] = {
        "device": device.name,
        "per_device_GB": float(needed / GB),
        "capacity_GB": float(has / GB),
        "parts": tuple(
            f"{name} {bytes_text(size)}" for name, size in shares if is_number(size) and size
        ),
    }
    declared = Related(device.site, f"{device.name} is declared here")
    return (Finding("out_of_memory", model.mesh.site, tuple(facts.items()), (declared,)),)

"""Memory on the devices of each stage: weights and caches at rest, and the peak of what lives at
once in a forward pass. What training adds is not computed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple, TypeAlias

from parspec.interpreter.analysis.alike import Alike, alike
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.pipeline import Pipeline, holdings
from parspec.interpreter.analysis.result import Memory, StageResult
from parspec.interpreter.analysis.sections import Inferred, Routed
from parspec.interpreter.analysis.sizes import Slice, slice_bytes
from parspec.interpreter.diagnostics.findings import Datum, Finding, Related
from parspec.interpreter.diagnostics.readable import bytes_text
from parspec.interpreter.spec.model import Model, Tensor
from parspec.interpreter.theory.formulas import (
    Amount,
    Number,
    is_number,
    measured,
    numeric,
    product,
    total,
)
from parspec.interpreter.theory.layouts import TURN, Node

GB = 10**9


class Home(NamedTuple):
    """Where variables rest: the role they have; on each axis of the pipeline's stages the nodes
    that have them, all where none is named; the pipelined stacks whose layers each have one."""

    role: str
    nodes: tuple[tuple[Node, ...], ...]
    stacks: tuple[str, ...]

    def on_stage(self, stage: int, where: Iterable[Node], pipeline: Pipeline) -> Amount:
        """How many of a variable a device of one stage has at most; `where`: its node on each
        axis."""
        if all(
            nodes in ((), (TURN,)) or node in nodes
            for node, nodes in zip(where, self.nodes, strict=True)
        ):
            courses = (pipeline.courses[stack] for stack in self.stacks)
            return product(
                course.on_stage(stage) if course.axes == pipeline.stage_axes else course.busiest
                for course in courses
            )
        return 0


Resting: TypeAlias = Mapping[Home, Amount]  # bytes on a device, for one layer of each stack


class Peak(NamedTuple):
    """Bytes of what lives at once on a device, and of the weights that a layer gathers."""

    activations: Amount
    buffers: Amount


class Rest(NamedTuple):
    """A variable at rest: where, as which slice, and so for each turn of the stacks along some
    dimensions."""

    home: Home
    what: Slice
    turns: tuple[str, ...]

    def size(self, grid: Grid) -> Amount:
        """Its bytes on a device, for one layer of each pipelined stack."""
        size = slice_bytes(self.what, grid.space)
        for dim in self.turns:
            size *= grid.by_name[dim].extent
        return size


def rests_in(routed: Routed) -> Alike[Rest]:
    """A part's weights and caches."""
    return alike(
        rest_of(tensor, routed)
        for tensor in routed.outline.tensors.values()
        if tensor.role in ("weight", "cache")
    )


def resting_in(rests: Alike[Rest], grid: Grid) -> Resting:
    """What rests of a part's weights and caches."""
    found: dict[Home, Amount] = {}
    for rest, count in rests.counted(rests.different):
        found[rest.home] = found.get(rest.home, 0) + rest.size(grid) * count
    return found


def rest_of(tensor: Tensor, routed: Routed) -> Rest:
    """A variable of a part at rest."""
    pipeline, what = routed.pipeline, routed.resting(tensor)
    if not pipeline.stage_axes:
        return Rest(Home(tensor.role, (), ()), what, tensor.stacked)
    use, courses = routed.uses[tensor.name], pipeline.courses
    axes = (*pipeline.axes, *pipeline.stage_axes)
    nodes = {axis: use.origin.state(axis).nodes for axis in axes}
    pipelined = {  # dimension to stack
        course.dim: stack
        for stack in use.stacks
        if (course := courses.get(stack)) and all(nodes[axis] == (TURN,) for axis in course.axes)
    }
    turning = tuple([pipelined[dim] for dim in tensor.stacked if dim in pipelined])
    others = tuple([dim for dim in tensor.stacked if dim not in pipelined])
    at = tuple([nodes[axis] for axis in pipeline.stage_axes])
    return Rest(Home(tensor.role, at, turning), what, others)


def memory(
    inferred: Inferred, parts: Iterable[Resting], peaks: Sequence[Peak | None]
) -> tuple[Memory, tuple[StageResult, ...]]:
    """Memory of the busiest device, and of each pipeline stage where there are stages. `parts`:
    what rests in each; `peaks`: of each stage, None where it is not computed."""
    pipeline, seating = inferred.pipeline, inferred.seating
    axes, grid = pipeline.stage_axes, inferred.grid
    everything: dict[Home, Amount] = {}
    for one in parts:
        for home, amount in one.items():
            everything[home] = everything.get(home, 0) + amount
    each = []
    for stage, peak in enumerate(peaks):
        where = tuple(grid.nodes_at(axes, stage).values()) if axes else ()
        weights = _held(everything, "weight", stage, where, pipeline)
        cache = _held(everything, "cache", stage, where, pipeline)
        each.append(_memory(weights, cache, peak))
    busiest = max(each, key=_size)
    if not seating.staged:
        return busiest, ()
    held = holdings(inferred.model, pipeline, len(each))
    return busiest, tuple(map(StageResult, range(len(each)), held, each))


def _held(
    resting: Resting, role: str, stage: int, where: tuple[Node, ...], pipeline: Pipeline
) -> Amount:
    """Bytes of all variables of a role on a device of one stage."""
    homes = ((home, size) for home, size in resting.items() if home.role == role)
    return total(size * home.on_stage(stage, where, pipeline) for home, size in homes)


def _size(one: Memory) -> Number:
    """By what memories are compared: all that is known; symbolic sizes at a fixed point."""
    known = (one.weights, one.cache, one.activations, one.buffers)
    return numeric(total(amount for amount in known if amount is not None))


def _memory(weights: Amount, cache: Amount, peak: Peak | None) -> Memory:
    """What rests and what lives for a while: activations, gathered weights."""
    if peak is None:
        return Memory(weights, None, None, None, cache, None, None)
    activations, buffers = peak
    everything = weights + cache + activations + buffers
    return Memory(weights, 0, 0, activations, cache, buffers, everything)


def over_memory(model: Model, busiest: Memory) -> tuple[Finding, ...]:
    """A finding where the busiest device needs more than it has."""
    device = next((one for one in model.devices if one.name == model.mesh.device), None)
    if device is None or model.mesh.site is None:
        return ()
    needed, has = busiest.total, device.memory
    if not (is_number(needed) and is_number(has)) or needed <= has:
        return ()
    parts = (("weights", busiest.weights), ("cache", busiest.cache), ("buffers", busiest.buffers))
    shares = (*parts, ("activations", busiest.activations))
    facts: dict[str, Datum] = {
        "device": device.name,
        "per_device_GB": measured(Fraction(needed) / GB),
        "capacity_GB": measured(Fraction(has) / GB),
        "parts": tuple(
            f"{name} {bytes_text(size)}" for name, size in shares if is_number(size) and size
        ),
    }
    largest, size = max(((n, s) for n, s in shares if is_number(s)), key=lambda each: each[1])
    if (room := has - (needed - size)) > 0:
        facts |= {"largest": largest, "ways": ceil(Fraction(size) / room)}
    declared = Related(device.site, f"{device.name} is declared here")
    return (Finding("out_of_memory", model.mesh.site, tuple(facts.items()), (declared,)),)

"""Memory on the busiest device: weights and caches at rest, and the peak of what lives at once in a
forward pass. What training adds is not computed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from parspec.interpreter.analysis.pipeline import Pipeline, holdings
from parspec.interpreter.analysis.result import Memory, StageResult
from parspec.interpreter.analysis.sections import Inferred, Section
from parspec.interpreter.diagnostics.findings import Datum, Finding, Related
from parspec.interpreter.diagnostics.readable import bytes_text
from parspec.interpreter.spec.model import Model, Tensor
from parspec.interpreter.theory.formulas import Amount, generic, is_number, product, total
from parspec.interpreter.theory.layouts import TURN, Node

GB = 10**9


class Home(NamedTuple):
    """Where variables rest: the role they have; the pipeline stages that have them, all where none
    is named; the pipelined stacks whose layers each have one."""

    role: str
    stages: tuple[Node, ...]
    stacks: tuple[str, ...]

    def on_stage(self, stage: int, pipeline: Pipeline) -> Amount:
        """How many of a variable a device of one stage has."""
        if self.stages in ((), (TURN,)) or stage in self.stages:
            return product(pipeline.courses[stack].on_stage(stage) for stack in self.stacks)
        return 0


Resting: TypeAlias = Mapping[Home, Amount]  # bytes on a device, for one layer of each stack


def resting_in(section: Section) -> Resting:
    """What rests of a part's weights and caches."""
    found: dict[Home, Amount] = {}
    for tensor in section.outline.tensors.values():
        if tensor.role in ("weight", "cache"):
            home, size = _resident(tensor, section)
            found[home] = found.get(home, 0) + size
    return found


def _resident(tensor: Tensor, section: Section) -> tuple[Home, Amount]:
    """Where a variable rests, and its bytes there."""
    use, courses = section.uses[tensor.name], section.pipeline.courses
    axis = next(iter(section.pipeline.axes), None)
    nodes = () if axis is None else use.origin.state(axis).nodes
    pipelined: dict[str, str] = {}  # dimension to stack
    if nodes == (TURN,):
        pipelined = {courses[stack].dim: stack for stack in use.stacks if stack in courses}
    everywhere = (section.grid.by_name[d].extent for d in tensor.stacked if d not in pipelined)
    turning = tuple(pipelined[dim] for dim in tensor.stacked if dim in pipelined)
    size = section.at_rest[tensor.name] * product(everywhere)
    return Home(tensor.role, nodes, turning), size


def memory(
    inferred: Inferred, resting: Iterable[Resting], live: tuple[Amount, Amount] | None
) -> tuple[Memory, tuple[StageResult, ...]]:
    """Memory of the busiest device, and of each pipeline stage where there are stages. `resting`:
    of all parts; `live`: bytes of what lives at once and of gathered weights, if known."""
    pipeline = inferred.pipeline
    axis = next(iter(pipeline.axes), None)
    size = 1 if axis is None else inferred.grid.sizes[axis]
    stages = range(size if isinstance(size, int) else 1)
    everything: dict[Home, Amount] = {}
    for one in resting:
        for home, amount in one.items():
            everything[home] = everything.get(home, 0) + amount
    each = [
        _memory(
            _held(everything, "weight", stage, pipeline),
            _held(everything, "cache", stage, pipeline),
            live,
        )
        for stage in stages
    ]
    busiest = max(each, key=lambda one: generic((one.weights or 0) + (one.cache or 0)))
    if axis is None or not isinstance(size, int):
        return busiest, ()
    held = holdings(inferred.model, pipeline, size)
    return busiest, tuple(map(StageResult, stages, held, each))


def _held(resting: Resting, role: str, stage: int, pipeline: Pipeline) -> Amount:
    """Bytes of all variables of a role on a device of one stage."""
    return total(
        size * home.on_stage(stage, pipeline) for home, size in resting.items() if home.role == role
    )


def _memory(weights: Amount, cache: Amount, live: tuple[Amount, Amount] | None) -> Memory:
    """What rests and what lives for a while: activations, gathered weights."""
    if live is None:
        return Memory(weights, None, None, None, cache, None, None)
    activations, buffers = live
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
        "per_device_GB": float(needed / GB),
        "capacity_GB": float(has / GB),
        "parts": tuple(
            f"{name} {bytes_text(size)}" for name, size in shares if is_number(size) and size
        ),
    }
    declared = Related(device.site, f"{device.name} is declared here")
    return (Finding("out_of_memory", model.mesh.site, tuple(facts.items()), (declared,)),)

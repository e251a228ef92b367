"""What is found of one part: what totals are made of, and what is listed of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from parspec.interpreter.analysis.alike import Alike, alike
from parspec.interpreter.analysis.communication import Suspect, suspects_in
from parspec.interpreter.analysis.costs import Costs, Done, Workload, costs_of, workload_of
from parspec.interpreter.analysis.division import Written
from parspec.interpreter.analysis.faults import Faults, UnsizedFaults, faults_in, unsized_faults
from parspec.interpreter.analysis.flops import Speed
from parspec.interpreter.analysis.grid import Pieces
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.kinds import Naming, strategies
from parspec.interpreter.analysis.liveness import Lives, Spans, last_uses, lives_of, spans_in
from parspec.interpreter.analysis.memory import Rest, Resting, rest_of, resting_in, rests_in
from parspec.interpreter.analysis.repeats import copies_in
from parspec.interpreter.analysis.repetition import Repetition, repetition_in
from parspec.interpreter.analysis.result import Cuts, LayerResult, Move, StateOf, TensorResult
from parspec.interpreter.analysis.sections import Routed, Section
from parspec.interpreter.analysis.sharding import Sharding
from parspec.interpreter.analysis.sizes import bytes_of
from parspec.interpreter.analysis.staged_liveness import spans_by_stage
from parspec.interpreter.spec.model import Layer, Tensor
from parspec.interpreter.theory.formulas import Amount, product, total
from parspec.interpreter.theory.layouts import EVERYWHERE, TURN, Layout, layout


@dataclass(frozen=True, eq=False)
class Unsized:
    """What no size changes in a part. `weights`: the dimensions of each; by stage, `spans`: what
    lives on it; `copies`: the layers that only copy, by what they make."""

    workload: Workload
    weights: Alike[tuple[str, ...]]
    rests: Alike[Rest]
    spans: Mapping[int, Spans]
    faults: UnsizedFaults
    suspects: tuple[Suspect, ...]
    copies: Mapping[str, Layer]


@dataclass(frozen=True, eq=False)
class PartResult:
    """What is found of one part. `parameters`: how many its weights have; `resting` and, by stage,
    `lives`: what its variables take. What is only listed is made when somebody looks at it."""

    section: Section
    unsized: Unsized
    naming: Naming
    costs: Costs
    parameters: Amount
    resting: Resting
    lives: Mapping[int, Lives]
    faults: Faults
    repetition: Repetition

    @cached_property
    def layers(self) -> tuple[LayerResult, ...]:
        """Its layers, as they are shown."""
        rows = zip(self.section.layers, self.costs.each_done, strict=True)
        return tuple([_layer(*row, self.section, self.naming) for row in rows])

    @property
    def partitions(self) -> Iterator[tuple[str, Cuts]]:
        """Its layers by name, with what each is partitioned along."""
        known: dict[int, Cuts] = {}  # most layers are sharded like another one
        for placed in self.section.layers:
            cuts = known.get(id(placed.sharding))
            if cuts is None:
                cuts = _partition(placed.sharding, self.naming.pieces)
                known[id(placed.sharding)] = cuts
            yield placed.layer.name, cuts

    @cached_property
    def tensors(self) -> tuple[TensorResult, ...]:
        """The variables that it declares, as they are shown."""
        declared = self.section.outline.tensors.values()
        return tuple([_tensor(tensor, self.section) for tensor in declared])

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves in front of its layers."""
        return self.costs.moves


def unsized_of(routed: Routed) -> Unsized:
    """What no size changes in a part."""
    workload, tensors = workload_of(routed), routed.outline.tensors.values()
    return Unsized(
        workload,
        alike((*one.stacked, *one.leaves) for one in tensors if one.role == "weight"),
        rests_in(routed),
        _spans(routed, workload.inside),
        unsized_faults(routed),
        suspects_in(routed),
        copies_in(routed.outline),
    )


def _spans(routed: Routed, inside: frozenset[str]) -> Mapping[int, Spans]:
    """What lives in a part, by stage."""
    if routed.seating.staged:
        return spans_by_stage(routed, inside)
    return {0: spans_in(routed, last_uses(routed.inference), inside)}


def result_of(
    section: Section, unsized: Unsized, naming: Naming, speed: Speed | None, written: Written
) -> PartResult:
    """What is found of a part, on devices of this speed. `written`: the sizes of views that do not
    fit the mesh."""
    costs, grid = costs_of(section, unsized.workload, speed), section.grid
    sizes = (product(grid.by_name[dim].size for dim in one) for one in unsized.weights.different)
    lives = {one: lives_of(one, grid.space) for one in unsized.spans.values()}
    return PartResult(
        section,
        unsized,
        naming,
        costs,
        total(size * count for size, count in unsized.weights.counted(sizes)),
        resting_in(unsized.rests, grid),
        {stage: lives[spans] for stage, spans in unsized.spans.items()},
        faults_in(section, unsized.faults, written),
        repetition_in(section, costs),
    )


def _layer(placed: Placed, done: Done, section: Section, naming: Naming) -> LayerResult:
    layer, sharding = placed.layer, placed.sharding
    tensors = [section.tensors[operand.tensor] for operand in layer.operands]
    states = [
        StateOf(tensor.name, "in", _shown(where, tensor))
        for tensor, where in zip(tensors, sharding.inputs, strict=True)
    ]
    states.append(StateOf(layer.out, "out", sharding.output))
    return LayerResult(
        layer.name,
        done.turns,
        done.busiest_turns,
        _partition(sharding, naming.pieces),
        tuple([(axis, tensors[place].label) for axis, place in sharding.placement.follows]),
        strategies(sharding, tuple([tensor.role == "weight" for tensor in tensors]), naming),
        tuple(states),
        done.work.bytes,
        done.work.flops,
        done.work.time,
    )


@lru_cache(maxsize=512)
def _partition(sharding: Sharding, pieces: Pieces) -> Cuts:
    """The dimension that each axis cuts, in mesh order."""
    cuts = {name: dim for dim, axes in sharding.placement.cuts for name in pieces.shown(axes)}
    return tuple(sorted(cuts.items(), key=lambda cut: pieces.place(cut[0])))


def _shown(where: Layout, tensor: Tensor) -> Layout:
    """A stacked weight of a pipelined stack lies in slices along the stack's dimension."""
    if not tensor.stacked:
        return where
    turns = {axis for axis, nodes in where.central if nodes == (TURN,)}
    if not turns:
        return where
    left = where.without(turns)
    cuts = dict(left.cuts) | {tensor.stacked[0]: tuple(sorted(turns))}
    return layout(cuts, left.partial, left.central)


def _tensor(tensor: Tensor, section: Section) -> TensorResult:
    grid, where = section.grid, section.uses[tensor.name].origin
    size = bytes_of(tensor, EVERYWHERE, grid)
    for dim in tensor.stacked:
        size *= grid.by_name[dim].extent
    return TensorResult(
        tensor.name,
        tensor.label,
        tensor.role,
        tensor.dims,
        tensor.dtype,
        size,
        _shown(where, tensor),
        _busiest(tensor, section),
    )


def _busiest(tensor: Tensor, section: Section) -> Amount:
    """Bytes of a variable on the device that has most of it: of a stacked one, those of all turns
    that a stage runs."""
    rest = rest_of(tensor, section.routed)
    size = rest.size(section.grid)
    for stack in rest.home.stacks:
        size *= section.routed.pipeline.courses[stack].busiest
    return size

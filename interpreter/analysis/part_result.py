"""What is found of one part: the results that are shown, and what totals are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from parspec.interpreter.analysis.communication import Suspect, suspects_in
from parspec.interpreter.analysis.costs import Costs, costs_of
from parspec.interpreter.analysis.division import Written
from parspec.interpreter.analysis.faults import Faults, faults_in
from parspec.interpreter.analysis.flops import Speed
from parspec.interpreter.analysis.grid import Pieces
from parspec.interpreter.analysis.inference import Inference, Placed
from parspec.interpreter.analysis.kinds import Naming, strategies
from parspec.interpreter.analysis.liveness import Lives, last_uses, lives_in
from parspec.interpreter.analysis.memory import Resting, resident, resting_in
from parspec.interpreter.analysis.repeats import copies_in
from parspec.interpreter.analysis.repetition import Repetition, repetition_in
from parspec.interpreter.analysis.result import LayerResult, StateOf, TensorResult
from parspec.interpreter.analysis.sections import Section
from parspec.interpreter.analysis.sharding import Sharding
from parspec.interpreter.analysis.sizes import bytes_of
from parspec.interpreter.analysis.staged_liveness import lives_by_stage
from parspec.interpreter.spec.model import Layer, Tensor
from parspec.interpreter.theory.formulas import Amount, product, total
from parspec.interpreter.theory.layouts import EVERYWHERE, TURN, Layout, layout


@dataclass(frozen=True, eq=False)
class PartResult:
    """What is found of one part. `copies`: its layers that only copy, by what they make;
    `parameters`: how many its weights have; `resting` and, by stage, `lives`: what its variables
    take."""

    costs: Costs
    layers: tuple[LayerResult, ...]
    tensors: tuple[TensorResult, ...]
    parameters: Amount
    resting: Resting
    lives: Mapping[int, Lives]
    faults: Faults
    suspects: tuple[Suspect, ...]
    copies: Mapping[str, Layer]
    repetition: Repetition


class Described(NamedTuple):
    """What is told of a layer apart from its figures: see `LayerResult`."""

    partition: tuple[tuple[str, str], ...]
    follows: tuple[tuple[str, str], ...]
    strategy: tuple[tuple[str, str], ...]
    states: tuple[StateOf, ...]


class Told(NamedTuple):
    """What no size changes in a part: its layers as they are told of, and the last uses of
    variables."""

    layers: tuple[Described, ...]
    last: Mapping[str, int]


def told_of(inference: Inference, naming: Naming) -> Told:
    """What no size changes in a part."""
    layers = (_described(placed, inference.tensors, naming) for placed in inference.layers)
    return Told(tuple(layers), last_uses(inference))


def _described(placed: Placed, known: Mapping[str, Tensor], naming: Naming) -> Described:
    layer, sharding = placed.layer, placed.sharding
    tensors = [known[operand.tensor] for operand in layer.operands]
    states = [
        StateOf(tensor.name, "in", _shown(where, tensor))
        for tensor, where in zip(tensors, sharding.inputs, strict=True)
    ]
    states.append(StateOf(layer.out, "out", sharding.output))
    return Described(
        _partition(sharding, naming.pieces),
        tuple((axis, tensors[place].label) for axis, place in sharding.placement.follows),
        strategies(sharding, tuple(tensor.role == "weight" for tensor in tensors), naming),
        tuple(states),
    )


def result_of(section: Section, told: Told, speed: Speed | None, written: Written) -> PartResult:
    """What is found of a part, on devices of this speed; `written`: the sizes of views that do not
    fit the mesh."""
    costs = costs_of(section, speed)
    return PartResult(
        costs,
        tuple(
            LayerResult(placed.layer.name, turns, *of_layer, work.bytes, work.flops, work.time)
            for placed, of_layer, turns, work in zip(
                section.layers, told.layers, costs.turns, costs.works, strict=True
            )
        ),
        tuple(_tensor(tensor, section) for tensor in section.outline.tensors.values()),
        total(
            product(section.grid.by_name[dim].size for dim in (*tensor.stacked, *tensor.leaves))
            for tensor in section.outline.tensors.values()
            if tensor.role == "weight"
        ),
        resting_in(section),
        _lives(section, told, costs.inside),
        faults_in(section, written),
        suspects_in(section),
        copies_in(section),
        repetition_in(section.layers, costs.works, costs.turns),
    )


def _lives(section: Section, told: Told, inside: frozenset[str]) -> Mapping[int, Lives]:
    """What lives in a part, by stage."""
    if section.seating.staged:
        return lives_by_stage(section, inside)
    return {0: lives_in(section, told.last, inside)}


@lru_cache(maxsize=16384)
def _partition(sharding: Sharding, pieces: Pieces) -> tuple[tuple[str, str], ...]:
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
    home, size = resident(tensor, section)
    for stack in home.stacks:
        size *= section.pipeline.courses[stack].busiest
    return size

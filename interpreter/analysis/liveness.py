"""Liveness: the most bytes of inputs and activations that live at once in a forward pass.

A variable lives from the layer that makes it to the last that reads it, an input from the start, an
output to the end. What a stack reads from outside lives through all its turns, its carry from the
start of a turn, and what a turn leaves to the end of it. A copy in another layout lives while its
reader runs; a fused group reads all that it reads to its end and keeps only what it is read for
outside.

Each part is looked through by itself, for what lives and dies in it and for the last uses of the
rest; then all parts are put end to end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import NamedTuple

from parspec.interpreter.analysis.inference import Inference, Placed
from parspec.interpreter.analysis.moves import output_layout
from parspec.interpreter.analysis.sections import Inferred, Section
from parspec.interpreter.analysis.sizes import bytes_of
from parspec.interpreter.spec.model import Tensor
from parspec.interpreter.theory.formulas import Amount, Number, numeric, total
from parspec.interpreter.theory.layouts import Layout

COMES_IN, MADE, COPIED, GOES_OUT = range(4)  # why something lives, in the order that sums are in


class Life(NamedTuple):
    """Bytes that live from one layer to another, both by their places in the walk."""

    why: int
    size: Amount
    first: int
    last: int


class Variable(NamedTuple):
    """A variable with its bytes and the place where it begins to live; None for an input."""

    name: str
    why: int
    size: Amount
    first: int | None


class Reading(NamedTuple):
    """A layer reads an operand: the places of the layer and of that up to which it is kept."""

    place: int
    operand: int
    name: str
    until: int


class Leaving(NamedTuple):
    """Outputs on a device: those that are produced there, and the bytes of each that must lie there
    and is not produced there in that layout."""

    produced: frozenset[str]
    brought: tuple[Amount, ...]


@dataclass(frozen=True, eq=False)
class Lives:
    """What lives in a part on a device: `own` lives and dies in it, and makes what lives change by
    `changes` at each of its layers and by `after` at the next; `crossing` may be used last in
    another part; `last`: the last uses of the rest; `gathered`: the most bytes of gathered weights
    at a layer."""

    own: tuple[Life, ...]
    changes: tuple[Number, ...]
    after: Number
    gathered: Amount
    crossing: tuple[Variable, ...]
    last: Mapping[str, int]


def lives_in(section: Section, last: Mapping[str, int], inside: frozenset[str]) -> Lives:
    """What lives in a part. `last`: the last uses of variables in it; `inside`: the variables
    inside fused groups."""
    gathered = (
        (placed.layer.name, bytes_of(tensor, where, section.grid))
        for placed, tensor, where in gathers_in(section)
    )
    made = variables_in(section, inside)
    return lives_of(section, made, _copies(section, inside), last, gathered)


def lives_of(
    section: Section,
    variables: Iterable[Variable],
    copies: Iterable[Life],
    last: Mapping[str, int],
    gathered: Iterable[tuple[str, Amount]],
) -> Lives:
    """What lives in a part, made of variables with their last uses in it and of copies; `gathered`:
    layers with weights that they gather, in bytes."""
    names = section.outline.tensors.keys()
    own = list(copies)
    crossing: list[Variable] = []
    for variable in variables:
        name, why, size, first = variable
        if first is None or name in section.shared or name not in names:
            crossing.append(variable)
        elif why is MADE or name in last:
            own.append(Life(why, size, first, max(first, last.get(name, first))))
    changes: list[Number] = [0] * (len(section.layers) + 1)
    _note(own, changes)
    known = section.shared.union(one.name for one in crossing)
    kept = {n: place for n, place in last.items() if n in known or n not in names}
    each: dict[str, Amount] = {}  # by layer
    for layer, size in gathered:
        each[layer] = each.get(layer, 0) + size
    most = max(each.values(), key=numeric, default=0)
    return Lives(tuple(own), tuple(changes[:-1]), changes[-1], most, tuple(crossing), kept)


def _note(lives: Sequence[Life], changes: list[Number]) -> None:
    """Note by how much the bytes that live change with each life; symbolic sizes at a fixed
    point."""
    for life in lives:
        changes[life.first] += numeric(life.size)
        changes[life.last + 1] -= numeric(life.size)


def variables_in(section: Section, inside: frozenset[str]) -> Iterator[Variable]:
    """Inputs, carries, and what layers make; `inside`: the variables inside fused groups."""
    turns = {
        stack.carry: section.inference.order[name][0]
        for name, stack in section.outline.stacks.items()
        if name in section.inference.order
    }
    for tensor in section.outline.tensors.values():
        if tensor.role in ("input", "carry"):
            size = section.at_rest[tensor.name]
            first = None if tensor.role == "input" else turns.get(tensor.name, 0)
            yield Variable(tensor.name, COMES_IN, size, first)
    for place, placed in enumerate(section.layers):
        made = section.tensors[placed.layer.out]
        if made.role == "activation" and made.name not in inside:
            size = bytes_of(made, placed.made, section.grid)
            yield Variable(made.name, MADE, size, place)


def _copies(section: Section, inside: frozenset[str]) -> Iterator[Life]:
    """Variables as layers read them, where that is not how they lie."""
    uses = section.uses
    for place, placed in enumerate(section.layers):
        for operand, where in zip(placed.layer.operands, placed.sharding.read, strict=True):
            if where == uses[operand.tensor].origin or operand.tensor in inside:
                continue
            tensor = section.tensors[operand.tensor]
            if tensor.role in ("input", "carry", "activation"):
                yield Life(COPIED, bytes_of(tensor, where, section.grid), place, place)


def last_uses(inference: Inference) -> Mapping[str, int]:
    """The place of the last layer of a part up to which each variable is kept."""
    last: dict[str, int] = dict(left_at_ends(inference))
    for _, _, name, until in readings_in(inference):
        last[name] = max(until, last.get(name, 0))
    return last


def readings_in(inference: Inference) -> Iterator[Reading]:
    """What the layers of a part read."""
    layers, ends = inference.layers, _ends(inference)
    groups = {one.layer.fused: place for place, one in enumerate(layers)}
    for place, placed in enumerate(layers):
        for at, operand in enumerate(placed.layer.operands):
            made = inference.stack_of.get(operand.tensor, ())
            around = [stack for stack in placed.stacks if stack not in made]
            whole = groups[placed.layer.fused] if placed.layer.fused is not None else place
            yield Reading(place, at, operand.tensor, ends[around[0]] if around else whole)


def left_at_ends(inference: Inference) -> Iterator[tuple[str, int]]:
    """What turns of stacks leave, and the place up to which it is kept for the next."""
    ends = _ends(inference)
    return ((one.last, ends[one.name]) for one in inference.part.stacks if one.name in ends)


def _ends(inference: Inference) -> Mapping[str, int]:
    """The place of the last layer of each stack."""
    layers = inference.layers
    return {stack: place for place, one in enumerate(layers) for stack in one.stacks}


def peak_live(parts: Sequence[Lives], leaving: Leaving) -> Amount:
    """The most that lives at once, bytes on a device where this lives in parts and leaves."""
    starts = list(accumulate([len(one.changes) for one in parts], initial=0))
    end = starts[-1]
    lives = list(_across(parts, starts, leaving.produced))
    lives += (Life(GOES_OUT, size, end, end) for size in leaving.brought)
    changes: list[Number] = [*chain.from_iterable([one.changes for one in parts]), 0, 0]
    for start, one in zip(starts[1:], parts, strict=True):
        changes[start] += one.after
    _note(lives, changes)
    levels = list(accumulate(changes))
    peak = levels.index(max(levels))
    at = bisect_right(starts, peak) - 1
    for life in parts[at].own if at < len(parts) else ():
        first, last = life.first + starts[at], life.last + starts[at]
        lives.append(Life(life.why, life.size, first, last))
    living = [life for life in lives if life.first <= peak <= life.last]
    living.sort(key=lambda life: (life.why, life.first))
    return total(life.size for life in living)


def _across(
    parts: Sequence[Lives], starts: Sequence[int], outputs: frozenset[str]
) -> Iterator[Life]:
    """The lives of variables that are made in one part and may be read in another."""
    last: dict[str, int] = {}  # the part with the last use
    for at, one in enumerate(parts):
        last.update(dict.fromkeys(one.last, at))
    for start, one in zip(starts, parts, strict=False):
        for name, why, size, place in one.crossing:
            first = 0 if place is None else start + place
            if name in outputs:
                yield Life(why, size, first, starts[-1])
            elif name in last:
                at = last[name]
                yield Life(why, size, first, max(first, starts[at] + parts[at].last[name]))
            elif why is MADE:
                yield Life(why, size, first, first)


def leaving_by_stage(inferred: Inferred) -> tuple[Leaving, ...]:
    """The outputs on each stage."""
    seating = inferred.seating
    produced: list[set[str]] = [set() for _ in seating.stages]
    brought: list[list[Amount]] = [[] for _ in seating.stages]
    for output in inferred.model.outputs:
        made, wanted = output_layout(inferred, output)
        tensor = inferred.tensor(output.tensor)
        here, there = seating.seen(made, ()), seating.seen(wanted, ())
        for stage in here.stages:
            produced[stage].add(output.tensor)
        for stage in there.stages:
            if stage not in here.stages or here.where != there.where:
                brought[stage].append(bytes_of(tensor, wanted, inferred.grid))
    pairs = zip(produced, brought, strict=True)
    return tuple(Leaving(frozenset(names), tuple(sizes)) for names, sizes in pairs)


def gathers_in(section: Section) -> Iterator[tuple[Placed, Tensor, Layout]]:
    """Layers of a part with the weights that they need in another layout than those lie in at rest,
    and that layout."""
    for placed in section.layers:
        for operand, where in zip(placed.layer.operands, placed.sharding.read, strict=True):
            if _grows(section.uses[operand.tensor].origin, where):
                tensor = section.tensors[operand.tensor]
                if tensor.role == "weight":
                    yield placed, tensor, where


def _grows(rest: Layout, used: Layout) -> bool:
    """Whether a use needs more of a variable than what lies on a device."""
    if rest == used or not rest.cuts:
        return False
    cut = {axis for _, axes in rest.cuts for axis in axes}
    return not cut <= {axis for _, axes in used.cuts for axis in axes}


def fused_inside(section: Section) -> frozenset[str]:
    """Variables that are made and read only inside one fused group of a part."""
    groups = {p.layer.out: p.layer.fused for p in section.layers if p.layer.fused is not None}
    if not groups:
        return frozenset()
    own = section.outline.tensors.keys()
    read: set[str] = set()
    outside = {name for name in groups if name in section.shared or name not in own}
    for placed in section.layers:
        for operand in placed.layer.operands:
            read.add(operand.tensor)
            if groups.get(operand.tensor) not in (None, placed.layer.fused):
                outside.add(operand.tensor)
    return frozenset(name for name in groups if name in read and name not in outside)

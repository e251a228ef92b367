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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import NamedTuple

from parspec.interpreter.analysis.inference import Inference
from parspec.interpreter.analysis.moves import output_layout
from parspec.interpreter.analysis.sections import Inferred, Section
from parspec.interpreter.analysis.sizes import bytes_of
from parspec.interpreter.theory.formulas import Amount, Number, numeric, total
from parspec.interpreter.theory.layouts import Layout

COMES_IN, MADE, COPIED, GOES_OUT = range(4)  # why something lives, in the order that sums are in


class _Life(NamedTuple):
    """Bytes that live from one layer to another, both by their places in the walk."""

    why: int
    size: Amount
    first: int
    last: int


class _Crossing(NamedTuple):
    """A variable whose last use may be in another part; `first` is None for an input."""

    name: str
    why: int
    size: Amount
    first: int | None


@dataclass(frozen=True, eq=False)
class Lives:
    """What lives in a part: `own` lives and dies in it, and makes what lives change by `changes` at
    each of its layers and by `after` at the next; `crossing` and the `last` uses of the rest;
    `gathered`: the most bytes of gathered weights at a layer."""

    own: tuple[_Life, ...]
    changes: tuple[Number, ...]
    after: Number
    gathered: Amount
    crossing: tuple[_Crossing, ...]
    last: Mapping[str, int]


def lives_in(section: Section, last: Mapping[str, int], inside: frozenset[str]) -> Lives:
    """What lives in a part. `last`: the last uses of variables in it; `inside`: the variables
    inside fused groups."""
    names = section.outline.tensors.keys()
    own = list(_copies(section, inside))
    crossing: list[_Crossing] = []
    for name, why, size, first in _variables(section, inside):
        if first is None or name in section.shared or name not in names:
            crossing.append(_Crossing(name, why, size, first))
        elif why is MADE or name in last:
            own.append(_Life(why, size, first, max(first, last.get(name, first))))
    changes: list[Number] = [0] * (len(section.layers) + 1)
    _note(own, changes)
    known = section.shared.union(one.name for one in crossing)
    kept = {n: place for n, place in last.items() if n in known or n not in names}
    return Lives(
        tuple(own), tuple(changes[:-1]), changes[-1], _most_gathered(section), tuple(crossing), kept
    )


def _note(lives: Sequence[_Life], changes: list[Number]) -> None:
    """Note by how much the bytes that live change with each life; symbolic sizes at a fixed
    point."""
    for life in lives:
        changes[life.first] += numeric(life.size)
        changes[life.last + 1] -= numeric(life.size)


def _variables(
    section: Section, inside: frozenset[str]
) -> Iterator[tuple[str, int, Amount, int | None]]:
    """Inputs, carries, and what layers make, each with the place of its beginning."""
    turns = {
        stack.carry: section.inference.order[name][0]
        for name, stack in section.outline.stacks.items()
        if name in section.inference.order
    }
    for tensor in section.outline.tensors.values():
        if tensor.role in ("input", "carry"):
            size = section.at_rest[tensor.name]
            first = None if tensor.role == "input" else turns.get(tensor.name, 0)
            yield tensor.name, COMES_IN, size, first
    for place, placed in enumerate(section.layers):
        made = section.tensors[placed.layer.out]
        if made.role == "activation" and made.name not in inside:
            yield made.name, MADE, bytes_of(made, placed.made, section.grid), place


def _copies(section: Section, inside: frozenset[str]) -> Iterator[_Life]:
    """Variables as layers read them, where that is not how they lie."""
    uses = section.uses
    for place, placed in enumerate(section.layers):
        for operand, where in zip(placed.layer.operands, placed.sharding.read, strict=True):
            if where == uses[operand.tensor].origin or operand.tensor in inside:
                continue
            tensor = section.tensors[operand.tensor]
            if tensor.role in ("input", "carry", "activation"):
                yield _Life(COPIED, bytes_of(tensor, where, section.grid), place, place)


def last_uses(inference: Inference) -> Mapping[str, int]:
    """The place of the last layer of a part up to which each variable is kept."""
    layers = inference.layers
    ends = {stack: place for place, one in enumerate(layers) for stack in one.stacks}
    groups = {one.layer.fused: place for place, one in enumerate(layers)}
    last: dict[str, int] = {}
    for place, placed in enumerate(layers):
        for operand in placed.layer.operands:
            made = inference.stack_of.get(operand.tensor, ())
            around = [stack for stack in placed.stacks if stack not in made]
            whole = groups[placed.layer.fused] if placed.layer.fused is not None else place
            until = ends[around[0]] if around else whole
            last[operand.tensor] = max(until, last.get(operand.tensor, 0))
    for stack in inference.part.stacks:
        if stack.name in ends:
            last[stack.last] = max(ends[stack.name], last.get(stack.last, 0))
    return last


def peak_live(inferred: Inferred, parts: Sequence[Lives]) -> Amount:
    """The most that lives at once, bytes on a device."""
    starts = list(accumulate([len(one.changes) for one in parts], initial=0))
    lives = [*_across(inferred, parts, starts), *_outputs(inferred, starts[-1])]
    changes: list[Number] = [*chain.from_iterable([one.changes for one in parts]), 0, 0]
    for start, one in zip(starts[1:], parts, strict=True):
        changes[start] += one.after
    _note(lives, changes)
    levels = list(accumulate(changes))
    peak = levels.index(max(levels))
    at = bisect_right(starts, peak) - 1
    for life in parts[at].own if at < len(parts) else ():
        first, last = life.first + starts[at], life.last + starts[at]
        lives.append(_Life(life.why, life.size, first, last))
    living = [life for life in lives if life.first <= peak <= life.last]
    living.sort(key=lambda life: (life.why, life.first))
    return total(life.size for life in living)


def _across(inferred: Inferred, parts: Sequence[Lives], starts: Sequence[int]) -> Iterator[_Life]:
    """The lives of variables that are made in one part and may be read in another."""
    last: dict[str, int] = {}  # the part with the last use
    for at, one in enumerate(parts):
        last.update(dict.fromkeys(one.last, at))
    outputs = {output.tensor for output in inferred.model.outputs}
    for start, one in zip(starts, parts, strict=False):
        for name, why, size, place in one.crossing:
            first = 0 if place is None else start + place
            if name in outputs:
                yield _Life(why, size, first, starts[-1])
            elif name in last:
                at = last[name]
                yield _Life(why, size, first, max(first, starts[at] + parts[at].last[name]))
            elif why is MADE:
                yield _Life(why, size, first, first)


def _outputs(inferred: Inferred, end: int) -> Iterator[_Life]:
    """Outputs where they must lie, beside how they are produced, at the end."""
    for output in inferred.model.outputs:
        made, wanted = output_layout(inferred, output)
        if made != wanted:
            tensor = inferred.tensor(output.tensor)
            yield _Life(GOES_OUT, bytes_of(tensor, wanted, inferred.grid), end, end)


def _most_gathered(section: Section) -> Amount:
    """The most bytes of weights that one layer of a part needs in another layout than they lie in
    at rest."""
    each: dict[str, Amount] = {}  # by layer
    for placed in section.layers:
        for operand, where in zip(placed.layer.operands, placed.sharding.read, strict=True):
            if _grows(section.uses[operand.tensor].origin, where):
                tensor, name = section.tensors[operand.tensor], placed.layer.name
                if tensor.role == "weight":
                    each[name] = each.get(name, 0) + bytes_of(tensor, where, section.grid)
    return max(each.values(), key=numeric, default=0)


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

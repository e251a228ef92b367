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
from functools import cached_property
from itertools import accumulate, chain
from typing import NamedTuple

from parspec.interpreter.analysis.alike import Alike, alike
from parspec.interpreter.analysis.inference import Inference, Placed
from parspec.interpreter.analysis.moves import output_layout
from parspec.interpreter.analysis.sections import Inferred, Routed
from parspec.interpreter.analysis.sizes import Slice, bytes_of, slice_bytes, slice_of
from parspec.interpreter.spec.model import Tensor
from parspec.interpreter.theory.formulas import Amount, Number, numeric, total
from parspec.interpreter.theory.layouts import Layout
from parspec.interpreter.theory.space import Space

COMES_IN, MADE, COPIED, GOES_OUT = range(4)  # why something lives, in the order that sums are in


class Span(NamedTuple):
    """A slice lives from one layer to another, both by their places in the walk."""

    why: int
    what: Slice
    first: int
    last: int


class Variable(NamedTuple):
    """A variable with its slice and the place where it begins to live; None for an input."""

    name: str
    why: int
    what: Slice
    first: int | None


class Life(NamedTuple):
    """Bytes that live from one layer to another."""

    why: int
    size: Amount
    first: int
    last: int


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
class Spans:
    """What lives in a part of so many `layers` on a device, sizes apart: `own` lives and dies in
    it; `crossing` may be used last in another part; `last`: the last uses of the rest; `gathered`:
    the weights that a layer gathers, for each layer that does."""

    layers: int
    own: tuple[Span, ...]
    crossing: tuple[Variable, ...]
    last: Mapping[str, int]
    gathered: tuple[tuple[Slice, ...], ...]

    @cached_property
    def slices(self) -> Alike[Slice]:
        """The slices of what lives and dies in it."""
        return alike(span.what for span in self.own)


@dataclass(frozen=True, eq=False)
class Lives:
    """The same in bytes. What lives and dies in the part makes what lives change by `changes` at
    each of its layers and by `after` at the next; `crossing`: the bytes of each variable that does;
    `gathered`: the most bytes of gathered weights at a layer."""

    spans: Spans
    own: tuple[Amount, ...]  # of each different slice
    changes: tuple[Number, ...]
    after: Number
    crossing: tuple[Amount, ...]
    gathered: Amount

    def lives_from(self, start: int) -> Iterator[Life]:
        """What lives and dies in the part whose first layer has this place."""
        spans = self.spans
        for span, size in zip(spans.own, spans.slices.each(self.own), strict=True):
            yield Life(span.why, size, start + span.first, start + span.last)


def spans_in(routed: Routed, last: Mapping[str, int], inside: frozenset[str]) -> Spans:
    """What lives in a part. `last`: the last uses of variables in it; `inside`: the variables
    inside fused groups."""
    gathered = (
        (placed.layer.name, slice_of(tensor, where)) for placed, tensor, where in gathers_in(routed)
    )
    made = variables_in(routed, inside)
    return spans_of(routed, made, _copies(routed, inside), last, gathered)


def spans_of(
    routed: Routed,
    variables: Iterable[Variable],
    copies: Iterable[Span],
    last: Mapping[str, int],
    gathered: Iterable[tuple[str, Slice]],
) -> Spans:
    """What lives in a part, made of variables with their last uses in it and of copies; `gathered`:
    layers with weights that they gather."""
    names = routed.outline.tensors.keys()
    own = list(copies)
    crossing: list[Variable] = []
    for variable in variables:
        name, why, what, first = variable
        if first is None or name in routed.shared or name not in names:
            crossing.append(variable)
        elif why is MADE or name in last:
            own.append(Span(why, what, first, max(first, last.get(name, first))))
    known = routed.shared.union(one.name for one in crossing)
    kept = {n: place for n, place in last.items() if n in known or n not in names}
    each: dict[str, list[Slice]] = {}  # by layer
    for layer, what in gathered:
        each.setdefault(layer, []).append(what)
    alike_ones = dict.fromkeys(map(tuple, each.values()))
    return Spans(len(routed.layers), tuple(own), tuple(crossing), kept, tuple(alike_ones))


def lives_of(spans: Spans, space: Space) -> Lives:
    """What lives in a part, in bytes."""
    own = tuple([slice_bytes(one, space) for one in spans.slices.different])
    changes: list[Number] = [0] * (spans.layers + 1)
    for span, size in zip(spans.own, spans.slices.each([numeric(one) for one in own]), strict=True):
        changes[span.first] += size
        changes[span.last + 1] -= size
    gathered = (total(slice_bytes(one, space) for one in each) for each in spans.gathered)
    return Lives(
        spans,
        own,
        tuple(changes[:-1]),
        changes[-1],
        tuple([slice_bytes(one.what, space) for one in spans.crossing]),
        max(gathered, key=numeric, default=0),
    )


def _note(lives: Sequence[Life], changes: list[Number]) -> None:
    """Note by how much the bytes that live change with each life; symbolic sizes at a fixed
    point."""
    for life in lives:
        changes[life.first] += numeric(life.size)
        changes[life.last + 1] -= numeric(life.size)


def variables_in(routed: Routed, inside: frozenset[str]) -> Iterator[Variable]:
    """Inputs, carries, and what layers make; `inside`: the variables inside fused groups."""
    order = routed.inference.order
    turns = {
        stack.carry: order[name] for name, stack in routed.outline.stacks.items() if name in order
    }
    for tensor in routed.outline.tensors.values():
        if tensor.role in ("input", "carry"):
            first = None if tensor.role == "input" else turns.get(tensor.name, 0)
            yield Variable(tensor.name, COMES_IN, routed.resting(tensor), first)
    for place, placed in enumerate(routed.layers):
        made = routed.tensors[placed.layer.out]
        if made.role == "activation" and made.name not in inside:
            yield Variable(made.name, MADE, slice_of(made, placed.made), place)


def _copies(routed: Routed, inside: frozenset[str]) -> Iterator[Span]:
    """Variables as layers read them, where that is not how they lie."""
    uses = routed.uses
    for place, placed in enumerate(routed.layers):
        for operand, where in zip(placed.layer.operands, placed.sharding.read, strict=True):
            if where == uses[operand.tensor].origin or operand.tensor in inside:
                continue
            tensor = routed.tensors[operand.tensor]
            if tensor.role in ("input", "carry", "activation"):
                yield Span(COPIED, slice_of(tensor, where), place, place)


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
    if at < len(parts):
        lives += parts[at].lives_from(starts[at])
    living = [life for life in lives if life.first <= peak <= life.last]
    living.sort(key=lambda life: (life.why, life.first))
    return total(life.size for life in living)


def _across(
    parts: Sequence[Lives], starts: Sequence[int], outputs: frozenset[str]
) -> Iterator[Life]:
    """The lives of variables that are made in one part and may be read in another."""
    last: dict[str, int] = {}  # the part with the last use
    for at, one in enumerate(parts):
        last.update(dict.fromkeys(one.spans.last, at))
    for start, one in zip(starts, parts, strict=False):
        for (name, why, _, place), size in zip(one.spans.crossing, one.crossing, strict=True):
            first = 0 if place is None else start + place
            if name in outputs:
                yield Life(why, size, first, starts[-1])
            elif name in last:
                at = last[name]
                yield Life(why, size, first, max(first, starts[at] + parts[at].spans.last[name]))
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


def gathers_in(routed: Routed) -> Iterator[tuple[Placed, Tensor, Layout]]:
    """Layers of a part with the weights that they need in another layout than those lie in at rest,
    and that layout."""
    for placed in routed.layers:
        for operand, where in zip(placed.layer.operands, placed.sharding.read, strict=True):
            if _grows(routed.uses[operand.tensor].origin, where):
                tensor = routed.tensors[operand.tensor]
                if tensor.role == "weight":
                    yield placed, tensor, where


def _grows(rest: Layout, used: Layout) -> bool:
    """Whether a use needs more of a variable than what lies on a device."""
    if rest == used or not rest.cuts:
        return False
    cut = {axis for _, axes in rest.cuts for axis in axes}
    return not cut <= {axis for _, axes in used.cuts for axis in axes}


def fused_inside(routed: Routed) -> frozenset[str]:
    """Variables that are made and read only inside one fused group of a part."""
    groups = {p.layer.out: p.layer.fused for p in routed.layers if p.layer.fused is not None}
    if not groups:
        return frozenset()
    own = routed.outline.tensors.keys()
    read: set[str] = set()
    outside = {name for name in groups if name in routed.shared or name not in own}
    for placed in routed.layers:
        for operand in placed.layer.operands:
            read.add(operand.tensor)
            if groups.get(operand.tensor) not in (None, placed.layer.fused):
                outside.add(operand.tensor)
    return frozenset(name for name in groups if name in read and name not in outside)

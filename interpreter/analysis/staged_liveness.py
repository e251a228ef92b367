"""Liveness by stage: what lives in a part of a plan whose layers run on different pipeline stages.

A variable lives on the stages whose devices have it: from the layer that makes it, and where it is
brought from another stage from the layer that it is brought for, until it is read last on that
stage or sent from it. A copy in another layout lives while its reader runs, or until it is sent.
Stages on which the same happens in a part share what is found of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from parspec.interpreter.analysis.liveness import (
    COPIED,
    Span,
    Spans,
    Variable,
    gathers_in,
    left_at_ends,
    readings_in,
    spans_of,
    variables_in,
)
from parspec.interpreter.analysis.sections import Routed
from parspec.interpreter.analysis.serving import Served
from parspec.interpreter.analysis.sizes import Slice, slice_of
from parspec.interpreter.spec.model import Tensor
from parspec.interpreter.theory.layouts import Layout


class _Lying(NamedTuple):
    """How a variable lies: on some stages, there in a layout, as a slice."""

    stages: frozenset[int]
    where: Layout
    what: Slice


class _Held(NamedTuple):
    """A variable of the part, or one that is brought to it, as it begins to live."""

    variable: Variable
    lying: _Lying


class _Sent(NamedTuple):
    """A variable goes on a step from one layout to another, in front of the layer at a place, for
    readers on some stages."""

    name: str
    place: int
    source: _Lying
    target: _Lying
    readers: frozenset[int]


class _Read(NamedTuple):
    """The layer at a place reads a variable, which is kept until another; `rest`: as it lies before
    anybody moves it."""

    name: str
    place: int
    until: int
    lying: _Lying
    rest: _Lying


class _Events(NamedTuple):
    """What happens to variables in a part. gathered: layers with weights that they gather."""

    held: tuple[_Held, ...]
    sent: tuple[_Sent, ...]
    read: tuple[_Read, ...]
    gathered: tuple[tuple[str, _Lying], ...]

    @property
    def lying(self) -> Iterator[_Lying]:
        """How variables lie in all of it."""
        yield from (one.lying for one in self.held)
        yield from (lying for one in self.sent for lying in (one.source, one.target))
        yield from (lying for one in self.read for lying in (one.lying, one.rest))
        yield from (lying for _, lying in self.gathered)


def spans_by_stage(routed: Routed, inside: frozenset[str]) -> Mapping[int, Spans]:
    """What lives in a part, by stage. `inside`: the variables inside fused groups."""
    events = _Events(
        tuple(_held(routed, inside)),
        tuple(_sent(routed, inside)),
        tuple(_read(routed, inside)),
        tuple(_gathered(routed)),
    )
    sets = tuple(dict.fromkeys(one.stages for one in events.lying))
    alike: dict[tuple[bool, ...], list[int]] = {}  # by the sets that they are in
    for stage in sorted(frozenset[int]().union(*sets)):
        alike.setdefault(tuple([stage in one for one in sets]), []).append(stage)
    found: dict[int, Spans] = {}
    for stages in alike.values():
        found.update(dict.fromkeys(stages, _spans_on(stages[0], events, routed)))
    return found


def _spans_on(stage: int, events: _Events, routed: Routed) -> Spans:
    """What lives in a part on a stage."""
    held = {one.variable.name: one for one in events.held if stage in one.lying.stages}
    rests = {one.name for one in events.read if stage in one.rest.stages}
    last: dict[str, int] = {}
    copies: list[Span] = []
    for name, place, source, target, readers in events.sent:
        here = held.get(name)
        if stage in source.stages:
            last[name] = max(place, last.get(name, 0))
            known = here is None or here.lying.where == source.where
            if not (known or stage in readers or target.stages <= source.stages):
                copies.append(Span(COPIED, source.what, place, place))
        elif stage in target.stages and here is None and name not in rests:
            held[name] = _Held(Variable(name, COPIED, target.what, place), target)
    for name, place, until, lying, rest in events.read:
        if stage in lying.stages:
            last[name] = max(until, last.get(name, 0))
            here = held.get(name)
            if lying.where != (rest.where if here is None else here.lying.where):
                copies.append(Span(COPIED, lying.what, place, place))
    for name, place in left_at_ends(routed.inference):
        if name in held:
            last[name] = max(place, last.get(name, 0))
    gathered = [(layer, lying.what) for layer, lying in events.gathered if stage in lying.stages]
    return spans_of(routed, (one.variable for one in held.values()), copies, last, gathered)


def _held(routed: Routed, inside: frozenset[str]) -> Iterator[_Held]:
    """What begins to live in a part."""
    made = {placed.layer.out: placed for placed in routed.layers}
    for variable in variables_in(routed, inside):
        tensor = routed.tensors[variable.name]
        placed = made.get(variable.name)
        if placed is None:
            yield _Held(variable, _rest(tensor, routed))
        else:
            yield _Held(variable, _lying(tensor, placed.made, placed.stacks, routed))


def _sent(routed: Routed, inside: frozenset[str]) -> Iterator[_Sent]:
    """The steps at work that bring activations to the layers of a part. What a stack is entered
    with is its carry by then."""
    for served in routed.served:
        tensor = routed.tensors[served.need.tensor]
        if served.need.operand < 0 or not _lives(tensor, inside):
            continue
        place = _first_place(served, routed)
        ends = [(step.source, step.target) for step in served.steps]
        path = [[_lying(tensor, end, served.stacks, routed) for end in both] for both in ends]
        for step, (source, target) in zip(served.steps, path, strict=True):
            if step.primitive is not None:
                yield _Sent(tensor.name, place, source, target, path[-1][1].stages)


def _first_place(served: Served, routed: Routed) -> int:
    """The place of the layer that something is brought for, or of the first one of the stack whose
    turns all read it."""
    need, order = served.need, routed.inference.order
    outer = next((stack for stack in need.stacks if stack not in served.stacks), need.layer)
    return order[outer]


def _read(routed: Routed, inside: frozenset[str]) -> Iterator[_Read]:
    """What layers of a part read of activations."""
    rests: dict[str, _Lying] = {}
    for place, operand, name, until in readings_in(routed.inference):
        tensor = routed.tensors[name]
        if _lives(tensor, inside):
            placed = routed.layers[place]
            where = placed.sharding.read[operand]
            rest = rests.setdefault(name, _rest(tensor, routed))
            yield _Read(name, place, until, _lying(tensor, where, placed.stacks, routed), rest)


def _gathered(routed: Routed) -> Iterator[tuple[str, _Lying]]:
    """Layers of a part with the weights that they gather."""
    for placed, tensor, where in gathers_in(routed):
        yield placed.layer.name, _lying(tensor, where, placed.stacks, routed)


def _lives(tensor: Tensor, inside: frozenset[str]) -> bool:
    """Whether a variable lives for a while and is not inside a fused group."""
    return tensor.role in ("input", "carry", "activation") and tensor.name not in inside


def _rest(tensor: Tensor, routed: Routed) -> _Lying:
    """How a variable lies before anybody moves it."""
    stacks = routed.inference.stack_of.get(tensor.name, ())
    return _lying(tensor, routed.origin(tensor.name), stacks, routed)


def _lying(tensor: Tensor, where: Layout, stacks: tuple[str, ...], routed: Routed) -> _Lying:
    """How a variable lies in a layout, on the stages that run turns of some stacks."""
    seen = routed.seating.seen(where, stacks)
    return _Lying(*seen, slice_of(tensor, where))

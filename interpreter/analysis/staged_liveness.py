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
    Life,
    Lives,
    Variable,
    gathers_in,
    left_at_ends,
    lives_of,
    readings_in,
    variables_in,
)
from parspec.interpreter.analysis.sections import Section
from parspec.interpreter.analysis.serving import Served
from parspec.interpreter.analysis.sizes import bytes_of
from parspec.interpreter.spec.model import Tensor
from parspec.interpreter.theory.formulas import Amount
from parspec.interpreter.theory.layouts import Layout


class _Lying(NamedTuple):
    """How a variable lies: on some stages, there in a layout, of so many bytes."""

    stages: frozenset[int]
    where: Layout
    size: Amount


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


def lives_by_stage(section: Section, inside: frozenset[str]) -> Mapping[int, Lives]:
    """What lives in a part, by stage. `inside`: the variables inside fused groups."""
    events = _Events(
        tuple(_held(section, inside)),
        tuple(_sent(section, inside)),
        tuple(_read(section, inside)),
        tuple(_gathered(section)),
    )
    sets = tuple(dict.fromkeys(one.stages for one in events.lying))
    alike: dict[tuple[bool, ...], list[int]] = {}  # by the sets that they are in
    for stage in sorted(frozenset[int]().union(*sets)):
        alike.setdefault(tuple([stage in one for one in sets]), []).append(stage)
    found: dict[int, Lives] = {}
    for stages in alike.values():
        found.update(dict.fromkeys(stages, _lives_on(stages[0], events, section)))
    return found


def _lives_on(stage: int, events: _Events, section: Section) -> Lives:
    """What lives in a part on a stage."""
    held = {one.variable.name: one for one in events.held if stage in one.lying.stages}
    rests = {one.name for one in events.read if stage in one.rest.stages}
    last: dict[str, int] = {}
    copies: list[Life] = []
    for name, place, source, target, readers in events.sent:
        here = held.get(name)
        if stage in source.stages:
            last[name] = max(place, last.get(name, 0))
            known = here is None or here.lying.where == source.where
            if not (known or stage in readers or target.stages <= source.stages):
                copies.append(Life(COPIED, source.size, place, place))
        elif stage in target.stages and here is None and name not in rests:
            held[name] = _Held(Variable(name, COPIED, target.size, place), target)
    for name, place, until, lying, rest in events.read:
        if stage in lying.stages:
            last[name] = max(until, last.get(name, 0))
            here = held.get(name)
            if lying.where != (rest.where if here is None else here.lying.where):
                copies.append(Life(COPIED, lying.size, place, place))
    for name, place in left_at_ends(section.inference):
        if name in held:
            last[name] = max(place, last.get(name, 0))
    gathered = [(layer, lying.size) for layer, lying in events.gathered if stage in lying.stages]
    return lives_of(section, (one.variable for one in held.values()), copies, last, gathered)


def _held(section: Section, inside: frozenset[str]) -> Iterator[_Held]:
    """What begins to live in a part."""
    made = {placed.layer.out: placed for placed in section.layers}
    for variable in variables_in(section, inside):
        tensor = section.tensors[variable.name]
        placed = made.get(variable.name)
        if placed is None:
            yield _Held(variable, _rest(tensor, section))
        else:
            yield _Held(variable, _lying(tensor, placed.made, placed.stacks, section))


def _sent(section: Section, inside: frozenset[str]) -> Iterator[_Sent]:
    """The steps at work that bring activations to the layers of a part. What a stack is entered
    with is its carry by then."""
    for served in section.served:
        tensor = section.tensors[served.need.tensor]
        if served.need.operand < 0 or not _lives(tensor, inside):
            continue
        place = _first_place(served, section)
        ends = [(step.source, step.target) for step in served.steps]
        path = [[_lying(tensor, end, served.stacks, section) for end in both] for both in ends]
        for step, (source, target) in zip(served.steps, path, strict=True):
            if step.primitive is not None:
                yield _Sent(tensor.name, place, source, target, path[-1][1].stages)


def _first_place(served: Served, section: Section) -> int:
    """The place of the layer that something is brought for, or of the first one of the stack whose
    turns all read it."""
    need, order = served.need, section.inference.order
    outer = next((stack for stack in need.stacks if stack not in served.stacks), need.layer)
    return order[outer][0]


def _read(section: Section, inside: frozenset[str]) -> Iterator[_Read]:
    """What layers of a part read of activations."""
    rests: dict[str, _Lying] = {}
    for place, operand, name, until in readings_in(section.inference):
        tensor = section.tensors[name]
        if _lives(tensor, inside):
            placed = section.layers[place]
            where = placed.sharding.read[operand]
            rest = rests.setdefault(name, _rest(tensor, section))
            yield _Read(name, place, until, _lying(tensor, where, placed.stacks, section), rest)


def _gathered(section: Section) -> Iterator[tuple[str, _Lying]]:
    """Layers of a part with the weights that they gather."""
    for placed, tensor, where in gathers_in(section):
        yield placed.layer.name, _lying(tensor, where, placed.stacks, section)


def _lives(tensor: Tensor, inside: frozenset[str]) -> bool:
    """Whether a variable lives for a while and is not inside a fused group."""
    return tensor.role in ("input", "carry", "activation") and tensor.name not in inside


def _rest(tensor: Tensor, section: Section) -> _Lying:
    """How a variable lies before anybody moves it."""
    stacks = section.inference.stack_of.get(tensor.name, ())
    return _lying(tensor, section.origin(tensor.name), stacks, section)


def _lying(tensor: Tensor, where: Layout, stacks: tuple[str, ...], section: Section) -> _Lying:
    """How a variable lies in a layout, on the stages that run turns of some stacks."""
    seen = section.seating.seen(where, stacks)
    return _Lying(*seen, bytes_of(tensor, where, section.grid))

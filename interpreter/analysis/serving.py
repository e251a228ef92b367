"""Serving: which moves bring every variable to all its consumers at least cost.

A variable wanted twice in one layout is moved once, and each move starts from whichever layout at
hand is cheapest, whatever the order of statements. A variable from outside a stack is moved once,
not once a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from parspec.grammar.values import value
from parspec.interpreter.analysis.grid import Pieces
from parspec.interpreter.analysis.inference import Inference, Need
from parspec.interpreter.analysis.pipeline import Pipeline
from parspec.interpreter.analysis.rest import at_rest, consensus
from parspec.interpreter.analysis.sizes import dims_of, item_bytes
from parspec.interpreter.spec.model import Tensor
from parspec.interpreter.theory.formulas import Number
from parspec.interpreter.theory.layouts import TURN, Layout, Node
from parspec.interpreter.theory.redistribution import (
    SEARCHED,
    Step,
    cost,
    plain_way,
    redistribute,
    search,
)
from parspec.interpreter.theory.space import Space

LOOKED_AT = 5 * SEARCHED  # steps that are looked at for one variable


@value
class Served:
    """A need with the steps that are taken for it, and the stacks whose turns repeat them."""

    need: Need
    steps: tuple[Step, ...]
    stacks: tuple[str, ...]


class Use(NamedTuple):
    """Where a variable lies before anybody moves it, how it is brought to who needs it otherwise,
    and all stacks in which somebody needs it; whether all ways to bring it were looked at."""

    origin: Layout
    served: tuple[Served, ...]
    stacks: tuple[str, ...]
    thorough: bool = True


class Wanted(NamedTuple):
    """The first need of each layout, other than that in which a variable lies, in the same
    `stacks`; `start`: where they find it."""

    stacks: tuple[str, ...]
    start: Layout
    needs: tuple[Need, ...]


class Lying(NamedTuple):
    """The use of a variable as it lies, and what is wanted otherwise."""

    use: Use
    wanted: tuple[Wanted, ...]


class Seen(NamedTuple):
    """A part that knows variables, and what it wants of them."""

    inference: Inference
    wanted: Mapping[str, tuple[Need, ...]]


def lying(tensor: Tensor, known_to: Iterable[Seen], pieces: Pieces, pipeline: Pipeline) -> Lying:
    """How a variable lies, from what is inferred of all parts that know it."""
    produced: Layout | None = None
    made: tuple[str, ...] = ()
    needs: list[Need] = []
    for one, wants in known_to:
        needs += wants.get(tensor.name, ())
        if tensor.name in one.produced:
            produced, made = one.produced[tensor.name], one.stack_of.get(tensor.name, ())
    scopes: dict[tuple[str, ...], list[Need]] = {}
    for need in needs:
        scope = _scope(tensor, need, made)
        scopes.setdefault(scope, []).append(_seen(need, scope, pipeline))
    origin = produced
    if origin is None:
        agreed = consensus([need.layout for seen in scopes.values() for need in seen])
        origin = at_rest(tensor.rest, tensor.stage, tensor.leaves, pieces, agreed)
    wanted = []
    for scope, seen in scopes.items():
        start = _last_turn(origin, made[len(scope) :], pipeline)
        first = {need.layout: need for need in reversed(seen)}
        left = tuple(n for n in seen if first[n.layout] is n and n.layout != start)
        if left:
            wanted.append(Wanted(scope, start, left))
    around = dict.fromkeys(stack for need in needs for stack in need.stacks)
    return Lying(_as_it_lies(origin, tuple(around)), tuple(wanted))


@lru_cache(maxsize=512)
def _as_it_lies(origin: Layout, stacks: tuple[str, ...]) -> Use:
    """A use without moves; most variables of a part are used alike."""
    return Use(origin, (), stacks)


def use_of(tensor: Tensor, lies: Lying, space: Space) -> Use:
    """The use of a variable, with what is brought to where it is wanted."""
    if not lies.wanted:
        return lies.use
    served: list[Served] = []
    thorough = True
    for wanted in lies.wanted:
        ways = _serve(
            wanted.start,
            tuple(need.layout for need in wanted.needs),
            dims_of(tensor, wanted.start),
            item_bytes(tensor),
            space,
        )
        needs = {need.layout: need for need in wanted.needs}
        served += (Served(needs[where], steps, wanted.stacks) for where, steps in ways.served)
        thorough = thorough and ways.thorough
    return lies.use._replace(served=tuple(served), thorough=thorough)


def _scope(tensor: Tensor, need: Need, made: tuple[str, ...]) -> tuple[str, ...]:
    """The stacks that both make the variable anew each turn and hold the consumer."""
    if tensor.role in ("weight", "cache") and tensor.stacked:
        return need.stacks
    if not need.stacks:
        return ()
    shared = 0
    while shared < min(len(made), len(need.stacks)) and made[shared] == need.stacks[shared]:
        shared += 1
    return made[:shared]


def _seen(need: Need, scope: tuple[str, ...], pipeline: Pipeline) -> Need:
    """A need as seen from where the variable is made: every stage of a pipelined stack uses what
    comes from outside it."""
    if not need.stacks:
        return need
    every = {
        axis for stack in need.stacks if stack not in scope for axis in pipeline.axes_of(stack)
    }
    on_all = {axis for axis, nodes in need.layout.central if axis in every and TURN in nodes}
    return replace(need, layout=need.layout.without(on_all)) if on_all else need


def _last_turn(start: Layout, left: tuple[str, ...], pipeline: Pipeline) -> Layout:
    """A variable of pipelined stacks as what has `left` them finds it: on the last stage."""
    if not left:
        return start
    ends: dict[str, Node] = {
        axis: node
        for stack in left
        if (course := pipeline.courses.get(stack)) is not None
        for axis, node in course.ends[1].items()
    }
    turning = [axis for axis, nodes in start.central if axis in ends and nodes == (TURN,)]
    return start.at({axis: ends[axis] for axis in turning}) if turning else start


class _Ways(NamedTuple):
    """The layouts wanted of a variable with the steps that lead to each; whether all were looked
    at."""

    served: tuple[tuple[Layout, tuple[Step, ...]], ...]
    thorough: bool


@lru_cache(maxsize=512)
def _serve(
    start: Layout, wanted: tuple[Layout, ...], dims: tuple[str, ...], item: Number, space: Space
) -> _Ways:
    """Serve the cheapest consumer first, from the cheapest layout at hand, until all are; those
    that are left when too much was looked at go the plain way."""
    if len(wanted) == 1:
        (where,) = wanted
        thorough = search(start, where, dims, space, item).steps is not None
        return _Ways(((where, redistribute(start, where, dims, space, item)),), thorough)
    at_hand = [start]
    left = list(wanted)
    served: list[tuple[Layout, tuple[Step, ...]]] = []
    looked_at, thorough = 0, True
    while left and looked_at < LOOKED_AT:
        pairs = [(place, source) for place in range(len(left)) for source in at_hand]
        ways = []
        for place, source in pairs:
            found = search(source, left[place], dims, space, item)
            steps = redistribute(source, left[place], dims, space, item)
            ways.append((cost(steps, dims, space, item), place, len(steps), steps))
            looked_at += 1 + found.looked_at
            thorough = thorough and found.steps is not None
            if looked_at >= LOOKED_AT:
                break
        _, place, _, steps = min(ways, key=lambda way: way[:3])
        served.append((left.pop(place), steps))
        at_hand += [step.target for step in steps if step.target not in at_hand]
    served += [(where, plain_way(start, where, dims, space)) for where in left]
    return _Ways(tuple(served), thorough and not left)

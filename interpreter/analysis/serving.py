"""Serving: which moves bring every variable to all its consumers at least cost.

A variable wanted twice in one layout is moved once, and each move starts from whichever layout at
hand is cheapest, whatever the order of statements. A variable from outside a stack is moved once,
not once a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Inference, Need
from parspec.interpreter.analysis.rest import at_rest, consensus
from parspec.interpreter.analysis.sizes import dims_of, item_bytes
from parspec.interpreter.spec.model import Model, Tensor
from parspec.interpreter.theory.layouts import TURN, Layout, Node
from parspec.interpreter.theory.redistribution import Step, cost, redistribute


@dataclass(frozen=True, slots=True)
class Served:
    """A need with the steps that are taken for it, and the stacks whose turns repeat them."""

    need: Need
    steps: tuple[Step, ...]
    stacks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Delivery:
    """All moves of variables in front of layers, and where each variable lies at first."""

    served: tuple[Served, ...]
    origins: Mapping[str, Layout]


def deliver(model: Model, grid: Grid, inference: Inference) -> Delivery:
    """Serve every need of every variable."""
    by_tensor: dict[str, list[Need]] = {}
    for need in inference.needs:
        by_tensor.setdefault(need.tensor, []).append(need)
    origins: dict[str, Layout] = {}
    served: list[Served] = []
    for tensor in model.tensors:
        needs = [_seen(need, tensor, inference) for need in by_tensor.get(tensor.name, ())]
        origins[tensor.name] = _origin(tensor, needs, grid, inference)
        served += _serve(tensor, origins[tensor.name], needs, grid, inference)
    return Delivery(tuple(served), origins)


def _origin(tensor: Tensor, needs: Sequence[Need], grid: Grid, inference: Inference) -> Layout:
    """Where a variable lies before anybody moves it."""
    produced = inference.produced.get(tensor.name)
    if produced is not None:
        return produced
    agreed = consensus([need.layout for need in needs])
    return at_rest(tensor.rest, tensor.stage, tensor.leaves, grid, agreed)


def _scope(tensor: Tensor, need: Need, inference: Inference) -> tuple[str, ...]:
    """The stacks that both make the variable anew each turn and hold the consumer."""
    if tensor.role in ("weight", "cache") and tensor.stacked:
        return need.stacks
    made = inference.stack_of.get(tensor.name, ())
    shared = 0
    while shared < min(len(made), len(need.stacks)) and made[shared] == need.stacks[shared]:
        shared += 1
    return made[:shared]


def _seen(need: Need, tensor: Tensor, inference: Inference) -> Need:
    """A need as seen from where the variable is made: every stage of a pipelined stack uses what
    comes from outside it."""
    scope = _scope(tensor, need, inference)
    every = {
        axis
        for stack in need.stacks
        if stack not in scope
        for axis in inference.pipeline.axes_of(stack)
    }
    on_all = {axis for axis, nodes in need.layout.central if axis in every and TURN in nodes}
    return replace(need, layout=need.layout.without(on_all))


def _serve(
    tensor: Tensor, start: Layout, needs: Iterable[Need], grid: Grid, inference: Inference
) -> list[Served]:
    """Serve the consumers of one variable, those in the same stacks together."""
    scopes: dict[tuple[str, ...], list[Need]] = {}
    for need in needs:
        scopes.setdefault(_scope(tensor, need, inference), []).append(need)
    served: list[Served] = []
    for scope, wanted in scopes.items():
        found = _last_turn(start, scope, tensor, inference)
        served += _serve_scope(tensor, found, wanted, grid, scope)
    return served


def _last_turn(
    start: Layout, scope: tuple[str, ...], tensor: Tensor, inference: Inference
) -> Layout:
    """A variable of a pipelined stack as what follows the stack finds it: on the last stage."""
    made = inference.stack_of.get(tensor.name, ())
    ends: dict[str, Node] = {
        axis: course.ends[1]
        for stack in made[len(scope) :]
        if (course := inference.pipeline.courses.get(stack)) is not None
        for axis in course.axes
    }
    turning = (axis for axis, nodes in start.central if axis in ends and nodes == (TURN,))
    return start.at({axis: ends[axis] for axis in turning})


def _serve_scope(
    tensor: Tensor, start: Layout, needs: Sequence[Need], grid: Grid, scope: tuple[str, ...]
) -> list[Served]:
    """Serve the cheapest consumer first, from the cheapest layout at hand, until all are."""
    dims = dims_of(tensor, start)
    item = item_bytes(tensor)
    first = {need.layout: need for need in reversed(needs)}
    left = [need for need in needs if first[need.layout] is need]
    if len(left) == 1:
        return [Served(left[0], redistribute(start, left[0].layout, dims, grid.space, item), scope)]
    at_hand = [start]
    served = []
    while left:
        ways = [
            (cost(steps, dims, grid.space, item), place, need, steps)
            for place, need in enumerate(left)
            for source in at_hand
            for steps in [redistribute(source, need.layout, dims, grid.space, item)]
        ]
        _, place, need, steps = min(ways, key=lambda way: (way[0], way[1], len(way[3])))
        del left[place]
        served.append(Served(need, steps, scope))
        at_hand += [step.target for step in steps if step.target not in at_hand]
    return served

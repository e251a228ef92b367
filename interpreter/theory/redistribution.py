"""Redistribution: the cheapest way from one layout of a variable to another.

A shortest path over layouts. Its edges: gather or move any suffix of a dimension's axes in one
primitive, reduce any set of partial axes in one, slice an axis that the wanted layout uses onto
the end of a dimension (free), reorder the axes of a dimension (Permute), and what leads to and
from a centralized state. Nested slices that do not come out even are gathered one axis after the
other and never permuted: end to end they are not what they were cut from. Axes that neither layout
uses stay idle. The measure is time where every axis has a link, else bytes per device; ties go to
the fewest primitives, then to a fixed order. Where that is more than anybody needs to look at, the
plain way is taken: everything whole, then sliced.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, count, permutations
from typing import NamedTuple

from parspec.grammar.values import value
from parspec.interpreter.theory import primitives, timing
from parspec.interpreter.theory.formulas import Amount, Number, generic
from parspec.interpreter.theory.layouts import Layout, Node, layout
from parspec.interpreter.theory.permuting import moving_share
from parspec.interpreter.theory.space import Space

FEW = 3  # so many axes of a dimension are tried in every order
SEARCHED = 2_000  # steps that a search looks at; no five axes that all change need more


@value
class Step:
    """One primitive (None: nothing moves) on the axes that it is fused over, major first, with the
    layouts before and after it."""

    primitive: str | None
    axes: tuple[str, ...]
    source: Layout
    target: Layout


@value
class Price:
    """What a step moves. size: elements of the variable as its group sees it (M); group: nodes (N);
    groups: how many groups move at once; share: the part of the slices that a Permute moves."""

    size: Amount
    group: Amount
    groups: Amount
    share: Fraction = Fraction(1)


class Search(NamedTuple):
    """What a search came to: the cheapest steps, None where it was given up; and how many steps it
    looked at."""

    steps: tuple[Step, ...] | None
    looked_at: int


@lru_cache(maxsize=512)
def redistribute(
    source: Layout, target: Layout, dims: tuple[str, ...], space: Space, item: Number
) -> tuple[Step, ...]:
    """The cheapest steps from one layout of a variable with these dimensions to another, or the
    plain way where the search is given up; `item` is the bytes of an element.

    Slices that stay on their axis but are dealt otherwise (zigzag) are permuted first; whatever
    leaves or joins an axis is put in order on the way, at no cost.
    """
    found = search(source, target, dims, space, item).steps
    if found is None:
        return plain_way(source, target, dims, space)
    return _in_zigzag(source, target, found)


def search(
    source: Layout, target: Layout, dims: tuple[str, ...], space: Space, item: Number
) -> Search:
    """The search for the cheapest steps between two layouts, taken as if all slices lay in order;
    `item` is the bytes of an element."""
    return _path(_dealt(source, ()), _dealt(target, ()), dims, space, item)


def plain_way(
    source: Layout, target: Layout, dims: tuple[str, ...], space: Space
) -> tuple[Step, ...]:
    """Steps that lead from any layout of a variable to any other, without a search."""
    return _in_zigzag(source, target, _plainly(_dealt(source, ()), _dealt(target, ()), dims, space))


def _in_zigzag(source: Layout, target: Layout, steps: Iterable[Step]) -> tuple[Step, ...]:
    """Steps between two layouts whose slices were taken as in order, with how they are dealt."""
    turned = tuple(
        axis
        for axis in _staying(source, target)
        if (axis in source.zigzag) != (axis in target.zigzag)
    )
    dealt = {*target.zigzag, *source.zigzag}.difference(set(source.zigzag).intersection(turned))
    found = [
        Step(step.primitive, step.axes, _dealt(step.source, dealt), _dealt(step.target, dealt))
        for step in steps
    ]
    if turned:
        found.insert(0, Step("Permute", turned, source, _dealt(source, dealt)))
    return tuple(found)


def _staying(source: Layout, target: Layout) -> tuple[str, ...]:
    """The axes that cut the same dimension before and after."""
    return tuple(axis for dim, axes in source.cuts for axis in axes if axis in target.axes(dim))


def _dealt(where: Layout, zigzag: Collection[str]) -> Layout:
    """The layout with the slices of these axes dealt in zigzag, all others in order."""
    return layout(dict(where.cuts), where.partial, where.central, zigzag)


@lru_cache(maxsize=512)
def _path(
    source: Layout, target: Layout, dims: tuple[str, ...], space: Space, item: Number
) -> Search:
    """The shortest path between layouts whose slices all lie in order."""
    settled = {dim: _common_prefix(source.axes(dim), target.axes(dim)) for dim in dims}
    order = count()
    frontier: list[tuple[tuple[Fraction, int], int, Layout, tuple[Step, ...]]] = [
        ((Fraction(0), 0), next(order), source, ())
    ]
    done: set[Layout] = set()
    looked_at = 0
    while frontier:
        if looked_at > SEARCHED:
            return Search(None, looked_at)
        spent, _, here, path = heapq.heappop(frontier)
        if here == target:
            return Search(path, looked_at)
        if here in done:
            continue
        done.add(here)
        for step in _edges(here, target, dims, settled, space):
            looked_at += 1
            if step.target not in done:
                more = measure(step, dims, space, item)
                paid = int(step.primitive is not None)
                total = (spent[0] + more, spent[1] + paid)
                heapq.heappush(frontier, (total, next(order), step.target, (*path, step)))
    raise AssertionError(f"no way from {source} to {target}")


def _plainly(
    source: Layout, target: Layout, dims: tuple[str, ...], space: Space
) -> tuple[Step, ...]:
    """The way that leads from any layout to any other: what differs is reduced, gathered or brought
    to every node, and then sliced."""
    legs: list[tuple[str | None, tuple[str, ...], Layout]] = []
    here = source
    wanted = dict(target.partial)
    for kind in dict.fromkeys(kind for _, kind in source.partial):
        axes = tuple(axis for axis, own in source.partial if own == kind != wanted.get(axis))
        if axes:
            here = _reduced(here, axes, {})
            legs.append(("All-Reduce", axes, here))
    for dim in dims:
        kept = _common_prefix(source.axes(dim), target.axes(dim))
        while len(axes := here.axes(dim)) > kept:
            outer = next(
                left
                for left in range(kept, len(axes))
                if space.in_one_piece(dim, axes[:left], axes[left:])
            )
            here = _cut(here, dim, axes[:outer])
            legs.append(("All-Gather", axes[outer:], here))
    for axis, _ in source.central:
        if target.state(axis).letter != "C":
            here = here.without({axis})
            legs.append(("Broadcast", (axis,), here))
    for axis, nodes in target.central:
        state = here.state(axis)
        if state != target.state(axis):
            here = here.without({axis})
            here = layout(dict(here.cuts), here.partial, {**dict(here.central), axis: nodes})
            kept_there = state.letter == "R" or set(nodes) <= set(state.nodes)
            legs.append((None if kept_there else "Send", (axis,), here))
    for dim, axes in target.cuts:
        for axis in axes[len(here.axes(dim)) :]:
            here = _cut(here, dim, (*here.axes(dim), axis))
            legs.append((None, (axis,), here))
    for axis, kind in target.partial:
        if here.state(axis) != target.state(axis):
            here = layout(dict(here.cuts), {**dict(here.partial), axis: kind}, here.central)
            legs.append((None, (axis,), here))
    starts = (source, *(end for _, _, end in legs))
    return tuple(
        Step(primitive, axes, start, end)
        for start, (primitive, axes, end) in zip(starts, legs, strict=False)
    )


def cost(steps: tuple[Step, ...], dims: tuple[str, ...], space: Space, item: Number) -> Fraction:
    """The measure of a whole path."""
    return sum((measure(step, dims, space, item) for step in steps), Fraction(0))


def measure(step: Step, dims: tuple[str, ...], space: Space, item: Number) -> Fraction:
    """What a step costs in the search: seconds where every axis has a link, else bytes a device."""
    if step.primitive is None or not space.timed:
        return moved(step, dims, space, item)
    priced = price(step, dims, space)
    wires = [
        (space.sizes[axis], space.links.get(axis)) for axis in _in_mesh_order(step.axes, space)
    ]
    size = priced.size * item
    spent = timing.seconds(primitives.PRIMITIVES[step.primitive], size, wires)
    return moved(step, dims, space, item) if spent is None else Fraction(spent)


def moved(step: Step, dims: tuple[str, ...], space: Space, item: Number) -> Fraction:
    """The most bytes that a device sends or receives in a step; symbolic sizes at a fixed point."""
    if step.primitive is None:
        return Fraction(0)
    priced = price(step, dims, space)
    primitive = primitives.PRIMITIVES[step.primitive]
    return generic(primitives.per_device(primitive, priced.size, priced.group)) * item


def price(step: Step, dims: tuple[str, ...], space: Space) -> Price:
    """M, N and the number of groups of a step. Axes on which the variable lies on every node, in
    slices, copies or addends, count as groups; one on which a single node has it counts once."""
    central = {axis for axis, _ in step.source.central}
    others = [axis for axis in space.sizes if axis not in step.axes and axis not in central]
    size = space.seen(dims, step.source, step.target, step.axes)
    share = Fraction(1)
    if step.primitive == "Permute":
        share = moving_share(step.source, step.target, step.axes, space)
    return Price(size, space.group(step.axes), space.group(others), share)


def _common_prefix(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many major-most axes two orders share: those never need to move."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _edges(
    here: Layout, goal: Layout, dims: tuple[str, ...], settled: dict[str, int], space: Space
) -> Iterator[Step]:
    """Every step that may lead from a layout towards the wanted one; only a free slice that goes
    where it belongs, if there is one: it never makes the rest dearer."""
    for dim, wanted in goal.cuts:
        axes = here.axes(dim)
        following = wanted[len(axes) : len(axes) + 1]
        if wanted[: len(axes)] == axes and following and here.state(following[0]).letter == "R":
            yield Step(None, following, here, _cut(here, dim, (*axes, *following)))
            return
    for dim, axes in here.cuts:
        free = axes[settled[dim] :]
        for length in range(1, len(free) + 1):
            if space.in_one_piece(dim, axes[:-length], axes[-length:]):
                yield from _suffix_edges(here, goal, dim, axes[-length:], dims)
        if space.even(dim, axes[: settled[dim]], free):
            yield from _permutes(here, goal, dim, axes, settled[dim])
    yield from _reductions(here, goal, dims, space)
    yield from _single_edges(here, goal, dims, space)


def _suffix_edges(
    here: Layout, goal: Layout, dim: str, suffix: tuple[str, ...], dims: tuple[str, ...]
) -> Iterator[Step]:
    """Gather a dimension's minor-most axes, or move them onto the end of another dimension."""
    left = _cut(here, dim, here.axes(dim)[: -len(suffix)])
    nodes = dict(goal.central)
    if all(axis in nodes for axis in suffix):
        central = dict(left.central) | {axis: nodes[axis] for axis in suffix}
        yield Step("Gather", suffix, here, layout(dict(left.cuts), left.partial, central))
        return
    if len(suffix) == 1 and goal.state(suffix[0]).letter == "partial":
        partial = dict(left.partial) | {suffix[0]: goal.state(suffix[0]).kind or "sum"}
        yield Step(None, suffix, here, layout(dict(left.cuts), partial, left.central))
    yield Step("All-Gather", suffix, here, left)
    for other in dims:
        if other != dim and set(suffix) <= set(goal.axes(other)):
            yield Step("All-to-All", suffix, here, _cut(left, other, (*left.axes(other), *suffix)))


def _permutes(
    here: Layout, goal: Layout, dim: str, axes: tuple[str, ...], settled: int
) -> Iterator[Step]:
    """Reorder the axes of a dimension behind those that stay."""
    free = axes[settled:]
    for order in dict.fromkeys(_orders(free, goal, dim)):
        if order != free:
            yield Step("Permute", free, here, _cut(here, dim, (*axes[:settled], *order)))


def _orders(free: tuple[str, ...], goal: Layout, dim: str) -> Iterator[tuple[str, ...]]:
    """The orders that may lead on: the axes that the dimension keeps in their final order, among
    few others anywhere, in front of many, which are then taken by where they go."""
    kept = [axis for axis in goal.axes(dim) if axis in free]
    states = {goal.state(axis) for axis in free}
    if len(states) == 1 and states.pop().letter == "R":
        return  # all are gathered, in whatever order
    if len(free) <= FEW:
        for order in permutations(free):
            if [axis for axis in order if axis in kept] == kept:
                yield order
        return
    for groups in permutations(_by_destination([a for a in free if a not in kept], goal)):
        yield (*kept, *(axis for group in groups for axis in group))


def _by_destination(axes: Iterable[str], goal: Layout) -> tuple[tuple[str, ...], ...]:
    """Axes by the states that they go to, those of one dimension in the order they have there."""
    groups: dict[tuple[str, str | None], list[str]] = {}
    for axis in axes:
        state = goal.state(axis)
        groups.setdefault((state.letter, state.dim), []).append(axis)
    return tuple(
        tuple(group) if dim is None else tuple(a for a in goal.axes(dim) if a in group)
        for (_, dim), group in groups.items()
    )


def _reductions(here: Layout, goal: Layout, dims: tuple[str, ...], space: Space) -> Iterator[Step]:
    """Reduce partial axes of one kind: whole, any set of those that go to one place; onto their
    dimension, as many as come first there; or to one node."""
    wanted, nodes = dict(goal.partial), dict(goal.central)
    for kind in dict.fromkeys(kind for _, kind in here.partial):
        axes = [axis for axis, own in here.partial if own == kind != wanted.get(axis)]
        groups = _by_destination(axes, goal)
        for size in range(1, len(groups) + 1):
            for chosen in combinations(groups, size):
                whole = _in_mesh_order(tuple(axis for group in chosen for axis in group), space)
                yield Step("All-Reduce", whole, here, _reduced(here, whole, {}))
        for group in groups:
            dim = goal.state(group[0]).dim
            if group[0] in nodes:
                yield Step("Reduce", group, here, _reduced(here, group, nodes))
            for length in range(1, len(group) + 1) if dim is not None and dim in dims else ():
                first = group[:length]
                left = _reduced(here, first, {})
                onto = _cut(left, dim, (*left.axes(dim), *first)) if dim is not None else left
                yield Step("Reduce-Scatter", first, here, onto)


def _reduced(here: Layout, axes: tuple[str, ...], nodes: Mapping[str, tuple[Node, ...]]) -> Layout:
    """The layout with these axes complete: on the given nodes, else on every node."""
    left = {axis: kind for axis, kind in here.partial if axis not in axes}
    central = dict(here.central) | {axis: nodes[axis] for axis in axes if axis in nodes}
    return layout(dict(here.cuts), left, central)


def _single_edges(
    here: Layout, goal: Layout, dims: tuple[str, ...], space: Space
) -> Iterator[Step]:
    """Steps on one axis from a replicated or a centralized state."""
    central = dict(here.central)
    for axis in space.sizes:
        state, wanted = here.state(axis), goal.state(axis)
        if state == wanted or state.letter not in "RC":
            continue
        rest = {a: n for a, n in here.central if a != axis}
        onto = next((dim for dim in dims if axis in goal.axes(dim)), None)
        moves = state.letter == "C"
        if onto is not None:
            without = layout(dict(here.cuts), here.partial, rest)
            sliced = _cut(without, onto, (*here.axes(onto), axis))
            yield Step("Scatter" if moves else None, (axis,), here, sliced)
        elif wanted.letter == "partial":
            partial = dict(here.partial) | {axis: wanted.kind or "sum"}
            yield Step(None, (axis,), here, layout(dict(here.cuts), partial, rest))
        elif wanted.letter == "C":
            kept = set(wanted.nodes) <= set(central.get(axis, wanted.nodes))
            there = layout(dict(here.cuts), here.partial, rest | {axis: wanted.nodes})
            yield Step(None if kept else "Send", (axis,), here, there)
        if moves and wanted.letter != "C":
            yield Step("Broadcast", (axis,), here, layout(dict(here.cuts), here.partial, rest))


def _cut(where: Layout, dim: str, axes: tuple[str, ...]) -> Layout:
    """The layout with one dimension cut by these axes instead."""
    return layout({**dict(where.cuts), dim: axes}, where.partial, where.central)


def _in_mesh_order(axes: tuple[str, ...], space: Space) -> tuple[str, ...]:
    return tuple(sorted(axes, key=space.rank.__getitem__))

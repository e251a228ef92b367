"""Steps: a redistribution carried out, one primitive at a time, as it is written.

A primitive works on the arrays of the members of each group and on nothing else. Its layouts say
which dimension it is about; that it leads from one to the other is checked, not trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import TypeAlias

import numpy as np

from parspec.interpreter.simulate import collectives
from parspec.interpreter.simulate.collectives import NEUTRAL, Exchange, Join, Split
from parspec.interpreter.simulate.machine import Array, Device, Impossible, Machine, cut, share_out
from parspec.interpreter.simulate.spreads import Spread
from parspec.interpreter.theory.layouts import FLAT, Layout, Node, layout
from parspec.interpreter.theory.redistribution import Step


@dataclass(frozen=True)
class _Task:
    """A step on a spread: what primitives ask about."""

    step: Step
    spread: Spread
    machine: Machine

    @property
    def source(self) -> Layout:
        return self.step.source

    @property
    def target(self) -> Layout:
        return self.step.target

    @property
    def axes(self) -> tuple[str, ...]:
        return self.step.axes

    @property
    def left(self) -> Layout:
        """The source, replicated on the step's axes."""
        return self.source.without(self.axes)

    def loses(self) -> str:
        """The one dimension that gives up the step's axes, its minor-most."""
        for dim, axes in self.source.cuts:
            if self.axes == axes[len(axes) - len(self.axes) :] and set(self.axes) <= set(axes):
                return dim
        raise Impossible(f"no dimension ends in {', '.join(self.axes)}: {self.text()}")

    def gains(self) -> str:
        """The one dimension that the step's axes come to cut, as its minor-most."""
        for dim, axes in self.target.cuts:
            if self.axes == axes[len(axes) - len(self.axes) :]:
                return dim
        raise Impossible(f"no dimension comes to end in {', '.join(self.axes)}: {self.text()}")

    def kind(self) -> str:
        """The one kind of the addends that are reduced."""
        kinds = {self.source.state(axis).kind for axis in self.axes}
        kind = kinds.pop() if len(kinds) == 1 else None
        if kind is None:
            raise Impossible(f"nothing to reduce on {', '.join(self.axes)}: {self.text()}")
        return kind

    def root(self, where: Layout) -> int:
        """The rank of the one member that has the variable in a layout."""
        rank = 0
        for axis in self.axes:
            nodes = where.state(axis).nodes
            if len(nodes) != 1 or not isinstance(nodes[0], int):
                raise Impossible(f"no single node of {axis} has it: {self.text()}")
            rank = rank * prod(self.machine.nodes((axis,))) + nodes[0]
        return rank

    def along(self, dim: str) -> int:
        """The array axis of a dimension."""
        return 0 if dim == FLAT else self.spread.dims.index(dim)

    def join(self, dim: str, device: Device) -> Join:
        """How slices of a dimension are put together on a device."""
        if dim == FLAT and not self.target.axes(FLAT):
            shape = tuple(
                len(self.machine.positions(d, self.target.axes(d), device))
                for d in self.spread.dims
            )
            return lambda slices: np.concatenate(slices).reshape(shape)
        if dim == FLAT:
            return lambda slices: np.concatenate(slices)
        whole = self.machine.whole(dim, self.target.axes(dim))
        return collectives.joined(self.along(dim), whole)

    def split(self, dim: str, filling: float = 0.0) -> Split:
        """How an array is cut along a dimension by the step's axes."""
        ways = self.machine.nodes(self.axes)
        if dim == FLAT:
            return lambda array: share_out(array.ravel(), ways)
        unit = self.machine.dims[dim].unit
        return lambda array: cut(array, self.along(dim), ways, unit, filling)

    def text(self) -> str:
        """What is to be done, for a message."""
        return f"{self.step.primitive or 'a free move'} from {self.source} to {self.target}"


def carried_out(step: Step, spread: Spread, machine: Machine) -> tuple[Spread, int]:
    """The variable after a step, and the elements that were sent.

    Raises Impossible where the primitive does not lead from the one layout to the other.
    """
    task = _Task(step, spread, machine)
    _leave_flat_alone(task)
    work, reached = _works(task)
    if reached != step.target:
        raise Impossible(f"{task.text()} leads to {reached}")
    parts: dict[Device, Array] = {}
    sent = 0
    for members in machine.groups(step.axes):
        held = [spread.parts.get(member) for member in members]
        if all(part is None for part in held):
            continue
        exchange = work(held, members)
        sent += exchange.sent
        for member, part in zip(members, exchange.arrays, strict=True):
            if part is not None:
                parts[member] = part
    return Spread(spread.dims, step.target, parts), sent


_Held: TypeAlias = "Sequence[Array | None]"
_Work: TypeAlias = Callable[[_Held, Sequence[Device]], Exchange]


def _leave_flat_alone(task: _Task) -> None:
    """While a variable lies in flattened shares, only these can be moved."""
    if not task.source.axes(FLAT):
        return
    others = [dim for dim in task.spread.dims if task.source.axes(dim) != task.target.axes(dim)]
    if others or task.step.primitive not in ("All-Gather", "Gather", None):
        raise Impossible(f"{others[:1] or task.step.primitive} moves out of flattened shares")


def _works(task: _Task) -> tuple[_Work, Layout]:
    """What a primitive does in each group, and the layout that it leads to."""
    match task.step.primitive:
        case "All-Gather":
            dim = task.loses()
            return (
                lambda held, members: collectives.all_gather(
                    _all(held), task.join(dim, members[0])
                ),
                task.left,
            )
        case "Gather":
            dim, root = task.loses(), task.root(task.target)
            return (
                lambda held, members: collectives.gather(
                    _all(held), task.join(dim, members[0]), root
                ),
                _central(task.left, task),
            )
        case "All-to-All":
            loses, gains = task.loses(), task.gains()
            return (
                lambda held, members: collectives.all_to_all(
                    _all(held), task.split(gains), task.join(loses, members[0])
                ),
                _appended(task.left, gains, task.axes),
            )
        case "All-Reduce":
            return _on_all(partial(collectives.all_reduce, kind=task.kind())), task.left
        case "Reduce":
            kind, root = task.kind(), task.root(task.target)
            return _on_all(partial(collectives.reduce, kind=kind, root=root)), _central(
                task.left, task
            )
        case "Reduce-Scatter":
            kind, gains = task.kind(), task.gains()
            work = partial(collectives.reduce_scatter, kind=kind, split=task.split(gains))
            return _on_all(work), _appended(task.left, gains, task.axes)
        case "Scatter":
            root, gains = task.root(task.source), task.gains()
            return (
                lambda held, _: collectives.scatter(_at(held, root), task.split(gains), root),
                _appended(task.left, gains, task.axes),
            )
        case "Broadcast":
            root = task.root(task.source)
            return (
                lambda held, members: collectives.broadcast(_at(held, root), len(members)),
                task.left,
            )
        case "Send":
            start, end = task.root(task.source), task.root(task.target)
            return (
                lambda held, members: collectives.send(_at(held, start), len(members), end),
                _central(task.left, task),
            )
        case "Permute":
            return _permute(task)
        case None:
            return _free(task)
    raise Impossible(f"nobody knows a primitive {task.step.primitive}")


def _permute(task: _Task) -> tuple[_Work, Layout]:
    """Every slice goes to the member whose turn it is in the new order of axes."""
    dim = next((d for d in task.spread.dims if task.source.axes(d) != task.target.axes(d)), None)
    before = () if dim is None else task.source.axes(dim)
    after = () if dim is None else task.target.axes(dim)
    if dim is None or sorted(before) != sorted(after) or not set(task.axes) <= set(before):
        raise Impossible("a Permute that reorders nothing")
    machine = task.machine

    def work(held: _Held, members: Sequence[Device]) -> Exchange:
        by_slice = {machine.rank(m, before): place for place, m in enumerate(members)}
        origin = [by_slice.get(machine.rank(m, after), -1) for m in members]
        if -1 in origin:
            raise Impossible("a Permute that takes slices from outside its group")
        return collectives.permute(_all(held), origin)

    cuts = {**dict(task.source.cuts), dim: after}
    return work, layout(cuts, task.source.partial, task.source.central)


def _free(task: _Task) -> tuple[_Work, Layout]:
    """What devices do with what they have, on one axis: a slice, zeros, copies dropped."""
    if len(task.axes) != 1:
        raise Impossible("a free move on several axes at once")
    (axis,) = task.axes
    before, after = task.source.state(axis), task.target.state(axis)
    left = task.left
    match before.letter, after.letter:
        case "R", "P":
            dim = task.gains()
            return _each(lambda part, rank: task.split(dim)(part)[rank]), _appended(
                left, dim, task.axes
            )
        case "R" | "C" | "P", "partial":
            kind = after.kind or "sum"
            reached = layout(dict(left.cuts), {**dict(left.partial), axis: kind}, left.central)
            return _addend(task, before.letter, NEUTRAL[kind]), reached
        case "R" | "C", "C":
            keep = set(after.nodes)
            if before.letter == "C" and not keep <= set(before.nodes):
                raise Impossible(f"node {after} of {axis} has nothing to keep")
            return _each(lambda part, rank: part if rank in keep else None), _central(left, task)
    raise Impossible(f"{before} does not become {after} for nothing")


def _addend(task: _Task, letter: str, neutral: float) -> _Work:
    """One member keeps what it has, the others have what adds nothing to it."""
    if letter == "P":
        dim = task.loses()

        def placed(held: _Held, members: Sequence[Device]) -> Exchange:
            slices = _all(held)
            join = task.join(dim, members[0])
            return Exchange(
                tuple(
                    join(
                        [s if i == rank else np.full_like(s, neutral) for i, s in enumerate(slices)]
                    )
                    for rank in range(len(slices))
                ),
                0,
            )

        return placed

    def kept(held: _Held, members: Sequence[Device]) -> Exchange:
        keeper = next(rank for rank, part in enumerate(held) if part is not None)
        whole = _at(held, keeper)
        return Exchange(
            tuple(
                whole if rank == keeper else np.full_like(whole, neutral)
                for rank in range(len(members))
            ),
            0,
        )

    return kept


def _each(local: Callable[[Array, int], Array | None]) -> _Work:
    def work(held: _Held, members: Sequence[Device]) -> Exchange:
        return Exchange(
            tuple(None if p is None else local(p, rank) for rank, p in enumerate(held)), 0
        )

    return work


def _on_all(exchange: Callable[[Sequence[Array]], Exchange]) -> _Work:
    return lambda held, _: exchange(_all(held))


def _all(held: _Held) -> list[Array]:
    present = [part for part in held if part is not None]
    if len(present) != len(held):
        raise Impossible("a member of the group has nothing")
    return present


def _at(held: _Held, rank: int) -> Array:
    part = held[rank]
    if part is None:
        raise Impossible(f"member {rank} of the group has nothing")
    return part


def _appended(where: Layout, dim: str, axes: tuple[str, ...]) -> Layout:
    cuts: Mapping[str, tuple[str, ...]] = {**dict(where.cuts), dim: (*where.axes(dim), *axes)}
    return layout(cuts, where.partial, where.central)


def _central(where: Layout, task: _Task) -> Layout:
    nodes: dict[str, tuple[Node, ...]] = dict(where.central)
    nodes |= {axis: task.target.state(axis).nodes for axis in task.axes}
    return layout(dict(where.cuts), where.partial, nodes)

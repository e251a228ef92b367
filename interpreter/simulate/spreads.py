"""Spreads: one variable on all devices, each with its own array and nothing else.

A spread is made from a whole variable only where it lies at rest; afterwards primitives and layers
make spreads out of spreads. It is held against the whole variable device by device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from parspec.interpreter.simulate.collectives import NEUTRAL, combined
from parspec.interpreter.simulate.machine import (
    NO_POSITION,
    Array,
    Device,
    Impossible,
    Machine,
    share_out,
)
from parspec.interpreter.theory.layouts import FLAT, Layout, Node, layout

TOLERANCE = 1e-9  # of the largest value: additions in another order, nothing more


@dataclass(frozen=True)
class Spread:
    """A variable with these dimensions in a layout (nodes are numbers): an array for each device
    that has some of it. Where it is flattened, an array is a share of the device's row."""

    dims: tuple[str, ...]
    where: Layout
    parts: Mapping[Device, Array]

    def renamed(self, dims: tuple[str, ...]) -> Spread:
        """The same variable under other names of its dimensions."""
        return Spread(dims, self.where.renamed(dict(zip(self.dims, dims, strict=True))), self.parts)

    def covers(self, wanted: Layout) -> bool:
        """Whether every device that wants something in a layout has just that."""
        central = dict(self.where.central)
        goal = dict(wanted.central)
        return (
            self.where.cuts == wanted.cuts
            and self.where.partial == wanted.partial
            and all(axis in goal and set(goal[axis]) <= set(n) for axis, n in central.items())
        )


def at_stages(where: Layout, stages: Mapping[str, int]) -> Layout:
    """The layout with the stage of the current turn in place of its symbol."""

    def node(axis: str, one: Node) -> Node:
        if isinstance(one, str):
            if axis not in stages:
                raise Impossible(f"no turn is running that would say which stage of {axis} it is")
            return stages[axis]
        return one

    central = {axis: tuple(node(axis, one) for one in nodes) for axis, nodes in where.central}
    return layout(dict(where.cuts), where.partial, central)


def at_rest(
    whole: Array,
    dims: tuple[str, ...],
    where: Layout,
    machine: Machine,
    random: np.random.Generator,
) -> Spread:
    """A whole variable laid out; addends of a partial are random numbers that make it up."""
    parts: dict[Device, Array] = {}
    flat = where.axes(FLAT)
    for device in machine.devices:
        if machine.holds(device, where):
            part = _slice(whole, dims, where, device, machine)
            if flat:
                row = part.ravel()
                part = share_out(row, machine.nodes(flat))[machine.rank(device, flat)]
            parts[device] = part
    for axis, kind in where.partial:
        parts = _addends(parts, axis, kind, machine, random)
    return Spread(dims, where, parts)


def _addends(
    parts: Mapping[Device, Array],
    axis: str,
    kind: str,
    machine: Machine,
    random: np.random.Generator,
) -> dict[Device, Array]:
    made: dict[Device, Array] = {}
    for members in machine.groups((axis,)):
        present = [member for member in members if member in parts]
        for member in present:
            made[member] = np.full_like(parts[member], NEUTRAL[kind])
        if not present:
            continue
        value = parts[present[0]]
        if kind == "sum":
            for member in present[1:]:
                made[member] = random.integers(-3, 4, value.shape).astype(np.float64)
            value = value - sum(made[member] for member in present[1:])
        made[present[0]] = value
    return made


def _slice(
    whole: Array, dims: tuple[str, ...], where: Layout, device: Device, machine: Machine
) -> Array:
    """What a device has of a whole variable, zeros where it is filled up or padded."""
    part = whole
    for along, dim in enumerate(dims):
        positions = machine.positions(dim, where.axes(dim), device)
        real = (positions != NO_POSITION) & (positions < machine.dims[dim].size)
        taken = part.take(np.where(real, positions, 0), along)
        shape = [-1 if axis == along else 1 for axis in range(len(dims))]
        part = np.where(real.reshape(shape), taken, 0.0)
    return part


def difference(spread: Spread, whole: Array, machine: Machine) -> tuple[Device, float] | None:
    """The first device whose part is not the whole's, and how far off it is; None if all are."""
    scale = 1.0 + float(np.max(np.abs(whole), initial=0.0, where=np.isfinite(whole)))
    for device, part in complete(spread, machine):
        got, want = _real(part, whole, spread, device, machine)
        same = (got == want) | (np.abs(got - want) <= TOLERANCE * scale)
        same |= np.isnan(got) & np.isnan(want)
        if not same.all():
            return device, float(np.max(np.abs(got - want)[~same]))
    return None


def complete(spread: Spread, machine: Machine) -> Iterator[tuple[Device, Array]]:
    """Each device's part; of a partial, what the addends of its group make together: sums first,
    extremes of them after."""
    parts = dict(spread.parts)
    kinds = sorted({kind for _, kind in spread.where.partial}, key=lambda kind: kind != "sum")
    for kind in kinds:
        axes = [axis for axis, other in spread.where.partial if other == kind]
        for members in machine.groups(axes):
            present = [member for member in members if member in parts]
            if present:
                value = combined(kind, [parts[member] for member in present])
                parts |= dict.fromkeys(present, value)
    yield from parts.items()


def _real(
    part: Array, whole: Array, spread: Spread, device: Device, machine: Machine
) -> tuple[Array, Array]:
    """The elements of a part that are no padding, and what they should be."""
    for along, dim in enumerate(spread.dims):
        positions = machine.positions(dim, spread.where.axes(dim), device)
        real = np.flatnonzero((positions != NO_POSITION) & (positions < machine.dims[dim].size))
        part = part.take(real, along)
        whole = whole.take(positions[real], along)
    return part, whole

"""The machine: devices on a mesh, and which positions of a dimension each of them has.

A slice is cut as an array is: to whole units, padded to a slice of equal size for every node, and
a further axis cuts what the first left. Nothing here asks the theory how large a slice is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from parspec.interpreter.theory.layouts import Layout

Array: TypeAlias = NDArray[np.float64]
Positions: TypeAlias = NDArray[np.int64]
Device: TypeAlias = tuple[int, ...]  # coordinates, in the order of the machine's axes

NO_POSITION = -1  # what fills a slice up to its full size


class Impossible(Exception):
    """The plan cannot be carried out as it is written; the message says why."""


class Extent(NamedTuple):
    """A dimension: elements without and with declared padding, and the unit that is never cut."""

    size: int
    padded: int
    unit: int


@dataclass(frozen=True)
class Machine:
    """Axes (pieces, outermost first) with their numbers of nodes, and dimensions by name."""

    axes: tuple[str, ...]
    ways: tuple[int, ...]
    dims: Mapping[str, Extent]

    @cached_property
    def devices(self) -> tuple[Device, ...]:
        """All devices."""
        return tuple(product(*map(range, self.ways)))

    @cached_property
    def place(self) -> Mapping[str, int]:
        """The place of an axis in a device's coordinates."""
        return {axis: place for place, axis in enumerate(self.axes)}

    def nodes(self, axes: Iterable[str]) -> tuple[int, ...]:
        """How many nodes each of these axes has."""
        return tuple(self.ways[self.place[axis]] for axis in axes)

    def node(self, device: Device, axis: str) -> int:
        """The node of one axis that a device is on."""
        return device[self.place[axis]]

    def rank(self, device: Device, axes: Iterable[str]) -> int:
        """The place of a device in its group over these axes, major first."""
        rank = 0
        for axis in axes:
            rank = rank * self.ways[self.place[axis]] + device[self.place[axis]]
        return rank

    def groups(self, axes: Sequence[str]) -> Iterator[tuple[Device, ...]]:
        """The groups of devices that differ on these axes only, members by rank."""
        found: dict[Device, list[Device]] = {}
        places = {self.place[axis] for axis in axes}
        for device in self.devices:
            rest = tuple(0 if place in places else node for place, node in enumerate(device))
            found.setdefault(rest, []).append(device)
        for members in found.values():
            yield tuple(sorted(members, key=lambda member: self.rank(member, axes)))

    def holds(self, device: Device, where: Layout) -> bool:
        """Whether a device has anything of a variable in this layout."""
        return all(self.node(device, axis) in nodes for axis, nodes in where.central)

    def positions(self, dim: str, axes: tuple[str, ...], device: Device) -> Positions:
        """The positions of a dimension in the slice of a device; `NO_POSITION` fills it up."""
        extent = self.dims[dim]
        slices = _slices(extent.padded, extent.unit, self.nodes(axes))
        return slices[self.rank(device, axes)]

    def whole(self, dim: str, axes: tuple[str, ...]) -> int:
        """How many elements a slice has, what fills it up included."""
        extent = self.dims[dim]
        return len(_slices(extent.padded, extent.unit, self.nodes(axes))[0])


@cache
def _slices(elements: int, unit: int, ways: tuple[int, ...]) -> tuple[Positions, ...]:
    return tuple(cut(np.arange(elements), 0, ways, unit, NO_POSITION))


def cut(
    array: NDArray[Any], along: int, ways: Sequence[int], unit: int, filling: float
) -> list[NDArray[Any]]:
    """Slices of equal size along one axis of an array: one way after the other, major first."""
    parts = [array]
    for nodes in ways:
        parts = [piece for part in parts for piece in _cut_once(part, along, nodes, unit, filling)]
    return parts


def _cut_once(
    array: NDArray[Any], along: int, nodes: int, unit: int, filling: float
) -> list[NDArray[Any]]:
    if nodes == 1:
        return [array]
    units = -(-array.shape[along] // unit)
    each = -(-units // nodes) * unit
    missing = each * nodes - array.shape[along]
    widths = [(0, missing if axis == along else 0) for axis in range(array.ndim)]
    filled = np.pad(array, widths, constant_values=filling)
    return np.split(filled, nodes, axis=along)


def share_out(row: Array, ways: Sequence[int]) -> list[Array]:
    """The shares of a flattened variable: as equal as they can be, nothing filled up."""
    return list(np.array_split(row, prod(ways)))

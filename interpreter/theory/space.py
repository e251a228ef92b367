"""The space that layouts divide: sizes of mesh axes, extents of dimensions, and what a slice holds.

Slices are ceil-sized whole units, the last short or empty; a second axis cuts what the first left.
A symbolic size is taken to divide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

from parspec.interpreter.theory.formulas import Amount, ceil_divide, divide
from parspec.interpreter.theory.layouts import FLAT, Layout


class Extent(NamedTuple):
    """How many elements a dimension has, padding included, and the unit that is never cut."""

    elements: Amount
    unit: int = 1


class Wire(NamedTuple):
    """What joins the nodes of an axis: bandwidth in bytes/s in one direction, latency and start in
    seconds, efficiency as a share of the bandwidth."""

    link: str
    bandwidth: Fraction
    latency: Fraction
    start: Fraction
    efficiency: Fraction


@dataclass(frozen=True)
class Space:
    """Axis sizes (mesh order), dimension extents and the wire of each axis that has a link."""

    axes: tuple[tuple[str, Amount], ...]
    dims: tuple[tuple[str, Extent], ...]
    wires: tuple[tuple[str, Wire], ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Computed once: every search looks its space up."""
        return hash((self.axes, self.dims, self.wires))

    @cached_property
    def sizes(self) -> Mapping[str, Amount]:
        """Axis name to number of nodes."""
        return dict(self.axes)

    @cached_property
    def extents(self) -> Mapping[str, Extent]:
        """Dimension name to extent."""
        return dict(self.dims)

    @cached_property
    def rank(self) -> Mapping[str, int]:
        """Axis name to its place in the mesh, outermost 0."""
        return {name: place for place, (name, _) in enumerate(self.axes)}

    @cached_property
    def links(self) -> Mapping[str, Wire]:
        """Axis name to wire, for axes that have a link."""
        return dict(self.wires)

    @cached_property
    def timed(self) -> bool:
        """Whether every axis of more than one node has a link, so that moves have times."""
        return bool(self.wires) and all(n == 1 or axis in self.links for axis, n in self.axes)

    def group(self, axes: Iterable[str]) -> Amount:
        """Nodes of a group over these axes: the product of their sizes."""
        nodes: Amount = 1
        for axis in axes:
            nodes *= self.sizes[axis]
        return nodes

    def slice_of(self, dim: str, axes: Iterable[str]) -> Amount:
        """Elements that a whole slice of a dimension has when these axes cut it, major first; of
        the flattened one, the share of the variable."""
        return _slice(self, dim, tuple(axes))

    def in_one_piece(self, dim: str, outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
        """Whether the slices that `inner` cuts of what `outer` left, put end to end, have nothing
        that fills slices up before their end."""
        return all(
            self.even(dim, (*outer, *inner[:cut]), inner[cut:]) for cut in range(1, len(inner))
        )

    def even(self, dim: str, outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
        """Whether `inner` cuts what `outer` left into slices that nothing fills up; symbolic sizes
        are taken to divide."""
        whole, part = self.slice_of(dim, outer), self.slice_of(dim, (*outer, *inner))
        nodes = self.group(inner)
        known = isinstance(whole, int) and isinstance(part, int) and isinstance(nodes, int)
        return not known or whole == part * nodes

    def local(self, dims: Iterable[str], where: Layout) -> Amount:
        """Elements of a variable on a node that has a slice of it: the product of its slices."""
        elements: Amount = 1
        for dim in dims:
            elements *= self.slice_of(dim, where.axes(dim))
        return elements

    def seen(
        self, dims: Iterable[str], source: Layout, target: Layout, axes: Iterable[str]
    ) -> Amount:
        """Elements of a variable as a group over `axes` sees it while it goes from one layout to
        another: its other axes' partitions divided out, padded to whole slices of both."""
        moving = set(axes)
        elements: Amount = 1
        for dim in dims:
            before = self._seen_dim(dim, source.axes(dim), moving)
            after = self._seen_dim(dim, target.axes(dim), moving)
            elements *= larger(before, after)
        return elements

    def _seen_dim(self, dim: str, axes: tuple[str, ...], moving: set[str]) -> Amount:
        return self.slice_of(dim, axes) * self.group(axis for axis in axes if axis in moving)


@lru_cache(maxsize=512)
def _slice(space: Space, dim: str, axes: tuple[str, ...]) -> Amount:
    """Elements of a whole slice: a search for the cheapest moves asks for few of them, often."""
    if dim == FLAT:
        return divide(1, space.group(axes))
    elements, unit = space.extents[dim]
    cut = [size for size in map(space.sizes.__getitem__, axes) if size != 1]
    if not cut:
        return elements
    units = ceil_divide(elements, unit) if unit != 1 else elements
    for ways in cut:
        units = ceil_divide(units, ways)
    return units * unit


def larger(one: Amount, other: Amount) -> Amount:
    """The larger of two amounts; symbolic ones divide, so padding makes no difference to them."""
    if isinstance(one, int) and isinstance(other, int):
        return max(one, other)
    return one

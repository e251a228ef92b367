"""Permuting: how much of a variable changes nodes when its slices are put in another order.

The axes that cut a dimension get another order, or slices that lie in order are dealt in zigzag or
back. What stays on its node is not moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import prod

from parspec.interpreter.theory.layouts import Layout
from parspec.interpreter.theory.space import Space

ENUMERATED = 1 << 17  # places of nodes, on half of the axes that are reordered


def moving_share(source: Layout, target: Layout, axes: tuple[str, ...], space: Space) -> Fraction:
    """The share of slices, or of the chunks dealt in zigzag on `axes`, that lie on another node
    after a Permute; 1 where sizes are symbolic."""
    if source.cuts == target.cuts:
        nodes = space.group(axes)
        return _chunks_turned(nodes) if isinstance(nodes, int) else Fraction(1)
    before = next(cutting for dim, cutting in source.cuts if target.axes(dim) != cutting)
    after = next(cutting for dim, cutting in target.cuts if source.axes(dim) != cutting)
    sizes = [space.sizes[axis] for axis in before]
    ways = tuple(size for size in sizes if isinstance(size, int))
    if len(ways) < len(sizes):
        return Fraction(1)
    return _share(ways, tuple(before.index(axis) for axis in after))


@lru_cache
def _chunks_turned(nodes: int) -> Fraction:
    """The chunks, two a node, that change nodes between in order (2i, 2i+1) and zigzag
    (i, 2n−1−i): all but chunk 0, and where 3i is 2n−1 or 2n−2."""
    stay = 1 + ((2 * nodes - 1) % 3 == 0) + ((2 * nodes - 2) % 3 == 0)
    return Fraction(2 * nodes - stay, 2 * nodes)


@lru_cache
def _share(ways: tuple[int, ...], order: tuple[int, ...]) -> Fraction:
    """The share of nodes whose slice changes when axes with so many nodes each, major first, are
    put in another order; 1 where they are more than can be looked at.

    A node stays where its coordinates, weighted by how far one step on each axis takes it in either
    order, differ by nothing: the differences of half of the axes meet those of the others.
    """
    before, after = _strides(ways, range(len(ways))), _strides(ways, order)
    apart = [before[axis] - after[axis] for axis in range(len(ways))]
    half: list[int] = []
    for axis in sorted(range(len(ways)), key=ways.__getitem__):
        if prod(ways[other] for other in half) * ways[axis] <= prod(ways) ** 0.5:
            half.append(axis)
    rest = [axis for axis in range(len(ways)) if axis not in half]
    if prod(ways[axis] for axis in rest) > ENUMERATED:
        return Fraction(1)
    one, other = (_differences([(ways[a], apart[a]) for a in some]) for some in (half, rest))
    stay = sum(times * other[-difference] for difference, times in one.items())
    return Fraction(prod(ways) - stay, prod(ways))


def _strides(ways: Sequence[int], order: Sequence[int]) -> dict[int, int]:
    """How many slices one step on each axis goes on, axes taken in the given order."""
    strides = {}
    stride = 1
    for axis in reversed(order):
        strides[axis] = stride
        stride *= ways[axis]
    return strides


def _differences(axes: Iterable[tuple[int, int]]) -> Counter[int]:
    """What the coordinates on some axes, each of so many nodes and so far apart, add up to, and how
    often."""
    found = Counter([0])
    for ways, apart in axes:
        longer: Counter[int] = Counter()
        for difference, times in found.items():
            for place in range(ways):
                longer[difference + place * apart] += times
        found = longer
    return found

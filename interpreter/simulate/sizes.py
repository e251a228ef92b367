"""Small sizes for dimensions: the least that keep what a plan depends on.

What is kept of a dimension, for every row of axes that cuts it somewhere: whether each cut divides,
whether slices stay empty, whether a factor of a product is used up, whether declared padding fills
whole slices; its unit (as 2); and that dimensions which are read as one another are of one size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count, takewhile
from math import prod

from parspec.grammar.values import value
from parspec.interpreter.spec.model import Dim

SMALL_UNIT = 2
LARGEST = 4096  # beyond this a dimension is no longer small
MOST_PADDING = 64


@value
class Cutting:
    """A row of axes that cuts a dimension, as numbers of nodes before and after shrinking, and
    whether one of them is a nested share of an axis."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    shared: bool


@value
class Wanted:
    """Dimensions of one size, with what cuts each of them, and the least size wanted."""

    dims: tuple[Dim, ...]
    cuttings: Mapping[str, frozenset[Cutting]]
    least: int


@value
class Sized:
    """A dimension's small size, without and with declared padding, and its unit."""

    size: int
    extent: int
    unit: int


def smallest(wanted: Wanted) -> Mapping[str, Sized] | None:
    """The least sizes of dimensions that are of one size; None where none is small enough."""
    sizes = [dim.size for dim in wanted.dims]
    largest = max((size for size in sizes if isinstance(size, int)), default=LARGEST)
    candidates = [1] if largest == 1 else takewhile(lambda n: n <= LARGEST, count(wanted.least))
    for size in candidates:
        found = {
            dim.name: _sized(dim, size, wanted.cuttings.get(dim.name, ())) for dim in wanted.dims
        }
        known = {name: sized for name, sized in found.items() if sized is not None}
        if len(known) == len(found):
            return known
    return None


def _sized(dim: Dim, size: int, cuttings: Iterable[Cutting]) -> Sized | None:
    """A dimension at a size, if that keeps it as it is."""
    unit = 1 if dim.unit == 1 else SMALL_UNIT
    rows = tuple(cuttings)
    padded = isinstance(dim.size, int) and dim.size != dim.extent
    for extent in range(size + 1, size + MOST_PADDING) if padded else (size,):
        if _kept(dim, extent, unit, rows) and _padding_kept(dim, Sized(size, extent, unit), rows):
            return Sized(size, extent, unit)
    return None


def _padding_kept(dim: Dim, small: Sized, cuttings: Sequence[Cutting]) -> bool:
    """Whether declared padding fills whole slices just where it did."""
    if not (isinstance(dim.size, int) and isinstance(dim.extent, int)):
        return True
    before, after = dim.extent - dim.size, small.extent - small.size
    return all(
        (before < dim.extent // prod(row.before)) == (after < small.extent // prod(row.after))
        for row in cuttings
        if before
    )


def _kept(dim: Dim, extent: int, unit: int, cuttings: Sequence[Cutting]) -> bool:
    if not isinstance(dim.extent, int):
        return all(extent % (prod(row.after) * unit) == 0 for row in cuttings)
    if (extent % unit == 0) != (dim.extent % dim.unit == 0):
        return False
    old, new = -(-dim.extent // dim.unit), -(-extent // unit)
    return all(
        _signature(old, row.before, shared=row.shared)
        == _signature(new, row.after, shared=row.shared)
        for row in cuttings
    )


def _signature(units: int, ways: tuple[int, ...], *, shared: bool) -> tuple[bool, ...]:
    """What cutting does to whole units: whether each cut divides, whether a slice stays empty,
    whether one unit is all that is left."""
    divides = []
    left = units
    for nodes in ways:
        divides.append(left % nodes == 0)
        left = -(-left // nodes)
    return (*divides, left * (prod(ways) - 1) >= units, shared and left == 1)

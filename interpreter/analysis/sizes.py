"""Sizes: what a variable's layouts divide, and how many bytes a slice of it has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.spec.model import Tensor
from parspec.interpreter.spec.settings import DTYPES
from parspec.interpreter.theory.formulas import Amount, Number, whole
from parspec.interpreter.theory.layouts import FLAT, Layout
from parspec.interpreter.theory.space import Space

ITEM_BYTES: Mapping[str, Number] = {
    name: size.numerator if size.denominator == 1 else size for name, size in DTYPES.items()
}
"""Bytes of one element by type, as an integer where they are whole."""


def dims_of(tensor: Tensor, where: Layout) -> tuple[str, ...]:
    """The dimensions that a layout of a variable may cut: its own, and where it is stored
    flattened the row of all its elements."""
    return _dims(tensor.leaves, where)


def _dims(leaves: tuple[str, ...], where: Layout) -> tuple[str, ...]:
    return (*leaves, FLAT) if where.axes(FLAT) else leaves


def item_bytes(tensor: Tensor) -> Number:
    """Bytes of one element of a variable."""
    return ITEM_BYTES[tensor.dtype]


class Slice(NamedTuple):
    """A slice of a variable with these leaves and elements of this type, in a layout."""

    leaves: tuple[str, ...]
    dtype: str
    where: Layout


def slice_of(tensor: Tensor, where: Layout) -> Slice:
    """The slice of a variable on a node that has one (one turn's of a stacked one)."""
    return _slice(tensor.leaves, tensor.dtype, where)


@lru_cache(maxsize=512)
def _slice(leaves: tuple[str, ...], dtype: str, where: Layout) -> Slice:
    """A slice; equal ones are one value, as most variables of a model are alike."""
    return Slice(leaves, dtype, where)


def bytes_of(tensor: Tensor, where: Layout, grid: Grid) -> Amount:
    """Bytes of that slice."""
    return slice_bytes(slice_of(tensor, where), grid.space)


@lru_cache(maxsize=512)
def slice_bytes(one: Slice, space: Space) -> Amount:
    """Bytes of a slice."""
    leaves, dtype, where = one
    return whole(space.local(_dims(leaves, where), where) * ITEM_BYTES[dtype])

"""Sizes: what a variable's layouts divide, and how many bytes a slice of it has."""

from __future__ import annotations

from fractions import Fraction

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.spec.model import Tensor
from parspec.interpreter.spec.settings import DTYPES
from parspec.interpreter.theory.formulas import Amount, whole
from parspec.interpreter.theory.layouts import FLAT, Layout


def dims_of(tensor: Tensor, where: Layout) -> tuple[str, ...]:
    """The dimensions that a layout of a variable may cut: its own, and where it is stored
    flattened the row of all its elements."""
    return (*tensor.leaves, FLAT) if where.axes(FLAT) else tensor.leaves


def item_bytes(tensor: Tensor) -> Fraction:
    """Bytes of one element of a variable."""
    return DTYPES[tensor.dtype]


def bytes_of(tensor: Tensor, where: Layout, grid: Grid) -> Amount:
    """Bytes of one slice of a variable on a node that has one (one turn's of a stacked one)."""
    return whole(grid.space.local(dims_of(tensor, where), where) * item_bytes(tensor))

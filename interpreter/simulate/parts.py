"""Parts: arrays with named axes, as one device has them of a layer's operands."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from parspec.grammar.values import value
from parspec.interpreter.simulate.machine import Array, Impossible, Positions


@value
class Part:
    """An array, its axes' dimensions, and the positions that it has of each."""

    dims: tuple[str, ...]
    array: Array
    rows: tuple[Positions, ...]

    def positions(self, dim: str) -> Positions:
        """The positions of one of its dimensions."""
        return self.rows[self.dims.index(dim)]


def aligned(part: Part, dims: tuple[str, ...]) -> Array:
    """The array over the given dimensions, with one element along those that it lacks."""
    order = [part.dims.index(dim) for dim in dims if dim in part.dims]
    shape = [part.array.shape[part.dims.index(dim)] if dim in part.dims else 1 for dim in dims]
    return part.array.transpose(order).reshape(shape)


def fitted(parts: Iterable[Part]) -> None:
    """Raises Impossible where operands bring slices of different sizes of one dimension."""
    sizes: dict[str, int] = {}
    for part in parts:
        for dim, size in zip(part.dims, np.shape(part.array), strict=True):
            if sizes.setdefault(dim, size) != size:
                raise Impossible(f"operands with slices of {sizes[dim]} and {size} of {dim}")

"""Collectives: each primitive by its own definition, on the arrays of one group.

Members stand in the order of their ranks. An exchange says what every member has afterwards (None:
nothing) and how many elements went over the ring. Slices are gathered as they are, end to end,
and only what then stands beyond the whole is cut off: what fills up an inner slice stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce as fold
from typing import TypeAlias

import numpy as np

from parspec.grammar.values import value
from parspec.interpreter.simulate.machine import Array

Split: TypeAlias = Callable[[Array], Sequence[Array]]
Join: TypeAlias = Callable[[Sequence[Array]], Array]

COMBINE: dict[str, Callable[[Array, Array], Array]] = {
    "sum": np.add,
    "max": np.maximum,
    "min": np.minimum,
}
NEUTRAL = {"sum": 0.0, "max": -np.inf, "min": np.inf}


@value
class Exchange:
    """What the members have after a primitive, and the elements that were sent for it."""

    arrays: tuple[Array | None, ...]
    sent: int


def joined(along: int, whole: int) -> Join:
    """Slices end to end along one axis of the arrays, cut off at the whole."""
    return lambda slices: np.concatenate(slices, along).take(
        range(min(whole, sum(part.shape[along] for part in slices))), along
    )


def combined(kind: str, addends: Sequence[Array]) -> Array:
    """What addends make together."""
    return fold(COMBINE[kind], addends)


def all_gather(slices: Sequence[Array], join: Join) -> Exchange:
    """Every slice goes round to all others."""
    whole = join(slices)
    return Exchange((whole,) * len(slices), (len(slices) - 1) * _elements(slices))


def gather(slices: Sequence[Array], join: Join, root: int) -> Exchange:
    """Every other member sends its slice to the root."""
    others = [part for rank, part in enumerate(slices) if rank != root]
    return Exchange(_only(join(slices), root, len(slices)), _elements(others))


def scatter(whole: Array, split: Split, root: int) -> Exchange:
    """The root sends every other member its slice."""
    parts = tuple(split(whole))
    return Exchange(parts, _elements(part for rank, part in enumerate(parts) if rank != root))


def broadcast(whole: Array, members: int) -> Exchange:
    """The root sends the whole round, to each other member once."""
    return Exchange((whole,) * members, (members - 1) * whole.size)


def reduce(addends: Sequence[Array], kind: str, root: int) -> Exchange:
    """Addends are combined on their way round to the root."""
    members = len(addends)
    whole = combined(kind, addends)
    return Exchange(_only(whole, root, members), (members - 1) * whole.size)


def reduce_scatter(addends: Sequence[Array], kind: str, split: Split) -> Exchange:
    """Every slice is combined on its way round to the member that keeps it."""
    parts = tuple(split(combined(kind, addends)))
    return Exchange(parts, (len(addends) - 1) * _elements(parts))


def all_reduce(addends: Sequence[Array], kind: str) -> Exchange:
    """Reduce-Scatter of ring chunks, then All-Gather of them."""
    whole = combined(kind, addends)
    return Exchange((whole,) * len(addends), 2 * (len(addends) - 1) * whole.size)


def all_to_all(slices: Sequence[Array], split: Split, join: Join) -> Exchange:
    """Every member keeps its part of its own slice and sends each other member the part of it."""
    parts = [tuple(split(part)) for part in slices]
    received = tuple(join([row[rank] for row in parts]) for rank in range(len(slices)))
    sent = sum(
        part.size for rank, row in enumerate(parts) for to, part in enumerate(row) if to != rank
    )
    return Exchange(received, sent)


def send(whole: Array, members: int, root: int) -> Exchange:
    """One member sends all of it to another."""
    return Exchange(_only(whole, root, members), whole.size)


def permute(slices: Sequence[Array], origin: Sequence[int]) -> Exchange:
    """Member i receives the slice of member `origin[i]`."""
    received = tuple(slices[rank] for rank in origin)
    return Exchange(received, _elements(s for to, s in enumerate(received) if origin[to] != to))


def _only(whole: Array, root: int, members: int) -> tuple[Array | None, ...]:
    return tuple(whole if rank == root else None for rank in range(members))


def _elements(arrays: Iterable[Array]) -> int:
    return sum(array.size for array in arrays)

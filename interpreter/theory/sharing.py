"""Sharing out: how the nodes of an axis go to the factors of a product of dimensions, major first.

A factor takes all nodes that are left where they divide its whole units; else it is used up where
its units divide them, and the next one takes what then is left. Where neither is so it stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from parspec.interpreter.theory.formulas import Amount


class Shares(NamedTuple):
    """Nodes handed to factors, as (place of the factor, nodes); `left`: how many nodes fit nowhere,
    1 where all are handed out; `at`: the place of the factor where it ended."""

    given: tuple[tuple[int, Amount], ...]
    left: int
    at: int


def share_out(units: Sequence[Amount], nodes: Amount) -> Shares:
    """Share nodes out over factors with so many whole units each; a symbolic size divides."""
    given: list[tuple[int, Amount]] = []
    left = nodes
    for place, has in enumerate(units):
        if not (isinstance(has, int) and isinstance(left, int)) or has % left == 0:
            return Shares((*given, (place, left)), 1, place)
        if left % has:
            return Shares(tuple(given), left, place)
        if has > 1:
            given.append((place, has))
            left //= has
    assert isinstance(left, int)
    return Shares(tuple(given), left, len(units) - 1)

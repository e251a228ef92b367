"""Operators: what a layer computes, as the dimensions of its operands and of its result.

An operator knows no names of variables and no partition; it is what the dimension rule reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

TABLE = 1  # the place of a lookup's table among its operands


@dataclass(frozen=True)
class Operator:
    """One operator over leaf dimensions (products of dims are spelled out as their factors).

    kind: `einsum` (product of two or more variables, sums what the result lacks), `sum` (of terms,
    which may lack dimensions of the result), `pointwise`, `along` (a function along `over`),
    `lookup` (indices, table), `crossentropy` (logits, labels; along `over`, mean over what the
    result lacks), `dispatch` (tokens, scores), `combine` (slots, scores), `scale` (one variable
    times a number) and `copy` (a bare variable: an explicit redistribution).
    function: the name of a pointwise function or of one along a dimension.
    """

    kind: Literal[
        "einsum",
        "sum",
        "pointwise",
        "along",
        "lookup",
        "crossentropy",
        "dispatch",
        "combine",
        "scale",
        "copy",
    ]
    inputs: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]
    function: str = ""
    over: tuple[str, ...] = ()
    masked: bool = False

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Computed once: what was found of an operator is looked up by it."""
        return hash((self.kind, self.inputs, self.output, self.function, self.over, self.masked))

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """Every dimension of the operator once: the result's first, then the operands'."""
        return tuple(dict.fromkeys(d for dims in (self.output, *self.inputs) for d in dims))

    @cached_property
    def summed(self) -> tuple[str, ...]:
        """The dimensions that operands have and the result lacks."""
        return tuple(d for d in self.dims if d not in self.output)

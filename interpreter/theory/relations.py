"""Relations: which dimensions a variable is indexed by, the article's first table.

A variable is related to the dimensions it is indexed by, and to a stack's dimension, as every
turn has its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from parspec.grammar.values import value

RELATED = "√"
UNRELATED = "-"


@value
class Relation:
    """A variable with the dimensions that it is related to."""

    variable: str
    dims: tuple[str, ...]

    def related(self, dim: str) -> bool:
        """Whether the variable is indexed by a dimension."""
        return dim in self.dims

    def row(self, columns: Sequence[str]) -> tuple[str, ...]:
        """The variable's row of the table under the given dimensions."""
        return tuple(RELATED if self.related(dim) else UNRELATED for dim in columns)


def relation(variable: str, dims: Sequence[str], stack: str | None = None) -> Relation:
    """The relation of a variable with the given dimensions, in a stack over `stack`."""
    return Relation(variable, (*(() if stack is None else (stack,)), *dims))

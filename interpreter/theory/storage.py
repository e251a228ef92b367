"""Storage: what the nodes of one axis store of a variable, all taken together.

Source: the article's table of the three states, and its convention for a stack of layers.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parspec.interpreter.theory.formulas import Amount
from parspec.interpreter.theory.layouts import State
from parspec.interpreter.theory.relations import Relation

Role: TypeAlias = Literal["weight", "activation"]


def stored(state: State, size: Amount, nodes: Amount) -> Amount:
    """What the system stores of a variable of a given size: M partitioned, M·N as copies or as
    addends, M for each node that has it where it is centralized."""
    match state.letter:
        case "P":
            return size
        case "C":
            return len(state.nodes) * size
    return nodes * size


def counted_dims(
    relation: Relation, role: Role, stack: str | None, partitioned: str
) -> tuple[str, ...]:
    """The dimensions whose product is the size that counts when a layer is partitioned.

    A weight counts for all turns of the stack, as there is no larger store above. Turns follow one
    another in time, and of activations the maximum counts, one turn's, unless the stack's own
    dimension is partitioned and all turns exist at once.
    """
    if role == "weight" or partitioned == stack:
        return relation.dims
    return tuple(dim for dim in relation.dims if dim != stack)

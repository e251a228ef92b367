"""Which primitive changes which state: all pairs of states, asked of the theory."""

from __future__ import annotations

from parspec.grammar.values import value
from parspec.interpreter.theory.layouts import REPLICATED, State
from parspec.interpreter.theory.primitives import Primitive, between


@value
class Change:
    """A primitive with the states that it leads from and to, by name."""

    source: str
    target: str
    primitive: Primitive


_STATES = {
    "P": (State("P", dim="d"), State("P", dim="other")),
    "R": (REPLICATED, REPLICATED),
    "R(partial)": (State("partial", kind="sum"), State("partial", kind="sum")),
    "C": (State("C", nodes=(0,)), State("C", nodes=(1,))),
}


def letter(state: State) -> str:
    """The state's name without what it is along: `P`, `R`, `R(partial)`, `C`."""
    return "R(partial)" if state.letter == "partial" else state.letter


def state_changes() -> tuple[Change, ...]:
    """Every change of state that moves something; from P to P along another dimension, from C to C
    on another node."""
    return tuple(
        Change(source, target, primitive)
        for source, (before, _) in _STATES.items()
        for target, (_, after) in _STATES.items()
        if (primitive := between(before, after)) is not None
    )

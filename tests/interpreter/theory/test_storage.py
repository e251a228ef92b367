"""Storage: the article's table of three states, and what counts of a stack of layers."""

from __future__ import annotations

import pytest

from parspec.interpreter.theory.formulas import Amount, symbol
from parspec.interpreter.theory.layouts import REPLICATED, State
from parspec.interpreter.theory.relations import relation
from parspec.interpreter.theory.storage import counted_dims, stored

N, M = symbol("N"), symbol("M")


@pytest.mark.parametrize(
    ("state", "size"),
    [
        (State("P", dim="B"), M),
        (REPLICATED, M * N),
        (State("partial", kind="sum"), M * N),
        (State("C", nodes=(0,)), M),
        (State("C", nodes=(0, 3)), 2 * M),
        (State("C", nodes=("k",)), M),
    ],
    ids=str,
)
def test_states(state: State, size: Amount) -> None:
    assert stored(state, M, N) == size


def test_numbers_stay_numbers() -> None:
    assert stored(REPLICATED, 100, 8) == 800


def test_weights_of_all_turns_count() -> None:
    weight = relation("W", ("I", "O"), "L")
    assert counted_dims(weight, "weight", "L", "B") == ("L", "I", "O")
    assert counted_dims(weight, "weight", "L", "L") == ("L", "I", "O")


def test_activations_of_one_turn_count_unless_turns_exist_at_once() -> None:
    activation = relation("X", ("B", "I"), "L")
    assert counted_dims(activation, "activation", "L", "B") == ("B", "I")
    assert counted_dims(activation, "activation", "L", "L") == ("L", "B", "I")


def test_without_a_stack_everything_counts_once() -> None:
    assert counted_dims(relation("X", ("B", "I")), "activation", None, "B") == ("B", "I")

"""The derived tables against what happens: work is dealt to nodes and arrays are really sliced.

A layer partitioned along d gives node k the multiplications whose index along d lies in block k.
What a node then reads and writes, counted element by element, is its share of every variable.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from parspec.interpreter.theory.formulas import evaluate
from parspec.interpreter.theory.operators import Operator
from parspec.interpreter.theory.strategies import derive

LETTERS = "abcde"


@dataclass(frozen=True)
class Case:
    """An einsum, the sizes of its dimensions and the number of nodes, which divides them."""

    operator: Operator
    sizes: dict[str, int]
    nodes: int


@st.composite
def cases(draw: st.DrawFn) -> Case:
    dims = LETTERS[: draw(st.integers(3, 5))]
    nodes = draw(st.integers(2, 3))
    subset = st.lists(st.sampled_from(dims), min_size=1, unique=True).map(tuple)
    inputs = draw(st.lists(subset, min_size=2, max_size=3).map(tuple))
    used = sorted({dim for own in inputs for dim in own})
    output = draw(st.lists(st.sampled_from(used), unique=True).map(tuple))
    sizes = {dim: nodes * draw(st.integers(1, 2)) for dim in used}
    return Case(Operator("einsum", inputs, output), sizes, nodes)


def einsum(operator: Operator, arrays: list[np.ndarray]) -> np.ndarray:
    spelled = ",".join("".join(own) for own in operator.inputs) + "->" + "".join(operator.output)
    return np.einsum(spelled, *arrays)


def block(array: np.ndarray, dims: tuple[str, ...], dim: str, node: int, nodes: int) -> np.ndarray:
    """A node's slice of an array along a dimension; all of an array that lacks it."""
    if dim not in dims:
        return array
    return np.split(array, nodes, axis=dims.index(dim))[node]


def touched(case: Case, own: tuple[str, ...], dim: str) -> list[set[int]]:
    """For each node the elements of a variable that its share of the multiplications touches."""
    order = case.operator.dims
    numbers = np.arange(np.prod([case.sizes[d] for d in own], dtype=int))
    elements = numbers.reshape([case.sizes[d] for d in own])
    elements = elements.transpose(np.argsort([order.index(d) for d in own]).astype(int))
    spread = np.broadcast_to(
        elements.reshape([case.sizes[d] if d in own else 1 for d in order]),
        [case.sizes[d] for d in order],
    )
    pieces = np.split(spread, case.nodes, axis=order.index(dim))
    return [set(piece.ravel().tolist()) for piece in pieces]


def names(operator: Operator) -> tuple[str, ...]:
    return tuple(f"X{index}" for index in range(len(operator.inputs)))


@settings(max_examples=60)
@given(cases())
def test_states_and_storage_are_what_nodes_touch(case: Case) -> None:
    tables = derive(names(case.operator), (), "Y", case.operator, sizes=dict(case.sizes))
    assert [strategy.dim for strategy in tables.strategies] == list(case.operator.dims)
    variables = (*case.operator.inputs, case.operator.output)
    for strategy in tables.strategies:
        for own, state, size in zip(variables, strategy.states, strategy.storage, strict=True):
            shares = touched(case, own, strategy.dim)
            whole = set().union(*shares)
            disjoint = sum(map(len, shares)) == len(whole)
            assert (state.letter == "P") == disjoint
            assert (state.letter != "P") == all(share == whole for share in shares)
            assert evaluate(size, {tables.nodes: case.nodes}) == sum(map(len, shares))
        written = strategy.states[-1].letter
        assert (written == "partial") == (strategy.dim in case.operator.summed)


@settings(max_examples=60)
@given(cases(), st.integers(0, 2**32 - 1))
def test_results_of_the_nodes_make_the_whole_as_the_state_says(case: Case, seed: int) -> None:
    random = np.random.default_rng(seed)
    arrays = [random.integers(1, 9, [case.sizes[d] for d in own]) for own in case.operator.inputs]
    whole = einsum(case.operator, arrays)
    tables = derive(names(case.operator), (), "Y", case.operator, sizes=dict(case.sizes))
    for strategy in tables.strategies:
        results = []
        for node in range(case.nodes):
            held = [
                block(array, own, strategy.dim, node, case.nodes) if state.letter == "P" else array
                for array, own, state in zip(
                    arrays, case.operator.inputs, strategy.states, strict=False
                )
            ]
            results.append(einsum(case.operator, held))
        if strategy.states[-1].letter == "P":
            axis = case.operator.output.index(strategy.dim)
            assert np.array_equal(np.concatenate(results, axis=axis), whole)
        else:
            assert strategy.states[-1].letter == "partial"
            assert np.array_equal(sum(results), whole)
            assert not any(np.array_equal(result, whole) for result in results)


@settings(max_examples=40)
@given(cases(), st.integers(1, 3), st.data())
def test_storage_in_a_stack(case: Case, turns_a_node: int, data: st.DataObject) -> None:
    """All turns' weights lie on the nodes; activations of one turn, or of all when turns are
    dealt out."""
    parameters = names(case.operator)
    weights = data.draw(st.sets(st.sampled_from(parameters)))
    turns = turns_a_node * case.nodes
    tables = derive(
        parameters, weights, "Y", case.operator, "L", {**case.sizes, "L": turns}, kinds={}
    )
    variables = (*case.operator.inputs, case.operator.output)
    for strategy, own_index in product(tables.strategies, range(len(variables))):
        own = variables[own_index]
        weight = own_index < len(parameters) and parameters[own_index] in weights
        if strategy.dim == "L":
            one = np.prod([case.sizes[d] for d in own], dtype=int)
            held = [turns_a_node * one] * case.nodes
            assert strategy.states[own_index].letter == "P"
        else:
            shares = touched(case, own, strategy.dim)
            held = [len(share) * (turns if weight else 1) for share in shares]
        assert evaluate(strategy.storage[own_index], {"N": case.nodes}) == sum(held)

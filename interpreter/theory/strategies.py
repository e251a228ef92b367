"""Strategies: the article's tables for one operator, all derived from the dimension rule.

Partition an operator along each of its dimensions in turn: the rule gives every variable's state,
the states give what is stored, and where the result of one layer is an operand of the next, the
two states give the primitive between them and its traffic. A strategy has no definition beyond
that; its name is recognised from the states.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.theory.formulas import Amount, product, symbol, symbols, total
from parspec.interpreter.theory.layouts import State
from parspec.interpreter.theory.operators import Operator
from parspec.interpreter.theory.primitives import (
    PRICE_LISTS,
    SEND,
    PriceList,
    Primitive,
    between,
    traffic,
)
from parspec.interpreter.theory.relations import Relation, relation
from parspec.interpreter.theory.rule import Needs, required, whole_dims
from parspec.interpreter.theory.storage import Role, counted_dims, stored

Letter: TypeAlias = Literal["P", "R", "partial", "C"]
# What a dimension indexes, as far as names depend on it. Positions of a sequence are `sequence`
# where tokens are only cut apart and `context` where attention has to see all of them.
Kind: TypeAlias = Literal[
    "layer", "batch", "sequence", "context", "vocabulary", "head", "expert", "hidden"
]
AXIS = "axis"  # the one mesh axis of the tables
NO_SIZES: Mapping[str, Amount] = {}
NO_KINDS: Mapping[str, Kind] = {}


@value
class BetweenLayers:
    """What happens between this layer and the next, of which this layer's result is an operand.

    source: the result's state, its dimensions named as the operand's; target: the state that the
    operand needs; size: M; traffic of all boundaries in a stack, of one without a stack.
    """

    operand: str
    source: State
    target: State
    primitive: Primitive | None
    size: Amount
    traffic: tuple[tuple[PriceList, Amount], ...]


@value
class Strategy:
    """An operator partitioned along one dimension: states and storage by variable, the operands
    first, then the result. `between` is None where the result has no operand's rank."""

    dim: str
    name: str
    states: tuple[State, ...]
    storage: tuple[Amount, ...]
    between: BetweenLayers | None

    @property
    def total(self) -> Amount:
        """What the system stores of all variables."""
        return total(self.storage)


@value
class Strategies:
    """The tables of one operator.

    nodes: the symbol of the group size, `N`, or `nodes` where a dimension or a size has that name;
    order: the symbols in the order in which formulas are to be written.
    """

    relations: tuple[Relation, ...]
    strategies: tuple[Strategy, ...]
    nodes: str
    order: tuple[str, ...]


def derive(
    parameters: Sequence[str],
    weights: Collection[str],
    result: str,
    operator: Operator,
    stack: str | None = None,
    sizes: Mapping[str, Amount] = NO_SIZES,
    chained: Mapping[str, Amount] = NO_SIZES,
    kinds: Mapping[str, Kind] = NO_KINDS,
) -> Strategies:
    """The tables of an operator with named operands, of which some are weights.

    stack: the dimension of the stack that the layer stands in; an operator that has a dimension of
    that name itself is taken to stand in none. sizes: of dimensions, their own symbols unless
    given; chained: sizes that hold between layers, where the result's dimensions are those of the
    next layer's operand (I = O = D). kinds: of dimensions, as far as known.
    """
    outer = None if stack in operator.dims else stack
    given = {name for size in (*sizes.values(), *chained.values()) for name in symbols(size)}
    nodes = "nodes" if "N" in given | {outer, *operator.dims} else "N"
    variables = (*parameters, result)
    dims = (*operator.inputs, operator.output)
    tables = _Tables(
        operator,
        tuple(relation(name, own, outer) for name, own in zip(variables, dims, strict=True)),
        tuple("weight" if name in weights else "activation" for name in variables),
        outer,
        symbol(nodes),
        sizes,
        chained,
        kinds,
    )
    cuttable = [dim for dim in tables.dims if dim not in whole_dims(operator)]
    strategies = tuple(_strategy(tables, dim) for dim in cuttable)
    return Strategies(tables.relations, strategies, nodes, (nodes, *_written_order(tables)))


def strategy_name(
    activations: Collection[Letter],
    weights: Collection[Letter],
    result: Letter,
    dim: str | None,
    kind: Kind | None = None,
) -> str:
    """What the field calls a layer whose variables have these states on an axis.

    activations and weights are the operands' states; dim is what the layer is partitioned along
    there, None if nothing, and kind what that dimension indexes, None where it is not known.
    """
    if kind == "layer":
        return "pipeline"
    if result == "C":
        return "centralized"
    if dim is None or "P" not in (*activations, *weights, result):
        return "repeated"
    if kind in ("expert", "vocabulary", "sequence", "context") or (kind == "head" and not weights):
        return kind
    copied = set(weights) <= {"R"}
    if copied and kind == "batch":
        return "data"
    if copied and weights and kind is None and "P" in activations and result == "P":
        return "data"
    if "P" in weights and result == "P" and "P" not in activations:
        return "tensor, column"
    if "P" in weights and result == "partial" and "P" in activations:
        return "tensor, row"
    return f"split {dim}"


@value
class _Tables:
    """What all strategies of one operator share."""

    operator: Operator
    relations: tuple[Relation, ...]
    roles: tuple[Role, ...]
    stack: str | None
    nodes: Amount
    sizes: Mapping[str, Amount]
    chained: Mapping[str, Amount]
    kinds: Mapping[str, Kind]

    @property
    def dims(self) -> tuple[str, ...]:
        """The dimensions to partition: the stack's, the result's, those summed away."""
        return (*(() if self.stack is None else (self.stack,)), *self.operator.dims)

    def size(self, dims: Collection[str]) -> Amount:
        """The size of a variable with these dimensions."""
        return product(self.sizes.get(dim, symbol(dim)) for dim in dims)


def _written_order(tables: _Tables) -> tuple[str, ...]:
    """A dimension's symbol, then those in which its size is given."""
    names: list[str] = []
    for dim in tables.dims:
        given = (tables.sizes.get(dim, 0), tables.chained.get(dim, 0))
        names += [dim, *sorted(name for size in given for name in symbols(size))]
    return tuple(dict.fromkeys(names))


def _strategy(tables: _Tables, dim: str) -> Strategy:
    needs = _needs(tables, dim)
    states = tuple(layout.state(AXIS) for layout in (*needs.inputs, needs.output))
    letters: dict[Role, list[Letter]] = {"weight": [], "activation": []}
    for role, state in zip(tables.roles[:-1], states[:-1], strict=True):
        letters[role].append(state.letter)
    kind = "layer" if dim == tables.stack else tables.kinds.get(dim)
    name = strategy_name(letters["activation"], letters["weight"], states[-1].letter, dim, kind)
    storage = tuple(
        stored(state, tables.size(counted_dims(own, role, tables.stack, dim)), tables.nodes)
        for own, role, state in zip(tables.relations, tables.roles, states, strict=True)
    )
    return Strategy(dim, name, states, storage, _between_layers(tables, dim, needs))


def _needs(tables: _Tables, dim: str) -> Needs:
    """The rule's answer. Along a stack every turn has variables of its own: whatever a turn
    computes, all variables have the dimension."""
    operator = tables.operator
    if dim == tables.stack:
        inputs = tuple((dim, *own) for own in operator.inputs)
        operator = Operator("einsum", inputs, (dim, *operator.output))
    return required(operator, {dim: (AXIS,)})


def _between_layers(tables: _Tables, dim: str, needs: Needs) -> BetweenLayers | None:
    operator = tables.operator
    index = _next_operand(tables)
    if index is None:
        return None
    names = dict(zip(operator.output, operator.inputs[index], strict=True))
    source, target = needs.output.renamed(names).state(AXIS), needs.inputs[index].state(AXIS)
    size = product(
        tables.chained.get(own, tables.sizes.get(own, symbol(own))) for own in operator.output
    )
    primitive = SEND if dim == tables.stack else between(source, target)
    return BetweenLayers(
        tables.relations[index].variable,
        source,
        target,
        primitive,
        size,
        tuple((prices, _carried(tables, dim, primitive, prices, size)) for prices in PRICE_LISTS),
    )


def _next_operand(tables: _Tables) -> int | None:
    """The operand that the next layer takes the result for: an activation of the same rank."""
    rank = len(tables.operator.output)
    for index, dims in enumerate(tables.operator.inputs):
        if tables.roles[index] == "activation" and len(dims) == rank:
            return index
    return None


def _carried(
    tables: _Tables, dim: str, primitive: Primitive | None, prices: PriceList, size: Amount
) -> Amount:
    """The traffic over the whole stack: a primitive each turn, a Send at each boundary between
    the turns' nodes (L−1 of L, `approx`: L)."""
    if primitive is None:
        return 0
    turns = 1 if tables.stack is None else tables.size((tables.stack,))
    if dim == tables.stack and prices != "approx":
        turns = turns - 1
    return turns * traffic(primitive, prices, size, tables.nodes)

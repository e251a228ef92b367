"""`tables --format json`: formulas are expressions that a program can evaluate."""

from __future__ import annotations

from collections.abc import Iterable

from parspec.interpreter.output.json_text import Json, json_text
from parspec.interpreter.output.tables.operators import Tabled
from parspec.interpreter.theory.changes import Change, letter, state_changes
from parspec.interpreter.theory.formulas import plain
from parspec.interpreter.theory.primitives import PRICE_LISTS
from parspec.interpreter.theory.strategies import BetweenLayers, Strategy

SCHEMA = 1


def tables_json(operators: Iterable[Tabled]) -> str:
    """The tables of the operators, and the primitives with their prices."""
    return json_text(
        {
            "schema": SCHEMA,
            "operators": [_operator(operator) for operator in operators],
            "primitives": [_change(change) for change in state_changes()],
        }
    )


def _operator(operator: Tabled) -> Json:
    tables = operator.tables
    return {
        "name": operator.name,
        "nodes": tables.nodes,
        "relations": {relation.variable: list(relation.dims) for relation in tables.relations},
        "strategies": [_strategy(strategy, operator) for strategy in tables.strategies],
    }


def _strategy(strategy: Strategy, operator: Tabled) -> Json:
    order = operator.tables.order
    storage = {
        name: plain(amount, order)
        for name, amount in zip(operator.variables, strategy.storage, strict=True)
    }
    return {
        "partition": strategy.dim,
        "name": strategy.name,
        "states": {
            name: letter(state)
            for name, state in zip(operator.variables, strategy.states, strict=True)
        },
        "storage": storage | {"total": plain(strategy.total, order)},
        **(
            {}
            if strategy.between is None
            else {"between_layers": _between(strategy.between, order)}
        ),
    }


def _between(between: BetweenLayers, order: tuple[str, ...]) -> Json:
    return {
        "from": letter(between.source),
        "to": letter(between.target),
        "primitive": None if between.primitive is None else between.primitive.name,
        "traffic": {prices: plain(amount, order) for prices, amount in between.traffic},
    }


def _change(change: Change) -> Json:
    primitive = change.primitive
    return {
        "from": change.source,
        "to": change.target,
        "primitive": primitive.name,
        "order": primitive.order,
        "parts": list(primitive.parts),
        "traffic": {prices: primitive.traffic.of(prices).plain() for prices in PRICE_LISTS},
    }

"""`tables --format text`: the article's tables. Here alone a partial variable is printed as R."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.table import Table

from parspec.interpreter.diagnostics.entry import enumeration
from parspec.interpreter.output.tables.operators import Tabled
from parspec.interpreter.output.terminal.cells import safe, wrapped
from parspec.interpreter.output.terminal.drawing import add_row, drawn, ruled_table
from parspec.interpreter.output.terminal.screen import Screen
from parspec.interpreter.theory.changes import state_changes
from parspec.interpreter.theory.formulas import Amount, compact, product, spaced, symbol
from parspec.interpreter.theory.layouts import REPLICATED, State
from parspec.interpreter.theory.primitives import PRIMITIVES, Primitive
from parspec.interpreter.theory.rule import required
from parspec.interpreter.theory.storage import stored
from parspec.interpreter.theory.strategies import AXIS, BetweenLayers

_NOTHING = "-"
_STATES = (
    ("Partitioned", "P", "every node has its slice", State("P", dim="d")),
    ("Replicated", "R", "every node has all of it, or a full-sized addend", REPLICATED),
    ("Centralized", "C", "one node has all of it", State("C", nodes=(0,))),
)


def tables_text(operators: Iterable[Tabled], screen: Screen) -> str:
    """The tables of operators."""
    parts = (part for operator in operators for part in _operator(operator, screen))
    return _below(parts, screen)


def theory_text(screen: Screen) -> str:
    """The tables of states and primitives."""
    return _below((_states(), _changes(), _prices()), screen)


def _below(tables: Iterable[RenderableType], screen: Screen) -> str:
    """Tables with empty lines between them."""
    return "\n\n".join(drawn((table,), screen).rstrip("\n") + "\n" for table in tables)


def _operator(operator: Tabled, screen: Screen) -> Iterator[RenderableType]:
    yield from (_relations(operator), _strategies(operator), _storage(operator))
    if any(strategy.between for strategy in operator.tables.strategies):
        yield Group(_between_layers(operator), *_statistics(operator, screen))


def _relations(operator: Tabled) -> Table:
    outer = () if operator.stack is None else (operator.stack,)
    dims = tuple(dict.fromkeys((*outer, *operator.operator.dims)))
    table = ruled_table(f"{operator.name}: relations", ("variable", *dims), 0)
    for relation in operator.tables.relations:
        add_row(table, (relation.variable, *relation.row(dims)))
    return table


def _strategies(operator: Tabled) -> Table:
    table = ruled_table(
        f"{operator.name}: strategies", ("partition", "strategy", *operator.variables), 0
    )
    for strategy in operator.tables.strategies:
        letters = (_letter(state) for state in strategy.states)
        add_row(table, (strategy.dim, strategy.name, *letters))
    return table


def _storage(operator: Tabled) -> Table:
    table = ruled_table(
        f"{operator.name}: stored in the system",
        ("partition", *operator.variables, "total"),
        0,
    )
    for strategy in operator.tables.strategies:
        amounts = (*strategy.storage, strategy.total)
        add_row(table, (strategy.dim, *(_stored(amount, operator) for amount in amounts)))
    return table


def _between_layers(operator: Tabled) -> Table:
    table = ruled_table(
        f"{operator.name}: between layers",
        ("partition", "from/to", "primitive", "N >> 1", "exact"),
        0,
    )
    for strategy in operator.tables.strategies:
        if strategy.between is not None:
            add_row(table, (strategy.dim, *_boundary(strategy.between, operator)))
    return table


def _boundary(between: BetweenLayers, operator: Tabled) -> tuple[str, str, str, str]:
    traffic = dict(between.traffic)
    return (
        f"{_letter(between.source)}/{_letter(between.target)}",
        _NOTHING if between.primitive is None else between.primitive.name,
        _formula(traffic["approx"], operator),
        _formula(traffic["composed"], operator),
    )


def _statistics(operator: Tabled, screen: Screen) -> Iterator[str]:
    """What a function along a partitioned dimension reduces inside a layer, so that nothing between
    layers is not read as no communication at all."""
    for strategy in operator.tables.strategies:
        reduced = required(operator.operator, {strategy.dim: (AXIS,)}).statistics
        if reduced:
            names = enumeration(tuple(f"the {statistic.name}" for statistic in reduced))
            size = compact(product(map(symbol, reduced[0].dims)), operator.tables.order)
            moves = "All-Reduces" if len(reduced) > 1 else "an All-Reduce"
            each = " each" if len(reduced) > 1 else ""
            note = f"{moves} of {names} over {strategy.dim}, M = {size}{each}"
            yield from wrapped(safe(f"{strategy.dim}: inside a layer {note}"), screen.columns, "  ")


def _states() -> Table:
    table = ruled_table("states of a variable of size M on N nodes", ("state", "", "stored"), 0)
    for name, letter, meaning, state in _STATES:
        size = stored(state, symbol("M"), symbol("N"))
        add_row(table, (f"{name} ({letter})", meaning, spaced(size, ("N", "M"))))
    return table


def _changes() -> Table:
    """The article's square: a partial variable's changes stand in the row of R."""
    letters = [letter for _, letter, _, _ in _STATES]
    cells = {
        (change.source.removesuffix("(partial)"), change.target): change.primitive
        for change in state_changes()
        if change.primitive.order <= 2 and change.source[0] != change.target[0]
    }
    table = ruled_table("primitives (order), from row to column", ("", *letters), 0)
    for source in letters:
        add_row(table, (source, *(_named(cells.get((source, target))) for target in letters)))
    return table


def _prices() -> Table:
    table = ruled_table(
        "prices: traffic in the system", ("primitive", "order", "exact", "N >> 1", "ring"), 0
    )
    for primitive in PRIMITIVES.values():
        prices = primitive.traffic
        add_row(
            table,
            (
                primitive.name,
                str(primitive.order),
                prices.composed.reader(),
                prices.approx.reader(),
                prices.ring.reader(),
            ),
        )
    return table


def _named(primitive: Primitive | None) -> str:
    return _NOTHING if primitive is None else f"{primitive.name} ({primitive.order})"


def _letter(state: State) -> str:
    return "R" if state.letter == "partial" else state.letter


def _stored(amount: Amount, operator: Tabled) -> str:
    return spaced(amount, operator.tables.order, (operator.tables.nodes,))


def _formula(amount: Amount, operator: Tabled) -> str:
    return compact(amount, operator.tables.order, (operator.tables.nodes,))

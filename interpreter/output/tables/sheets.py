"""The article's tables, before anybody draws them. Here alone a partial variable is shown as R."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parspec.grammar.values import value
from parspec.interpreter.diagnostics.entry import enumeration
from parspec.interpreter.output.tables.operators import Tabled
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


@value
class Sheet:
    """A table under its title, and what is said below it."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def operator_sheets(operators: Iterable[Tabled]) -> Iterator[Sheet]:
    """The tables of operators."""
    for operator in operators:
        yield from (_relations(operator), _strategies(operator), _storage(operator))
        if any(strategy.between for strategy in operator.tables.strategies):
            yield _between_layers(operator)


def theory_sheets() -> tuple[Sheet, ...]:
    """The tables of states and primitives."""
    return _states(), _changes(), _prices()


def _relations(operator: Tabled) -> Sheet:
    outer = () if operator.stack is None else (operator.stack,)
    dims = tuple(dict.fromkeys((*outer, *operator.operator.dims)))
    rows = ((each.variable, *each.row(dims)) for each in operator.tables.relations)
    return Sheet(f"{operator.name}: relations", ("variable", *dims), tuple(rows))


def _strategies(operator: Tabled) -> Sheet:
    rows = (
        (strategy.dim, strategy.name, *map(_letter, strategy.states))
        for strategy in operator.tables.strategies
    )
    heads = ("partition", "strategy", *operator.variables)
    return Sheet(f"{operator.name}: strategies", heads, tuple(rows))


def _storage(operator: Tabled) -> Sheet:
    rows = (
        (each.dim, *(_stored(amount, operator) for amount in (*each.storage, each.total)))
        for each in operator.tables.strategies
    )
    heads = ("partition", *operator.variables, "total")
    return Sheet(f"{operator.name}: stored in the system", heads, tuple(rows))


def _between_layers(operator: Tabled) -> Sheet:
    rows = (
        (strategy.dim, *_boundary(strategy.between, operator))
        for strategy in operator.tables.strategies
        if strategy.between is not None
    )
    heads = ("partition", "from/to", "primitive", "N >> 1", "exact")
    notes = tuple(_statistics(operator))
    return Sheet(f"{operator.name}: between layers", heads, tuple(rows), notes)


def _boundary(between: BetweenLayers, operator: Tabled) -> tuple[str, str, str, str]:
    traffic = dict(between.traffic)
    return (
        f"{_letter(between.source)}/{_letter(between.target)}",
        _NOTHING if between.primitive is None else between.primitive.name,
        _formula(traffic["approx"], operator),
        _formula(traffic["composed"], operator),
    )


def _statistics(operator: Tabled) -> Iterator[str]:
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
            yield f"{strategy.dim}: inside a layer {note}"


def _states() -> Sheet:
    sizes = [stored(state, symbol("M"), symbol("N")) for *_, state in _STATES]
    rows = (
        (f"{name} ({letter})", meaning, spaced(size, ("N", "M")))
        for (name, letter, meaning, _), size in zip(_STATES, sizes, strict=True)
    )
    return Sheet("states of a variable of size M on N nodes", ("state", "", "stored"), tuple(rows))


def _changes() -> Sheet:
    """The article's square: a partial variable's changes stand in the row of R."""
    letters = [letter for _, letter, _, _ in _STATES]
    cells = {
        (change.source.removesuffix("(partial)"), change.target): change.primitive
        for change in state_changes()
        if change.primitive.order <= 2 and change.source[0] != change.target[0]
    }
    rows = (
        (source, *(_named(cells.get((source, target))) for target in letters)) for source in letters
    )
    return Sheet("primitives (order), from row to column", ("", *letters), tuple(rows))


def _prices() -> Sheet:
    rows = (
        (
            primitive.name,
            str(primitive.order),
            primitive.traffic.composed.reader(),
            primitive.traffic.approx.reader(),
            primitive.traffic.ring.reader(),
        )
        for primitive in PRIMITIVES.values()
    )
    heads = ("primitive", "order", "exact", "N >> 1", "ring")
    return Sheet("prices: traffic in the system", heads, tuple(rows))


def _named(primitive: Primitive | None) -> str:
    return _NOTHING if primitive is None else f"{primitive.name} ({primitive.order})"


def _letter(state: State) -> str:
    return "R" if state.letter == "partial" else state.letter


def _stored(amount: Amount, operator: Tabled) -> str:
    return spaced(amount, operator.tables.order, (operator.tables.nodes,))


def _formula(amount: Amount, operator: Tabled) -> str:
    return compact(amount, operator.tables.order, (operator.tables.nodes,))

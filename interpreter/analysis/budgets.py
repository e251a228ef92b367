"""Budgets: bounds on traffic, memory, parameters and time."""

from __future__ import annotations

import operator as compare
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from parspec.grammar.syntax import BudgetExpect
from parspec.interpreter.analysis.figures import Figures, Picked, Verdict, untold
from parspec.interpreter.analysis.result import Move, sum_known
from parspec.interpreter.diagnostics.entry import enumeration
from parspec.interpreter.diagnostics.findings import Datum, Finding
from parspec.interpreter.diagnostics.readable import bytes_text, count_text, seconds_text
from parspec.interpreter.spec.model import Expect
from parspec.interpreter.theory.formulas import Amount, Number, is_number, reader, symbols, total

COMPARISONS: Mapping[str, Callable[[Number, Number], bool]] = {
    "<": compare.lt,
    "<=": compare.le,
    ">": compare.gt,
    ">=": compare.ge,
    "==": compare.eq,
}
LARGEST_PARTS = 3  # a failed budget names so many of the largest primitives


def judge_budget(expect: Expect, budget: BudgetExpect, figures: Figures) -> Verdict:
    """Whether a figure keeps to its bound."""
    if expect.bound is None:
        return Verdict(None, "")
    figure = budget.figure.text
    if (
        figures.inferred.model.trains
        and figure != "parameters"
        and budget.scope.passes != "forward"
    ):
        return untold(expect, "it needs the backward pass", "")
    moves = figures.within(expect)
    value = _figure(expect, budget, moves, figures)
    if value is None:
        return untold(expect, f"{figure} is not computed here", "")
    if not is_number(value) or not is_number(expect.bound):
        return untold(expect, _unsized(value, expect.bound), _quantity(figure, value))
    text = _quantity(figure, value)
    if COMPARISONS[budget.comparison](value, expect.bound):
        return Verdict(True, text)
    facts: tuple[tuple[str, Datum], ...] = (
        ("text", expect.text),
        ("value", text),
        ("parts", _parts(budget, moves, figures)),
        ("price_list", figures.inferred.model.cost if figure == "traffic" else None),
        ("actual", value if isinstance(value, int) else float(value)),
        ("bound", expect.bound if isinstance(expect.bound, int) else float(expect.bound)),
    )
    name = "memory_expectation" if figure == "memory" else "expect_failed"
    return Verdict(False, text, Finding(name, expect.site, facts))


def _unsized(*amounts: Amount) -> str:
    """`B and tp have no size`."""
    names = tuple(sorted(frozenset[str]().union(*map(symbols, amounts))))
    return f"{enumeration(names)} {'has' if len(names) == 1 else 'have'} no size"


def _figure(expect: Expect, budget: BudgetExpect, moves: Picked, figures: Figures) -> Amount | None:
    """The value of a budget's figure."""
    match budget.figure.text:
        case "traffic":
            return moves.per_device if budget.scope.per_device else moves.traffic
        case "memory":
            return figures.totals.memory.total
        case "parameters":
            return figures.totals.parameters
        case "time":
            layers = () if expect.axes else figures.layer_times(expect)
            spent = sum_known((*layers, *(move.time for move in moves.moves)))
            return None if spent is None else Fraction(spent)
    return None


def _parts(budget: BudgetExpect, moves: Picked, figures: Figures) -> tuple[str, ...]:
    """The largest of what a budget's figure is made of."""
    match budget.figure.text:
        case "traffic":
            cost = figures.inferred.model.cost
            priced = [
                (m, m.per_device if budget.scope.per_device else dict(m.traffic)[cost])
                for m in moves.moves
            ]
            return _largest(priced, figures)
        case "memory":
            memory = figures.totals.memory
            shares = [(name, getattr(memory, name)) for name in ("weights", "cache", "activations")]
            return tuple(f"{name} {_quantity('memory', v)}" for name, v in shares if v)
    return ()


def _largest(priced: Sequence[tuple[Move, Amount]], figures: Figures) -> tuple[str, ...]:
    numbers = [(move, price) for move, price in priced if is_number(price) and price]
    numbers.sort(key=lambda one: one[1], reverse=True)
    named = [
        f"{move.primitive} {figures.inferred.tensor(move.tensor).label} {bytes_text(price)}"
        for move, price in numbers[:LARGEST_PARTS]
        if is_number(price)
    ]
    left = total(price for _, price in numbers[LARGEST_PARTS:])
    if is_number(left) and left:
        named.append(f"others {bytes_text(left)}")
    return tuple(named)


def _quantity(figure: str, value: Amount) -> str:
    if not is_number(value):
        return reader(value)
    match figure:
        case "time":
            return seconds_text(value)
        case "parameters":
            return count_text(value)
    return bytes_text(value)

"""Budgets: bounds on traffic, memory, parameters and time."""

from __future__ import annotations

import operator as compare
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from parspec.grammar.syntax import BudgetExpect
from parspec.interpreter.analysis.figures import Figures, Verdict, inside, untold
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
    if figures.model.trains and figure != "parameters" and budget.scope.passes != "forward":
        return untold(expect, "it needs the backward pass", "")
    value, parts = _figure(expect, budget, figures)
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
        ("parts", parts),
        ("price_list", figures.model.cost if figure == "traffic" else None),
        ("actual", value if isinstance(value, int) else float(value)),
        ("bound", expect.bound if isinstance(expect.bound, int) else float(expect.bound)),
    )
    name = "memory_expectation" if figure == "memory" else "expect_failed"
    return Verdict(False, text, Finding(name, expect.site, facts))


def _unsized(*amounts: Amount) -> str:
    """`B and tp have no size`."""
    names = tuple(sorted(frozenset[str]().union(*map(symbols, amounts))))
    return f"{enumeration(names)} {'has' if len(names) == 1 else 'have'} no size"


def _figure(
    expect: Expect, budget: BudgetExpect, figures: Figures
) -> tuple[Amount | None, tuple[str, ...]]:
    """The value of a budget's figure and the largest of what it is made of."""
    moves = figures.within(expect)
    match budget.figure.text:
        case "traffic":
            cost = figures.model.cost
            priced = [
                (m, m.per_device if budget.scope.per_device else dict(m.traffic)[cost])
                for m in moves
            ]
            return total(price for _, price in priced), _largest(priced, figures)
        case "memory":
            memory = figures.totals.memory
            shares = [(name, getattr(memory, name)) for name in ("weights", "cache", "activations")]
            named = tuple(f"{name} {_quantity('memory', v)}" for name, v in shares if v)
            return memory.total, named
        case "parameters":
            return figures.totals.parameters, ()
        case "time":
            return _time(expect, moves, figures), ()
    return None, ()


def _time(expect: Expect, moves: Sequence[Move], figures: Figures) -> Fraction | None:
    """Seconds of the layers and moves in scope; None where one of them is not known."""
    layers = [layer.time for layer in figures.layers if inside(layer.name, expect)]
    times = [*(layers if not expect.axes else ()), *(move.time for move in moves)]
    spent = sum_known(times)
    return None if spent is None else Fraction(spent)


def _largest(priced: Sequence[tuple[Move, Amount]], figures: Figures) -> tuple[str, ...]:
    numbers = [(move, price) for move, price in priced if is_number(price) and price]
    numbers.sort(key=lambda one: one[1], reverse=True)
    named = [
        f"{move.primitive} {figures.tensors[move.tensor].label} {bytes_text(price)}"
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

"""Budgets: bounds on traffic, memory, parameters and time."""

from __future__ import annotations

import operator as compare
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isclose

from parspec.grammar.syntax import BudgetExpect
from parspec.interpreter.analysis.figures import Figures, Picked, Verdict, untold
from parspec.interpreter.analysis.loads import busiest_stage, most_sent, time_of_busiest
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.diagnostics.entry import enumeration
from parspec.interpreter.diagnostics.findings import Datum, Finding
from parspec.interpreter.diagnostics.readable import (
    bytes_text,
    count_text,
    flops_text,
    seconds_text,
)
from parspec.interpreter.spec.expects import OF_TRAINING
from parspec.interpreter.spec.model import Expect
from parspec.interpreter.theory.formulas import (
    Amount,
    Number,
    is_number,
    measured,
    reader,
    symbols,
    total,
    whole,
)

COMPARISONS: Mapping[str, Callable[[Number, Number], bool]] = {
    "<": compare.lt,
    "<=": compare.le,
    ">": compare.gt,
    ">=": compare.ge,
    "==": compare.eq,
}
AT_REST = frozenset({"parameters", "weights", "cache"})
"""Figures that are the same in all passes."""
SHARES = frozenset({"weights", "gradients", "optimizer", "activations", "cache", "buffers"})
"""Figures that are shares of memory."""
OF_A_WHOLE = SHARES | {"memory", "parameters", "step"}
"""Figures that are not taken apart by layers or axes."""
LARGEST_PARTS = 3  # a failed budget names so many of the largest primitives


def judge_budget(expect: Expect, budget: BudgetExpect, figures: Figures) -> Verdict:
    """Whether a figure keeps to its bound."""
    if expect.bound is None:
        return Verdict(None, "")
    figure = budget.figure.text
    passes = budget.scope.passes
    trained = figures.inferred.model.trains and figure not in AT_REST and passes != "forward"
    if trained or passes in ("backward", "update"):
        return untold(expect, "it needs the backward pass", "")
    if figure in OF_A_WHOLE and (expect.within is not None or expect.axes):
        return untold(expect, f"{figure} is only known of the whole", "")
    moves = figures.within(expect)
    value = _figure(expect, budget, moves, figures)
    if value is None:
        return untold(expect, _unknown(expect, figure), "")
    if not is_number(value) or not is_number(expect.bound):
        return untold(expect, _unsized(value, expect.bound), _quantity(figure, value))
    text = _quantity(figure, value)
    near = abs(Fraction(value) - Fraction(expect.bound)) <= expect.slack
    if (near and budget.comparison == "==") or COMPARISONS[budget.comparison](value, expect.bound):
        return Verdict(True, text)
    priced = figure == "traffic" and not budget.scope.per_device
    facts: tuple[tuple[str, Datum], ...] = (
        ("text", expect.text),
        ("value", text),
        ("parts", _parts(expect, budget, moves, figures)),
        ("price_list", figures.inferred.model.cost if priced else None),
        ("actual", value if isinstance(value, int) else measured(value)),
        ("bound", expect.bound if isinstance(expect.bound, int) else measured(expect.bound)),
    )
    name = "memory_expectation" if figure == "memory" else "expect_failed"
    return Verdict(False, text, Finding(name, expect.site, facts))


def _unknown(expect: Expect, figure: str) -> str:
    """Why there is no value of a figure."""
    if figure in OF_TRAINING:
        return f"{figure} is that of a training step, and nothing trains here"
    return f"{figure} is not told apart by axes" if expect.axes else f"{figure} is not known"


def _unsized(*amounts: Amount) -> str:
    """`B and tp have no size`."""
    names = tuple(sorted(frozenset[str]().union(*map(symbols, amounts))))
    return f"{enumeration(names)} {'has' if len(names) == 1 else 'have'} no size"


def _figure(expect: Expect, budget: BudgetExpect, moves: Picked, figures: Figures) -> Amount | None:
    """The value of a budget's figure."""
    match budget.figure.text:
        case "traffic":
            return most_sent(moves.sent) if budget.scope.per_device else moves.traffic
        case "memory":
            return figures.totals.memory.total
        case share if share in SHARES:
            size: Amount | None = getattr(figures.totals.memory, share)
            return size
        case "flops":
            return None if expect.axes else figures.flops(expect)
        case "step":
            return _seconds(figures.totals.step_time)
        case "compute":
            return None if expect.axes else _seconds(figures.layer_time(expect))
        case "communication":
            return _seconds(time_of_busiest(moves.moves))
        case "parameters":
            return figures.totals.parameters
        case "time":
            return _seconds(figures.busy_time(expect))
    return None


def _seconds(time: float | None) -> Amount | None:
    return None if time is None else Fraction(time)


def _parts(
    expect: Expect, budget: BudgetExpect, moves: Picked, figures: Figures
) -> tuple[str, ...]:
    """The largest of what a budget's figure is made of."""
    totals = figures.totals
    match budget.figure.text:
        case "time" if not expect.axes:
            computing, sending = figures.layer_time(expect), time_of_busiest(moves.moves)
            return _adding_up(figures.busy_time(expect), compute=computing, communication=sending)
        case "step":
            return _adding_up(
                totals.step_time,
                compute=totals.compute_time,
                communication=totals.communication_time,
                bubble=totals.bubble_time,
            )
        case "traffic" if budget.scope.per_device:
            busiest = busiest_stage(moves.sent)
            return _largest(
                [
                    (move, whole(move.per_device * share))
                    for move in moves.moves
                    for stage, share in move.stages
                    if stage == busiest
                ],
                figures,
            )
        case "traffic":
            cost = figures.inferred.model.cost
            return _largest([(move, dict(move.traffic)[cost]) for move in moves.moves], figures)
        case "memory":
            memory = totals.memory
            shares = [(name, getattr(memory, name)) for name in ("weights", "cache", "activations")]
            return tuple(f"{name} {_quantity('memory', v)}" for name, v in shares if v)
    return ()


def _adding_up(whole: float | None, **parts: float | None) -> tuple[str, ...]:
    """The parts of a time, if they are those of one device and so make the whole of it."""
    known = {name: part for name, part in parts.items() if part}
    if whole is None or len(known) < 2 or not isclose(sum(known.values()), whole, rel_tol=0.01):
        return ()
    return tuple(f"{name} {seconds_text(part)}" for name, part in known.items())


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
        formula = reader(value)
        if figure == "parameters":
            return formula
        return f"({formula}) B" if " " in formula else f"{formula} B"
    match figure:
        case "time" | "step" | "compute" | "communication":
            return seconds_text(value)
        case "parameters":
            return count_text(value)
        case "flops":
            return flops_text(value)
    return bytes_text(value)

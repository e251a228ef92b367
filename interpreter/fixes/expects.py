"""Expects that do not hold: the bound, the state or the pin as the plan has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil, floor

from parspec.grammar.syntax import (
    BudgetExpect,
    CommunicationStatement,
    ExpectStatement,
    PrimitiveExpect,
    StateExpect,
)
from parspec.interpreter.diagnostics.findings import Fix
from parspec.interpreter.diagnostics.readable import bytes_text, seconds_text
from parspec.interpreter.fixes.case import Case, fix
from parspec.interpreter.fixes.spots import every
from parspec.interpreter.spec.expects import PARTITIONED
from parspec.interpreter.spec.sizes import UNITS

_DIGITS = 3  # significant digits of a bound that is offered


def budget(case: Case) -> Iterator[Fix]:
    """The bound at the least round figure that holds; a pin removed."""
    statement = case.at.chunk.statement
    if not isinstance(statement, ExpectStatement):
        return
    match statement.condition:
        case BudgetExpect(comparison=comparison, bound=bound, figure=figure):
            actual = case.facts.get("actual")
            if isinstance(actual, (int, float)) and comparison != "==":
                up = comparison in ("<", "<=")
                text = _bound(Fraction(actual), figure.text, ceil if up else floor)
                verb = "Raise" if up else "Lower"
                yield fix(f"{verb} the bound to {text}", case.at.replace(bound.span, text))
        case PrimitiveExpect():
            yield from unpin(case)


def _bound(actual: Fraction, figure: str, rounded: Callable[[Fraction], int]) -> str:
    """A figure with a unit, rounded to three digits in one direction only."""
    if figure == "parameters":
        return str(_round(actual, rounded))
    shown = seconds_text(actual) if figure == "time" else bytes_text(actual)
    unit = shown.partition(" ")[2]
    scale = UNITS[unit][1]
    value = _round(actual / scale, rounded)
    return f"{value.numerator if value.denominator == 1 else float(value)} {unit}"


def _round(value: Fraction, rounded: Callable[[Fraction], int]) -> Fraction:
    places = _DIGITS - len(str(int(value)))
    step = Fraction(10) ** -places
    return rounded(value / step) * step


def state(case: Case) -> Iterator[Fix]:
    """The state that the variable has."""
    statement = case.at.chunk.statement
    if isinstance(statement, ExpectStatement) and isinstance(statement.condition, StateExpect):
        got = case.text("got")
        yield fix(f"Write `{got}`", case.at.replace(statement.condition.state.span, got))


def partitioned(case: Case) -> Iterator[Fix]:
    """A variable partitioned along each of its dimensions, which alone says its state."""
    statement = case.at.chunk.statement
    if case.text("kind") != "state" or case.text("name").casefold() not in PARTITIONED:
        return
    if isinstance(statement, ExpectStatement) and isinstance(statement.condition, StateExpect):
        name = statement.condition.tensor.path.text
        known = (t.dims for t in case.model.tensors if name in (t.name, t.label))
        for dim in next(known, ()):
            yield case.write(f"P({dim})")


def pin(case: Case) -> Iterator[Fix]:
    """The pin of a primitive, below the last `expect`, else below `communication explicit`."""
    axes = case.text("axis").replace(",", ", ")
    text = f"expect {case.text('primitive')} of {case.text('tensor')} on {axes}"
    file = case.model.explicit_site.file if case.model.explicit_site else case.at.file
    keywords = (CommunicationStatement, ExpectStatement)
    places = [
        one
        for one in every(file, case.model)
        if isinstance(one.chunk.statement, keywords) and not one.around
    ]
    places.sort(key=lambda one: isinstance(one.chunk.statement, ExpectStatement))
    if places:
        yield fix(f"Write `{text}`", places[-1].below(text))


def unpin(case: Case) -> Iterator[Fix]:
    """The pin removed."""
    yield fix(f"Remove `{case.at.text(case.span)}`", case.at.removed())

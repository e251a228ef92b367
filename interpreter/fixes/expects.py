"""Expects that do not hold: the bound, the state or the pin as the plan has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
from parspec.interpreter.diagnostics.readable import (
    bytes_text,
    digits,
    flops_text,
    seconds_text,
)
from parspec.interpreter.fixes.case import Case, fix
from parspec.interpreter.fixes.spots import last
from parspec.interpreter.spec.expects import FIGURES, PARTITIONED
from parspec.interpreter.spec.sizes import UNITS, Kind

_SHOWN: Mapping[Kind, Callable[[Fraction], str]] = {
    "bytes": bytes_text,
    "s": seconds_text,
    "flop": flops_text,
}
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
    """A figure in the unit in which it is read, rounded to three digits in one direction only."""
    shown = next((_SHOWN[kind] for kind in FIGURES[figure] if kind in _SHOWN), digits)
    unit = shown(actual).partition(" ")[2]
    value = _round(actual / UNITS[unit][1] if unit else actual, rounded)
    text = str(value.numerator if value.denominator == 1 else float(value))
    return f"{text} {unit}" if unit else text


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
        for dim in case.own_dims(statement.condition.tensor.path.text):
            yield case.write(f"P({dim})")


def pin(case: Case) -> Iterator[Fix]:
    """The pin of a primitive, below the last `expect`, else below `communication explicit`."""
    axes = case.text("axis").replace(",", ", ")
    text = f"expect {case.text('primitive')} of {case.text('tensor')} on {axes}"
    file = case.model.explicit_site.file if case.model.explicit_site else case.at.file
    place = last(ExpectStatement, file, case.model) or last(
        CommunicationStatement, file, case.model
    )
    if place is not None:
        yield fix(f"Write `{text}`", place.below(text))


def unpin(case: Case) -> Iterator[Fix]:
    """The pin removed."""
    yield fix(f"Remove `{case.at.text(case.span)}`", case.at.removed())

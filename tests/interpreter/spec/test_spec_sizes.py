from __future__ import annotations

from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.grammar.expressions import Arithmetic, Capacity, Name, Number, Rest, Size
from parspec.grammar.keywords import UNITS as GRAMMAR_UNITS
from parspec.grammar.span import Span
from parspec.interpreter.spec.sizes import (
    LIMIT,
    UNITS,
    Kind,
    Problem,
    Quantity,
    amount,
    flaw,
    missing_factor,
    names_in,
    product_names,
    quantity,
    shortened,
)
from parspec.interpreter.theory.formulas import Amount, symbol

AT = Span(0, 1)
SIZES: dict[str, Amount] = {"A": 6, "B": 4, "S": symbol("S")}


def number(value: int | Fraction, unit: str | None = None) -> Number:
    return Number(Fraction(value), unit, AT)


def name(text: str) -> Name:
    return Name(text, AT)


def op(left: Size, operator: Literal["+", "-", "*", "/"], right: Size) -> Arithmetic:
    return Arithmetic(operator, left, right, AT)


def capacity(**arguments: Size) -> Capacity:
    return Capacity(tuple((name(key), value) for key, value in arguments.items()), AT)


def test_numbers_names_and_arithmetic() -> None:
    assert amount(number(8192), SIZES.get) == 8192
    assert amount(op(name("A"), "*", name("B")), SIZES.get) == 24
    assert amount(op(op(number(3), "*", name("A")), "/", number(2)), SIZES.get) == 9
    assert amount(op(name("A"), "-", op(name("B"), "+", number(1))), SIZES.get) == 1
    assert amount(op(name("A"), "/", name("B")), SIZES.get) == Fraction(3, 2)


def test_a_whole_value_is_an_integer() -> None:
    value = amount(op(name("A"), "/", number(2)), SIZES.get)
    assert value == 3
    assert isinstance(value, int)


def test_symbols_make_formulas() -> None:
    assert amount(op(number(4), "*", name("S")), SIZES.get) == 4 * symbol("S")
    assert amount(op(name("S"), "/", number(2)), SIZES.get) == symbol("S") * Fraction(1, 2)
    assert amount(op(name("S"), "-", name("S")), SIZES.get) == 0


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        (name("Q"), "name"),
        (number(4, "GB"), "united"),
        (op(number(1), "/", op(name("A"), "-", number(6))), "zero"),
        (op(number(1), "/", op(name("S"), "-", name("S"))), "zero"),
        (number(10 * LIMIT), "large"),
        (op(number(LIMIT), "*", number(LIMIT)), "large"),
        (Rest(AT), "rest"),
        (capacity(tokens=number(4), experts=number(2)), "arguments"),
        (capacity(tokens=number(4), experts=number(2), tops=number(1)), "arguments"),
        (capacity(tokens=number(4), experts=number(0), top=number(1)), "zero"),
    ],
)
def test_what_has_no_value_is_a_problem(size: Size, reason: str) -> None:
    problem = amount(size, SIZES.get)
    assert isinstance(problem, Problem)
    assert problem.reason == reason
    assert problem.sentence


def test_capacity_rounds_up() -> None:
    size = capacity(
        tokens=number(100), experts=number(8), top=number(2), factor=number(Fraction(5, 4))
    )
    assert amount(size, SIZES.get) == 32  # ceil(31.25)
    assert amount(capacity(tokens=number(100), experts=number(8), top=number(2)), SIZES.get) == 25
    symbolic = capacity(tokens=name("S"), experts=number(8), top=number(2))
    assert amount(symbolic, SIZES.get) == symbol("S") * Fraction(1, 4)


def test_arguments_of_capacity_stand_in_any_order() -> None:
    size = capacity(
        factor=number(2), top=number(3), experts=number(6), tokens=op(name("A"), "*", name("B"))
    )
    assert amount(size, SIZES.get) == 24


def test_long_arithmetic_is_no_deeper_than_it_is_long() -> None:
    size: Size = number(1)
    for _ in range(20_000):
        size = op(size, "+", number(1))
    assert amount(size, SIZES.get) == 20_001
    assert names_in(size) == ()


def test_names_in_order() -> None:
    size = op(op(name("A"), "*", name("B")), "+", capacity(tokens=name("S"), top=name("A")))
    assert [n.text for n in names_in(size)] == ["A", "B", "S", "A"]
    assert names_in(None) == ()


def test_products_of_names() -> None:
    assert product_names(None) is None
    assert product_names(op(name("A"), "*", number(2))) is None
    assert product_names(op(name("A"), "+", name("B"))) is None
    product = product_names(op(op(name("A"), "*", name("B")), "*", name("S")))
    assert product is not None
    assert [n.text for n in product] == ["A", "B", "S"]


@pytest.mark.parametrize("value", [0, -1, Fraction(1, 2), LIMIT + 1])
def test_flaws(value: int | Fraction) -> None:
    assert flaw(value)


@pytest.mark.parametrize("value", [1, LIMIT, symbol("S")])
def test_no_flaws(value: Amount) -> None:
    assert flaw(value) is None


@pytest.mark.parametrize(
    ("value", "unit", "quantity_"),
    [
        (80, "GB", Quantity(Fraction(80 * 10**9), "bytes")),
        (80, "GiB", Quantity(Fraction(80 * 2**30), "bytes")),
        (16, "B", Quantity(Fraction(16), "bytes")),
        (450, "GB/s", Quantity(Fraction(450 * 10**9), "bytes/s")),
        (400, "Gbit/s", Quantity(Fraction(50 * 10**9), "bytes/s")),
        (2, "us", Quantity(Fraction(2, 10**6), "s")),
        (3, "ms", Quantity(Fraction(3, 10**3), "s")),
        (989, "Tflop/s", Quantity(Fraction(989 * 10**12), "flop/s")),
        (5, "%", Quantity(Fraction(5, 100), "share")),
        (8, None, Quantity(Fraction(8), "count")),
    ],
)
def test_quantities(value: int, unit: str | None, quantity_: Quantity) -> None:
    assert quantity(number(value, unit)) == quantity_


def test_an_unknown_unit() -> None:
    assert quantity(number(5, "furlong")) == Problem("unit", AT, name="furlong")


def test_every_unit_of_the_grammar_has_a_meaning() -> None:
    assert set(GRAMMAR_UNITS) == set(UNITS)


@given(st.sampled_from(sorted(UNITS)), st.integers(0, 10**6))
def test_quantities_scale(unit: str, value: int) -> None:
    once, many = quantity(number(1, unit)), quantity(number(value, unit))
    assert isinstance(once, Quantity)
    assert many == Quantity(once.value * value, once.kind)


@pytest.mark.parametrize(
    ("wants", "got", "factor"),
    [
        ("bytes/s", "bytes", "1/s"),
        ("bytes", "bytes/s", "s"),
        ("bytes", "count", "bytes"),
        ("s", "bytes/s", "s^2/bytes"),
        ("flop/s", "bytes/s", "flop/bytes"),
        ("count", "share", ""),
    ],
)
def test_the_factor_that_is_missing(wants: Kind, got: Kind, factor: str) -> None:
    assert missing_factor(wants, got) == factor


def test_long_text_is_shortened() -> None:
    assert shortened("4 *\n D") == "4 * D"
    assert shortened("1" + "0" * 400) == "100000000000… (401 digits)"
    assert shortened("D + " * 30) == "D + D + D + … (119 characters)"

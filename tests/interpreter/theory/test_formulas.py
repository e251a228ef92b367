"""Amounts: exact arithmetic, and formulas that read back to the value they were written from."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from operator import add, mul, sub

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from parspec.interpreter.theory.formulas import (
    Amount,
    Polynomial,
    ceil_divide,
    compact,
    divide,
    evaluate,
    generic,
    is_number,
    plain,
    product,
    reader,
    spaced,
    symbol,
    symbols,
    total,
)
from parspec.interpreter.theory.templates import Template, Term

N, L, B, OUT, IN, D, E, S, T = (symbol(name) for name in "NLBOIDEST")
ORDER = ("N", "L", "B", "O", "I", "D")
NAMES = ("B", "D", "tp", "批次")


class TestArithmetic:
    def test_like_terms_add_up(self) -> None:
        assert B * D + 3 * D * B == 4 * B * D
        assert reader(B * D + 3 * D * B) == "4·B·D"

    def test_what_cancels_is_a_number(self) -> None:
        assert type(B - B) is int
        assert B - B == 0
        assert B / (2 * B) * 2 == 1
        assert type((6 * B) / (2 * B)) is int
        assert (T + S) / (T + S) == 1
        assert (N - 1) * B / (B * N - B) == 1

    def test_a_ratio_that_divides_has_no_denominator(self) -> None:
        square = (T + S) * (T + S)
        assert square / (T + S) == T + S
        assert hash(square / (S + T)) == hash(S + T)
        assert square / (T * N + S * N) == T / N + S / N
        assert 0 / (T + S) == 0

    def test_ratios_are_equal_by_value(self) -> None:
        left, right = B / (T + S), 2 * B * (T - S) / (2 * (T * T - S * S))
        assert left == right
        assert hash(left) == hash(right)
        assert left + S / (T + S) == (B + S) / (S + T)
        assert left != B / (T + D)

    def test_numbers_on_either_side(self) -> None:
        assert 1 + B == B + 1
        assert Fraction(1, 2) * B == B / 2
        assert 1 - B == -(B - 1)
        assert 1 / B == B**-1
        assert evaluate(3 / (B + 1), {"B": 5}) == Fraction(1, 2)
        assert 1 + B / (T + S) == (B + T + S) / (T + S)

    def test_powers(self) -> None:
        assert (B + 1) ** 2 == B * B + 2 * B + 1
        assert B**0 == 1
        assert (B + D) ** -1 == 1 / (D + B)

    def test_a_formula_is_never_a_number(self) -> None:
        assert B != 8
        assert is_number(8)
        assert not is_number(B)
        assert not is_number(None)

    def test_division_by_zero_is_an_error(self) -> None:
        with pytest.raises(ZeroDivisionError):
            divide(B, 0)
        with pytest.raises(ZeroDivisionError):
            divide(3, 0)
        with pytest.raises(ZeroDivisionError):
            evaluate(1 / (B - D), {"B": 2, "D": 2})

    def test_exact_quotients(self) -> None:
        assert divide(12, 4) == 3
        assert type(divide(12, 4)) is int
        assert divide(1, 3) == Fraction(1, 3)
        assert type(divide(Fraction(3, 2), Fraction(1, 2))) is int
        assert divide(12 * B, 4) == 3 * B
        assert divide(1, B) * B == 1

    def test_ceil_divide(self) -> None:
        assert ceil_divide(8193, 8) == 1025
        assert ceil_divide(8192, 8) == 1024
        assert ceil_divide(Fraction(5, 2), 2) == 2
        assert ceil_divide(S, 8) == S / 8
        assert ceil_divide(8, N) == 8 / N

    def test_sums_and_products(self) -> None:
        assert total([]) == 0
        assert product([]) == 1
        assert total([B, 2, D]) == B + D + 2
        assert product([B, 2, D]) == 2 * B * D

    def test_symbols(self) -> None:
        assert symbols(3) == frozenset()
        assert symbols(N * B / (T + 1)) == {"N", "B", "T"}

    def test_evaluate_leaves_what_has_no_value(self) -> None:
        assert evaluate(N * B + D, {"N": 8}) == 8 * B + D
        assert evaluate(B / (T + S), {"T": S}) == B / (2 * S)
        assert evaluate(7, {"N": 8}) == 7


class TestWriting:
    @pytest.mark.parametrize(
        ("amount", "text"),
        [
            (L * B * OUT, "L·B·O"),
            (N * B * IN + L * OUT * IN, "N·B·I + L·O·I"),
            (2 * B * D, "2·B·D"),
            (D * D - 1, "D² − 1"),
            (1 - D, "1 − D"),
            (-B * D, "−B·D"),
            (-B - D, "−B − D"),
            (-B / N + N * B, "N·B − B/N"),
            (Fraction(5, 4) * B * S / E, "5·B·S/(4·E)"),
            (B / N**2, "B/(N²)"),
            (1 / N, "1/N"),
            (B / (T + S), "B/(T + S)"),
            ((B + 1) / (T + S), "(B + 1)/(T + S)"),
            (symbol("batch") * symbol("tp"), "batch·tp"),
            (8192, "8192"),
            (0, "0"),
            (Fraction(-1, 2), "−1/2"),
        ],
    )
    def test_reader(self, amount: Amount, text: str) -> None:
        assert reader(amount, ORDER) == text

    def test_text_of_a_formula_is_the_readers(self) -> None:
        assert f"{B * D}" == "B·D"

    @pytest.mark.parametrize(
        ("amount", "text"),
        [
            (L * B * IN + L * OUT * IN + L * B * OUT, "LBI + LOI + LBO"),
            (B * IN + N * L * OUT * IN + B * OUT, "BI + N·LOI + BO"),
            (N * B * IN + L * OUT * IN + B * OUT, "N·BI + LOI + BO"),
            (N * L * B * D, "NLBD"),
            (2 * N * L * B * D, "2·NLBD"),
            (L * B * D - B * D, "LBD − BD"),
            (L * D * D, "LD²"),
            (N * symbol("batch") * D * OUT, "NOD·batch"),
        ],
    )
    def test_compact(self, amount: Amount, text: str) -> None:
        assert compact(amount, ORDER) == text

    def test_spaced_sets_off_copies_in_products_too(self) -> None:
        assert spaced(N * L * OUT * IN, ORDER) == "N·LOI"
        assert spaced(N * B * IN + L * OUT * IN, ORDER) == "N·BI + LOI"

    def test_of_very_many_terms_a_reader_sees_the_first(self) -> None:
        many = total(symbol(f"d{n}") for n in range(4096))
        assert reader(many).startswith("d0 + d1 + d2")
        assert reader(many).endswith("d15 + … (4096 terms)")
        assert plain(many).count("+") == 4095

    def test_compact_sets_off_what_counts_copies(self) -> None:
        tp = symbol("t")
        assert compact(tp * L * D + B, ("t", *ORDER), copies=("t",)) == "t·LD + B"

    @pytest.mark.parametrize(
        ("amount", "text"),
        [
            (N * L * OUT * IN, "N*L*O*I"),
            (B * IN + OUT * IN, "B*I + O*I"),
            (Fraction(5, 4) * B * S / E, "5*B*S/(4*E)"),
            (D * D - 1, "D**2 - 1"),
            (B / N**2, "B/(N**2)"),
            (D ** (2**26), f"D**{2**26}"),
            (B / (T + S), "B/(T + S)"),
            (0, "0"),
        ],
    )
    def test_plain(self, amount: Amount, text: str) -> None:
        assert plain(amount, ORDER) == text


class TestGeneric:
    def test_numbers_are_themselves(self) -> None:
        assert generic(7) == 7

    def test_dimensions_are_larger_than_groups(self) -> None:
        assert generic(B) > 1000 * generic(symbol("tp")) > 1000 * generic(1)

    def test_more_copies_cost_more(self) -> None:
        assert generic(B * D) < generic(2 * B * D) < generic(N * B * D) < generic(N * N * B * D)

    def test_every_name_has_a_value_of_its_own(self) -> None:
        names = ["B", "D", "F", "D2", "N", "tp", "dp", "批次"]
        assert len({generic(symbol(name)) for name in names}) == len(names)

    def test_equal_amounts_rank_the_same(self) -> None:
        assert generic(B * (N - 1) / N) == generic(B - B / N)


class TestTemplate:
    gather = Template((Term(others=1, nodes=-1, size=1),))
    broadcast = Template((Term(others=1, size=1),))

    def test_reads_as_on_paper(self) -> None:
        both = self.broadcast + self.gather
        assert both.reader() == "(N−1)/N·M + (N−1)·M"
        assert both.plain() == "(N-1)/N*M + (N-1)*M"
        assert (both + both).reader() == "2(N−1)/N·M + 2(N−1)·M"
        assert (both + both).plain() == "2*(N-1)/N*M + 2*(N-1)*M"

    @pytest.mark.parametrize(
        ("term", "text"),
        [
            (Term(size=1), "M"),
            (Term(nodes=-1, size=1), "M/N"),
            (Term(2, nodes=1, size=1), "2·N·M"),
            (Term(others=1, nodes=-2, size=1), "(N−1)/N·M/N"),
            (Term(2, others=1), "2(N−1)"),
            (Term(), "1"),
        ],
    )
    def test_terms(self, term: Term, text: str) -> None:
        assert Template((term,)).reader() == text

    def test_values_are_exact(self) -> None:
        assert self.gather.value(8, 1 << 30) == 7 * (1 << 27)
        assert self.gather.value(3, 1) == Fraction(2, 3)
        assert self.gather.value(N, B) == B - B / N

    def test_leading_term(self) -> None:
        assert (self.gather + self.broadcast).leading().reader() == "N·M"
        assert (self.gather + self.gather).leading().reader() == "2·M"

    @given(
        st.builds(
            Term, st.integers(1, 5), st.integers(0, 2), st.integers(-3, 2), st.integers(0, 1)
        ),
        st.integers(1, 40),
        st.integers(1, 1000),
    )
    def test_text_evaluates_to_the_value(self, term: Term, nodes: int, size: int) -> None:
        template = Template((term,))
        point = {"N": nodes, "M": size}
        assert exactly(template.plain(), point) == template.value(nodes, size)
        assert exactly(template.reader(), point) == template.value(nodes, size)


numbers = st.integers(-6, 6) | st.fractions(-3, 3, max_denominator=5)
sums = st.recursive(
    numbers | st.sampled_from(NAMES).map(symbol),
    lambda inner: st.builds(
        lambda operation, left, right: operation(left, right),
        st.sampled_from((add, sub, mul)),
        inner,
        inner,
    ),
    max_leaves=6,
)
ratios = st.builds(lambda above, below: divide(above, below if below else 1), sums, sums)
amounts = sums | ratios
points = st.fixed_dictionaries({name: st.integers(1, 50) for name in NAMES})


def at(amount: Amount, point: dict[str, int]) -> Fraction:
    try:
        value = evaluate(amount, point)
    except ZeroDivisionError:
        reject()
    assert not isinstance(value, Polynomial)
    return Fraction(value)


def exactly(text: str, point: dict[str, int]) -> Fraction:
    """The value of a written formula, computed in fractions."""
    text = re.sub(
        "[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda power: "**" + unicodedata.normalize("NFKC", power[0]), text
    )
    text = re.sub(r"([\d)])\(", r"\1*(", text)
    text = re.sub(r"\b\d+", r"Fraction(\g<0>)", text.replace("·", "*").replace("−", "-"))
    scope = {name: Fraction(size) for name, size in point.items()}
    return Fraction(eval(text, {"Fraction": Fraction}, scope))


class TestLaws:
    @given(amounts, amounts, points)
    def test_operations_are_those_of_numbers(
        self, left: Amount, right: Amount, point: dict[str, int]
    ) -> None:
        a, b = at(left, point), at(right, point)
        assert at(left + right, point) == a + b
        assert at(left - right, point) == a - b
        assert at(left * right, point) == a * b
        assume(b != 0)
        assert at(divide(left, right), point) == a / b

    @given(amounts, amounts, amounts)
    def test_ring_laws(self, a: Amount, b: Amount, c: Amount) -> None:
        assert a + b == b + a
        assert a * b == b * a
        assert (a + b) + c == a + (b + c)
        assert (a * b) * c == a * (b * c)
        assert a * (b + c) == a * b + a * c
        assert a - a == 0

    @given(amounts, amounts)
    def test_equal_amounts_have_equal_hashes(self, a: Amount, b: Amount) -> None:
        assert hash(a + b) == hash(b + a)
        assert hash(a * b) == hash(b * a)

    @given(amounts, amounts)
    def test_quotients_multiply_back(self, a: Amount, b: Amount) -> None:
        assume(b != 0)
        assert divide(a * b, b) == a
        assert divide(a, b) * b == a

    @given(amounts, points)
    def test_texts_evaluate_back_to_the_value(self, amount: Amount, point: dict[str, int]) -> None:
        value = at(amount, point)
        assert exactly(plain(amount), point) == value
        assert exactly(reader(amount), point) == value

    @given(amounts)
    def test_only_what_names_a_symbol_is_a_formula(self, amount: Amount) -> None:
        assert isinstance(amount, Polynomial) == bool(symbols(amount))

"""Limits: what no real spec comes near, so that none can exhaust the machine that reads it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from math import comb, prod

from parspec.interpreter.theory.formulas import (
    Amount,
    Polynomial,
    divide,
    symbols,
)

TENSOR_DIMS = 32  # dimensions of one tensor
MESH_AXES = 16  # axes of a mesh, and pieces of a cut
OPERANDS = 200  # tensors in one product, one sum or one call
SIZE_TERMS = 64  # terms of the formula of one size, and of a tensor's or a layer's
SIZE_DEGREE = 16  # factors in a term of such a formula
DIVISION_STEPS = 10_000  # of a division by a sum
TREE_STATEMENTS = 5_000  # statements that one call writes out, with the calls inside it
ALL_STATEMENTS = 50_000  # statements that all calls write out
MATCHES = 1_500_000  # layers times what the patterns say that may name them
PLANNED = 30_000  # statements that are looked at under all plans together
HOLES = 128  # clauses with `?`
STAGES = 100_000  # stages of a pipeline times the chunks of each


def terms(amount: Amount | None) -> int:
    """How many terms a formula has; 1 for a number and for what is not known."""
    if not isinstance(amount, Polynomial):
        return 1
    return max(len(amount.above), len(amount.below))


def terms_together(sizes: Iterable[Amount | None]) -> int:
    """How many terms the product of sizes has at most."""
    return prod(map(terms, sizes))


def simple(amount: Amount) -> bool:
    """Is a size a number, or a formula that is not too long to be computed with?"""
    return terms(amount) <= SIZE_TERMS and degree(amount) <= SIZE_DEGREE


def degree(amount: Amount) -> int:
    """The most factors in a term of a formula."""
    if not isinstance(amount, Polynomial):
        return 0
    every = chain(amount.above, amount.below)
    return max(sum(abs(exponent) for _, exponent in monomial) for monomial, _ in every)


def times(left: Amount, right: Amount) -> Amount | None:
    """The product of two sizes, None where it is too long; it is not computed then."""
    long = degree(left) + degree(right) > SIZE_DEGREE or not _divides(left, right)
    return None if long else _if_simple(left * right)


def plus(left: Amount, right: Amount) -> Amount | None:
    """The sum of two sizes, None where it is too long."""
    return _if_simple(left + right) if _divides(left, right) else None


def over(left: Amount, right: Amount) -> Amount | None:
    """The quotient of two sizes, None where it is too long. Raises ZeroDivisionError."""
    whole = right.above if isinstance(right, Polynomial) else ()
    known = _divides(left, right) and (len(whole) < 2 or _steps(left, right) <= DIVISION_STEPS)
    return _if_simple(divide(left, right)) if known else None


def _if_simple(amount: Amount) -> Amount | None:
    return amount if simple(amount) else None


def _divides(left: Amount, right: Amount) -> bool:
    """Can two sizes be brought over one denominator in few steps?"""
    sums = any(_terms_below(amount) > 1 for amount in (left, right))
    return not sums or _steps(left, right) <= DIVISION_STEPS


def _terms_below(amount: Amount) -> int:
    return len(amount.below) if isinstance(amount, Polynomial) else 1


def _steps(left: Amount, right: Amount) -> int:
    """The steps of a long division at most: the monomials of its degree."""
    names = len(symbols(left) | symbols(right))
    return comb(names + degree(left) + degree(right), names)

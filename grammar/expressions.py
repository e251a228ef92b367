"""What statements are made of: names, numbers, sizes and expressions, as they are written.

Nodes are frozen and carry no meaning: `H` is a name here, a product of dims only in the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from sys import intern
from typing import Literal, TypeAlias

from parspec.grammar.span import Span
from parspec.grammar.values import value


@value
class Name:
    """An identifier where it stands."""

    text: str
    span: Span


@lru_cache(maxsize=2048)
def name_of(text: str, span: Span) -> Name:
    """A name; equal ones are one value, as statements are short and much alike."""
    return Name(intern(text), span)


@value
class Path:
    """A dotted name: `decoder.up`, `tp.0`, `std.h100`; one part when there is no dot."""

    parts: tuple[Name, ...]
    span: Span

    @property
    def text(self) -> str:
        """The parts joined by dots."""
        return ".".join([part.text for part in self.parts])


# -- sizes and quantities ------------------------------------------------------------------------


@value
class Number:
    """A number, exact, with the unit as written (`80 GB`, `5%`, `8Ki` has no unit but 8192)."""

    value: Fraction
    unit: str | None
    span: Span


@value
class Arithmetic:
    """`left op right` over sizes, with op one of `+ - * /`."""

    operator: Literal["+", "-", "*", "/"]
    left: Size
    right: Size
    span: Span


@value
class Capacity:
    """`capacity(tokens = B * S, experts = E, top = 2, factor = 1.25)`: slots per expert."""

    arguments: tuple[tuple[Name, Size], ...]
    span: Span


@value
class Rest:
    """`rest`: what fills a product."""

    span: Span


Size: TypeAlias = Number | Name | Arithmetic | Capacity | Rest


# -- tensors and expressions ---------------------------------------------------------------------


@value
class Index:
    """One index of a tensor: a dimension's name, or a number that takes that slice."""

    name: Name | Number
    span: Span


@value
class TensorUse:
    """A tensor in an expression; `indices` is None where they are left out, () for `t[]`."""

    path: Path
    indices: tuple[Index, ...] | None
    span: Span


@value
class Scalar:
    """A number in an expression."""

    value: Fraction
    span: Span


@value
class Product:
    """`a * b * c`; an einsum where two or more factors are tensors. `a / 2` divides by a scalar."""

    factors: tuple[Expression, ...]
    span: Span


@value
class Term:
    """A term of a sum with its sign, 1 or -1."""

    sign: int
    value: Expression


@value
class Sum:
    """`a + b - c`."""

    terms: tuple[Term, ...]
    span: Span


@value
class Call:
    """`f(x, ...)` or `f over D, E masked (x, ...)`; also the use of a template or a block."""

    function: Name
    over: tuple[Name, ...]
    masked: bool
    arguments: tuple[Expression, ...]
    span: Span


Expression: TypeAlias = TensorUse | Scalar | Product | Sum | Call


def parts(expression: Expression) -> Iterator[Expression]:
    """An expression and all that it is made of, outer ones first, in the order of the text."""
    pending = [expression]
    while pending:
        part = pending.pop()
        yield part
        match part:
            case Product(factors=factors):
                pending += reversed(factors)
            case Sum(terms=terms):
                pending += [term.value for term in reversed(terms)]
            case Call(arguments=arguments):
                pending += reversed(arguments)


def calls(expression: Expression | None) -> Iterator[Call]:
    """The calls in an expression, outer ones first, in the order of the text."""
    inside = () if expression is None else parts(expression)
    return (part for part in inside if isinstance(part, Call))

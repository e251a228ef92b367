"""Amounts: exact numbers, or formulas over the names of dimensions and axes.

An amount is an `int`, a `Fraction`, or a `Polynomial` where a size is symbolic. Numbers stay
numbers: arithmetic on them is Python's own, and only what names a symbol is a formula. One thing
Python does not do exactly is `int / int`, which is a float: `divide` is the exact quotient.

A formula remembers the order in which it was put together, so that it is written as a reader would
write it (`N·B·I + L·O·I`); equality and hashes are by value and know no order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeGuard

Number: TypeAlias = int | Fraction
Amount: TypeAlias = "int | Fraction | Polynomial"
Monomial: TypeAlias = tuple[tuple[str, int], ...]  # symbols by name, with exponents other than 0
Terms: TypeAlias = tuple[tuple[Monomial, Number], ...]  # each monomial once, no coefficient is 0

CONSTANT: Monomial = ()
ONE: Terms = ((CONSTANT, 1),)


@dataclass(frozen=True, slots=True, eq=False)
class Polynomial:
    """A ratio of two polynomials in named symbols; exponents in `above` may be negative.

    Not to be made directly: `symbol` and arithmetic keep it in the form that everything relies on.
    It is never constant (constants are numbers), `below` is `ONE` exactly where the value needs no
    denominator of several terms, and no monomial divides `below`.
    """

    above: Terms
    below: Terms = ONE

    def __add__(self, other: Amount) -> Amount:
        above, below = _parts(other)
        if self.below == below == ONE:
            return _ratio(_sum(self.above, above), ONE)
        numerator = _sum(_product(self.above, below), _product(above, self.below))
        return _ratio(numerator, _product(self.below, below))

    def __radd__(self, other: Number) -> Amount:
        above, _ = _parts(other)
        return _ratio(_sum(_product(above, self.below), self.above), self.below)

    def __neg__(self) -> Polynomial:
        return Polynomial(tuple((m, -c) for m, c in self.above), self.below)

    def __sub__(self, other: Amount) -> Amount:
        return self + -other

    def __rsub__(self, other: Number) -> Amount:
        return other + -self

    def __mul__(self, other: Amount) -> Amount:
        above, below = _parts(other)
        return _ratio(_product(self.above, above), _product(self.below, below))

    def __rmul__(self, other: Number) -> Amount:
        return self * other

    def __truediv__(self, other: Amount) -> Amount:
        return divide(self, other)

    def __rtruediv__(self, other: Number) -> Amount:
        return divide(other, self)

    def __pow__(self, exponent: int) -> Amount:
        return _power(self, exponent)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Polynomial):
            return NotImplemented
        if self.below == other.below:
            return dict(self.above) == dict(other.above)
        left, right = _product(self.above, other.below), _product(other.above, self.below)
        return dict(left) == dict(right)

    def __hash__(self) -> int:
        """By value: ratios have no canonical form here and share one hash."""
        return hash(frozenset(self.above)) if self.below == ONE else hash(Polynomial)

    def __str__(self) -> str:
        return reader(self)


def symbol(name: str) -> Polynomial:
    """The amount that a name stands for."""
    return Polynomial(((((name, 1),), 1),))


def is_number(amount: Amount | None) -> TypeGuard[Number]:
    """Whether an amount is computed and has no symbols."""
    return isinstance(amount, int | Fraction)


def finite(number: Number) -> float | None:
    """The nearest float; None for what is beyond all floats."""
    try:
        return float(number)
    except OverflowError:
        return None


def measured(number: Number) -> int | float:
    """A number as a float; as a whole number where it is beyond all floats."""
    found = finite(number)
    return round(number) if found is None else found


def symbols(amount: Amount) -> frozenset[str]:
    """The names in an amount."""
    above, below = _parts(amount)
    return frozenset(name for monomial, _ in above + below for name, _ in monomial)


def divide(amount: Amount, by: Amount) -> Amount:
    """The exact quotient. Raises ZeroDivisionError."""
    if isinstance(amount, int) and isinstance(by, int):
        whole, rest = divmod(amount, by)
        return Fraction(amount, by) if rest else whole
    if not isinstance(amount, Polynomial) and not isinstance(by, Polynomial):
        return _number(Fraction(amount) / by)
    above, below = _parts(amount)
    by_above, by_below = _parts(by)
    return _ratio(_product(above, by_below), _product(below, by_above))


def ceil_divide(amount: Amount, by: Amount) -> Amount:
    """The least whole number not below the quotient; a symbolic size is taken to divide."""
    if isinstance(amount, Polynomial) or isinstance(by, Polynomial):
        return divide(amount, by)
    return -(-amount // by)


def whole(amount: Amount) -> Amount:
    """The same amount; a fraction without a denominator as an integer."""
    return amount if isinstance(amount, Polynomial) else _number(amount)


def total(amounts: Iterable[Amount]) -> Amount:
    """The sum, in the given order: of formulas neighbours first, which stay short for long so."""
    left: list[Amount] = [0, *amounts]
    if Polynomial not in map(type, left):
        return sum(left, 0)
    while len(left) > 1:
        pairs = zip(left[::2], left[1::2], strict=False)
        left = [*(one + other for one, other in pairs), *left[len(left) & ~1 :]]
    return left[0]


def product(amounts: Iterable[Amount]) -> Amount:
    """The product; 1 for none."""
    result: Amount = 1
    for amount in amounts:
        result = result * amount
    return result


def evaluate(amount: Amount, values: Mapping[str, Amount]) -> Amount:
    """The amount with symbols replaced by their values; symbols without one stay.

    Raises ZeroDivisionError where the values make a denominator 0.
    """
    if not isinstance(amount, Polynomial):
        return amount
    return divide(_evaluated(amount.above, values), _evaluated(amount.below, values))


def generic(amount: Amount) -> Fraction:
    """The value at a fixed generic point, by which symbolic costs are ranked.

    Every symbol has a value of its own that depends on its name alone. Dimensions are large and
    nearly of one size, group sizes moderate; a name that starts with a small letter, and `N`, is
    taken to be a group size.
    """
    if not isinstance(amount, Polynomial):
        return Fraction(amount)
    value = evaluate(amount, {name: _generic_value(name) for name in symbols(amount)})
    if isinstance(value, Polynomial):
        raise TypeError(f"{value} has symbols without a value")
    return Fraction(value)


def numeric(amount: Amount) -> Number:
    """The number itself; a formula at the generic point."""
    return generic(amount) if isinstance(amount, Polynomial) else amount


def reader(amount: Amount, order: Sequence[str] = ()) -> str:
    """The amount as a reader writes it: `N·B·I + L·O·I`, `2·B·D`, `5·B·S/(4·E)`, `D² − 1`.

    Terms stand as they were added, subtracted ones last; of very many only the first are written
    (`A + B + … (4096 terms)`). In a term, symbols follow `order`, the others come after them by
    name.
    """
    return _written(amount, order, _dotted, "−", READ_TERMS)


def compact(amount: Amount, order: Sequence[str] = (), copies: Collection[str] = ("N",)) -> str:
    """The amount in the article's style, where names of one letter need no dots: `LBI`, `NLBD`.

    In a sum the factors that count copies (`copies`) are set off, so that the eye finds what is
    replicated: `BI + N·LOI + BO`. Numbers and names of several letters are always set off.
    """
    sums = isinstance(amount, Polynomial) and len(amount.above) > 1
    return spaced(amount, order, copies if sums else ())


def spaced(amount: Amount, order: Sequence[str] = (), copies: Collection[str] = ("N",)) -> str:
    """The amount in the article's style with the factors that count copies set off wherever they
    stand: `N·LOI`."""
    return _written(amount, order, _lettered(frozenset(copies)), "−")


def plain(amount: Amount, order: Sequence[str] = ()) -> str:
    """The amount as an expression that a program can evaluate: `N*L*O*I + B*O`, `D**2 - 1`."""
    return _written(amount, order, _starred, "-")


# Arithmetic on terms


def _parts(amount: Amount) -> tuple[Terms, Terms]:
    if isinstance(amount, Polynomial):
        return amount.above, amount.below
    return (((CONSTANT, amount),) if amount else ()), ONE


def _sum(left: Terms, right: Terms) -> Terms:
    terms = dict(left)
    for monomial, coefficient in right:
        terms[monomial] = terms.get(monomial, 0) + coefficient
    return tuple((m, _number(c)) for m, c in terms.items() if c)


def _product(left: Terms, right: Terms) -> Terms:
    if left == ONE:
        return right
    if right == ONE:
        return left
    terms: dict[Monomial, Number] = {}
    for first, a in left:
        for second, b in right:
            monomial = _times(first, second)
            terms[monomial] = terms.get(monomial, 0) + a * b
    return tuple((m, _number(c)) for m, c in terms.items() if c)


def _times(left: Monomial, right: Monomial) -> Monomial:
    exponents = dict(left)
    for name, exponent in right:
        exponents[name] = exponents.get(name, 0) + exponent
    return tuple(sorted((name, exponent) for name, exponent in exponents.items() if exponent))


def _inverse(monomial: Monomial) -> Monomial:
    return tuple((name, -exponent) for name, exponent in monomial)


def _number(value: Number) -> Number:
    return value.numerator if value.denominator == 1 else value


def _ratio(above: Terms, below: Terms) -> Amount:
    """The one place where formulas are made: see `Polynomial` for what it promises."""
    if not below:
        raise ZeroDivisionError("a formula is divided by 0")
    if below != ONE:
        content = _content(below) if len(below) > 1 else below[0]
        factor: Terms = ((_inverse(content[0]), _number(Fraction(1) / content[1])),)
        above, below = _product(above, factor), _product(below, factor)
        quotient = _quotient(above, below)
        if quotient is not None:
            above, below = quotient, ONE
    if below == ONE and all(monomial == CONSTANT for monomial, _ in above):
        return above[0][1] if above else 0
    return Polynomial(above, below)


def _content(terms: Terms) -> tuple[Monomial, Number]:
    """The greatest monomial that divides all terms, with the first term's coefficient."""
    names = sorted({name for monomial, _ in terms for name, _ in monomial})
    least = ((name, min(dict(monomial).get(name, 0) for monomial, _ in terms)) for name in names)
    return tuple((name, exponent) for name, exponent in least if exponent), terms[0][1]


def _quotient(above: Terms, below: Terms) -> Terms | None:
    """The terms that times `below` are `above`, if there are such: long division by the leading
    term. `below` has no monomial factor, so negative exponents in `above` can be set aside."""
    if below == ONE:
        return above
    if not above:
        return ()
    shift, _ = _content(above)
    rest = _product(above, ((_inverse(shift), 1),))
    names = sorted(symbols(Polynomial(rest, below)))

    def degree(term: tuple[Monomial, Number]) -> tuple[int, ...]:
        exponents = dict(term[0])
        return tuple(exponents.get(name, 0) for name in names)

    divisor, by = max(below, key=degree)
    result: Terms = ()
    while rest:
        monomial, coefficient = max(rest, key=degree)
        step = _times(monomial, _inverse(divisor))
        if any(exponent < 0 for _, exponent in step):
            return None
        term: Terms = ((step, _number(Fraction(coefficient) / by)),)
        result = _sum(result, term)
        rest = _sum(rest, _product(((CONSTANT, -1),), _product(term, below)))
    return _product(result, ((shift, 1),))


def _evaluated(terms: Terms, values: Mapping[str, Amount]) -> Amount:
    return total(
        product((coefficient, *(_power(values.get(n, symbol(n)), e) for n, e in monomial)))
        for monomial, coefficient in terms
    )


def _power(base: Amount, exponent: int) -> Amount:
    """The power: Python's own of a number, else by repeated squaring."""
    if not isinstance(base, Polynomial) and exponent >= 0:
        return base**exponent
    power: Amount = 1
    square, left = base, abs(exponent)
    while left:
        power = power * square if left % 2 else power
        left //= 2
        square = square * square if left else square
    return power if exponent >= 0 else divide(1, power)


def _generic_value(name: str) -> Fraction:
    group = name == "N" or name[:1].islower()
    spread = Fraction(int.from_bytes(name.encode(), "big") % 65521, 65521)
    return (8 if group else 2**16) * (1 + spread / 100)


# Writing

Factors: TypeAlias = Sequence[tuple[str, int]]
READ_TERMS = 16  # nobody reads a longer sum
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _written(
    amount: Amount,
    order: Sequence[str],
    join: Callable[[int, Factors], str],
    minus: str,
    most: int | None = None,
) -> str:
    """The amount in the style of `join`; of a sum at most so many terms."""
    above, below = _parts(amount)
    if not above:
        return "0"
    rank = {name: place for place, name in enumerate(order)}

    def write(terms: Terms) -> str:
        ordered = sorted(terms, key=lambda term: term[1] < 0)
        text = "".join(_signed(m, c, rank, join, minus) for m, c in ordered[:most])
        text = text[3:] if ordered[0][1] > 0 else minus + text[3:]  # without the first " + "
        whole = most is None or len(ordered) <= most
        return text if whole else f"{text} + … ({len(ordered)} terms)"

    if below == ONE:
        return write(above)
    numerator = write(above) if len(above) == 1 else f"({write(above)})"
    return f"{numerator}/({write(below)})"


def _signed(
    monomial: Monomial,
    coefficient: Number,
    rank: Mapping[str, int],
    join: Callable[[int, Factors], str],
    minus: str,
) -> str:
    factors = sorted(monomial, key=lambda factor: (rank.get(factor[0], len(rank)), factor[0]))
    over = [(name, -exponent) for name, exponent in factors if exponent < 0]
    text = join(abs(coefficient.numerator), [factor for factor in factors if factor[1] > 0])
    if coefficient.denominator != 1 or over:
        denominator = join(coefficient.denominator, over)
        pieces = len(over) + (coefficient.denominator != 1)
        simple = pieces == 1 and all(exponent == 1 for _, exponent in over)
        text += f"/{denominator}" if simple else f"/({denominator})"
    return f" {'+' if coefficient > 0 else minus} {text}"


def _factors(number: int, names: list[str]) -> list[str]:
    """A number in front unless it is 1 and something follows."""
    return names if number == 1 and names else [str(number), *names]


def _raised(name: str, exponent: int) -> str:
    return name if exponent == 1 else name + str(exponent).translate(SUPERSCRIPTS)


def _dotted(number: int, factors: Factors) -> str:
    return "·".join(_factors(number, [_raised(name, exponent) for name, exponent in factors]))


def _starred(number: int, factors: Factors) -> str:
    names = [name if times == 1 else f"{name}**{times}" for name, times in factors]
    return "*".join(_factors(number, names))


def _lettered(apart: frozenset[str]) -> Callable[[int, Factors], str]:
    def join(number: int, factors: Factors) -> str:
        pieces: list[str] = []
        run = False  # whether a letter may be put to the last piece
        for name, exponent in factors:
            letter = len(name) == 1 and name not in apart
            if letter and run:
                pieces[-1] += _raised(name, exponent)
            else:
                pieces.append(_raised(name, exponent))
            run = letter
        return "·".join(_factors(number, pieces))

    return join

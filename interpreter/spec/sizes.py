"""Sizes and quantities: written numbers, arithmetic and units as exact values.

A size is a whole number, or a formula where a name in it is symbolic. What cannot be computed is
a `Problem`, which says why and where; whoever knows the statement makes a finding of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

from parspec.grammar.expressions import Arithmetic, Capacity, Name, Number, Size
from parspec.grammar.span import Span
from parspec.grammar.values import value
from parspec.interpreter.spec.limits import SIZE_DEGREE, SIZE_TERMS, over, plus, times
from parspec.interpreter.theory.formulas import Amount, ceil_divide, is_number

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Datum

LIMIT = 10**30  # the largest size; nothing real comes near, and products of it stay printable
TOO_LONG = f"its formula has more than {SIZE_TERMS} terms or {SIZE_DEGREE} factors in one"
CAPACITY_ARGUMENTS = ("tokens", "experts", "top", "factor")
CAPACITY_DEFAULTS: Mapping[str, Amount] = {"factor": 1}

Kind: TypeAlias = Literal["bytes", "bytes/s", "s", "flop/s", "flop", "share", "count"]


@value
class Quantity:
    """A value in the base unit of its kind (bytes, seconds, operations, shares of 1, counts)."""

    value: Fraction
    kind: Kind


@value
class Problem:
    """Why a size or a quantity has no value.

    `name` is the name or unit that nobody knows, also the one argument of that kind; `got` the
    names of the arguments as written.
    """

    reason: Literal["name", "unit", "united", "zero", "large", "long", "rest", "arguments"]
    span: Span
    name: str = ""
    got: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What is wrong, to follow the text of the size."""
        return {
            "name": f"nothing is called `{self.name}`",
            "unit": f"`{self.name}` is no unit",
            "united": f"a size has no unit, this one is in `{self.name}`",
            "zero": "it divides by zero",
            "large": "sizes end at 10^30",
            "long": TOO_LONG,
            "rest": "`rest` fills a product of axes, nothing else",
            "arguments": f"`capacity` wants {', '.join(CAPACITY_ARGUMENTS)}",
        }[self.reason]


def amount(size: Size, names: Callable[[str], Amount | None]) -> Amount | Problem:
    """The value of a size; `names` gives a name's value, None where nothing is called that.

    It may be a fraction or negative: whether it may be is for the caller to say (`flaw`).
    """
    values: list[Amount] = []
    pending: list[tuple[Size, bool]] = [(size, False)]
    while pending:
        node, ready = pending.pop()
        value: Amount | Problem
        match node:
            case Arithmetic() if not ready:
                pending += [(node, True), (node.right, False), (node.left, False)]
                continue
            case Capacity() if not ready:
                if mistake := _misnamed(node):
                    return mistake
                pending.append((node, True))
                pending.extend((argument, False) for _, argument in reversed(node.arguments))
                continue
            case Arithmetic():
                right = values.pop()
                value = _combined(node, values.pop(), right)
            case Capacity():
                start = len(values) - len(node.arguments)
                given = {
                    n.text: v for (n, _), v in zip(node.arguments, values[start:], strict=True)
                }
                del values[start:]
                value = _capacity(node, {**CAPACITY_DEFAULTS, **given})
            case _:
                value = _leaf(node, names)
        if isinstance(value, Problem):
            return value
        if isinstance(value, Fraction) and value.denominator == 1:
            value = value.numerator
        if is_number(value) and not (-LIMIT <= value <= LIMIT and value.denominator <= LIMIT):
            return Problem("large", node.span)
        values.append(value)
    return values.pop()


def names_in(size: Size | None) -> tuple[Name, ...]:
    """The names that a size uses, as they stand, in order."""
    found: list[Name] = []
    pending: list[Size | None] = [size]
    while pending:
        match pending.pop():
            case Name() as name:
                found.append(name)
            case Arithmetic(left=left, right=right):
                pending += [right, left]
            case Capacity(arguments=arguments):
                pending.extend(argument for _, argument in reversed(arguments))
    return tuple(found)


def product_names(size: Size | None) -> tuple[Name, ...] | None:
    """The factors of a size that is a product of names or one name, major first; else None."""
    found: list[Name] = []
    pending: list[Size | None] = [size]
    while pending:
        match pending.pop():
            case Name() as name:
                found.append(name)
            case Arithmetic(operator="*", left=left, right=right):
                pending += [right, left]
            case _:
                return None
    return tuple(found)


def flaw(value: Amount) -> str | None:
    """Why a value is no size (sizes are whole and positive, up to 10^30); None if it is one, or
    while it is a formula."""
    if not is_number(value):
        return None
    number = Fraction(value)
    if number > LIMIT:
        return "sizes end at 10^30"
    if number.denominator != 1:
        return f"it is {number}, not a whole number"
    return None if number >= 1 else "a size is at least 1"


def shortened(text: str) -> str:
    """Text as it is, or its beginning and its length where it is too long to print."""
    line = " ".join(text.split())
    if len(line) <= 40:
        return line
    unit = "digits" if line.replace("_", "").isdigit() else "characters"
    return f"{line[:12]}… ({len(line)} {unit})"


def datum(value: Amount) -> Datum:
    """A value as a finding carries it: an integer, or the text of a fraction or formula."""
    return value if isinstance(value, int) else str(value)


def _leaf(node: Size, names: Callable[[str], Amount | None]) -> Amount | Problem:
    match node:
        case Number(unit=None):
            return node.value
        case Number(unit=unit):
            return Problem("united", node.span, name=unit or "")
        case Name():
            value = names(node.text)
            return Problem("name", node.span, name=node.text) if value is None else value
    return Problem("rest", node.span)


def _combined(node: Arithmetic, left: Amount, right: Amount) -> Amount | Problem:
    if node.operator == "/" and right == 0:
        return Problem("zero", node.right.span)
    value = computed(node, left, right)
    return Problem("long", node.span) if value is None else value


def computed(node: Arithmetic, left: Amount, right: Amount) -> Amount | None:
    """The value of an operation, None where it is too long a formula. Raises
    ZeroDivisionError."""
    match node.operator:
        case "+":
            return plus(left, right)
        case "-":
            return plus(left, -right)
        case "*":
            return times(left, right)
        case "/":
            return over(left, right)


def _misnamed(node: Capacity) -> Problem | None:
    got = tuple(name.text for name, _ in node.arguments)
    wants = set(CAPACITY_ARGUMENTS)
    complete = wants - CAPACITY_DEFAULTS.keys() <= set(got) <= wants and len(set(got)) == len(got)
    if complete:
        return None
    strange = [name for name, _ in node.arguments if name.text not in wants]
    if len(strange) == 1:
        return Problem("arguments", strange[0].span, name=strange[0].text, got=got)
    return Problem("arguments", node.span, got=got)


def _capacity(node: Capacity, given: Mapping[str, Amount]) -> Amount | Problem:
    """Slots per expert: ceil(top · tokens · factor / experts), as capacity factors are defined in
    Switch Transformers."""
    if given["experts"] == 0:
        return Problem("zero", node.span)
    slots = times(given["top"], given["tokens"])
    slots = None if slots is None else times(slots, given["factor"])
    value = None if slots is None else over(slots, given["experts"])
    if slots is None or value is None:
        return Problem("long", node.span)
    return ceil_divide(slots, given["experts"])


def quantity(number: Number) -> Quantity | Problem:
    """A number with its unit, in base units; a count where it has none."""
    if number.unit is None:
        return Quantity(number.value, "count")
    if number.unit not in UNITS:
        return Problem("unit", number.span, name=number.unit)
    kind, scale = UNITS[number.unit]
    return Quantity(number.value * scale, kind)


_DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
_PARTS = {"": 1, "m": 10**3, "u": 10**6, "µ": 10**6, "n": 10**9}


def _units() -> Mapping[str, tuple[Kind, Fraction]]:
    units: dict[str, tuple[Kind, Fraction]] = {"%": ("share", Fraction(1, 100))}
    for prefix, scale in {**_DECIMAL, **_BINARY}.items():
        if prefix != "E":
            units[f"{prefix}B"] = ("bytes", Fraction(scale))
            units[f"{prefix}B/s"] = ("bytes/s", Fraction(scale))
    for prefix, scale in _DECIMAL.items():
        if prefix not in ("P", "E"):
            units[f"{prefix}bit"] = ("bytes", Fraction(scale, 8))
            units[f"{prefix}bit/s"] = ("bytes/s", Fraction(scale, 8))
        units[f"{prefix}flop"] = ("flop", Fraction(scale))
        units[f"{prefix}flop/s"] = ("flop/s", Fraction(scale))
    for prefix, parts in _PARTS.items():
        units[f"{prefix}s"] = ("s", Fraction(1, parts))
    return units


UNITS: Mapping[str, tuple[Kind, Fraction]] = _units()  # unit: kind, base units in one

_EXPONENTS: Mapping[Kind, tuple[int, int, int]] = {  # of bytes, flop, s
    "bytes": (1, 0, 0),
    "bytes/s": (1, 0, -1),
    "s": (0, 0, 1),
    "flop": (0, 1, 0),
    "flop/s": (0, 1, -1),
    "share": (0, 0, 0),
    "count": (0, 0, 0),
}


def missing_factor(wants: Kind, got: Kind) -> str:
    """What takes a quantity of kind `got` to one of kind `wants`: `1/s`, `bytes`, `s`; "" where
    only the meaning differs."""
    powers = [w - g for w, g in zip(_EXPONENTS[wants], _EXPONENTS[got], strict=True)]
    named = list(zip(("bytes", "flop", "s"), powers, strict=True))
    above = "·".join(_power(unit, power) for unit, power in named if power > 0)
    below = "·".join(_power(unit, -power) for unit, power in named if power < 0)
    return f"{above or '1'}/{below}" if below else above


COUNTS: Mapping[str, int] = {"k": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
"""What stands behind a count in its short form (`1.56B`): how many ones."""


def _power(unit: str, power: int) -> str:
    return unit if power == 1 else f"{unit}^{power}"

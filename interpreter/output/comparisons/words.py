"""Quantities and changes as a comparison writes them: `+51.5 GB`, `÷2.1`, `2.1 times`."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

from parspec.interpreter.diagnostics.readable import bytes_text, count_text, share_text
from parspec.interpreter.output.comparisons.values import Change, Quantity, Unit, sign
from parspec.interpreter.output.wording.quantities import UNKNOWN, how_many, in_bytes, in_seconds
from parspec.interpreter.theory.formulas import Amount, generic, is_number

SAME = "same"
_NEARLY = Fraction(1, 10)  # a smaller change is told in percent
_HALF = Fraction(1, 2)  # one that is less, but more than this, is told in percent
_BINARY = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_COUNTED_FROM = 100  # times from here on are whole
_two_digits = Context(prec=2)


def shown(value: Quantity, unit: Unit) -> str:
    """`7.9 GB`, `1.2 ms`, `470M`; `-` for what is not computed."""
    if value is None:
        return UNKNOWN
    if unit == "seconds" or isinstance(value, float):
        return _fraction(value, unit)
    return in_bytes(value) if unit == "bytes" else how_many(value)


def _fraction(value: Amount | float, unit: Unit) -> str:
    """A quantity that is measured rather than counted; it has no symbols."""
    number = value if isinstance(value, float) else float(generic(value))
    if unit == "share":
        return share_text(number)
    return in_seconds(number) if unit == "seconds" else f"{count_text(round(number))}/s"


def added(change: Change, unit: Unit) -> str:
    """`+51.5 GB`, `−15 GB`, `same`, `-` where a side of it is not computed."""
    difference = change.difference
    if difference is None:
        return UNKNOWN
    match sign(difference):
        case 0:
            return SAME
        case 1:
            return f"+{shown(difference, unit)}"
        case -1:
            return f"−{shown(-difference, unit)}"
    return shown(difference, unit)


def factor(change: Change) -> str:
    """`×4`, `÷2.1`, `+3.2%`; "" where there is nothing to be said."""
    ratio = change.ratio
    if ratio is None or ratio in (0, 1):
        return ""
    if abs(ratio - 1) < _NEARLY:
        return percents(ratio)
    return f"×{times(ratio)}" if ratio > 1 else f"÷{times(1 / ratio)}"


def percents(ratio: Fraction) -> str:
    """`+3.2%`: what a ratio that is near 1 adds."""
    return f"{'+' if ratio > 1 else '−'}{share_text(Fraction(_rounded(abs(ratio - 1))))}"


def comparative(ratio: Fraction) -> str:
    """`2.1 times less`, `3.2% more`, `4 times as much`: how a thing is to another."""
    if abs(ratio - 1) < _NEARLY or _HALF < ratio < 1:
        return f"{percents(ratio)[1:]} {'more' if ratio > 1 else 'less'}"
    return f"{times(ratio)} times as much" if ratio > 1 else f"{times(1 / ratio)} times less"


def times(ratio: Fraction) -> str:
    """How many times: `2.1`, `43`, `1200`."""
    if ratio >= _COUNTED_FROM:
        return count_text(round(ratio))
    return format(_rounded(ratio).normalize(), "f")


def _rounded(number: Fraction) -> Decimal:
    return _two_digits.divide(Decimal(number.numerator), Decimal(number.denominator))


def percent(share: Fraction) -> str:
    """A share without digits that nobody needs: `67%`, `under 1%`."""
    whole = round(share * 100)
    return "under 1%" if whole == 0 and share > 0 else f"{whole}%"


def capacity(memory: Amount) -> str:
    """Memory of a device: `80 GiB` where it is whole, else decimal."""
    for unit, name in _BINARY:
        if is_number(memory) and memory % unit == 0 and memory >= unit:
            return f"{memory // unit} {name}"
    return bytes_text(memory) if is_number(memory) else in_bytes(memory)

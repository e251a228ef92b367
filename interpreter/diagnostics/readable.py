"""Numbers as people read them: three significant digits and a decimal unit.

Numbers come in exact (integers and fractions of any size) and leave as short text: `7.9 GB`,
`1.2 ms`, `470M`, `5.2%`. Nothing overflows; a number over the largest unit is written as a power.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import TypeAlias

Number: TypeAlias = int | Fraction | float

_BYTES = ("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB", "RB", "QB")
_FLOPS = ("flop", "kflop", "Mflop", "Gflop", "Tflop", "Pflop", "Eflop", "Zflop", "Yflop")
_PARTS_OF_A_SECOND = ("s", "ms", "us", "ns")
_COUNTS = ("", "k", "M", "B", "T")
_EXACT_BELOW = 10_000  # a count of so few is read digit by digit

_exact = Context(prec=60, Emax=10**9, Emin=-(10**9))
_rounded = Context(prec=3, Emax=10**9, Emin=-(10**9))


def bytes_text(value: Number) -> str:
    """Bytes in decimal units: `7.9 GB`, `537 MB`, `0 B`."""
    return _with_unit(_decimal(value), _BYTES, " ")


def flops_text(value: Number) -> str:
    """Floating-point operations: `240 Gflop`."""
    return _with_unit(_decimal(value), _FLOPS, " ")


def count_text(value: Number) -> str:
    """How many: `470M`, `70.6B`; digit by digit below ten thousand."""
    number = _decimal(value)
    if abs(number) < _EXACT_BELOW:
        return digits(value)
    return _with_unit(number, _COUNTS, "")


def seconds_text(value: Number) -> str:
    """Seconds: `2.5 s`, `1.2 ms`, `8 us`."""
    number = _rounded.plus(_decimal(value))
    if not number:
        return "0 s"
    step = min(max(-(number.adjusted() // 3), 0), len(_PARTS_OF_A_SECOND) - 1)
    return f"{_plain(number.scaleb(3 * step, _exact))} {_PARTS_OF_A_SECOND[step]}"


def share_text(value: Number) -> str:
    """A share of one in percent: `5.2%`."""
    return f"{_plain(_rounded.plus(_decimal(value) * 100))}%"


def digits(value: Number) -> str:
    """A number in full where it is whole, else with three significant digits."""
    number = _decimal(value)
    whole = number.to_integral_value()
    return format(whole, "f") if number == whole else _plain(_rounded.plus(number))


def _with_unit(number: Decimal, units: tuple[str, ...], gap: str) -> str:
    rounded = _rounded.plus(number)
    step = max(rounded.adjusted() // 3, 0) if rounded else 0
    if step >= len(units):
        return f"{rounded.normalize(_rounded):e}{gap}{units[0]}"
    return f"{_plain(rounded.scaleb(-3 * step, _exact))}{gap}{units[step]}"


def _decimal(value: Number) -> Decimal:
    if isinstance(value, Fraction):
        return _exact.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Decimal(value)


def _plain(number: Decimal) -> str:
    return format(number.normalize(_exact), "f")

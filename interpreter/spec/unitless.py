"""Numbers without a unit: the one that was probably meant.

A number of few digits is in the unit in which figures of its kind are mostly given; one that would
be absurd there is in the base unit, written in a shorter way where that says exactly the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from parspec.interpreter.diagnostics.readable import Number, bytes_text, flops_text
from parspec.interpreter.spec.sizes import UNITS, Kind

_FEW = 10_000  # a bound or a setting of more is not in GB, Tflop or ms
_BASE: Mapping[Kind, str] = {
    "bytes": "B",
    "bytes/s": "B/s",
    "s": "s",
    "flop": "flop",
    "flop/s": "flop/s",
}
_SHORT: Mapping[Kind, Callable[[Number], str]] = {
    "bytes": bytes_text,
    "flop": flops_text,
}


def with_unit(text: str, number: Fraction, usual: str) -> str:
    """A written number with the unit that was meant, `usual` or the base unit of the same kind."""
    kind = UNITS[usual][0]
    if kind == "s":
        return f"{text} {usual if number >= 1 else 's'}"
    if number < _FEW:
        return f"{text} {usual}"
    if kind in _SHORT:
        short = _SHORT[kind](number)
        figure, _, unit = short.partition(" ")
        if unit in UNITS and Fraction(figure) * UNITS[unit][1] == number:
            return short
    return f"{text} {_BASE[kind]}"

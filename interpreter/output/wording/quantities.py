"""Amounts as people read them: a number with its unit, a formula where a size is symbolic, `-`
where nothing was computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from parspec.interpreter.diagnostics.readable import Number, bytes_text, count_text, seconds_text
from parspec.interpreter.theory.formulas import Amount, is_number, reader, total

UNKNOWN = "-"
SYMBOLIC = "symbolic"
_LONGEST_FORMULA = 20  # in a column of figures


def in_bytes(amount: Amount | None) -> str:
    """`7.9 GB`, `2·B·D B`."""
    return _read(amount, bytes_text, " B")


def figure_in_bytes(amount: Amount | None) -> str:
    """Bytes for a column of figures, where a long formula has no room."""
    text = in_bytes(amount)
    if amount is None or is_number(amount) or len(text) <= _LONGEST_FORMULA:
        return text
    return SYMBOLIC


def sized(name: str, size: Amount) -> str:
    """`B = 4096`, only the name where that is all that is known of the size."""
    text = reader(size)
    return name if text == name else f"{name} = {text}"


def how_many(amount: Amount | None) -> str:
    """`470M`, `B·D`."""
    return _read(amount, count_text, "")


def in_seconds(seconds: float | None) -> str:
    """`1.2 ms`."""
    return UNKNOWN if seconds is None else seconds_text(seconds)


def sum_of(amounts: Iterable[Amount | None]) -> Amount | None:
    """The sum; None where a part is not computed, or nothing is there to be summed."""
    parts = tuple(amounts)
    known = tuple(part for part in parts if part is not None)
    return total(known) if known and len(known) == len(parts) else None


def _read(amount: Amount | None, text: Callable[[Number], str], unit: str) -> str:
    if amount is None:
        return UNKNOWN
    if is_number(amount):
        return text(amount)
    formula = reader(amount)
    return f"({formula}){unit}" if unit and " " in formula else formula + unit

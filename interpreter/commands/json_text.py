"""JSON values and their text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from parspec.interpreter.diagnostics.findings import Datum
from parspec.interpreter.theory.formulas import Amount, Number, is_number

Json: TypeAlias = "str | int | float | Mapping[str, Json] | Sequence[Json] | None"

_WHOLE_BEYOND = 2**53  # a float has no fractions from here on


def json_text(value: Json) -> str:
    """The value, indented; names stay in their own letters, a lone surrogate is escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def datum(value: Datum) -> Json:
    """A finding's datum: a tuple is a list."""
    return [datum(item) for item in value] if isinstance(value, tuple) else value


def number(amount: Amount | None) -> int | float | None:
    """An amount as a number: exact where it is whole; None where it is symbolic or unknown."""
    return _number(amount) if is_number(amount) else None


def _number(amount: Number) -> int | float:
    fraction = amount.denominator != 1 and -_WHOLE_BEYOND < amount < _WHOLE_BEYOND
    return float(amount) if fraction else round(amount)

"""JSON values and their text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from parspec.interpreter.diagnostics.findings import Datum
from parspec.interpreter.theory.formulas import Amount, Number, Polynomial, is_number, plain

Json: TypeAlias = "str | int | float | Mapping[str, Json] | Sequence[Json] | None"

_WHOLE_BEYOND = 2**53  # a float has no fractions from here on


def json_text(value: Mapping[str, Json]) -> str:
    """The value with a record on each line; names stay in their own letters, a lone surrogate is
    escaped."""
    text = ",\n".join(f"  {_line(key)}: {_records(inner)}" for key, inner in value.items())
    return f"{{\n{text}\n}}\n".encode("utf-8", "backslashreplace").decode("utf-8")


def indented(value: Json) -> str:
    """The value as other tools print JSON, each field on a line of its own."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return f"{text}\n".encode("utf-8", "backslashreplace").decode("utf-8")


def _records(value: Json) -> str:
    """A list with an item on each line, an object with a field on each, all else on one."""
    match value:
        case [_, *_]:
            return "[\n    " + ",\n    ".join(map(_line, value)) + "\n  ]"
        case Mapping() if value:
            fields = (f"{_line(key)}: {_line(inner)}" for key, inner in value.items())
            return "{\n    " + ",\n    ".join(fields) + "\n  }"
    return _line(value)


def _line(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def datum(value: Datum) -> Json:
    """A finding's datum: a tuple is a list."""
    return [datum(item) for item in value] if isinstance(value, tuple) else value


def number(amount: Amount | None) -> int | float | None:
    """An amount as a number: exact where it is whole; None where it is symbolic or unknown."""
    return _number(amount) if is_number(amount) else None


def formula_text(amount: Amount | float | None) -> str | None:
    """The formula of what is symbolic, as an expression that a program can evaluate."""
    return plain(amount) if isinstance(amount, Polynomial) else None


def _number(amount: Number) -> int | float:
    fraction = amount.denominator != 1 and -_WHOLE_BEYOND < amount < _WHOLE_BEYOND
    return float(amount) if fraction else round(amount)

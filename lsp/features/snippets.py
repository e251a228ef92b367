"""Snippets: clauses and calls with places to fill in, for editors that take them."""

from __future__ import annotations

from collections.abc import Sequence

_PIPELINES = frozenset({"pp", "pipe", "pipeline", "stage"})


def clause(word: str, dims: Sequence[str], axes: Sequence[str]) -> str | None:
    """A clause on the likeliest of the dimensions and axes that it may have; where there are none
    their places stay empty. None for a clause of one word."""
    axis, dim = next(iter(axes), ""), next(iter(dims), "")
    match word:
        case "partition":
            return f"partition {place(1, dim)} on {place(2, axis)}"
        case "replicated" | "centralized" | "partial" | "store":
            return f"{word} on {place(1, axis)}"
        case "at":
            return f"at {place(1, staged(axes))}[${{2:0}}]"
    return None


def is_pipeline(axis: str) -> bool:
    """Whether an axis is called as that of a pipeline mostly is."""
    return axis.casefold() in _PIPELINES


def staged(axes: Sequence[str]) -> str:
    """The axis that is likeliest to have stages: by its name, else the first; "" without any."""
    return next(filter(is_pipeline, axes), next(iter(axes), ""))


def place(number: int, text: str) -> str:
    """A place to fill in, with a text to begin with or empty."""
    return f"${{{number}:{text}}}" if text else f"${number}"


PADDED = "padded to ${1:128}"
"""Padding of a dimension."""

CAPACITY = "capacity(tokens = ${1:B * S}, experts = ${2:E}, top = ${3:2}, factor = ${4:1.25})"
"""The size of an expert's share."""


def call(name: str, parameters: Sequence[str], *, over: str | None) -> str:
    """The call of a function with its parameters, along a dimension or not."""
    along = "" if over is None else f" over {place(1, over)} "
    given = enumerate(parameters, 1 if over is None else 2)
    return f"{name}{along}({', '.join(place(*each) for each in given)})"

"""Where something is written: the part of a text that a piece of syntax takes."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class Span(NamedTuple):
    """Half-open range of code points, relative to the chunk it stands in."""

    start: int
    end: int


@lru_cache(maxsize=2048)
def span_of(start: int, end: int) -> Span:
    """A span; equal ones are one value, as most statements are short and much alike."""
    return Span(start, end)

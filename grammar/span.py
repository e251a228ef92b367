"""Where something is written: the part of a text that a piece of syntax takes."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Half-open range of code points, relative to the chunk it stands in."""

    start: int
    end: int

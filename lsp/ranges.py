"""Ranges of texts: what features answer with instead of the protocol's lines and columns.

Offsets count code points from the start of a file's text.
"""

from __future__ import annotations

from typing import NamedTuple


class Range(NamedTuple):
    """A half-open range of one file's text."""

    start: int
    end: int


class Location(NamedTuple):
    """A range of a file, named as in the analysis."""

    file: str
    range: Range


class Edit(NamedTuple):
    """Put `text` in place of what stands at `location`."""

    location: Location
    text: str

"""Rails: the upright lines along which variables go from the row that makes them to those that read
them. Short ones run near the rows, long ones outside, none over another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from parspec.grammar.values import value

_MOST_LANES = 16  # what finds no lane within these is not drawn


@value
class Span:
    """A variable, shown as `label`, from height `top`, where it is made, to each of `ends`, in
    order, where it is read."""

    variable: str
    label: str
    top: float
    ends: tuple[float, ...]

    @property
    def bottom(self) -> float:
        """Where it is read for the last time."""
        return self.ends[-1]


class Rail(NamedTuple):
    """A span on a lane; lane 0 is next to the rows."""

    span: Span
    lane: int


def rails_of(spans: Sequence[Span]) -> tuple[Rail, ...]:
    """The spans on lanes, the shortest ones inside, from top to bottom."""
    lanes: list[list[Span]] = [[] for _ in range(_MOST_LANES)]
    found: list[Rail] = []
    for span in sorted(spans, key=lambda span: (span.bottom - span.top, span.top)):
        lane = next((lane for lane, taken in enumerate(lanes) if not _meets(span, taken)), None)
        if lane is not None:
            lanes[lane].append(span)
            found.append(Rail(span, lane))
    return tuple(sorted(found, key=lambda rail: (rail.span.top, rail.lane)))


def _meets(span: Span, taken: Sequence[Span]) -> bool:
    return any(span.top <= other.bottom and other.top <= span.bottom for other in taken)

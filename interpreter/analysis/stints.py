"""Stints: which devices compute a layer, and for how long the busiest one computes.

Layers that are computed at different nodes, as those of different pipeline stages are, keep
different devices busy: the time of a device is that of the layers that it computes, each in the
turns that it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.pipeline import Nodes, Pipeline
from parspec.interpreter.analysis.result import exact_sum, sum_known
from parspec.interpreter.analysis.seats import Seat, Seating
from parspec.interpreter.analysis.sections import Section
from parspec.interpreter.theory.formulas import is_number
from parspec.interpreter.theory.layouts import TURN


class Stint(NamedTuple):
    """A layer's computing: where; seconds in one turn of the stacks that the seat names, None where
    they are not known; seconds of all turns on the device that has most of them."""

    seat: Seat
    turn: Fraction | None
    time: float | None


def stint_of(placed: Placed, section: Section, turn: Fraction | None, time: float | None) -> Stint:
    """The stint of a layer that takes so long in one turn of all its stacks, and in all turns."""
    central, courses = dict(placed.sharding.placement.central), section.pipeline.courses
    turning = tuple(
        stack
        for stack in placed.stacks
        if stack in courses and all(central.get(axis) == (TURN,) for axis in courses[stack].axes)
    )
    others = section.busiest_turns(stack for stack in placed.stacks if stack not in turning)
    seat = Seat(tuple(central.items()), turning)
    if turn is None or not is_number(others):
        return Stint(seat, None, time)
    return Stint(seat, turn * others, time)


def summed(stints: Iterable[Stint]) -> tuple[Stint, ...]:
    """Few stints for each seat that take together exactly as long as these."""
    at: dict[Seat, list[Stint]] = {}
    for stint in stints:
        at.setdefault(stint.seat, []).append(stint)
    found = []
    for seat, here in at.items():
        turns = [stint.turn for stint in here if stint.turn is not None]
        turn = sum(turns, Fraction(0)) if len(turns) == len(here) else None
        first, *rest = exact_sum(stint.time for stint in here) or (0.0,)
        found.append(Stint(seat, turn, first))
        found += (Stint(seat, Fraction(0), time) for time in rest)
    return tuple(found)


def times_at(stints: Sequence[Stint], seating: Seating) -> tuple[tuple[int, float | None], ...]:
    """Seconds in which devices compute their layers, one after another, each device with its stage:
    one on every stage; without stages, one at each of the nodes that compute something."""
    if not any(stint.seat.nodes for stint in stints):
        spent_by_all = sum_known(stint.time for stint in stints)
        return tuple((stage, spent_by_all) for stage in range(len(seating.stages)))
    spent: dict[Seat, Fraction] = {}
    for seat, turn, _ in stints:
        if turn is None:
            return ((0, None),)
        spent[seat] = spent.get(seat, Fraction(0)) + turn
    return tuple(
        (stage, _spent_at(stage, where, spent, seating.pipeline))
        for stage, where in _positions(spent, seating)
    )


def _positions(seats: Iterable[Seat], seating: Seating) -> Iterable[tuple[int, Nodes]]:
    """Devices of which one is the busiest: one on each stage; without stages, one at each of the
    seats."""
    if seating.staged:
        return enumerate(seating.stages)
    places = ({axis: nodes[0] for axis, nodes in seat.nodes} for seat in seats)
    return [(0, where) for where in places]


def _spent_at(
    stage: int, where: Nodes, spent: Mapping[Seat, Fraction], pipeline: Pipeline
) -> float | None:
    """Seconds in which the device at a position computes; None where its turns are symbolic."""
    total = Fraction(0)
    for seat, seconds in spent.items():
        turns = seat.turns(stage, where, pipeline)
        if not is_number(turns):
            return None
        total += seconds * turns
    return float(total)

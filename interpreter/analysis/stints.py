"""Stints: which devices compute a layer, and for how long the busiest one computes.

Layers that are computed at different nodes, as those of different pipeline stages are, keep
different devices busy: the time of a device is that of the layers that it computes, each in the
turns that it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain, repeat
from typing import NamedTuple

from parspec.interpreter.analysis.flops import Task, Work
from parspec.interpreter.analysis.pipeline import Nodes, Pipeline
from parspec.interpreter.analysis.result import exact_sum, sum_known
from parspec.interpreter.analysis.seats import Seat, Seating
from parspec.interpreter.analysis.sections import Section
from parspec.interpreter.theory.formulas import finite, is_number
from parspec.interpreter.theory.layouts import TURN


class Stint(NamedTuple):
    """A layer's computing: where; seconds in one turn of the stacks that the seat names, None where
    they are not known; seconds of all turns on the device that has most of them."""

    seat: Seat
    turn: Fraction | None
    time: float | None


def seat_of(task: Task, pipeline: Pipeline) -> Seat:
    """Where a layer is computed that has to do this."""
    central, courses = dict(task.sharding.placement.central), pipeline.courses
    turning = tuple(
        stack
        for stack in task.stacks
        if stack in courses and all(central.get(axis) == (TURN,) for axis in courses[stack].axes)
    )
    return Seat(tuple(central.items()), turning)


def stint_of(task: Task, seat: Seat, section: Section, work: Work) -> Stint:
    """The stint of a layer that does this work there."""
    others = section.busiest_turns(stack for stack in task.stacks if stack not in seat.stacks)
    if work.turn is None or not is_number(others):
        return Stint(seat, None, work.time)
    return Stint(seat, work.turn if others == 1 else work.turn * others, work.time)


def summed(stints: Iterable[tuple[Stint, int]]) -> tuple[Stint, ...]:
    """Few stints for each seat that take together exactly as long as these, each so many times."""
    at: dict[Seat, list[tuple[Stint, int]]] = {}
    for stint, count in stints:
        at.setdefault(stint.seat, []).append((stint, count))
    found = []
    for seat, here in at.items():
        turns = [stint.turn * count for stint, count in here if stint.turn is not None]
        turn = sum(turns, Fraction(0)) if len(turns) == len(here) else None
        times = chain.from_iterable([repeat(stint.time, count) for stint, count in here])
        first, *rest = exact_sum(times) or (0.0,)
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
    return finite(total)

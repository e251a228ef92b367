"""Stints: which devices compute a layer, and for how long the busiest one computes.

A device is at one node of every axis. Layers that are computed at different nodes, as those of
different pipeline stages are, keep different devices busy: the time of a device is that of the
layers that it computes, each in the turns that it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.pipeline import Nodes, Pipeline
from parspec.interpreter.analysis.result import exact_sum, sum_known
from parspec.interpreter.analysis.sections import Section
from parspec.interpreter.theory.formulas import Amount, is_number, product
from parspec.interpreter.theory.layouts import TURN, Node


class Seat(NamedTuple):
    """Where a layer is computed: the nodes of each axis on which not all compute it, and the
    pipelined stacks of whose turns a device has those of its stage."""

    nodes: tuple[tuple[str, tuple[Node, ...]], ...]
    stacks: tuple[str, ...]

    def turns(self, stage: int, where: Nodes, pipeline: Pipeline) -> Amount:
        """In how many of the stacks' turns a device computes it that is at these nodes and, in
        the pipeline, on this stage; at nodes of axes that are not named it computes it."""
        if all(
            nodes == (TURN,) or where.get(axis) is None or where[axis] in nodes
            for axis, nodes in self.nodes
        ):
            courses = (pipeline.courses[stack] for stack in self.stacks)
            return product(
                course.on_stage(stage) if course.axes == pipeline.stage_axes else course.busiest
                for course in courses
            )
        return 0


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


def busiest_time(stints: Sequence[Stint], pipeline: Pipeline, grid: Grid) -> float | None:
    """Seconds in which the busiest device computes its layers, one after another."""
    if not any(stint.seat.nodes for stint in stints):
        return sum_known(stint.time for stint in stints)
    spent: dict[Seat, Fraction] = {}
    for seat, turn, _ in stints:
        if turn is None:
            return None
        spent[seat] = spent.get(seat, Fraction(0)) + turn
    each = [
        _spent_at(stage, where, spent, pipeline)
        for stage, where in _positions(spent, pipeline, grid)
    ]
    known = [seconds for seconds in each if seconds is not None]
    return float(max(known)) if len(known) == len(each) else None


def _positions(
    seats: Iterable[Seat], pipeline: Pipeline, grid: Grid
) -> Iterable[tuple[int, Nodes]]:
    """Devices of which one is the busiest: one on each stage; without a pipeline, one at each of
    the seats."""
    axes = pipeline.stage_axes
    size = grid.space.group(axes)
    if axes and isinstance(size, int):
        return [(stage, grid.nodes_at(axes, stage)) for stage in range(size)]
    places = ({axis: nodes[0] for axis, nodes in seat.nodes} for seat in seats)
    return [(0, where) for where in places]


def _spent_at(
    stage: int, where: Nodes, spent: Mapping[Seat, Fraction], pipeline: Pipeline
) -> Fraction | None:
    """Seconds in which the device at a position computes; None where its turns are symbolic."""
    total = Fraction(0)
    for seat, seconds in spent.items():
        turns = seat.turns(stage, where, pipeline)
        if not is_number(turns):
            return None
        total += seconds * turns
    return total

"""Seats: which devices take part in something, in computing, in a move or in holding a variable.

A device is at one node of every axis. The nodes of the pipeline's axes are its stages: what is told
of them stage by stage holds for every device of a stage. A plan without stages, or with a number of
them that is not known, is one stage.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from parspec.interpreter.analysis.grid import Pieces
from parspec.interpreter.analysis.pipeline import Nodes, Pipeline
from parspec.interpreter.analysis.result import ONE_STAGE, Shares
from parspec.interpreter.theory.formulas import Amount, divide, product
from parspec.interpreter.theory.layouts import TURN, Layout, Node


class Seat(NamedTuple):
    """Where something happens: the nodes of each axis on which not all take part, and the pipelined
    stacks of whose turns a device has those of its stage."""

    nodes: tuple[tuple[str, tuple[Node, ...]], ...]
    stacks: tuple[str, ...]

    def turns(self, stage: int, where: Nodes, pipeline: Pipeline) -> Amount:
        """In how many of the stacks' turns a device takes part that is at these nodes and, in the
        pipeline, on this stage; at nodes of axes that are not named it does."""
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


class Seen(NamedTuple):
    """A layout as the stages see it that have the variable: those stages, and the layout apart from
    which these are."""

    stages: frozenset[int]
    where: Layout


@dataclass(frozen=True, eq=False)
class Seating:
    """The stages of a plan, and who of them takes part in what; what is asked again is known."""

    pipeline: Pipeline
    pieces: Pieces
    _shares: dict[tuple[object, ...], Shares] = field(init=False, default_factory=dict)
    _seen: dict[tuple[object, ...], Seen] = field(init=False, default_factory=dict)

    @cached_property
    def stages(self) -> tuple[Nodes, ...]:
        """The nodes of each stage on the stage axes."""
        axes = self.pipeline.stage_axes
        size = product(self.pieces.sizes[axis] for axis in axes)
        if not axes or not isinstance(size, int):
            return ({},)
        return tuple(self.pieces.nodes_at(axes, stage) for stage in range(size))

    @cached_property
    def staged(self) -> bool:
        """Whether stages are told apart."""
        return self.stages != ({},)

    def shares(self, ends: tuple[Layout, ...], stacks: tuple[str, ...]) -> Shares:
        """Who takes part in the turns of some stacks where a variable lies in one layout, or goes
        from one to another."""
        if not self.staged:
            return ONE_STAGE
        key = (*(where.central for where in ends), stacks)
        found = self._shares.get(key)
        if found is None:
            found = self._shares[key] = tuple(self._shared(self._seat(ends, stacks)))
        return found

    def seen(self, where: Layout, stacks: tuple[str, ...]) -> Seen:
        """A layout of a variable of some stacks as the stages see it."""
        key = (where, stacks)
        found = self._seen.get(key)
        if found is None:
            stages = frozenset(stage for stage, _ in self.shares((where,), stacks))
            found = self._seen[key] = Seen(stages, self._apart(where))
        return found

    def _apart(self, where: Layout) -> Layout:
        """A layout apart from the stages that have the variable."""
        axes = self.pipeline.stage_axes if self.staged else ()
        central = tuple(one for one in where.central if one[0] not in axes)
        return Layout(where.cuts, where.partial, central, where.zigzag)

    def crossing(self, stack: str, left: Layout) -> Shares:
        """Who takes part where a pipelined stack's carry, left in a layout, goes from stage to
        stage."""
        course = self.pipeline.courses[stack]
        if not self.staged or course.axes != self.pipeline.stage_axes:
            return self.shares((left,), ())
        having = {stage for stage, layers in course.chunks if layers} or range(len(self.stages))
        return tuple((stage, 1) for stage in sorted(having)) if len(having) > 1 else ()

    def _seat(self, ends: tuple[Layout, ...], stacks: tuple[str, ...]) -> Seat:
        """The seat of what happens at both ends of a move."""
        axes, courses = self.pipeline.stage_axes, self.pipeline.courses
        nodes: dict[str, tuple[Node, ...]] = {}
        for axis in axes:
            each = [where.state(axis).nodes for where in ends]
            together = tuple(dict.fromkeys(node for one in each for node in one))
            if all(each) and (TURN not in together or together == (TURN,)):
                nodes[axis] = together
        turning = axes and all(nodes.get(axis) == (TURN,) for axis in axes)
        own = (s for s in stacks if turning and s in courses and courses[s].axes == axes)
        return Seat(tuple(nodes.items()), tuple(own))

    def _shared(self, seat: Seat) -> Iterable[tuple[int, Amount]]:
        busiest = product(self.pipeline.courses[stack].busiest for stack in seat.stacks)
        for stage, where in enumerate(self.stages):
            turns = seat.turns(stage, where, self.pipeline)
            if turns != 0:
                yield stage, divide(turns, busiest)

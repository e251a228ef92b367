"""Pipelines: which stage runs which layers.

`partition L on pp` deals a stack's layers out in n·v equal chunks, round and round the stages (v
chunks a stage in an interleaved schedule); `stages` says so explicitly. What stands before the
first stack runs on the first stage, what stands behind on the last, unless it is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.spec.model import Item, Layer, Model, Stack, Stages
from parspec.interpreter.theory.formulas import Amount, divide
from parspec.interpreter.theory.layouts import Node

Nodes: TypeAlias = Mapping[str, Node]  # axis to node


@dataclass(frozen=True)
class Course:
    """How one stack, along `dim`, runs over the stages of `axes`. chunks: (stage, layers) in the
    order of turns, () where a size is symbolic; crossings: how often its carry goes from a chunk to
    the next one's stage; ends: where its first and its last turn run."""

    dim: str
    axes: tuple[str, ...]
    chunks: tuple[tuple[int, int], ...]
    layers: Amount
    stages: Amount
    crossings: Amount
    ends: tuple[Nodes, Nodes]

    def on_stage(self, stage: int) -> Amount:
        """How many layers a stage has."""
        return self._held[stage] if self.chunks else divide(self.layers, self.stages)

    @cached_property
    def busiest(self) -> Amount:
        """The most layers that a stage has."""
        return max(self._held.values()) if self.chunks else divide(self.layers, self.stages)

    @cached_property
    def _held(self) -> Counter[int]:
        """Stage to its layers."""
        held: Counter[int] = Counter()
        for stage, count in self.chunks:
            held[stage] += count
        return held

    @property
    def approximate_crossings(self) -> Amount:
        """The crossings for many stages: n·v of n·v−1."""
        return self.crossings + 1


@value
class Pipeline:
    """The courses of stacks, and the stages of layers that `stages` places, by number and by node
    on each axis. `axes`: of all courses; `stage_axes`: those whose nodes are called stages."""

    courses: Mapping[str, Course]
    placed: Mapping[str, tuple[int, Nodes]]
    axes: tuple[str, ...]
    stage_axes: tuple[str, ...]

    def axes_of(self, stack: str) -> tuple[str, ...]:
        """The stage axes of a stack; () where it is not pipelined."""
        course = self.courses.get(stack)
        return () if course is None else course.axes


def pipeline_of(model: Model, grid: Grid, stacks: Sequence[Stack]) -> Pipeline:
    """The pipeline of a model that has these stacks."""
    courses: dict[str, Course] = {}
    placed: dict[str, tuple[int, Nodes]] = {}
    for stages in model.stages:
        if stages.axis in grid.covers:
            courses |= _explicit_courses(stages, grid, stacks)
            placed |= dict(_explicit_layers(model, stages, grid))
    for stack in stacks:
        axes = tuple(
            piece
            for said in stack.assignments
            if said.saying == "partition"
            for piece in grid.covers.get(said.axis, ())
        )
        if axes and stack.name not in courses:
            courses[stack.name] = _even_course(stack, axes, model, grid)
    axes_used = dict.fromkeys(axis for course in courses.values() for axis in course.axes)
    staged = next(_staged(model, courses, grid), ())
    return Pipeline(courses, placed, tuple(axes_used), staged)


def _staged(model: Model, courses: Mapping[str, Course], grid: Grid) -> Iterator[tuple[str, ...]]:
    """The axes on whose nodes layers are placed: along which a stack is pipelined, then those of
    `stages`, then those of `at`."""
    yield from (course.axes for course in courses.values())
    yield from (grid.covers[one.axis] for one in model.stages if one.axis in grid.covers)
    at = (axis for part in model.parts for axis in part.stage_axes)
    yield from (grid.covers[axis] for axis in at if axis in grid.covers)


def stacks_of(items: Iterable[Item]) -> tuple[Stack, ...]:
    """All stacks, outer ones first."""
    found: list[Stack] = []
    for item in items:
        if isinstance(item, Stack):
            found += (item, *stacks_of(item.items))
    return tuple(found)


def _even_course(stack: Stack, axes: tuple[str, ...], model: Model, grid: Grid) -> Course:
    """Equal chunks, dealt round; layers that do not divide go to the first chunks."""
    layers = grid.by_name[stack.dim].extent
    stages = grid.space.group(axes)
    first = dict.fromkeys(axes, 0)
    last = {axis: _last_node(axis, grid) for axis in axes}
    parts = stages * _chunks_a_stage(model)
    if not (isinstance(parts, int) and isinstance(layers, int) and isinstance(stages, int)):
        return Course(stack.dim, axes, (), layers, stages, parts - 1, (first, last))
    even, more = divmod(layers, parts)
    chunks = tuple((part % stages, even + (part < more)) for part in range(parts))
    return Course(stack.dim, axes, chunks, layers, stages, parts - 1, (first, last))


def _last_node(axis: str, grid: Grid) -> Node:
    size = grid.sizes[axis]
    return size - 1 if isinstance(size, int) else f"{axis}-1"


def _chunks_a_stage(model: Model) -> int:
    """v: the chunks that an interleaved schedule cuts a stage into, otherwise 1."""
    values = dict(model.settings.values) if model.settings is not None else {}
    chunks = values.get("chunks", 1)
    interleaved = values.get("schedule") == "interleaved"
    return chunks if interleaved and isinstance(chunks, int) else 1


def _explicit_courses(stages: Stages, grid: Grid, stacks: Sequence[Stack]) -> dict[str, Course]:
    axes = grid.covers[stages.axis]
    size = grid.space.group(axes)
    if not isinstance(size, int):
        return {}
    courses = {}
    for stack in stacks:
        held = [
            (place % size, count)
            for place, chunk in enumerate(stages.chunks)
            for name, count in chunk
            if name == stack.name and count
        ]
        if not held:
            continue
        runs = [stage for stage, _ in groupby(stage for stage, _ in held)]
        layers = grid.by_name[stack.dim].extent
        ends = (grid.nodes_at(axes, runs[0]), grid.nodes_at(axes, runs[-1]))
        courses[stack.name] = Course(
            stack.dim, axes, tuple(held), layers, size, len(runs) - 1, ends
        )
    return courses


def _explicit_layers(
    model: Model, stages: Stages, grid: Grid
) -> Iterator[tuple[str, tuple[int, Nodes]]]:
    """The stage of every layer outside stacks: as listed, else where the nearest listed item before
    it ends, else on the first."""
    axes = grid.covers[stages.axis]
    size = grid.space.group(axes)
    if not isinstance(size, int):
        return
    listed: dict[str, int] = {}
    for place, chunk in enumerate(stages.chunks):
        for name, _ in chunk:
            listed[name] = place % size
    here = 0
    for item in model.items:
        name = item.parent if isinstance(item, Layer) else item.name
        here = next((listed[n] for n in _prefixes(name) if n in listed), here)
        if isinstance(item, Layer):
            yield item.name, (here, grid.nodes_at(axes, here))


def _prefixes(name: str) -> tuple[str, ...]:
    """A dotted name and the groups that it belongs to, innermost first."""
    parts = name.split(".")
    return tuple(".".join(parts[:length]) for length in range(len(parts), 0, -1))


def holdings(model: Model, pipeline: Pipeline, stages: int) -> list[tuple[str, ...]]:
    """What each stage holds, in words: layers by name, stacks by their ranges of layers, those that
    other axes share out by name."""
    held: list[list[str]] = [[] for _ in range(stages)]
    here = 0
    for item in model.items:
        course = None if isinstance(item, Layer) else pipeline.courses.get(item.name)
        if course is None:
            stage = _stage_of(item, here, pipeline)
            for names in held if stage is None else [held[min(stage, stages - 1)]]:
                names.append(item.name)
            continue
        if course.axes != pipeline.stage_axes:
            everywhere = set(course.axes) & set(pipeline.stage_axes)
            for names in held if everywhere else held[here : here + 1]:
                names.append(item.name)
            continue
        first = 0
        for stage, count in course.chunks:
            if count:
                through = "" if count == 1 else f"-{first + count - 1}"
                held[stage].append(f"{item.name} {first}{through}")
            first += count
        here = stages - 1
    return [tuple(names) for names in held]


def _stage_of(item: Item, here: int, pipeline: Pipeline) -> int | None:
    """The stage of what is on one, `here` unless it says so; None where it is on all."""
    if isinstance(item, Layer) and item.stage is not None:
        return item.stage.index
    if item.name in pipeline.placed:
        return pipeline.placed[item.name][0]
    return here if pipeline.courses else None

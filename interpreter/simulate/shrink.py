"""Shrinking: the same plan at sizes that a process can hold.

Axes shrink to 2 or 3 nodes (to 4 or 5, or not, where a plan depends on their proportions), stacks
to 2 turns a stage, dimensions to the least sizes that keep what the plan depends on. The small plan
must communicate as the large one does, primitive for primitive; where no small sizes do, that is
said, and nothing is simulated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from parspec.grammar.values import value
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.moves import all_moves
from parspec.interpreter.analysis.pipeline import stacks_of
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.analysis.sections import Inferred, infer
from parspec.interpreter.simulate.sizes import Cutting, Sized, Wanted, smallest
from parspec.interpreter.simulate.slots import slot_dims
from parspec.interpreter.spec.model import (
    Dim,
    Link,
    Mesh,
    Model,
    Settings,
    Stack,
    Stages,
    layers_of,
)
from parspec.interpreter.theory.formulas import Amount
from parspec.interpreter.theory.layouts import FLAT, Layout
from parspec.interpreter.theory.redistribution import Step

MOST_DEVICES = 1024
MOST_CHUNKS = 2  # of an interleaved schedule
MOST_TURNS = 2  # of a chunk


@value
class Resized:
    """A dimension or an axis with its size before and after; the padded extent where it differs."""

    kind: str
    name: str
    before: Amount
    after: int
    padded: int | None = None


@value
class Small:
    """A model at small sizes, and how its sizes came about."""

    model: Model
    sizes: tuple[Resized, ...]


@value
class Refused:
    """Why a plan cannot be simulated, in a sentence."""

    reason: str


def shrunk(model: Model) -> Small | Refused:
    """A model without mistakes at small sizes."""
    inferred = infer(model)
    grid = inferred.grid
    if any(_redealt(step) for served in inferred.served for step in served.steps):
        return Refused(
            "slices dealt in zigzag are simulated in order, and this plan deals some anew"
        )
    wanted = _course(all_moves(inferred))
    why: Refused | None = None
    for ways in _meshes(model, grid):
        plan = _Plan(model, inferred, ways)
        for least, links in _attempts(model):
            small = plan.at(least)
            if isinstance(small, Small):
                small = replace(small, model=replace(small.model, links=links))
                reason = _kept(small.model, grid, wanted)
                if reason is None:
                    return small
                small = Refused(reason)
            why = why or small
    return why or Refused(
        f"its axes do not shrink to {MOST_DEVICES} devices, and more are not simulated"
    )


def _redealt(step: Step) -> bool:
    """Whether a step only deals slices otherwise."""
    return step.primitive == "Permute" and step.source.cuts == step.target.cuts


# -- attempts: least sizes first, then sizes in the order of the large ones ------------------------


def _attempts(model: Model) -> Iterator[tuple[Mapping[str, int], tuple[Link, ...]]]:
    """Least sizes of dimensions, and links: as they are, then without latencies, which bytes
    outweigh in large plans and never in small ones."""
    order = sorted({d.size for d in model.dims if isinstance(d.size, int)})
    rank = {size: place for place, size in enumerate(order)}
    ranks = {d.name: rank[d.size] for d in model.dims if isinstance(d.size, int)}
    rows: list[Mapping[str, int]] = [
        {},
        {name: 2 + place for name, place in ranks.items()},
        {name: min(2 ** (1 + place), 64) for name, place in ranks.items()},
    ]
    none = Fraction(0)
    free = tuple(replace(link, latency=none, start=none) for link in model.links)
    for row in rows:
        yield row, model.links
        if free:
            yield row, free


def _course(moves: Iterable[Move]) -> list[tuple[str, ...]]:
    """What a plan does, sizes left out."""
    return [
        (move.layer, move.tensor, move.primitive, ",".join(move.axes), move.statistic or "")
        for move in moves
        if move.primitive is not None and move.direction == "forward"
    ]


def _kept(small: Model, grid: Grid, wanted: list[tuple[str, ...]]) -> str | None:
    """Why a small model is not the same plan; None if it is."""
    inferred = infer(small)
    if inferred.grid.covers != grid.covers:
        return "shares of axes nest differently at small sizes"
    course = _course(all_moves(inferred))
    here, there = dict.fromkeys(course), dict.fromkeys(wanted)
    differs = next((move for move in wanted if move not in here), None)
    if differs is None:
        differs = next((move for move in course if move not in there), None)
    if differs is None:
        return None
    layer, tensor, primitive, axes, _ = differs
    place = f"in front of {layer}" if layer else "at the output"
    which = "the large plan only" if differs in there else "small plans only"
    return f"{primitive} of {tensor} on {axes} {place} is in {which}"


# -- sizes ---------------------------------------------------------------------------------------


def _meshes(model: Model, grid: Grid) -> Iterator[Mapping[str, int]]:
    """Numbers of nodes of each piece of an axis, small ones first: where the proportions of axes
    matter to a plan, larger ones keep it."""
    seen: list[Mapping[str, int]] = []
    for most in (2, 4, MOST_DEVICES):
        ways = _ways(model, grid, most)
        if prod(ways.values()) <= MOST_DEVICES and ways not in seen:
            seen.append(ways)
            yield ways


def _ways(model: Model, grid: Grid, most: int) -> dict[str, int]:
    """Nodes of each piece: as many as are allowed, one more for odd ones; named stages stay."""
    named = {stages.axis for stages in model.stages}
    named |= {layer.stage.axis for layer in layers_of(model.items) if layer.stage is not None}
    named |= {tensor.stage.axis for tensor in model.tensors if tensor.stage is not None}
    named |= {output.stage.axis for output in model.outputs if output.stage is not None}
    stay = {piece for axis in named for piece in grid.covers.get(axis, ())}
    return {
        piece: _nodes(size, MOST_DEVICES if piece in stay else most)
        for piece, size in grid.space.sizes.items()
    }


def _nodes(size: Amount, most: int) -> int:
    if not isinstance(size, int):
        return 2
    return min(size, most + size % 2)


@dataclass(frozen=True)
class _Plan:
    """A plan to be made small, with the numbers of nodes that its axes shall have."""

    model: Model
    inferred: Inferred
    ways: Mapping[str, int]

    @property
    def grid(self) -> Grid:
        """The grid of the large model."""
        return self.inferred.grid

    def at(self, least: Mapping[str, int]) -> Small | Refused:
        """The model with dimensions of at least these sizes."""
        stages = tuple(_few_turns(stages) for stages in self.model.stages)
        turns = self._turns(stages)
        sized: dict[str, Sized] = {name: Sized(n, n, 1) for name, n in turns.items()}
        floors = dict(least)
        for group in self._groups(set(turns)):
            self._raise_floors(group, sized, floors)
            wanted = Wanted(
                tuple(self.grid.by_name[name] for name in group),
                self._cuttings(),
                max(2, *(floors.get(name, 1) for name in group)),
            )
            found = smallest(wanted)
            if found is None:
                sizes = ", ".join(f"{dim.name} = {dim.size}" for dim in wanted.dims)
                return Refused(f"no small size divides as {sizes} does")
            sized |= found
        dims = tuple(self._resized(dim, sized) for dim in self.model.dims)
        mesh = self._mesh()
        model = replace(
            self.model,
            dims=dims,
            mesh=mesh,
            stages=stages,
            settings=_schedule(self.model.settings),
            expects=(),
            explicit=False,
        )
        return Small(model, (*self._axes(mesh), *self._dims(dims)))

    def _resized(self, dim: Dim, sized: Mapping[str, Sized]) -> Dim:
        parts = [sized[leaf] for leaf in dim.factors]
        unit = parts[0].unit if len(parts) == 1 else dim.unit
        size, extent = prod(p.size for p in parts), prod(p.extent for p in parts)
        return replace(dim, size=size, extent=extent, unit=unit)

    def _mesh(self) -> Mesh:
        mesh = self.model.mesh
        nodes = {n: prod(self.ways[p] for p in pieces) for n, pieces in self.grid.covers.items()}
        return replace(
            mesh,
            axes=tuple(replace(axis, size=nodes[axis.name]) for axis in mesh.axes),
            views=tuple(
                replace(
                    view,
                    size=nodes[view.name],
                    pieces=None
                    if view.pieces is None
                    else tuple((name, nodes[name]) for name, _ in view.pieces),
                )
                for view in mesh.views
            ),
            devices=None,
        )

    def _axes(self, mesh: Mesh) -> Iterator[Resized]:
        for before, after in zip(self.model.mesh.axes, mesh.axes, strict=True):
            assert isinstance(after.size, int)
            yield Resized("axis", before.name, before.size, after.size)

    def _dims(self, dims: tuple[Dim, ...]) -> Iterator[Resized]:
        for before, after in zip(self.model.dims, dims, strict=True):
            assert isinstance(after.size, int) and isinstance(after.extent, int)
            padded = after.extent if after.extent != after.size else None
            yield Resized("dim", before.name, before.size, after.size, padded)

    # -- what belongs together, and what cuts it

    def _groups(self, taken: set[str]) -> list[list[str]]:
        """Leaves that are read as one another, experts' slots and caches last."""
        leaves = dict.fromkeys(leaf for dim in self.model.dims for leaf in dim.factors)
        group_of = {leaf: [leaf] for leaf in leaves}
        for one, other in self._same():
            first, second = group_of[one], group_of[other]
            if first is not second:
                first += second
                group_of |= dict.fromkeys(second, first)
        groups = {id(group): group for group in group_of.values() if not set(group) & taken}
        late = self._slots() | {old for old, _ in self._appended()}
        return sorted(groups.values(), key=lambda group: not late.isdisjoint(group))

    def _same(self) -> Iterator[tuple[str, str]]:
        """Pairs of leaves that must be of one size."""
        tensors = {tensor.name: tensor for tensor in self.model.tensors}
        for dim in self.model.dims:
            if dim.positions != dim.name and len(dim.factors) == 1:
                yield dim.name, dim.positions
        for layer in layers_of(self.model.items):
            for operand in layer.operands:
                own = tensors[operand.tensor].leaves
                yield from (
                    (a, b) for a, b in zip(own, operand.leaves, strict=True) if b is not None
                )
            out = tensors[layer.out]
            if out.role != "cache":
                yield from zip(out.leaves, layer.operator.output, strict=True)
        for stack in stacks_of(self.model.items):
            carry = tensors[stack.carry].leaves
            yield from zip(carry, tensors[stack.entry].leaves, strict=True)
            yield from zip(carry, tensors[stack.last].leaves, strict=True)

    def _slots(self) -> set[str]:
        return {dim for layer in layers_of(self.model.items) for dim in slot_dims(layer)}

    def _appended(self) -> set[tuple[str, str]]:
        """A cache's dimensions, with those of what is appended to it."""
        caches = {t.name: t for t in self.model.tensors if t.role == "cache"}
        return {
            (old, new)
            for layer in layers_of(self.model.items)
            if layer.out in caches
            for old, new in zip(caches[layer.out].leaves, layer.operator.output, strict=True)
            if old != new
        }

    def _raise_floors(
        self, group: list[str], sized: Mapping[str, Sized], floors: dict[str, int]
    ) -> None:
        """A cache is longer than what is appended; every expert has room for every token."""
        for old, new in self._appended():
            if old in group and new in sized:
                floors[old] = max(floors.get(old, 1), sized[new].extent + 1)
        for layer in layers_of(self.model.items):
            for slot in slot_dims(layer):
                if slot in group:
                    kind, operator = layer.operator.kind, layer.operator
                    tokens = operator.inputs[0] if kind == "dispatch" else operator.output
                    block = [dim for dim in operator.inputs[1] if dim in tokens]
                    room = prod(self._filled_up(dim, sized[dim]) for dim in block)
                    floors[slot] = max(floors.get(slot, 1), room)

    def _filled_up(self, dim: str, sized: Sized) -> int:
        """The most elements that the slices of a dimension have together."""
        most = sized.extent
        for row in self._cuttings().get(dim, ()):
            left = -(-sized.extent // sized.unit)
            for nodes in row.after:
                left = -(-left // nodes)
            most = max(most, left * sized.unit * prod(row.after))
        return most

    def _cuttings(self) -> Mapping[str, frozenset[Cutting]]:
        """The rows of axes that cut each leaf, anywhere in the plan."""
        rows: dict[str, set[tuple[str, ...]]] = {}
        for where in self._layouts():
            for dim, axes in where.cuts:
                if dim != FLAT:
                    rows.setdefault(dim, set()).add(axes)
        return {dim: frozenset(map(self._cutting, found)) for dim, found in rows.items()}

    def _cutting(self, axes: tuple[str, ...]) -> Cutting:
        sizes = [self.grid.space.sizes[axis] for axis in axes]
        after = tuple(self.ways[axis] for axis in axes)
        before = tuple(
            size if isinstance(size, int) else small
            for size, small in zip(sizes, after, strict=True)
        )
        return Cutting(before, after, any(axis not in self._whole_axes() for axis in axes))

    def _whole_axes(self) -> set[str]:
        return {axis.name for axis in self.model.mesh.axes}

    def _layouts(self) -> Iterator[Layout]:
        for placed in self.inferred.layers:
            yield from placed.inputs
            yield placed.output
        yield from (use.origin for use in self.inferred.uses.values())
        for served in self.inferred.served:
            for step in served.steps:
                yield from (step.source, step.target)

    def _turns(self, stages: tuple[Stages, ...]) -> dict[str, int]:
        """Turns of each stack's dimension: 2 a chunk, one more where they do not come out even."""
        listed: dict[str, int] = {}
        for name, turns in (item for one in stages for chunk in one.chunks for item in chunk):
            listed[name] = listed.get(name, 0) + turns
        return {
            stack.dim: listed.get(stack.name, 0) or self._dealt(stack)
            for stack in stacks_of(self.model.items)
        }

    def _dealt(self, stack: Stack) -> int:
        """Turns of a stack that is dealt out in equal chunks, or not at all."""
        course = self.inferred.pipeline.courses.get(stack.name)
        layers = self.grid.by_name[stack.dim].extent
        before = after = 1
        if course is not None:
            before = max(len(course.chunks), 1)
            rounds = before // course.stages if isinstance(course.stages, int) else 1
            nodes = prod(self.ways[axis] for axis in course.axes)
            after = nodes * min(max(rounds, 1), MOST_CHUNKS)
        even, more = divmod(layers, before) if isinstance(layers, int) else (MOST_TURNS, 0)
        return min(even, MOST_TURNS) * after + (course is not None and more > 0)


def _few_turns(stages: Stages) -> Stages:
    """Chunks with as few layers as keep longer ones longer."""
    counts = sorted({count for chunk in stages.chunks for _, count in chunk if count})
    few = {count: 1 + place for place, count in enumerate(counts)} | {0: 0}
    if len(counts) == 1 and counts[0] > 1:
        few[counts[0]] = MOST_TURNS
    chunks = tuple(tuple((name, few[count]) for name, count in chunk) for chunk in stages.chunks)
    return replace(stages, chunks=chunks)


def _schedule(settings: Settings | None) -> Settings | None:
    """Of the settings only what deals layers to stages."""
    if settings is None:
        return None
    values = tuple(
        (key, min(value, MOST_CHUNKS) if key == "chunks" and isinstance(value, int) else value)
        for key, value in settings.values
        if key in ("schedule", "chunks")
    )
    return replace(settings, values=values)

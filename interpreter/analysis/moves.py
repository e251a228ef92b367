"""Moves: every primitive that the plan needs, with its price.

What serves a layer's operands, the statistics of functions along a cut dimension, the boundaries
between pipeline stages and what brings outputs to where they must lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from parspec.grammar.values import value
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.rest import at_rest
from parspec.interpreter.analysis.result import Cause, Move
from parspec.interpreter.analysis.seats import Seating
from parspec.interpreter.analysis.sections import Inferred, Section
from parspec.interpreter.analysis.serving import Served
from parspec.interpreter.analysis.sizes import dims_of, item_bytes
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.model import Output, Stack, Tensor
from parspec.interpreter.theory import primitives, timing
from parspec.interpreter.theory.formulas import Amount, Number, whole
from parspec.interpreter.theory.layouts import EVERYWHERE, Layout, layout
from parspec.interpreter.theory.redistribution import Step, price, redistribute

STATISTICS_BYTES = 4  # statistics are reduced in fp32


@value
class _Load:
    """What is moved: a variable, or a statistic of it, with its dimensions and the bytes of an
    element."""

    tensor: str
    dims: tuple[str, ...]
    item: Number
    statistic: str | None = None


@value
class _Occasion:
    """When it is moved: in front of a layer or stack ("" at an output), in how many turns, and in
    how many on the busiest stage; the stacks whose turns these are; why, and where that is
    written."""

    layer: str
    stacks: tuple[str, ...]
    turns: Amount
    busiest: Amount
    cause: Cause
    site: Site


@value
class _Bill:
    """What a step is and costs in all turns: see `Move`."""

    axes: tuple[str, ...]
    before: str
    after: str
    order: int
    group: Amount
    groups: Amount
    size: Amount
    traffic: tuple[tuple[str, Amount], ...]
    per_device: Amount
    time: float | None


def _load(tensor: Tensor, where: Layout) -> _Load:
    """A variable that lies in a layout, to be moved."""
    return _Load(tensor.name, dims_of(tensor, where), item_bytes(tensor))


def _priced(step: Step, load: _Load, occasion: _Occasion, seating: Seating) -> Move:
    """A step as a priced move."""
    bill = _bill(step, load.dims, load.item, occasion.turns, occasion.busiest, seating.grid)
    return Move(
        "forward",
        occasion.layer,
        load.tensor,
        bill.axes,
        bill.before,
        bill.after,
        step.primitive,
        bill.order,
        occasion.turns,
        bill.group,
        bill.groups,
        bill.size,
        bill.traffic,
        bill.per_device,
        bill.time,
        occasion.cause,
        load.statistic,
        occasion.site,
        seating.shares((step.source, step.target), occasion.stacks),
    )


@lru_cache(maxsize=16384)
def _bill(
    step: Step, dims: tuple[str, ...], item: Number, turns: Amount, busiest: Amount, grid: Grid
) -> _Bill:
    """The bill of a step that moves a variable with these dimensions, of `item` bytes an element,
    in so many turns."""
    found = price(step, dims, grid.space)
    size = whole(found.size * item)
    named = grid.shown(step.axes), _states(step.source, step.axes), _states(step.target, step.axes)
    if step.primitive is None:
        free = tuple((prices, 0) for prices in primitives.PRICE_LISTS)
        return _Bill(*named, 0, found.group, found.groups, size, free, 0, 0.0)
    primitive = primitives.PRIMITIVES[step.primitive]
    moving = size * found.share
    each = turns * found.groups
    traffic = tuple(
        (name, whole(each * primitives.traffic(primitive, name, moving, found.group)))
        for name in primitives.PRICE_LISTS
    )
    per_device = whole(busiest * primitives.per_device(primitive, size, found.group))
    in_mesh_order = sorted(step.axes, key=grid.rank.__getitem__)
    wires = [(grid.sizes[axis], grid.space.links.get(axis)) for axis in in_mesh_order]
    once = timing.seconds(primitive, size, wires)
    time = None if once is None or not isinstance(busiest, int) else once * busiest
    return _Bill(
        *named, primitive.order, found.group, found.groups, size, traffic, per_device, time
    )


def _states(where: Layout, axes: Iterable[str]) -> str:
    """The states on some axes as text; several are joined by a comma where they differ."""
    return ", ".join(dict.fromkeys(str(where.state(axis)) for axis in axes))


def all_moves(inferred: Inferred) -> tuple[Move, ...]:
    """Every move of one forward pass, in the order of the layers that they stand in front of."""
    inside = [moves_in(section) for section in inferred.sections]
    return (*chain.from_iterable(inside), *to_outputs(inferred))


def moves_in(section: Section) -> tuple[Move, ...]:
    """The moves in front of the layers of a part, in their order."""
    by_layer: dict[str, list[Served]] = {}
    for served in section.served:
        if served.steps:
            by_layer.setdefault(served.need.layer, []).append(served)
    ordered: list[Move] = []
    entered: set[str] = set()
    for placed in section.layers:
        for stack in placed.stacks:
            if stack not in entered:
                entered.add(stack)
                ordered += _brought(section, by_layer.get(stack, ()))
                ordered += _boundaries(section, section.outline.stacks[stack], placed.stacks)
        ordered += _brought(section, by_layer.get(placed.layer.name, ()))
        ordered += _statistics(section, placed)
    return tuple(ordered)


def _occasion(
    section: Section, layer: str, stacks: tuple[str, ...], cause: Cause, site: Site
) -> _Occasion:
    turns, busiest = section.turns(stacks), section.busiest_turns(stacks)
    return _Occasion(layer, stacks, turns, busiest, cause, site)


def _brought(section: Section, what: Iterable[Served]) -> Iterator[Move]:
    """What brings variables to a layer, or to a stack as its first carry."""
    for served in what:
        need = served.need
        cause: Cause = "carry" if need.operand < 0 else "operand"
        occasion = _occasion(section, need.layer, served.stacks, cause, section.site(need))
        tensor = section.tensors[need.tensor]
        for step in served.steps:
            yield _priced(step, _load(tensor, step.source), occasion, section.seating)


def _statistics(section: Section, placed: Placed) -> Iterator[Move]:
    """The reductions of a function along a cut dimension."""
    if not placed.statistics:
        return
    operand = placed.layer.operands[0]
    occasion = _occasion(section, placed.layer.name, placed.stacks, "statistic", operand.site)
    for statistic in placed.statistics:
        kept = placed.inputs[0].only(statistic.dims)
        addends = layout(
            dict(kept.cuts), dict.fromkeys(statistic.axes, statistic.kind), kept.central
        )
        step = Step("All-Reduce", statistic.axes, addends, kept)
        load = _Load(operand.tensor, statistic.dims, STATISTICS_BYTES, statistic.name)
        yield _priced(step, load, occasion, section.seating)


def _boundaries(section: Section, stack: Stack, stacks: tuple[str, ...]) -> Iterator[Move]:
    """The Sends between the stages of a pipelined stack, as one move; `stacks` are those that it
    lies in and itself."""
    course = section.pipeline.courses.get(stack.name)
    if course is None:
        return
    last = section.tensors[stack.last]
    outer = stacks[: stacks.index(stack.name)]
    made = [placed.made for placed in section.layers if placed.layer.out == last.name]
    left = made[-1] if made else EVERYWHERE
    step = Step("Send", course.axes, left, left)
    occasion = _occasion(section, stack.name, outer, "stage", stack.site)
    one = _priced(step, _load(last, left), occasion, section.seating)
    each = one.times * one.groups * one.size
    crossings = dict.fromkeys(primitives.PRICE_LISTS, course.crossings)
    crossings["approx"] = course.approximate_crossings
    yield replace(
        one,
        before="C(k)",
        after="C(k+1)",
        times=one.times * course.crossings,
        group=course.stages,
        traffic=tuple((prices, each * crossed) for prices, crossed in crossings.items()),
        stages=section.seating.crossing(stack.name, left),
    )


def output_layout(inferred: Inferred, output: Output) -> tuple[Layout, Layout]:
    """How an output is produced (or lies, if it comes from outside), and how it must lie."""
    tensor, produced = inferred.tensor(output.tensor), inferred.origin(output.tensor)
    wanted = at_rest(output.rest, output.stage, tensor.leaves, inferred.grid, produced)
    return produced, wanted


def to_outputs(inferred: Inferred) -> Iterator[Move]:
    """What brings outputs to where they must lie."""
    for output in inferred.model.outputs:
        produced, wanted = output_layout(inferred, output)
        tensor = inferred.tensor(output.tensor)
        yield from output_moves(inferred.seating, tensor, produced, wanted, output.site)


def output_moves(
    seating: Seating, tensor: Tensor, produced: Layout, wanted: Layout, site: Site
) -> Iterator[Move]:
    """What brings an output from one layout to another."""
    load = _load(tensor, produced)
    occasion = _Occasion("", (), 1, 1, "output", site)
    for step in redistribute(produced, wanted, load.dims, seating.grid.space, load.item):
        yield _priced(step, load, occasion, seating)

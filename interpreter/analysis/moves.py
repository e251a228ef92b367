"""Moves: every primitive that the plan needs, with its price.

What serves a layer's operands, the statistics of functions along a cut dimension, the boundaries
between pipeline stages and what brings outputs to where they must lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Inference, Placed
from parspec.interpreter.analysis.pipeline import stacks_of
from parspec.interpreter.analysis.rest import at_rest
from parspec.interpreter.analysis.result import Cause, Move
from parspec.interpreter.analysis.serving import Delivery, Served
from parspec.interpreter.analysis.sizes import dims_of, item_bytes
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.model import Model, Output, Stack, Tensor
from parspec.interpreter.theory import primitives, timing
from parspec.interpreter.theory.formulas import Amount, whole
from parspec.interpreter.theory.layouts import EVERYWHERE, Layout, layout
from parspec.interpreter.theory.redistribution import Price, Step, price, redistribute

STATISTICS_BYTES = Fraction(4)  # statistics are reduced in fp32


@dataclass(frozen=True)
class Pricing:
    """What all prices of one model need, looked up once."""

    model: Model
    grid: Grid
    inference: Inference

    @cached_property
    def tensors(self) -> Mapping[str, Tensor]:
        """Variables by name."""
        return {tensor.name: tensor for tensor in self.model.tensors}

    @cached_property
    def stacks(self) -> Mapping[str, Stack]:
        """Stacks by name."""
        return {stack.name: stack for stack in stacks_of(self.model.items)}

    def turns(self, stacks: Iterable[str]) -> Amount:
        """How often the body of nested stacks runs in a step."""
        turns: Amount = 1
        for name in stacks:
            turns *= self.grid.by_name[self.stacks[name].dim].extent
        return turns

    def busiest_turns(self, stacks: Iterable[str]) -> Amount:
        """How often it runs on the stage that runs it most."""
        turns: Amount = 1
        for name in stacks:
            course = self.inference.pipeline.courses.get(name)
            turns *= self.turns([name]) if course is None else course.busiest
        return turns


@dataclass(frozen=True, slots=True)
class _Load:
    """What is moved: a variable, or a statistic of it, with its dimensions and the bytes of an
    element."""

    tensor: str
    dims: tuple[str, ...]
    item: Fraction
    statistic: str | None = None


@dataclass(frozen=True, slots=True)
class _Occasion:
    """When it is moved: in front of a layer or stack ("" at an output), in every turn of `stacks`;
    why, and where that is written."""

    layer: str
    stacks: tuple[str, ...]
    cause: Cause
    site: Site


@dataclass(frozen=True, slots=True)
class _Bill:
    """What a primitive costs in all turns: see `Move`."""

    order: int
    traffic: tuple[tuple[str, Amount], ...]
    per_device: Amount
    time: float | None


FREE = _Bill(0, tuple((prices, 0) for prices in primitives.PRICE_LISTS), 0, 0.0)


def _load(tensor: Tensor, where: Layout) -> _Load:
    """A variable that lies in a layout, to be moved."""
    return _Load(tensor.name, dims_of(tensor, where), item_bytes(tensor))


def _priced(step: Step, load: _Load, occasion: _Occasion, pricing: Pricing) -> Move:
    """A step as a priced move."""
    found = price(step, load.dims, pricing.grid.space)
    size = whole(found.size * load.item)
    bill = _bill(step, found, size, occasion.stacks, pricing)
    return Move(
        direction="forward",
        layer=occasion.layer,
        tensor=load.tensor,
        axes=pricing.grid.shown(step.axes),
        before=_states(step.source, step.axes),
        after=_states(step.target, step.axes),
        primitive=step.primitive,
        order=bill.order,
        times=pricing.turns(occasion.stacks),
        group=found.group,
        groups=found.groups,
        size=size,
        traffic=bill.traffic,
        per_device=bill.per_device,
        time=bill.time,
        cause=occasion.cause,
        statistic=load.statistic,
        site=occasion.site,
    )


def _bill(
    step: Step, found: Price, size: Amount, stacks: tuple[str, ...], pricing: Pricing
) -> _Bill:
    """What a step costs that moves a variable of `size` bytes (M) in every turn of `stacks`."""
    if step.primitive is None:
        return FREE
    primitive = primitives.PRIMITIVES[step.primitive]
    moving = size * found.share
    each = pricing.turns(stacks) * found.groups
    traffic = tuple(
        (name, whole(each * primitives.traffic(primitive, name, moving, found.group)))
        for name in primitives.PRICE_LISTS
    )
    busiest = pricing.busiest_turns(stacks)
    per_device = whole(busiest * primitives.per_device(primitive, size, found.group))
    space = pricing.grid.space
    in_mesh_order = sorted(step.axes, key=space.rank.__getitem__)
    wires = [(space.sizes[axis], space.links.get(axis)) for axis in in_mesh_order]
    once = timing.seconds(primitive, size, wires)
    time = None if once is None or not isinstance(busiest, int) else once * busiest
    return _Bill(primitive.order, traffic, per_device, time)


def _states(where: Layout, axes: Iterable[str]) -> str:
    """The states on some axes as text; several are joined by a comma where they differ."""
    return ", ".join(dict.fromkeys(str(where.state(axis)) for axis in axes))


def all_moves(
    model: Model, grid: Grid, inference: Inference, delivery: Delivery
) -> tuple[Move, ...]:
    """Every move of one forward pass, in the order of the layers that they stand in front of."""
    pricing = Pricing(model, grid, inference)
    placed_of = {placed.layer.name: placed for placed in inference.layers}
    maker_of = {placed.layer.out: placed for placed in inference.layers}
    by_layer: dict[str, list[Move]] = {}
    for served in delivery.served:
        moves = by_layer.setdefault(served.need.layer, [])
        moves += _operand_moves(pricing, served, placed_of)
    ordered: list[Move] = []
    entered: set[str] = set()
    for placed in inference.layers:
        for stack in placed.stacks:
            if stack not in entered:
                entered.add(stack)
                ordered += by_layer.get(stack, [])
                ordered += _boundaries(pricing, pricing.stacks[stack], placed.stacks, maker_of)
        ordered += by_layer.get(placed.layer.name, [])
        ordered += _statistics(pricing, placed)
    for output in model.outputs:
        tensor = pricing.tensors[output.tensor]
        produced, wanted = output_layout(pricing, delivery.origins, output)
        ordered += output_moves(pricing, tensor, produced, wanted, output.site)
    return tuple(ordered)


def _operand_moves(
    pricing: Pricing, served: Served, placed_of: Mapping[str, Placed]
) -> Iterator[Move]:
    """What brings a variable to a layer, or to a stack as its first carry."""
    need = served.need
    tensor = pricing.tensors[need.tensor]
    if need.operand < 0:
        cause: Cause = "carry"
        site = pricing.stacks[need.layer].site
    else:
        cause = "operand"
        site = placed_of[need.layer].layer.operands[need.operand].site
    occasion = _Occasion(need.layer, served.stacks, cause, site)
    for step in served.steps:
        yield _priced(step, _load(tensor, step.source), occasion, pricing)


def _statistics(pricing: Pricing, placed: Placed) -> Iterator[Move]:
    """The reductions of a function along a cut dimension."""
    operand = placed.layer.operands[0]
    occasion = _Occasion(placed.layer.name, placed.stacks, "statistic", operand.site)
    for statistic in placed.statistics:
        kept = placed.inputs[0].only(statistic.dims)
        addends = layout(
            dict(kept.cuts), dict.fromkeys(statistic.axes, statistic.kind), kept.central
        )
        step = Step("All-Reduce", statistic.axes, addends, kept)
        load = _Load(operand.tensor, statistic.dims, STATISTICS_BYTES, statistic.name)
        yield _priced(step, load, occasion, pricing)


def _boundaries(
    pricing: Pricing, stack: Stack, stacks: tuple[str, ...], maker_of: Mapping[str, Placed]
) -> Iterator[Move]:
    """The Sends between the stages of a pipelined stack, as one move; `stacks` are those that it
    lies in and itself."""
    course = pricing.inference.pipeline.courses.get(stack.name)
    if course is None:
        return
    last = pricing.tensors[stack.last]
    outer = stacks[: stacks.index(stack.name)]
    left = maker_of[last.name].made if last.name in maker_of else EVERYWHERE
    step = Step("Send", course.axes, left, left)
    occasion = _Occasion(stack.name, outer, "stage", stack.site)
    one = _priced(step, _load(last, left), occasion, pricing)
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
    )


def output_layout(
    pricing: Pricing, origins: Mapping[str, Layout], output: Output
) -> tuple[Layout, Layout]:
    """How an output is produced (or lies, if it comes from outside), and how it must lie."""
    tensor = pricing.tensors[output.tensor]
    produced = origins[tensor.name]
    wanted = at_rest(output.rest, output.stage, tensor.leaves, pricing.grid, produced)
    return produced, wanted


def output_moves(
    pricing: Pricing, tensor: Tensor, produced: Layout, wanted: Layout, site: Site
) -> Iterator[Move]:
    """What brings an output from one layout to another."""
    load = _load(tensor, produced)
    occasion = _Occasion("", (), "output", site)
    for step in redistribute(produced, wanted, load.dims, pricing.grid.space, load.item):
        yield _priced(step, load, occasion, pricing)

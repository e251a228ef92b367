"""Moves: every primitive that the plan needs, with its price.

What serves a layer's operands, the statistics of functions along a cut dimension, the boundaries
between pipeline stages and what brings outputs to where they must lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Inference, Placed
from parspec.interpreter.analysis.pipeline import stacks_of
from parspec.interpreter.analysis.rest import at_rest
from parspec.interpreter.analysis.result import Cause, Move
from parspec.interpreter.analysis.serving import Delivery
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.model import Model, Output, Stack, Tensor
from parspec.interpreter.spec.settings import DTYPES
from parspec.interpreter.theory import primitives, timing
from parspec.interpreter.theory.formulas import Amount
from parspec.interpreter.theory.layouts import EVERYWHERE, FLAT, Layout, layout
from parspec.interpreter.theory.redistribution import Step, price, redistribute

STATISTICS_BYTES = 4  # statistics are reduced in fp32


class Pricing:
    """Turns steps into priced moves: what all prices of one model need, looked up once."""

    def __init__(self, model: Model, grid: Grid, inference: Inference) -> None:
        """Everything is read from the model, its grid and its inference."""
        self.grid = grid
        self.inference = inference
        self.tensors: Mapping[str, Tensor] = {tensor.name: tensor for tensor in model.tensors}
        self.stacks: Mapping[str, Stack] = {s.name: s for s in stacks_of(model.items)}

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

    def move(
        self,
        step: Step,
        tensor: Tensor,
        dims: tuple[str, ...],
        item_bytes: Fraction,
        stacks: tuple[str, ...],
        layer: str,
        cause: Cause,
        site: Site,
        statistic: str | None = None,
    ) -> Move:
        """A step as a priced move."""
        space = self.grid.space
        priced = price(step, dims, space)
        size = whole(priced.size * item_bytes)
        times, busiest = self.turns(stacks), self.busiest_turns(stacks)
        before, after = _states(step, tensor, self.inference)
        if step.primitive is None:
            traffic: tuple[tuple[str, Amount], ...] = tuple((p, 0) for p in primitives.PRICE_LISTS)
            per_device: Amount = 0
            time: float | None = 0.0
            order = 0
        else:
            primitive = primitives.PRIMITIVES[step.primitive]
            order = primitive.order
            moving = size * priced.share
            each = times * priced.groups
            traffic = tuple(
                (name, whole(each * primitives.traffic(primitive, name, moving, priced.group)))
                for name in primitives.PRICE_LISTS
            )
            per_device = whole(busiest * primitives.per_device(primitive, size, priced.group))
            wires = [(space.sizes[axis], space.links.get(axis)) for axis in self._mesh_order(step)]
            once = timing.seconds(primitive, size, wires)
            time = None if once is None or not isinstance(busiest, int) else once * busiest
        return Move(
            "forward",
            layer,
            tensor.name,
            self.grid.shown(step.axes),
            before,
            after,
            step.primitive,
            order,
            times,
            priced.group,
            priced.groups,
            size,
            traffic,
            per_device,
            time,
            cause,
            statistic,
            site,
        )

    def _mesh_order(self, step: Step) -> list[str]:
        return sorted(step.axes, key=self.grid.space.rank.__getitem__)


def whole(amount: Amount) -> Amount:
    """A fraction without a denominator as an integer."""
    if isinstance(amount, Fraction) and amount.denominator == 1:
        return amount.numerator
    return amount


def _states(step: Step, tensor: Tensor, inference: Inference) -> tuple[str, str]:
    """The states before and after on the axes that move, as text; several are joined by a comma
    where they differ."""
    before = dict.fromkeys(str(step.source.state(axis)) for axis in step.axes)
    after = dict.fromkeys(str(step.target.state(axis)) for axis in step.axes)
    return ", ".join(before), ", ".join(after)


def all_moves(
    model: Model, grid: Grid, inference: Inference, delivery: Delivery
) -> tuple[Move, ...]:
    """Every move of one forward pass, in the order of the layers that they stand in front of."""
    pricing = Pricing(model, grid, inference)
    by_layer: dict[str, list[Move]] = {}
    for move in _operand_moves(pricing, delivery):
        by_layer.setdefault(move.layer, []).append(move)
    ordered: list[Move] = []
    entered: set[str] = set()
    for placed in inference.layers:
        for stack in placed.stacks:
            if stack not in entered:
                entered.add(stack)
                ordered += by_layer.get(stack, [])
                ordered += _boundaries(pricing, stack, placed.stacks)
        ordered += by_layer.get(placed.layer.name, [])
        ordered += _statistics(pricing, placed)
    for output in model.outputs:
        ordered += _output_moves(pricing, delivery, output)
    return tuple(ordered)


def _operand_moves(pricing: Pricing, delivery: Delivery) -> Iterator[Move]:
    sites = {
        (placed.layer.name, place): operand.site
        for placed in pricing.inference.layers
        for place, operand in enumerate(placed.layer.operands)
    }
    for served in delivery.served:
        need = served.need
        tensor = pricing.tensors[need.tensor]
        carried = need.operand < 0
        site = (
            pricing.stacks[need.layer].site
            if carried
            else sites.get((need.layer, need.operand), tensor.site)
        )
        for step in served.steps:
            dims = (*tensor.leaves, FLAT) if step.source.axes(FLAT) else tensor.leaves
            yield pricing.move(
                step,
                tensor,
                dims,
                DTYPES[tensor.dtype],
                served.stacks,
                need.layer,
                "carry" if carried else "operand",
                site,
            )


def _statistics(pricing: Pricing, placed: Placed) -> Iterator[Move]:
    """The reductions of a function along a cut dimension."""
    if not placed.statistics:
        return
    operand = placed.layer.operands[0]
    tensor = pricing.tensors[operand.tensor]
    where = placed.inputs[0]
    for statistic in placed.statistics:
        kept = where.only(statistic.dims)
        partial = dict.fromkeys(statistic.axes, statistic.kind)
        step = Step(
            "All-Reduce",
            statistic.axes,
            layout(dict(kept.cuts), partial, kept.central),
            kept,
        )
        yield pricing.move(
            step,
            tensor,
            statistic.dims,
            Fraction(STATISTICS_BYTES),
            placed.stacks,
            placed.layer.name,
            "statistic",
            operand.site,
            statistic.name,
        )


def _boundaries(pricing: Pricing, name: str, stacks: tuple[str, ...]) -> Iterator[Move]:
    """The Sends between the stages of a pipelined stack."""
    stack = pricing.stacks[name]
    course = pricing.inference.pipeline.courses.get(name)
    if course is None:
        return
    carry = pricing.tensors[stack.carry]
    last = pricing.tensors[stack.last]
    outer = stacks[: stacks.index(name)]
    back = dict(zip(last.leaves, carry.leaves, strict=True))
    left = _turn_layout(pricing, last.name).renamed(back)
    step = Step("Send", course.axes, left, left)
    one = pricing.move(
        step, last, carry.leaves, DTYPES[last.dtype], outer, name, "stage", stack.site
    )
    each = pricing.turns(outer) * one.groups * one.size
    traffic = tuple(
        (prices, each * (course.approximate_crossings if prices == "approx" else course.crossings))
        for prices in primitives.PRICE_LISTS
    )
    times = pricing.turns(outer) * course.crossings
    yield Move(
        one.direction,
        one.layer,
        one.tensor,
        one.axes,
        "C(k)",
        "C(k+1)",
        "Send",
        one.order,
        times,
        course.stages,
        one.groups,
        one.size,
        traffic,
        one.per_device,
        one.time,
        "stage",
        None,
        stack.site,
    )


def _turn_layout(pricing: Pricing, tensor: str) -> Layout:
    """How one turn of a stack leaves a variable."""
    return next(
        (
            placed.output.renamed(
                dict(
                    zip(
                        placed.layer.operator.output,
                        pricing.tensors[tensor].leaves,
                        strict=True,
                    )
                )
            )
            for placed in pricing.inference.layers
            if placed.layer.out == tensor
        ),
        EVERYWHERE,
    )


def output_layout(pricing: Pricing, delivery: Delivery, output: Output) -> tuple[Layout, Layout]:
    """How an output is produced (or lies, if it comes from outside), and how it must lie."""
    tensor = pricing.tensors[output.tensor]
    produced = delivery.origins[tensor.name]
    wanted = at_rest(output.rest, output.stage, tensor.leaves, pricing.grid, produced)
    return produced, wanted


def _output_moves(pricing: Pricing, delivery: Delivery, output: Output) -> Iterator[Move]:
    tensor = pricing.tensors[output.tensor]
    produced, wanted = output_layout(pricing, delivery, output)
    dims = (*tensor.leaves, FLAT) if produced.axes(FLAT) else tensor.leaves
    for step in redistribute(produced, wanted, dims, pricing.grid.space, DTYPES[tensor.dtype]):
        yield pricing.move(
            step,
            tensor,
            dims,
            DTYPES[tensor.dtype],
            (),
            "",
            "output",
            output.site,
        )

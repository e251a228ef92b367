"""Moves: every primitive that the plan needs, with its price.

What serves a layer's operands, the statistics of functions along a cut dimension, the boundaries
between pipeline stages and what brings outputs to where they must lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from parspec.grammar.values import value
from parspec.interpreter.analysis.alike import Alike, alike
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.rest import at_rest
from parspec.interpreter.analysis.result import Cause, Move, Shares
from parspec.interpreter.analysis.seats import Seating
from parspec.interpreter.analysis.sections import Inferred, Routed, Section
from parspec.interpreter.analysis.serving import Served
from parspec.interpreter.analysis.sizes import dims_of, item_bytes
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.model import Output, Stack, Tensor
from parspec.interpreter.theory import primitives, timing
from parspec.interpreter.theory.formulas import Amount, Number, whole
from parspec.interpreter.theory.layouts import EVERYWHERE, Layout, layout
from parspec.interpreter.theory.redistribution import Step, price, redistribute

STATISTICS_BYTES = 4  # statistics are reduced in fp32


class Transfer(NamedTuple):
    """What a move's bill depends on, sizes apart: a step of a variable with these dimensions, of
    `item` bytes an element, in the turns of some stacks; `boundaries`: the pipelined stack from
    stage to stage of which it is taken."""

    step: Step
    dims: tuple[str, ...]
    item: Number
    stacks: tuple[str, ...]
    boundaries: str | None = None


class _Occasion(NamedTuple):
    """When a step is taken: in front of a layer or stack ("" at an output), for a variable or for a
    statistic of it; why, and where that is written."""

    layer: str
    tensor: str
    cause: Cause
    statistic: str | None
    site: Site


class Transfers(NamedTuple):
    """The steps in front of the layers of a part: when each is taken, and of which kind it is."""

    occasions: tuple[_Occasion, ...]
    kinds: Alike[Transfer]


@value
class Bill:
    """What a step is and costs in all turns: see `Move`."""

    primitive: str | None
    axes: tuple[str, ...]
    before: str
    after: str
    order: int
    times: Amount
    group: Amount
    groups: Amount
    size: Amount
    traffic: tuple[tuple[str, Amount], ...]
    per_device: Amount
    time: float | None
    stages: Shares


def _transfer(step: Step, tensor: Tensor, stacks: tuple[str, ...]) -> Transfer:
    """The transfer of a step of a variable that lies where it starts."""
    return Transfer(step, dims_of(tensor, step.source), item_bytes(tensor), stacks)


def _move(occasion: _Occasion, bill: Bill) -> Move:
    """A step that is taken, with its bill."""
    return Move(
        "forward",
        occasion.layer,
        occasion.tensor,
        bill.axes,
        bill.before,
        bill.after,
        bill.primitive,
        bill.order,
        bill.times,
        bill.group,
        bill.groups,
        bill.size,
        bill.traffic,
        bill.per_device,
        bill.time,
        occasion.cause,
        occasion.statistic,
        occasion.site,
        bill.stages,
    )


@lru_cache(maxsize=512)
def _bill(transfer: Transfer, turns: Amount, busiest: Amount, shares: Shares, grid: Grid) -> Bill:
    """The bill of a transfer in so many turns; `shares`: of the stages that take part."""
    step, item = transfer.step, transfer.item
    found = price(step, transfer.dims, grid.space)
    size = whole(found.size * item)
    named = grid.shown(step.axes), _states(step.source, step.axes), _states(step.target, step.axes)
    if step.primitive is None:
        free = tuple((prices, 0) for prices in primitives.PRICE_LISTS)
        return Bill(None, *named, 0, turns, found.group, found.groups, size, free, 0, 0.0, shares)
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
    return Bill(
        step.primitive,
        *named,
        primitive.order,
        turns,
        found.group,
        found.groups,
        size,
        traffic,
        per_device,
        time,
        shares,
    )


def bills_of(transfers: Transfers, section: Section) -> tuple[Bill, ...]:
    """The bill of each different transfer of a part."""
    return tuple([_bill_in(transfer, section) for transfer in transfers.kinds.different])


def _bill_in(transfer: Transfer, section: Section) -> Bill:
    seating, step = section.routed.seating, transfer.step
    shares = seating.shares((step.source, step.target), transfer.stacks)
    turns, busiest = section.turns(transfer.stacks), section.busiest_turns(transfer.stacks)
    bill = _bill(transfer, turns, busiest, shares, section.grid)
    if transfer.boundaries is None:
        return bill
    return _at_boundaries(bill, transfer.boundaries, step.source, seating)


def _at_boundaries(bill: Bill, stack: str, left: Layout, seating: Seating) -> Bill:
    """The bill of all Sends between the stages of a pipelined stack, from that of one; `left`: how
    a turn leaves the carry."""
    course = seating.pipeline.courses[stack]
    each = bill.times * bill.groups * bill.size
    crossings = dict.fromkeys(primitives.PRICE_LISTS, course.crossings)
    crossings["approx"] = course.approximate_crossings
    return replace(
        bill,
        before="C(k)",
        after="C(k+1)",
        times=bill.times * course.crossings,
        group=course.stages,
        traffic=tuple((prices, each * crossed) for prices, crossed in crossings.items()),
        stages=seating.crossing(stack, left),
    )


def moves_of(transfers: Transfers, bills: Sequence[Bill]) -> tuple[Move, ...]:
    """The moves in front of the layers of a part; `bills`: of its different transfers."""
    return tuple(map(_move, transfers.occasions, transfers.kinds.each(bills)))


def _states(where: Layout, axes: Iterable[str]) -> str:
    """The states on some axes as text; several are joined by a comma where they differ."""
    return ", ".join(dict.fromkeys(str(where.state(axis)) for axis in axes))


def all_moves(inferred: Inferred) -> tuple[Move, ...]:
    """Every move of one forward pass, in the order of the layers that they stand in front of."""
    found: list[Move] = []
    for section in inferred.sections:
        transfers = transfers_in(section.routed)
        found += moves_of(transfers, bills_of(transfers, section))
    return (*found, *to_outputs(inferred))


def transfers_in(routed: Routed) -> Transfers:
    """The steps in front of the layers of a part, in their order."""
    found = tuple(_transfers(routed))
    return Transfers(
        tuple([occasion for occasion, _ in found]), alike([transfer for _, transfer in found])
    )


def _transfers(routed: Routed) -> Iterator[tuple[_Occasion, Transfer]]:
    by_layer: dict[str, list[Served]] = {}
    for served in routed.served:
        if served.steps:
            by_layer.setdefault(served.need.layer, []).append(served)
    entered: set[str] = set()
    for placed in routed.layers:
        for stack in placed.stacks:
            if stack not in entered:
                entered.add(stack)
                yield from _brought(routed, by_layer.get(stack, ()))
                yield from _boundaries(routed, routed.outline.stacks[stack], placed.stacks)
        yield from _brought(routed, by_layer.get(placed.layer.name, ()))
        yield from _statistics(placed)


def _brought(routed: Routed, what: Iterable[Served]) -> Iterator[tuple[_Occasion, Transfer]]:
    """What brings variables to a layer, or to a stack as its first carry."""
    for served in what:
        need, tensor = served.need, routed.tensors[served.need.tensor]
        cause: Cause = "carry" if need.operand < 0 else "operand"
        occasion = _Occasion(need.layer, tensor.name, cause, None, routed.site(need))
        for step in served.steps:
            yield occasion, _transfer(step, tensor, served.stacks)


def _statistics(placed: Placed) -> Iterator[tuple[_Occasion, Transfer]]:
    """The reductions of a function along a cut dimension."""
    if not placed.statistics:
        return
    operand, name = placed.layer.operands[0], placed.layer.name
    for statistic in placed.statistics:
        kept = placed.inputs[0].only(statistic.dims)
        addends = layout(
            dict(kept.cuts), dict.fromkeys(statistic.axes, statistic.kind), kept.central
        )
        step = Step("All-Reduce", statistic.axes, addends, kept)
        occasion = _Occasion(name, operand.tensor, "statistic", statistic.name, operand.site)
        yield occasion, Transfer(step, statistic.dims, STATISTICS_BYTES, placed.stacks)


def _boundaries(
    routed: Routed, stack: Stack, stacks: tuple[str, ...]
) -> Iterator[tuple[_Occasion, Transfer]]:
    """The Sends between the stages of a pipelined stack, as one; `stacks` are those that it lies in
    and itself."""
    course = routed.pipeline.courses.get(stack.name)
    if course is None:
        return
    last = routed.tensors[stack.last]
    outer = stacks[: stacks.index(stack.name)]
    made = [placed.made for placed in routed.layers if placed.layer.out == last.name]
    left = made[-1] if made else EVERYWHERE
    step = Step("Send", course.axes, left, left)
    occasion = _Occasion(stack.name, last.name, "stage", None, stack.site)
    yield occasion, _transfer(step, last, outer)._replace(boundaries=stack.name)


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
        yield from output_moves(inferred, tensor, produced, wanted, output.site)


def output_moves(
    inferred: Inferred, tensor: Tensor, produced: Layout, wanted: Layout, site: Site
) -> Iterator[Move]:
    """What brings an output from one layout to another."""
    grid, seating = inferred.grid, inferred.seating
    dims, item = dims_of(tensor, produced), item_bytes(tensor)
    occasion = _Occasion("", tensor.name, "output", None, site)
    for step in redistribute(produced, wanted, dims, grid.space, item):
        shares = seating.shares((step.source, step.target), ())
        yield _move(occasion, _bill(Transfer(step, dims, item, ()), 1, 1, shares, grid))

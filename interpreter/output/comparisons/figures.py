"""The figures of plans side by side: traffic by pass, axis, link and primitive, memory, time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from parspec.grammar.values import value
from parspec.interpreter.analysis.grid import build_grid
from parspec.interpreter.analysis.loads import sent_by_busiest, time_of_busiest
from parspec.interpreter.analysis.result import Analysis, Move
from parspec.interpreter.output.comparisons.values import Figure, Quantity, Unit, Variant, Wanted
from parspec.interpreter.output.wording.facts import at_work, memory_kinds
from parspec.interpreter.output.wording.quantities import sum_of
from parspec.interpreter.theory.formulas import Amount, is_number

TRAFFIC, BY_AXIS, BY_LINK = "traffic", "traffic by axis", "traffic by link"
BY_PRIMITIVE, PER_DEVICE = "traffic by primitive", "traffic per device"
MEMORY, TIME, BY_AXIS_TIME = "memory per device", "time", "communication by axis"
RATE, SIZE = "throughput", "size"
IN_ALL, TOTAL = "in all", "total"
STEP, BUSY, DEVICE_TIME = "step", "busy", "device time"
NO_LINK = "no link"


def figures(variants: Sequence[Variant]) -> tuple[Figure, ...]:
    """All figures that at least one variant has and that are not 0 in all of them."""
    made = (figure for group in _GROUPS for figure in _rows(group, variants))
    return tuple(figure for figure in made if any(figure.values))


def on_axes(analysis: Analysis) -> Mapping[tuple[str, ...], tuple[Move, ...]]:
    """The moves at work by the axes that they are fused over, in the order of the mesh."""
    found: dict[tuple[str, ...], tuple[Move, ...]] = {}
    for move in at_work(analysis.moves):
        axes = analysis.model.mesh.in_order(move.axes)
        found[axes] = (*found.get(axes, ()), move)
    return found


def links_of(analysis: Analysis) -> Mapping[tuple[str, ...], str]:
    """The links that the moves on some axes run over, `ib + nvlink` for several."""
    grid = build_grid(analysis.model)
    found: dict[tuple[str, ...], str] = {}
    for axes in on_axes(analysis):
        pieces = [piece for axis in axes for piece in grid.covers.get(axis, (axis,))]
        wires = [grid.space.links.get(piece) for piece in pieces]
        names = dict.fromkeys(NO_LINK if wire is None else wire.link for wire in wires)
        found[axes] = " + ".join(names)
    return found


@value
class _Group:
    """Figures of one kind: `table` gives those of a variant by name; what it lacks is 0 there."""

    name: str
    unit: Unit
    wanted: Wanted
    table: Callable[[Variant], Mapping[str, Quantity]]


def _rows(group: _Group, variants: Sequence[Variant]) -> Iterator[Figure]:
    tables = [group.table(variant) for variant in variants]
    for name in dict.fromkeys(name for table in tables for name in table):
        values = tuple(table.get(name, 0) for table in tables)
        yield Figure(group.name, name, group.unit, group.wanted, values)


def _passes(variant: Variant) -> dict[str, Quantity]:
    passes: dict[str, Quantity] = {**dict(variant.analysis.totals.traffic)}
    if not variant.analysis.model.trains:
        return {"forward": passes["forward"]}
    return {IN_ALL: sum_of(amount for _, amount in variant.analysis.totals.traffic), **passes}


def _by_axis(variant: Variant) -> dict[str, Quantity]:
    return dict(variant.analysis.totals.by_axis)


def _by_link(variant: Variant) -> dict[str, Quantity]:
    analysis = variant.analysis
    links, cost = links_of(analysis), analysis.model.cost
    sums: dict[str, Amount] = {}
    for move in at_work(analysis.moves):
        link = links[analysis.model.mesh.in_order(move.axes)]
        sums[link] = sums.get(link, 0) + dict(move.traffic)[cost]
    return dict(sums)


def _by_primitive(variant: Variant) -> dict[str, Quantity]:
    return dict(variant.analysis.totals.by_primitive)


def _per_device(variant: Variant) -> dict[str, Quantity]:
    moved = {
        ",".join(axes): sent_by_busiest(moves) for axes, moves in on_axes(variant.analysis).items()
    }
    return {IN_ALL: sent_by_busiest(at_work(variant.analysis.moves)), **moved}


def _memory(variant: Variant) -> dict[str, Quantity]:
    memory = variant.analysis.totals.memory
    return {TOTAL: memory.total, **memory_kinds(memory)}


def _times(variant: Variant) -> dict[str, Quantity]:
    """Of the busiest device: `BUSY` is computing and communicating one after the other, without
    bubbles; `DEVICE_TIME` a step times the devices."""
    totals = variant.analysis.totals
    step = totals.step_time
    devices = variant.devices
    return {
        "compute": totals.compute_time,
        "communication": totals.communication_time,
        BUSY: totals.busy_time,
        "bubble": totals.bubble_time,
        STEP: totals.step_time,
        DEVICE_TIME: float(devices) * step if is_number(devices) and step is not None else None,
    }


def _axis_times(variant: Variant) -> dict[str, Quantity]:
    return {
        ",".join(axes): time_of_busiest(moves) for axes, moves in on_axes(variant.analysis).items()
    }


def _rates(variant: Variant) -> dict[str, Quantity]:
    return {"tokens": variant.analysis.totals.tokens_per_second}


def _shares(variant: Variant) -> dict[str, Quantity]:
    return {"of peak FLOPs": variant.analysis.totals.mfu}


def _sizes(variant: Variant) -> dict[str, Quantity]:
    return {"devices": variant.devices, "parameters": variant.analysis.totals.parameters}


_GROUPS = (
    _Group(SIZE, "count", None, _sizes),
    _Group(TIME, "seconds", "less", _times),
    _Group(BY_AXIS_TIME, "seconds", "less", _axis_times),
    _Group(RATE, "per second", "more", _rates),
    _Group(RATE, "share", "more", _shares),
    _Group(MEMORY, "bytes", "less", _memory),
    _Group(PER_DEVICE, "bytes", "less", _per_device),
    _Group(TRAFFIC, "bytes", "less", _passes),
    _Group(BY_AXIS, "bytes", "less", _by_axis),
    _Group(BY_LINK, "bytes", "less", _by_link),
    _Group(BY_PRIMITIVE, "bytes", "less", _by_primitive),
)

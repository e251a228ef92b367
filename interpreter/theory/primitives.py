"""Communication primitives: what takes a variable from one state to another, and what it costs.

The article's model: a state changes in one step through C, or in two (a primitive of the second
order is logically two of the first). Prices follow from that: the composed price is the sum over
the parts, the approximation is its leading term for N >> 1; only what a ring puts on the wire is
stated for itself where it is less than the parts'. Traffic is summed over the system, for a
variable of size M (bytes or elements) on a group of N nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from math import isfinite
from operator import add
from typing import Literal, TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.theory.formulas import Amount, Number, is_number
from parspec.interpreter.theory.layouts import State
from parspec.interpreter.theory.templates import Template, Term

PriceList: TypeAlias = Literal["composed", "approx", "ring"]
PRICE_LISTS: tuple[PriceList, ...] = ("composed", "approx", "ring")


@value
class Prices:
    """The traffic in the system: `composed` of the parts, `approx` for N >> 1, and `ring`, what
    bandwidth-optimal collectives put on the wire."""

    composed: Template
    approx: Template
    ring: Template

    def of(self, price_list: PriceList) -> Template:
        """The price in one list."""
        match price_list:
            case "composed":
                return self.composed
            case "approx":
                return self.approx
            case "ring":
                return self.ring


@value
class Primitive:
    """A communication primitive.

    order: the article's (1 for Send and Permute); parts: the primitives that it is logically made
    of, itself for a first-order one; transpose: what goes the way back in the backward pass, None
    where that is free; per_device: the most that any device sends or receives in a ring; steps:
    how often a ring pays its latency.
    """

    name: str
    order: int
    parts: tuple[str, ...]
    transpose: str | None
    traffic: Prices
    per_device: Template
    steps: Template


ALL = Template((Term(size=1),))  # M
SLICE = Template((Term(nodes=-1, size=1),))  # M/N, one node's slice
OTHER_SLICES = Template((Term(others=1, nodes=-1, size=1),))  # (N−1)/N·M
OTHER_COPIES = Template((Term(others=1, size=1),))  # (N−1)·M
SLICE_BUT_OWN = Template((Term(others=1, nodes=-2, size=1),))  # a slice without the part that stays
ONE_STEP = Template((Term(),))
ROUND = Template((Term(others=1),))  # N−1 steps


def _sum(templates: Iterable[Template]) -> Template:
    return reduce(add, templates)


def _first_order(
    name: str, transpose: str, traffic: Template, per_device: Template, steps: Template = ROUND
) -> Primitive:
    prices = Prices(traffic, traffic.leading(), traffic)
    return Primitive(name, 1, (name,), transpose, prices, per_device, steps)


def _second_order(
    name: str, parts: tuple[Primitive, ...], transpose: str, ring: Template, per_device: Template
) -> Primitive:
    composed = _sum(part.traffic.composed for part in parts)
    return Primitive(
        name,
        sum(part.order for part in parts),
        tuple(part.name for part in parts),
        transpose,
        Prices(composed, composed.leading(), ring),
        per_device,
        ROUND,
    )


def _one_after_another(name: str, parts: tuple[Primitive, ...]) -> Primitive:
    """Parts that really run one after another, each at its own price; the way back is free."""
    composed = _sum(part.traffic.composed for part in parts)
    return Primitive(
        name,
        sum(part.order for part in parts),
        tuple(part.name for part in parts),
        None,
        Prices(composed, composed.leading(), _sum(part.traffic.ring for part in parts)),
        _sum(part.per_device for part in parts),
        _sum(part.steps for part in parts),
    )


GATHER = _first_order("Gather", "Scatter", OTHER_SLICES, OTHER_SLICES)
SCATTER = _first_order("Scatter", "Gather", OTHER_SLICES, OTHER_SLICES)
BROADCAST = _first_order("Broadcast", "Reduce", OTHER_COPIES, ALL)
REDUCE = _first_order("Reduce", "Broadcast", OTHER_COPIES, ALL)
ALL_GATHER = _second_order(
    "All-Gather", (GATHER, BROADCAST), "Reduce-Scatter", OTHER_COPIES, OTHER_SLICES
)
REDUCE_SCATTER = _second_order(
    "Reduce-Scatter", (REDUCE, SCATTER), "All-Gather", OTHER_COPIES, OTHER_SLICES
)
ALL_REDUCE = _one_after_another("All-Reduce", (REDUCE_SCATTER, ALL_GATHER))
ALL_TO_ALL = _second_order(
    "All-to-All", (GATHER, SCATTER), "All-to-All", OTHER_SLICES, SLICE_BUT_OWN
)
SEND = _first_order("Send", "Send", ALL, ALL, ONE_STEP)
# A Permute's M for `traffic` is the size times the share of slices that move.
PERMUTE = _first_order("Permute", "Permute", ALL, SLICE)

PRIMITIVES: Mapping[str, Primitive] = {
    primitive.name: primitive
    for primitive in (
        GATHER,
        SCATTER,
        BROADCAST,
        REDUCE,
        ALL_GATHER,
        REDUCE_SCATTER,
        ALL_REDUCE,
        ALL_TO_ALL,
        SEND,
        PERMUTE,
    )
}

# Source and target state; what is not listed moves nothing (copies are dropped, a slice is taken,
# the other addends are zeros). Transitions within one letter are `between`'s.
TRANSITIONS: Mapping[tuple[str, str], Primitive] = {
    ("P", "R"): ALL_GATHER,
    ("P", "C"): GATHER,
    ("partial", "P"): REDUCE_SCATTER,
    ("partial", "R"): ALL_REDUCE,
    ("partial", "C"): REDUCE,
    ("C", "P"): SCATTER,
    ("C", "R"): BROADCAST,
}


def between(source: State, target: State) -> Primitive | None:
    """The primitive that takes a variable from one state to another on one axis; None where
    nothing moves.

    Raises ValueError from a partial to a partial of another kind, which nothing turns it into.
    """
    match source.letter, target.letter:
        case "P", "P":
            return None if source.dim == target.dim else ALL_TO_ALL
        case "C", "C":
            return None if set(target.nodes) <= set(source.nodes) else SEND
        case "partial", "partial" if source.kind != target.kind:
            raise ValueError(f"{source} is not turned into {target}")
    return TRANSITIONS.get((source.letter, target.letter))


def traffic(primitive: Primitive, price_list: PriceList, size: Amount, nodes: Amount) -> Amount:
    """What a primitive moves in the system, in the unit of `size`; 0 in a group of one."""
    return 0 if nodes == 1 else primitive.traffic.of(price_list).value(nodes, size)


def per_device(primitive: Primitive, size: Amount, nodes: Amount) -> Amount:
    """The most that any device sends or receives in a ring, in the unit of `size`; 0 in a group
    of one."""
    return 0 if nodes == 1 else primitive.per_device.value(nodes, size)


def steps(primitive: Primitive, nodes: Amount) -> Amount:
    """How often a ring pays its latency; 0 in a group of one."""
    return 0 if nodes == 1 else primitive.steps.value(nodes)


def seconds(
    primitive: Primitive,
    per_device_bytes: Amount,
    group: Amount,
    bandwidth: Number,
    latency: Number,
    start: Number,
    efficiency: Number,
) -> float | None:
    """start + latency·steps + bytes/(bandwidth·efficiency), in seconds; 0 in a group of one, None
    for what is beyond all floats.

    bandwidth: bytes/s in one direction; latency and start: s; efficiency: 0..1. Raises TypeError
    where an amount is symbolic.
    """
    if group == 1:
        return 0.0
    waits, moved = steps(primitive, group), per_device_bytes
    if not (is_number(waits) and is_number(moved)):
        raise TypeError(f"{moved} is not a number of bytes")
    speed = float(bandwidth) * float(efficiency)
    try:
        spent = float(start) + float(latency) * float(waits) + float(moved) / speed
    except (OverflowError, ZeroDivisionError):
        return None
    return spent if isfinite(spent) else None

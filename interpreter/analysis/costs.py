"""Costs: what the layers of one part move and compute, priced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from parspec.interpreter.analysis.flops import Speed, Work, work_of
from parspec.interpreter.analysis.liveness import fused_inside
from parspec.interpreter.analysis.loads import Busy, busy_in
from parspec.interpreter.analysis.moves import moves_in
from parspec.interpreter.analysis.result import Move, exact_sum
from parspec.interpreter.analysis.sections import Section
from parspec.interpreter.analysis.stints import Stint, stint_of, summed
from parspec.interpreter.theory.formulas import Amount, total
from parspec.interpreter.theory.primitives import PRICE_LISTS

Traffic: TypeAlias = Mapping[str, Mapping[tuple[str, str], Amount]]
"""Bytes by price list, then by axes and primitive."""


@dataclass(frozen=True, eq=False)
class Costs:
    """The moves in front of a part's layers, the work of each layer, in how many turns it is
    done and by which devices; `inside`: the variables inside fused groups."""

    moves: tuple[Move, ...]
    works: tuple[Work, ...]
    turns: tuple[Amount, ...]
    stints: tuple[Stint, ...]
    inside: frozenset[str]

    @cached_property
    def at_work(self) -> tuple[Move, ...]:
        """The moves that have a primitive."""
        return tuple(move for move in self.moves if move.primitive is not None)

    @cached_property
    def layer_time(self) -> tuple[float | None, ...]:
        """Seconds of all layers, as figures with that sum."""
        return exact_sum(work.time for work in self.works)

    @cached_property
    def computing(self) -> tuple[Stint, ...]:
        """The stints of all layers, summed up."""
        return summed(self.stints)

    @cached_property
    def move_time(self) -> tuple[float | None, ...]:
        """Seconds of all moves at work, as figures with that sum."""
        return exact_sum(move.time for move in self.at_work)

    @cached_property
    def busy(self) -> Busy:
        """How long devices are busy with the moves at work."""
        return busy_in(self.at_work)

    @cached_property
    def flops(self) -> Amount:
        """FLOPs of all layers on a device, in all turns."""
        return total(work.flops * turns for work, turns in zip(self.works, self.turns, strict=True))

    @cached_property
    def executed(self) -> Amount:
        """FLOPs of all layers in the whole system, in all turns."""
        pairs = zip(self.works, self.turns, strict=True)
        return total(work.executed * turns for work, turns in pairs)

    @cached_property
    def sent(self) -> Amount:
        """Bytes that devices send in all moves, one of each stage."""
        return total(move.per_device for move in self.at_work)

    @cached_property
    def traffic(self) -> Traffic:
        """Bytes in the system."""
        return traffic_of(self.at_work)


def costs_of(section: Section, speed: Speed | None) -> Costs:
    """The costs of a part on devices of this speed."""
    inside = fused_inside(section)
    works = tuple([work_of(placed, section, speed, inside) for placed in section.layers])
    return Costs(
        moves_in(section),
        works,
        tuple(section.turns(placed.stacks) for placed in section.layers),
        tuple(
            stint_of(placed, section, work.turn, work.time)
            for placed, work in zip(section.layers, works, strict=True)
        ),
        inside,
    )


def traffic_of(moves: Iterable[Move]) -> Traffic:
    """Bytes in the system of moves at work."""
    found: dict[str, dict[tuple[str, str], Amount]] = {prices: {} for prices in PRICE_LISTS}
    for move in moves:
        key = ",".join(move.axes), move.primitive or ""
        for prices, amount in move.traffic:
            found[prices][key] = found[prices].get(key, 0) + amount
    return found

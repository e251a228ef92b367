"""Loads: what some moves have one device send, and for how long it is busy with them.

A device takes part in the moves of its own pipeline stage. Moves of different stages keep different
devices busy, so that their figures do not add up: the busiest device is on the stage where they
come to most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Protocol, TypeAlias

from parspec.interpreter.analysis.result import Move, Shares, exact_sum, sum_known
from parspec.interpreter.theory.formulas import Amount, numeric, whole

Sent: TypeAlias = Mapping[int, Amount]
"""Bytes that a device sends, by stage."""
Busy: TypeAlias = Mapping[int, tuple[float | None, ...]]
"""Seconds that a device is busy, by stage, as figures with that sum; None is not computed."""


class Timed(Protocol):
    """What keeps devices of some stages busy: see `Move`."""

    @property
    def time(self) -> float | None:
        """Seconds on the busiest device."""
        ...

    @property
    def stages(self) -> Shares:
        """The stages that take part."""
        ...


def sent_in(moves: Iterable[Move]) -> Sent:
    """What devices send in some moves."""
    found: dict[int, Amount] = {}
    for move in moves:
        for stage, share in move.stages:
            found[stage] = found.get(stage, 0) + move.per_device * share
    return found


def sent_together(parts: Iterable[Sent]) -> Sent:
    """What devices send in several parts of a plan."""
    found: dict[int, Amount] = {}
    for part in parts:
        for stage, amount in part.items():
            found[stage] = found.get(stage, 0) + amount
    return found


def busiest_stage(sent: Sent) -> int:
    """The stage whose devices send most, the first of several; symbolic sizes are compared at a
    fixed point."""
    return max(sent, key=lambda stage: numeric(sent[stage]), default=0)


def most_sent(sent: Sent) -> Amount:
    """Bytes that the busiest device sends."""
    return whole(sent.get(busiest_stage(sent), 0))


def sent_by_busiest(moves: Iterable[Move]) -> Amount:
    """Bytes that the busiest device sends in some moves."""
    return most_sent(sent_in(moves))


def busy_in(moves: Iterable[Timed]) -> Busy:
    """How long devices are busy with some moves."""
    each: dict[int, list[float | None]] = {}
    for move in moves:
        for stage, share in move.stages:
            time = move.time if move.time is None or share == 1 else move.time * numeric(share)
            each.setdefault(stage, []).append(None if time is None else float(time))
    return {stage: exact_sum(times) for stage, times in each.items()}


def busy_together(parts: Iterable[Busy]) -> Busy:
    """How long devices are busy with several parts of a plan."""
    each: dict[int, list[tuple[float | None, ...]]] = {}
    for part in parts:
        for stage, times in part.items():
            each.setdefault(stage, []).append(times)
    return {stage: tuple(chain.from_iterable(times)) for stage, times in each.items()}


def longest(busy: Busy, computing: Iterable[tuple[int, float | None]] = ()) -> float | None:
    """Seconds that the busiest device is busy, and computes besides: each as long as `computing`
    says, by stage. None where that of a device is not computed."""
    each = [sum_known((time, *busy.get(stage, ()))) for stage, time in computing]
    each += map(sum_known, busy.values())
    known = [time for time in each if time is not None]
    return max(known, default=0.0) if len(known) == len(each) else None


def time_of_busiest(moves: Iterable[Move]) -> float | None:
    """Seconds that the busiest device is busy with some moves."""
    return longest(busy_in(moves))

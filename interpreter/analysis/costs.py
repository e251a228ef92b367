"""Costs: what the layers of one part move and compute, priced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import NamedTuple, TypeAlias

from parspec.interpreter.analysis.alike import Alike
from parspec.interpreter.analysis.flops import Speed, Task, Work, tasks_in, work_of
from parspec.interpreter.analysis.liveness import fused_inside
from parspec.interpreter.analysis.loads import Busy, busy_in
from parspec.interpreter.analysis.moves import Bill, Transfers, bills_of, moves_of, transfers_in
from parspec.interpreter.analysis.result import Move, exact_sum
from parspec.interpreter.analysis.seats import Seat
from parspec.interpreter.analysis.sections import Routed, Section
from parspec.interpreter.analysis.stints import Stint, seat_of, stint_of, summed
from parspec.interpreter.theory.formulas import Amount, total

Traffic: TypeAlias = Mapping[tuple[str, str], Mapping[str, Amount]]
"""Bytes by axes and primitive, then by price list."""


class Workload(NamedTuple):
    """What the layers of a part compute, where the different ones do, and what they have moved,
    sizes apart; `inside`: the variables inside fused groups."""

    inside: frozenset[str]
    tasks: Alike[Task]
    seats: tuple[Seat, ...]
    transfers: Transfers


class Done(NamedTuple):
    """A task, done: its work, in how many turns, in how many on the device that runs most, and the
    devices that do it."""

    work: Work
    turns: Amount
    busiest_turns: Amount
    stint: Stint


@dataclass(frozen=True, eq=False)
class Costs:
    """What the workload of a part costs: what is done for each different task, and the bill of each
    different transfer."""

    workload: Workload
    done: tuple[Done, ...]
    bills: tuple[Bill, ...]

    @cached_property
    def each_done(self) -> tuple[Done, ...]:
        """What is done for each layer."""
        return self.workload.tasks.each(self.done)

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """The moves in front of the layers."""
        return moves_of(self.workload.transfers, self.bills)

    @cached_property
    def at_work(self) -> tuple[Move, ...]:
        """The moves that have a primitive."""
        return tuple(move for move in self.moves if move.primitive is not None)

    @cached_property
    def layer_time(self) -> tuple[float | None, ...]:
        """Seconds of all layers, as figures with that sum."""
        return exact_sum(one.work.time for one in self.each_done)

    @cached_property
    def computing(self) -> tuple[Stint, ...]:
        """The stints of all layers, summed up."""
        return summed((one.stint, count) for one, count in self._done)

    @cached_property
    def move_time(self) -> tuple[float | None, ...]:
        """Seconds of all moves at work, as figures with that sum."""
        times = (repeat(bill.time, count) for bill, count in self._paid)
        return exact_sum(chain.from_iterable(times))

    @cached_property
    def busy(self) -> Busy:
        """How long devices are busy with the moves at work."""
        return busy_in(chain.from_iterable(repeat(bill, count) for bill, count in self._paid))

    @cached_property
    def flops(self) -> Amount:
        """FLOPs of all layers on a device, in all turns."""
        return total(one.work.flops * one.turns * count for one, count in self._done)

    @cached_property
    def executed(self) -> Amount:
        """FLOPs of all layers in the whole system, in all turns."""
        return total(one.work.executed * one.turns * count for one, count in self._done)

    @cached_property
    def sent(self) -> Amount:
        """Bytes that devices send in all moves, one of each stage."""
        return total(bill.per_device * count for bill, count in self._paid)

    @cached_property
    def traffic(self) -> Traffic:
        """Bytes in the system."""
        return traffic_of(self._paid)

    @property
    def _done(self) -> Iterator[tuple[Done, int]]:
        """What is done, with how many layers do it."""
        return self.workload.tasks.counted(self.done)

    @property
    def _paid(self) -> list[tuple[Bill, int]]:
        """The bills of moves at work, with how many of these have each."""
        counted = self.workload.transfers.kinds.counted(self.bills)
        return [(bill, count) for bill, count in counted if bill.primitive is not None]


def workload_of(routed: Routed) -> Workload:
    """The workload of a part."""
    inside = fused_inside(routed)
    tasks = tasks_in(routed, inside)
    seats = tuple(seat_of(task, routed.pipeline) for task in tasks.different)
    return Workload(inside, tasks, seats, transfers_in(routed))


def costs_of(section: Section, workload: Workload, speed: Speed | None) -> Costs:
    """The costs of a part on devices of this speed."""
    each = zip(workload.tasks.different, workload.seats, strict=True)
    done = tuple([_done(task, seat, section, speed) for task, seat in each])
    return Costs(workload, done, bills_of(workload.transfers, section))


def _done(task: Task, seat: Seat, section: Section, speed: Speed | None) -> Done:
    turns, busiest = section.turns(task.stacks), section.busiest_turns(task.stacks)
    work = work_of(task, busiest, section.grid, speed)
    return Done(work, turns, busiest, stint_of(task, seat, section, work))


def traffic_of(bills: Iterable[tuple[Bill | Move, int]]) -> Traffic:
    """Bytes in the system of bills of moves at work, each of so many."""
    found: dict[tuple[str, str], dict[str, Amount]] = {}
    for bill, count in bills:
        sums = found.setdefault((",".join(bill.axes), bill.primitive or ""), {})
        for prices, amount in bill.traffic:
            sums[prices] = sums.get(prices, 0) + amount * count
    return found

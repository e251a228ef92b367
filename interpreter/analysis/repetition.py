"""Repetition: work that the nodes of an axis do more than once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

from parspec.interpreter.analysis.costs import Costs, Workload
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.sections import Section
from parspec.interpreter.diagnostics.findings import Datum, Finding
from parspec.interpreter.theory.formulas import Number, numeric

_NEGLIGIBLE = Fraction(1, 10**5)  # a share of all FLOPs that nobody needs to know of


class Repeated(NamedTuple):
    """What is done again on one axis in all turns: FLOPs beyond the first time; the most that a
    layer has of them, and by their numbers the different tasks of the part that have some, that one
    first."""

    flops: Number
    most: Number
    tasks: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Repetition:
    """The FLOPs that a part executes in the whole system in all turns, and by axis those done
    again (symbolic sizes at a fixed point)."""

    section: Section
    workload: Workload
    flops: Number
    by_axis: Mapping[str, Repeated]

    def layers(self, axis: str) -> tuple[str, ...]:
        """The layers that do something again on an axis, by the names of their parents."""
        tasks, placed = self.by_axis[axis].tasks, self.section.layers
        rows = zip(self.workload.tasks.places, placed, strict=True)
        return tuple(dict.fromkeys([one.layer.parent for task, one in rows if task in tasks]))

    def worst(self, axis: str) -> Placed:
        """The layer that does most of it."""
        task = self.by_axis[axis].tasks[0]
        return self.section.layers[self.workload.tasks.places.index(task)]


def repetition_in(section: Section, costs: Costs) -> Repetition:
    """What a part repeats that costs this."""
    everything: Number = 0
    found: dict[str, list[tuple[Number, int, int]]] = {}
    for number, (done, count) in enumerate(costs.workload.tasks.counted(costs.done)):
        turns = numeric(done.turns)
        everything += numeric(done.work.executed) * turns * count
        for axis, again in done.work.again:
            found.setdefault(axis, []).append((again * turns, count, number))
    by_axis = {axis: _repeated(each) for axis, each in found.items()}
    return Repetition(section, costs.workload, everything, by_axis)


def _repeated(each: Sequence[tuple[Number, int, int]]) -> Repeated:
    most, _, worst = max(each, key=lambda one: one[0])
    others = [task for _, _, task in each if task != worst]
    return Repeated(sum(again * count for again, count, _ in each), most, (worst, *others))


def repeated_work(parts: Sequence[Repetition], grid: Grid) -> Iterator[Finding]:
    """One finding for each axis on which work is repeated: the layers, and the share of all
    executed FLOPs that is done more than once; none where that is negligible."""
    everything = sum(part.flops for part in parts)
    for axis, _ in grid.axes:
        repeating = [part for part in parts if axis in part.by_axis]
        again = sum(part.by_axis[axis].flops for part in repeating)
        if again <= everything * _NEGLIGIBLE:
            continue
        worst = max(repeating, key=lambda part: part.by_axis[axis].most).worst(axis)
        facts: dict[str, Datum] = {
            "layer": worst.layer.name,
            "axis": axis,
            "share": float(Fraction(again) / everything),
            "layers": tuple(chain.from_iterable([part.layers(axis) for part in repeating])),
        }
        yield Finding("repeated_work", worst.layer.site, tuple(facts.items()))

"""Repetition: work that the nodes of an axis do more than once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from parspec.grammar.values import value
from parspec.interpreter.analysis.flops import Work
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.diagnostics.findings import Datum, Finding
from parspec.interpreter.theory.formulas import Amount, Number, numeric

_NEGLIGIBLE = Fraction(1, 10**5)  # a share of all FLOPs that nobody needs to know of


@value
class Repeated:
    """What is done again on one axis in all turns: FLOPs beyond the first time, the layer with most
    of them and how many it has, and all such layers by the names of their parents."""

    flops: Number
    worst: Placed
    most: Number
    layers: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Repetition:
    """The FLOPs that a part executes in the whole system in all turns, and by axis those done
    again (symbolic sizes at a fixed point)."""

    flops: Number
    by_axis: Mapping[str, Repeated]


def repetition_in(
    layers: Iterable[Placed], works: Iterable[Work], turns: Iterable[Amount]
) -> Repetition:
    """What a part repeats, each of its layers in so many turns."""
    everything: Number = 0
    found: dict[str, list[tuple[Number, Placed]]] = {}
    for placed, work, often in zip(layers, works, turns, strict=True):
        everything += numeric(work.executed) * numeric(often)
        for axis, again in work.again:
            found.setdefault(axis, []).append((again * numeric(often), placed))
    return Repetition(everything, {axis: _repeated(again) for axis, again in found.items()})


def _repeated(again: Sequence[tuple[Number, Placed]]) -> Repeated:
    most, worst = max(again, key=lambda one: one[0])
    layers = tuple(dict.fromkeys(placed.layer.parent for _, placed in again))
    return Repeated(sum(flops for flops, _ in again), worst, most, layers)


def repeated_work(parts: Sequence[Repetition], grid: Grid) -> Iterator[Finding]:
    """One finding for each axis on which work is repeated: the layers, and the share of all
    executed FLOPs that is done more than once; none where that is negligible."""
    everything = sum(part.flops for part in parts)
    for axis, _ in grid.axes:
        repeated = [part.by_axis[axis] for part in parts if axis in part.by_axis]
        again = sum(one.flops for one in repeated)
        if again <= everything * _NEGLIGIBLE:
            continue
        worst = max(repeated, key=lambda one: one.most).worst
        facts: dict[str, Datum] = {
            "layer": worst.layer.name,
            "axis": axis,
            "share": float(Fraction(again) / everything),
            "layers": tuple(chain.from_iterable([one.layers for one in repeated])),
        }
        yield Finding("repeated_work", worst.layer.site, tuple(facts.items()))

"""What a comparison is made of: plain values, one for each of the plans that are compared.

Every tuple of values is in the order of the variants, and the first variant is what the others
are held against. A quantity is an exact amount, a formula where a size is symbolic, or seconds;
None is not computed, never 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis, Move, Pass
from parspec.interpreter.output.wording.facts import device_of
from parspec.interpreter.spec.model import Device
from parspec.interpreter.theory.formulas import (
    ONE,
    Amount,
    Polynomial,
    divide,
    generic,
    is_number,
    product,
)

_CLOSE = Fraction(9, 10)

Quantity: TypeAlias = "Amount | float | None"
Unit: TypeAlias = Literal["bytes", "seconds", "count", "per second", "share"]
Wanted: TypeAlias = Literal["less", "more"] | None  # which of two is better, if either
Status: TypeAlias = Literal["added", "gone", "changed", "same", "nowhere"]


@value
class Variant:
    """A spec under one plan or none, by the name that it goes by in the comparison."""

    name: str
    analysis: Analysis

    @property
    def device(self) -> Device | None:
        """The device of its mesh."""
        return device_of(self.analysis.model)

    @property
    def capacity(self) -> Amount | None:
        """Bytes of memory that a device has."""
        return None if self.device is None else self.device.memory

    @property
    def devices(self) -> Amount:
        """How many devices its mesh has."""
        mesh = self.analysis.model.mesh
        return product(axis.size for axis in mesh.axes) if mesh.devices is None else mesh.devices


@value
class Difference:
    """Something that the variants do not say alike. subject: `mesh`, `dim B`, `strategy`, ...;
    axis: the mesh axis that it is about; members: the layers or variables of which it holds, by
    pattern (`decoder.{norm1, res1}`); values: None where a variant has no such thing."""

    subject: str
    axis: str | None
    members: tuple[str, ...]
    values: tuple[str | None, ...]


@value
class Figure:
    """An amount of each variant, `name` in a `group` of its like; 0 where a variant has none of
    it."""

    group: str
    name: str
    unit: Unit
    wanted: Wanted
    values: tuple[Quantity, ...]


@value
class Exchange:
    """The primitives that move one variable on the same axes in front of the same layer ("" at an
    output). label: how the spec calls the variable; moves: those of each variant, () for none."""

    direction: Pass
    layer: str
    tensor: str
    label: str
    axes: tuple[str, ...]
    statistic: str | None
    moves: tuple[tuple[Move, ...], ...]
    traffic: tuple[Amount, ...]
    per_device: tuple[Amount, ...]
    times: tuple[float | None, ...]

    def primitives(self, place: int) -> tuple[str, ...]:
        """What a variant does, by name."""
        return tuple(move.primitive or "" for move in self.moves[place])

    def status(self, place: int) -> Status:
        """What a variant does other than the first."""
        before, after = bool(self.moves[0]), bool(self.moves[place])
        if not before or not after:
            return "added" if after else "gone" if before else "nowhere"
        alike = all(
            values[0] == values[place] for values in (self.traffic, self.per_device, self.times)
        )
        return "same" if alike and self.primitives(0) == self.primitives(place) else "changed"

    @property
    def differs(self) -> bool:
        """Whether some variant does it otherwise."""
        places = range(1, len(self.moves))
        return any(self.status(place) not in ("same", "nowhere") for place in places)

    @property
    def close(self) -> bool:
        """Whether the variants move nearly as much: the least is nine tenths of the most or
        more."""
        amounts = [generic(amount) for amount in self.traffic]
        return min(amounts) >= max(amounts) * _CLOSE

    @property
    def weight(self) -> Fraction:
        """By how much traffic the variants differ at most; symbols at generic values."""
        amounts = [generic(amount) for amount in self.traffic]
        return max(amounts) - min(amounts)


@value
class Largest:
    """The largest of several parts, and its share of all of them; None where sizes are symbolic,
    so that the largest is a guess."""

    name: str
    amount: Quantity
    share: Fraction | None


@value
class Bounds:
    """What bounds a variant. memory: the largest kind on the busiest device; hbm: the share of
    compute time that waits for memory, the rest for FLOPs; layer: computes longest; axis and
    exchange: take longest, or carry most a device and in all where no time is known (`timed`)."""

    memory: Largest | None
    stage: int | None
    hbm: Fraction | None
    layer: Largest | None
    axis: Largest | None
    link: str | None
    exchange: Largest | None
    timed: bool


@value
class StageRow:
    """A pipeline stage: of each variant what it holds and its memory, None where it has no such
    stage."""

    stage: int
    holds: tuple[tuple[str, ...] | None, ...]
    memory: tuple[Amount | None, ...]


@value
class Expected:
    """An `expect` by its text: of each variant whether it holds and the real value; None where a
    variant does not have it."""

    text: str
    verdicts: tuple[tuple[bool | None, str] | None, ...]


@value
class Missing:
    """Figures that a variant does not have, and why."""

    figures: str
    reason: str


@value
class Comparison:
    """Two or more variants, held against the first."""

    variants: tuple[Variant, ...]
    differences: tuple[Difference, ...]
    figures: tuple[Figure, ...]
    exchanges: tuple[Exchange, ...]
    bounds: tuple[Bounds, ...]
    stages: tuple[StageRow, ...]
    expects: tuple[Expected, ...]
    missing: tuple[tuple[Missing, ...], ...]

    def values(self, group: str, name: str) -> tuple[Quantity, ...]:
        """The values of a figure, 0 where no variant has it."""
        for figure in self.figures:
            if (figure.group, figure.name) == (group, name):
                return figure.values
        return (0,) * len(self.variants)


@value
class Change:
    """From one quantity to another: what is added, and how many times the first the second is;
    None where one is not computed, and where a quotient is no number."""

    difference: Quantity
    ratio: Fraction | None


def change(first: Quantity, other: Quantity) -> Change:
    """What changes from one quantity to another of its kind."""
    if first is None or other is None:
        return Change(None, None)
    if isinstance(first, float) or isinstance(other, float):
        if isinstance(first, Polynomial) or isinstance(other, Polynomial):
            return Change(None, None)
        before, after = Fraction(first), Fraction(other)
        return Change(float(after - before), after / before if before else None)
    quotient = divide(other, first) if first != 0 else None
    return Change(other - first, Fraction(quotient) if is_number(quotient) else None)


def sign(amount: Quantity) -> int | None:
    """1, 0 or -1; of a formula only where it is the same for all sizes, otherwise None."""
    if amount is None or isinstance(amount, Polynomial):
        terms = () if amount is None or amount.below != ONE else amount.above
        signs = {1 if coefficient > 0 else -1 for _, coefficient in terms}
        return signs.pop() if len(signs) == 1 else None
    return (amount > 0) - (amount < 0)


def largest(parts: Sequence[tuple[str, Quantity]]) -> Largest | None:
    """The largest of the parts that are known, and its share of their sum; symbols at generic
    values. None where there is nothing."""
    known = [(name, amount, _size(amount)) for name, amount in parts if amount is not None]
    everything = sum((size for _, _, size in known), Fraction(0))
    if not everything:
        return None
    name, amount, size = max(known, key=lambda part: part[2])
    guessed = any(isinstance(amount, Polynomial) for _, amount, _ in known)
    return Largest(name, amount, None if guessed else size / everything)


def _size(amount: Amount | float) -> Fraction:
    return Fraction(amount) if isinstance(amount, float) else generic(amount)

"""Figures: what expects are held against, and what a verdict on one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.result import LayerResult, Move, Totals
from parspec.interpreter.diagnostics.findings import Datum, Finding
from parspec.interpreter.spec.model import Expect, Model, Tensor
from parspec.interpreter.theory.layouts import Layout


@dataclass(frozen=True)
class Figures:
    """What expects are held against. `origins`: where variables lie before anybody moves them."""

    model: Model
    grid: Grid
    tensors: Mapping[str, Tensor]
    moves: Sequence[Move]
    layers: Sequence[LayerResult]
    totals: Totals
    origins: Mapping[str, Layout]

    @cached_property
    def at_work(self) -> Sequence[Move]:
        """The moves that have a primitive."""
        return [move for move in self.moves if move.primitive is not None]

    @cached_property
    def _of(self) -> Mapping[str, Sequence[Move]]:
        """The moves at work of each variable, under every name that it answers to."""
        found: dict[str, list[Move]] = {}
        for move in self.at_work:
            for name in {move.tensor, *self.tensors[move.tensor].aliases}:
                found.setdefault(name, []).append(move)
        return found

    def within(self, expect: Expect) -> list[Move]:
        """The moves at work that an expect is about: of its variable, in its layers, on its axes or
        parts of them."""
        moves = self.at_work if expect.tensor is None else self._of.get(expect.tensor, ())
        wanted = {piece for axis in expect.axes for piece in self.grid.covers[axis]}
        return [
            move
            for move in moves
            if inside(move.layer, expect)
            and (
                not wanted or any(wanted.intersection(self.grid.covers[axis]) for axis in move.axes)
            )
        ]


def inside(layer: str, expect: Expect) -> bool:
    """Whether a layer is among those that an expect is narrowed to."""
    return expect.within is None or any(
        layer == name or layer.startswith(f"{name}.") for name in expect.within
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an expect holds (None: not evaluated), the real value in words, and its finding."""

    holds: bool | None
    value: str
    finding: Finding | None = None


def untold(expect: Expect, reason: str, value: str) -> Verdict:
    """The verdict on an expect that cannot be evaluated."""
    facts: tuple[tuple[str, Datum], ...] = (("text", expect.text), ("reason", reason))
    return Verdict(None, value, Finding("not_evaluated", expect.site, facts))

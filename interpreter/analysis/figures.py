"""Figures: what expects are held against, and what a verdict on one is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from parspec.grammar.syntax import PrimitiveExpect, StateExpect
from parspec.grammar.values import value
from parspec.interpreter.analysis.costs import Costs
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.known import Known
from parspec.interpreter.analysis.loads import Sent, busy_in, longest, sent_in, sent_together
from parspec.interpreter.analysis.result import Move, Totals
from parspec.interpreter.analysis.sections import Inferred, Section
from parspec.interpreter.analysis.stints import times_at
from parspec.interpreter.diagnostics.findings import Datum, Finding
from parspec.interpreter.spec.model import Expect, Tensor
from parspec.interpreter.theory.formulas import Amount, total


class Scope(NamedTuple):
    """Which moves an expect is about: of a primitive, of a variable, in front of these layers and
    what is inside them (None: of all), on axes that have one of these pieces (none: on all)."""

    primitive: str | None
    tensor: str | None
    within: tuple[str, ...] | None
    pieces: frozenset[str]

    def holds(self, layer: str) -> bool:
        """Whether a layer is among those that an expect is narrowed to."""
        return self.within is None or any(
            layer == name or layer.startswith(f"{name}.") for name in self.within
        )

    def takes(self, move: Move, tensor: Tensor, grid: Grid) -> bool:
        """Whether a move of a variable is among them."""
        return (
            self.primitive in (None, move.primitive)
            and self.tensor in (None, tensor.name, *tensor.aliases)
            and self.holds(move.layer)
            and (
                not self.pieces
                or any(not self.pieces.isdisjoint(grid.covers[axis]) for axis in move.axes)
            )
        )


def scope_of(expect: Expect, grid: Grid) -> Scope:
    """The scope of an expect."""
    pin = expect.statement.condition
    named = pin.primitive if isinstance(pin, PrimitiveExpect) else None
    return Scope(
        None if named is None else named.text,
        expect.tensor,
        expect.within,
        frozenset(piece for axis in expect.axes for piece in grid.covers.get(axis, ())),
    )


class Picked(NamedTuple):
    """The moves at work in a scope, with their traffic in the model's price list and what devices
    send, in bytes."""

    moves: tuple[Move, ...]
    traffic: Amount
    sent: Sent


_NOTHING = Picked((), 0, {})


def picked(
    moves: Iterable[Move], tensors: Mapping[str, Tensor], scope: Scope, grid: Grid, prices: str
) -> Picked:
    """Those of the moves that are in a scope."""
    found = tuple(move for move in moves if scope.takes(move, tensors[move.tensor], grid))
    return Picked(
        found,
        total(dict(move.traffic)[prices] for move in found),
        sent_in(found),
    )


def _picked_in(
    section: Section, costs: Costs, scopes: tuple[Scope, ...], prices: str
) -> Mapping[Scope, Picked]:
    """What is picked of the moves of a part, for each scope."""
    primitives = {None, *(bill.primitive for bill in costs.bills)}
    return {
        scope: picked(costs.at_work, section.tensors, scope, section.grid, prices)
        if scope.primitive in primitives
        else _NOTHING
        for scope in scopes
    }


@dataclass(frozen=True)
class Figures:
    """What expects are held against; `to_outputs`: the moves at work that bring outputs to where
    they must lie."""

    inferred: Inferred
    costs: Sequence[Costs]
    to_outputs: tuple[Move, ...]
    totals: Totals
    known: Known

    @cached_property
    def _parts(self) -> Sequence[Mapping[Scope, Picked]]:
        """What is picked for every expect: part by part, then of what goes to outputs."""
        model, grid = self.inferred.model, self.inferred.grid
        asked = (
            one for one in model.expects if not isinstance(one.statement.condition, StateExpect)
        )
        scopes = tuple(dict.fromkeys(scope_of(expect, grid) for expect in asked))
        inside = self.known.each(
            _picked_in, self.inferred.sections, self.costs, everywhere=(scopes, model.cost)
        )
        tensors = {move.tensor: self.inferred.tensor(move.tensor) for move in self.to_outputs}
        outward = {
            scope: picked(self.to_outputs, tensors, scope, grid, model.cost) for scope in scopes
        }
        return [*inside, outward]

    def within(self, expect: Expect) -> Picked:
        """The moves at work that an expect is about: of its variable, in its layers, on its axes or
        parts of them."""
        scope = scope_of(expect, self.inferred.grid)
        each = [part[scope] for part in self._parts]
        return Picked(
            tuple(chain.from_iterable([one.moves for one in each])),
            total(one.traffic for one in each),
            sent_together(one.sent for one in each),
        )

    def beside(self, expect: Expect) -> Sequence[Move]:
        """The moves at work of an expect's variable, wherever they are; else, by any primitive,
        those in its layers and on its axes."""
        grid, scope = self.inferred.grid, scope_of(expect, self.inferred.grid)
        if scope.tensor is not None:
            scope = Scope(None, scope.tensor, None, frozenset())
        wide = scope._replace(primitive=None)
        every = chain(*[costs.at_work for costs in self.costs], self.to_outputs)
        return [m for m in every if wide.takes(m, self.inferred.tensor(m.tensor), grid)]

    def layer_time(self, expect: Expect) -> float | None:
        """Seconds in which the busiest device computes the layers that an expect is about."""
        scope = scope_of(expect, self.inferred.grid)
        if scope.within is None:
            return self.totals.compute_time
        return longest({}, self._computing(scope))

    def busy_time(self, expect: Expect) -> float | None:
        """Seconds in which the busiest device computes the layers that an expect is about and is
        busy with its moves; on some axes, with its moves alone."""
        scope = scope_of(expect, self.inferred.grid)
        busy = busy_in(self.within(expect).moves)
        return longest(busy, () if expect.axes else self._computing(scope))

    def _computing(self, scope: Scope) -> Sequence[tuple[int, float | None]]:
        """How long devices of each stage compute the layers in a scope."""
        if scope.within is None:
            every = tuple(chain.from_iterable([costs.computing for costs in self.costs]))
            return times_at(every, self.inferred.seating)
        stints = tuple(
            done.stint
            for section, costs in zip(self.inferred.sections, self.costs, strict=True)
            for placed, done in zip(section.layers, costs.each_done, strict=True)
            if scope.holds(placed.layer.name)
        )
        return times_at(stints, self.inferred.seating)

    def flops(self, expect: Expect) -> Amount:
        """FLOPs in the whole system of the layers that an expect is about, in all turns."""
        scope = scope_of(expect, self.inferred.grid)
        if scope.within is None:
            return total(costs.executed for costs in self.costs)
        return total(
            done.work.executed * done.turns
            for section, costs in zip(self.inferred.sections, self.costs, strict=True)
            for placed, done in zip(section.layers, costs.each_done, strict=True)
            if scope.holds(placed.layer.name)
        )


@value
class Verdict:
    """Whether an expect holds (None: not evaluated), the real value in words, and its finding."""

    holds: bool | None
    value: str
    finding: Finding | None = None


def untold(expect: Expect, reason: str, value: str) -> Verdict:
    """The verdict on an expect that cannot be evaluated."""
    facts: tuple[tuple[str, Datum], ...] = (("text", expect.text), ("reason", reason))
    return Verdict(None, value, Finding("not_evaluated", expect.site, facts))

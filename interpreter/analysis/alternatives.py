"""Alternatives: what a plan would move if some layers had other clauses.

A clause decides about more than its own layer: others follow it. So an alternative is not
estimated but inferred, the whole model with the other clauses, and compared by its communication
in a forward pass: by time where every primitive has a link, else by bytes on the busiest device.
Outputs are to lie where they lie now, said or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from parspec.interpreter.analysis.costs import Costs, costs_of, workload_of
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.known import Known
from parspec.interpreter.analysis.moves import output_moves
from parspec.interpreter.analysis.result import Move, sum_known
from parspec.interpreter.analysis.sections import Inferred, Section, infer_on
from parspec.interpreter.spec.model import Assignment, Item, Layer, Part
from parspec.interpreter.theory.formulas import Number, is_number, numeric
from parspec.interpreter.theory.layouts import Layout

Clauses: TypeAlias = Mapping[str, tuple[Assignment, ...]]  # layer to all of its assignments
KnownCosts: TypeAlias = Mapping[Section, Costs]
Outputs: TypeAlias = Sequence[tuple[str, Layout]]  # output variables with where they are wanted


@dataclass(frozen=True)
class Outcome:
    """A plan as inferred, with the costs of its parts and the moves that bring its outputs to where
    they are wanted."""

    inferred: Inferred
    costs: Sequence[Costs]
    to_outputs: tuple[Move, ...]

    @property
    def layers(self) -> Mapping[str, Placed]:
        """The layers by name."""
        return self.inferred.by_name

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """The moves at work in a forward pass."""
        return (*chain.from_iterable([one.at_work for one in self.costs]), *self.to_outputs)

    @cached_property
    def moved(self) -> Number:
        """Bytes on the busiest device, at the generic point where sizes are symbolic."""
        inside = sum(numeric(one.sent) for one in self.costs)
        return inside + sum(numeric(move.per_device) for move in self.to_outputs)

    @property
    def exact(self) -> bool:
        """Whether no size is symbolic."""
        outside = (move.per_device for move in self.to_outputs)
        return all(map(is_number, (*(one.sent for one in self.costs), *outside)))

    @cached_property
    def time(self) -> float | None:
        """Seconds of all moves; None where one has none."""
        inside = chain.from_iterable([one.move_time for one in self.costs])
        return sum_known((*inside, *(move.time for move in self.to_outputs)))

    def cheaper_than(self, other: Outcome) -> bool:
        """Whether this plan communicates less."""
        if self.time is None or other.time is None:
            return self.moved < other.moved
        return self.time < other.time

    def moves_at(self, layer: str, axis: str) -> tuple[Move, ...]:
        """The moves at work for a layer on an axis: of its operands and of its statistics."""
        return tuple(
            move
            for move in self.moves
            if move.layer == layer
            and move.cause in ("operand", "statistic")
            and self._on(move, axis)
        )

    def _on(self, move: Move, axis: str) -> bool:
        covers = self.inferred.grid.covers
        pieces = {piece for name in move.axes for piece in covers[name]}
        return not pieces.isdisjoint(covers[axis])


def outcome(inferred: Inferred, outputs: Outputs, costs: KnownCosts) -> Outcome:
    """The outcome of a plan, its outputs brought to these layouts; `costs`: of parts, as far as
    they are known."""
    moves = (
        move
        for name, wanted in outputs
        for tensor in [inferred.tensor(name)]
        for move in output_moves(inferred, tensor, inferred.origin(name), wanted, tensor.site)
        if move.primitive is not None
    )
    each = [
        costs.get(one) or costs_of(one, workload_of(one.routed), None) for one in inferred.sections
    ]
    return Outcome(inferred, each, tuple(moves))


def outcome_with(
    inferred: Inferred, clauses: Clauses, outputs: Outputs, costs: KnownCosts, known: Known
) -> Outcome:
    """The outcome of a model with these layers' clauses in place of their own."""
    model = inferred.model
    parts = (
        part
        if clauses.keys().isdisjoint(section.inference.order)
        else Part(_with(part.items, clauses), part.tensors)
        for part, section in zip(model.parts, inferred.sections, strict=True)
    )
    changed = replace(model, parts=tuple(parts))
    return outcome(infer_on(inferred.grid, changed, known.fork()), outputs, costs)


def _with(items: tuple[Item, ...], clauses: Clauses) -> tuple[Item, ...]:
    return tuple(
        replace(item, assignments=clauses.get(item.name, item.assignments))
        if isinstance(item, Layer)
        else replace(item, items=_with(item.items, clauses))
        for item in items
    )

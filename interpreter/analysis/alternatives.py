"""Alternatives: what a plan would move if some layers had other clauses.

A clause decides about more than its own layer: others follow it. So an alternative is not
estimated but inferred, the whole model with the other clauses, and compared by its communication
in a forward pass: by time where every primitive has a link, else by bytes on the busiest device.
Outputs are to lie where they lie now, said or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Inference, Placed, infer
from parspec.interpreter.analysis.moves import Pricing, all_moves, output_moves
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.analysis.serving import Delivery, deliver
from parspec.interpreter.spec.model import Assignment, Item, Layer, Model
from parspec.interpreter.theory.formulas import generic, is_number
from parspec.interpreter.theory.layouts import Layout

Clauses: TypeAlias = Mapping[str, tuple[Assignment, ...]]  # layer to all of its assignments
Outputs: TypeAlias = Sequence[tuple[str, Layout]]  # output variables with where they are wanted


@dataclass(frozen=True, slots=True)
class Outcome:
    """A plan as inferred. layers by name; moves: those at work in a forward pass; moved: bytes on
    the busiest device, at the generic point where sizes are symbolic, so not `exact`; time: of all
    moves, s, None where one has none."""

    layers: Mapping[str, Placed]
    inference: Inference
    moves: tuple[Move, ...]
    moved: Fraction
    exact: bool
    time: float | None

    def cheaper_than(self, other: Outcome) -> bool:
        """Whether this plan communicates less."""
        if self.time is None or other.time is None:
            return self.moved < other.moved
        return self.time < other.time

    @property
    def settled(self) -> bool:
        """Whether every layer's placement and every carry's state is settled."""
        return not self.inference.unsettled and not any(
            placed.placement.disputes for placed in self.inference.layers
        )

    def moves_at(self, grid: Grid, layer: str, axis: str) -> tuple[Move, ...]:
        """The moves at work for a layer on an axis: of its operands and of its statistics."""
        return tuple(
            move
            for move in self.moves
            if move.layer == layer
            and move.cause in ("operand", "statistic")
            and _on(move, axis, grid)
        )


def _on(move: Move, axis: str, grid: Grid) -> bool:
    pieces = {piece for name in move.axes for piece in grid.covers[name]}
    return not pieces.isdisjoint(grid.covers[axis])


def outcome(
    model: Model, grid: Grid, inference: Inference, delivery: Delivery, outputs: Outputs
) -> Outcome:
    """The outcome of a model that is already inferred, its outputs brought to these layouts."""
    moves = tuple(
        move
        for move in (
            *(m for m in all_moves(model, grid, inference, delivery) if m.cause != "output"),
            *_output_moves(Pricing(model, grid, inference), delivery, outputs),
        )
        if move.primitive is not None
    )
    moved = sum((generic(move.per_device) for move in moves), Fraction(0))
    exact = all(is_number(move.per_device) for move in moves)
    layers = {placed.layer.name: placed for placed in inference.layers}
    times = [move.time for move in moves]
    known = [time for time in times if time is not None]
    time = sum(known) if len(known) == len(times) else None
    return Outcome(layers, inference, moves, moved, exact, time)


def outcome_with(model: Model, grid: Grid, clauses: Clauses, outputs: Outputs) -> Outcome:
    """The outcome of the model with these layers' clauses in place of their own."""
    parts = tuple(replace(part, items=_with(part.items, clauses)) for part in model.parts)
    changed = replace(model, parts=parts)
    inference = infer(changed, grid)
    return outcome(changed, grid, inference, deliver(changed, grid, inference), outputs)


def _output_moves(pricing: Pricing, delivery: Delivery, outputs: Outputs) -> Iterator[Move]:
    for name, wanted in outputs:
        tensor = pricing.tensors[name]
        yield from output_moves(pricing, tensor, delivery.origins[name], wanted, tensor.site)


def _with(items: tuple[Item, ...], clauses: Clauses) -> tuple[Item, ...]:
    return tuple(
        replace(item, assignments=clauses.get(item.name, item.assignments))
        if isinstance(item, Layer)
        else replace(item, items=_with(item.items, clauses))
        for item in items
    )

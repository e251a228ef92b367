"""Alternatives: what a plan would move if some layers had other clauses.

A clause decides about more than its own layer: others follow it. So an alternative is not
estimated but inferred, the whole model with the other clauses, and compared by what the busiest
device sends and receives in a forward pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Inference, Placed, infer
from parspec.interpreter.analysis.moves import all_moves
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.analysis.serving import Delivery, deliver
from parspec.interpreter.spec.model import Assignment, Item, Layer, Model
from parspec.interpreter.theory.formulas import generic, is_number

Clauses = Mapping[str, tuple[Assignment, ...]]  # layer to all of its assignments


@dataclass(frozen=True, slots=True)
class Outcome:
    """A plan as inferred. layers by name; moves: those at work in a forward pass; moved: bytes on
    the busiest device, at the generic point where sizes are symbolic, so not `exact`."""

    layers: Mapping[str, Placed]
    inference: Inference
    moves: tuple[Move, ...]
    moved: Fraction
    exact: bool

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


def outcome(model: Model, grid: Grid, inference: Inference, delivery: Delivery) -> Outcome:
    """The outcome of a model that is already inferred."""
    moves = tuple(
        move for move in all_moves(model, grid, inference, delivery) if move.primitive is not None
    )
    moved = sum((generic(move.per_device) for move in moves), Fraction(0))
    exact = all(is_number(move.per_device) for move in moves)
    layers = {placed.layer.name: placed for placed in inference.layers}
    return Outcome(layers, inference, moves, moved, exact)


def outcome_with(model: Model, grid: Grid, clauses: Clauses) -> Outcome:
    """The outcome of the model with these layers' clauses in place of their own."""
    changed = replace(model, items=_with(model.items, clauses))
    inference = infer(changed, grid)
    return outcome(changed, grid, inference, deliver(changed, grid, inference))


def _with(items: tuple[Item, ...], clauses: Clauses) -> tuple[Item, ...]:
    return tuple(
        replace(item, assignments=clauses.get(item.name, item.assignments))
        if isinstance(item, Layer)
        else replace(item, items=_with(item.items, clauses))
        for item in items
    )

"""Sharding: how one layer is cut, with the layouts that it needs and the one it leaves.

It knows the operator, the clauses and how operands arrive, but no names: layers that are alike in
these, as most of a large model are, share one sharding, and whatever follows from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from parspec.interpreter.analysis.grid import Pieces
from parspec.interpreter.analysis.placement import Arriving, Placement, place
from parspec.interpreter.spec.model import Assignment
from parspec.interpreter.theory.layouts import Layout, Node, layout
from parspec.interpreter.theory.operators import Operator
from parspec.interpreter.theory.rule import Statistic, required


class Reading(NamedTuple):
    """An operand: its place (the first's, of several that are called the same), the variable's own
    leaves and those that the layer reads them as, the variable's role, where its producer left it
    and how it is declared to lie."""

    place: int
    own: tuple[str, ...]
    read: tuple[str | None, ...]
    role: str
    left: Layout | None
    declared: Layout | None


@dataclass(frozen=True, slots=True, eq=False)
class Sharding:
    """A layer's operator and placement. `inputs` and `output` are in the layer's dimensions, `read`
    and `made` are the same in the variables' own, which are `leaves`, the operands' first."""

    operator: Operator
    placement: Placement
    inputs: tuple[Layout, ...]
    output: Layout
    read: tuple[Layout, ...]
    made: Layout
    statistics: tuple[Statistic, ...]
    leaves: tuple[tuple[str, ...], ...]


@lru_cache(maxsize=512)
def sharded(
    operator: Operator,
    clauses: tuple[Assignment, ...],
    readings: tuple[Reading, ...],
    out: tuple[str, ...],
    stages: tuple[tuple[str, Node], ...],
    pieces: Pieces,
) -> Sharding:
    """The sharding of a layer. `out`: the leaves of the variable that it makes; `stages`: the
    pipeline axes with the node that computes it."""
    arriving = [
        Arriving(
            one.place,
            None if one.left is None else _as_read(one.left, one),
            one.role == "weight",
            None if one.declared is None else _as_read(one.declared, one),
        )
        for one in readings
    ]
    placement = place(operator, clauses, arriving, dict(stages), pieces)
    needs = required(operator, dict(placement.cuts))
    inputs = tuple(_with(where, placement) for where in needs.inputs)
    output = _with(needs.output, placement)
    return Sharding(
        operator,
        placement,
        inputs,
        output,
        tuple(map(_only, map(_own, inputs, readings))),
        _only(output.renamed(dict(zip(operator.output, out, strict=True)))),
        needs.statistics,
        (*(one.own for one in readings), out),
    )


@lru_cache(maxsize=512)
def _only(where: Layout) -> Layout:
    """A layout as one of a kind: equal ones need not be compared."""
    return where


def _names(one: Reading) -> Mapping[str, str]:
    """A variable's own leaves with what the layer reads them as; sliced ones drop out."""
    return {own: read for own, read in zip(one.own, one.read, strict=True) if read is not None}


def _as_read(where: Layout, one: Reading) -> Layout:
    """A variable's layout in the dimensions that the layer reads it with."""
    names = _names(one)
    return where.only(names).renamed(names)


def _own(where: Layout, one: Reading) -> Layout:
    """The layout that a layer reads a variable in, in the variable's own dimensions; what lies in a
    cache is complete."""
    own = where.renamed({read: own for own, read in _names(one).items()})
    return own.complete() if one.role == "cache" else own


def _with(where: Layout, placement: Placement) -> Layout:
    """A layout of the dimension rule with the axes that one node computes, and those on which
    partial operands stay partial."""
    partial = dict(where.partial) | dict(placement.partial)
    central = dict(where.central) | dict(placement.central)
    return layout(dict(where.cuts), partial, central, placement.zigzag)

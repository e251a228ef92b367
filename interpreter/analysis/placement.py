"""Placement: along which dimensions one layer is cut, from its clauses and what it follows.

Axis by axis: a clause decides; without one the layer follows what its operands bring. On one
dimension a followed axis keeps its place, clauses come in mesh order unless written `a * b`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parspec.grammar.values import value
from parspec.interpreter.analysis.grid import Pieces
from parspec.interpreter.spec.model import Assignment
from parspec.interpreter.theory.layouts import Layout, Node
from parspec.interpreter.theory.operators import Operator
from parspec.interpreter.theory.rule import takes_partial, unfollowed_dims


@value
class Arriving:
    """An operand as it comes in: its place among the operands (the first's, of several that are
    called the same), the layout its producer left, in the layer's dimensions (None: it lies
    wherever it is needed), whether it is a weight, and how its own declaration partitions it."""

    place: int
    layout: Layout | None
    weight: bool
    declared: Layout | None = None


@value
class Dispute:
    """Operands that disagree on an axis: each, by its place, with the dimension (and order of axes
    on it) that it would have the layer cut along."""

    axis: str
    choices: tuple[tuple[int, str], ...]


@value
class Placement:
    """How a layer is cut: dimension to axes, major first; axes on which one node computes it; axes
    whose partial operands stay partial; for followed axes the operand that they follow; axes
    whose slices are dealt in zigzag."""

    cuts: tuple[tuple[str, tuple[str, ...]], ...]
    central: tuple[tuple[str, tuple[Node, ...]], ...]
    partial: tuple[tuple[str, str], ...]
    follows: tuple[tuple[str, int], ...]
    disputes: tuple[Dispute, ...]
    zigzag: tuple[str, ...] = ()

    def dim(self, axis: str) -> str | None:
        """The dimension that an axis cuts in this layer."""
        return next((dim for dim, axes in self.cuts if axis in axes), None)


def place(
    operator: Operator,
    clauses: Iterable[Assignment],
    arriving: Sequence[Arriving],
    stages: Mapping[str, Node],
    pieces: Pieces,
) -> Placement:
    """The placement of a layer; `stages` are the pipeline axes with the node that computes it."""
    said = _said(clauses, pieces)
    dims = operator.dims
    chosen: dict[str, str] = {}  # piece to dimension
    central: dict[str, tuple[Node, ...]] = {axis: (node,) for axis, node in stages.items()}
    partial: dict[str, str] = {}
    follows: dict[str, int] = {}
    disputes: list[Dispute] = []
    for piece in pieces.sizes:
        if piece in stages:
            continue
        clause = said.get(piece)
        if clause is not None and clause.saying == "partition":
            chosen |= {p: leaf for leaf, p in pieces.shares(clause, dims) if p == piece}
        elif clause is not None and clause.saying == "centralized":
            central[piece] = (0,)
        elif clause is None or clause.saying == "hole":
            kind = _stays_partial(operator, arriving, piece)
            votes = _votes(operator, arriving, piece)
            ways = _ways(votes, arriving, piece)
            if len({way for _, way in ways}) > 1:
                disputes.append(Dispute(piece, ways))
            if votes:
                chosen[piece] = votes[0][1]
                follows[piece] = votes[0][0]
            elif kind is not None:
                partial[piece] = kind
            elif (nodes := _all_central(arriving, piece)) is not None:
                central[piece] = nodes
    cuts = {
        dim: _in_order(dim, chosen, said, arriving, pieces)
        for dim in dict.fromkeys(chosen.values())
    }
    disputes += _order_disputes(cuts, follows, arriving)
    return Placement(
        tuple(sorted(cuts.items())),
        tuple(sorted(central.items())),
        tuple(sorted(partial.items())),
        tuple(sorted(follows.items())),
        tuple(disputes),
        tuple(axis for axis in chosen if _in_zigzag(axis, said, follows, arriving)),
    )


def _in_zigzag(
    axis: str,
    said: Mapping[str, Assignment],
    follows: Mapping[str, int],
    arriving: Sequence[Arriving],
) -> bool:
    """Whether the slices of an axis are dealt in zigzag, by the clause or by what is followed."""
    if axis not in follows:
        return axis in said and said[axis].dealt == "zigzag"
    return any(
        where is not None and axis in where.zigzag
        for operand in arriving
        if operand.place == follows[axis]
        for where in (operand.layout, operand.declared)
    )


def _said(clauses: Iterable[Assignment], pieces: Pieces) -> dict[str, Assignment]:
    """What clauses say of each piece of an axis."""
    return {piece: said for said in clauses for piece in pieces.covers.get(said.axis, ())}


def _votes(
    operator: Operator, arriving: Sequence[Arriving], axis: str
) -> tuple[tuple[int, str], ...]:
    """(operand, dimension) of each operand that arrives partitioned on an axis: inputs and
    activations; weights, as declared, only where no activation is."""
    possible = set(operator.dims) - unfollowed_dims(operator)
    for weights in (False, True):
        votes = tuple(
            (operand.place, dim)
            for operand in arriving
            if operand.weight is weights
            and (where := operand.declared if weights else operand.layout) is not None
            and (dim := where.state(axis).dim) is not None
            and dim in possible
        )
        if votes:
            return votes
    return ()


def _ways(
    votes: Sequence[tuple[int, str]], arriving: Sequence[Arriving], axis: str
) -> tuple[tuple[int, str], ...]:
    """The votes, each with how the slices are dealt where that is not in order."""
    zigzag = {
        operand.place
        for operand in arriving
        if operand.layout is not None and axis in operand.layout.zigzag
    }
    return tuple((place, f"{dim} zigzag" if place in zigzag else dim) for place, dim in votes)


def _stays_partial(operator: Operator, arriving: Sequence[Arriving], axis: str) -> str | None:
    """The kind of partial that all operands have on an axis, where the operator may keep it: only
    sums are linear, other kinds are no more than copied."""
    if not takes_partial(operator):
        return None
    kinds = {
        None if operand.layout is None else operand.layout.state(axis).kind for operand in arriving
    }
    kind = kinds.pop() if len(kinds) == 1 else None
    return kind if kind == "sum" or operator.kind == "copy" else None


def _all_central(arriving: Sequence[Arriving], axis: str) -> tuple[Node, ...] | None:
    """The node that has all activations on an axis, if one does."""
    nodes = {
        operand.layout.state(axis).nodes
        for operand in arriving
        if not operand.weight and operand.layout is not None
    }
    return nodes.pop() or None if len(nodes) == 1 else None


def _in_order(
    dim: str,
    chosen: Mapping[str, str],
    said: Mapping[str, Assignment],
    arriving: Sequence[Arriving],
    pieces: Pieces,
) -> tuple[str, ...]:
    """The axes of a dimension, major first."""
    axes = [axis for axis, cut in chosen.items() if cut == dim]
    if len(axes) < 2:
        return tuple(axes)
    kept = next(
        (
            [axis for axis in operand.layout.axes(dim) if axis in axes]
            for operand in arriving
            if operand.layout is not None and operand.layout.axes(dim)
        ),
        [],
    )
    written = _written(axes, said, pieces)
    order = written or [axis for axis in kept if axis not in said or len(kept) == len(axes)]
    for axis in axes:
        if axis not in order:
            rank = pieces.rank[axis]
            later = (i for i, other in enumerate(order) if pieces.rank[other] > rank)
            order.insert(next(later, len(order)), axis)
    return tuple(order)


def _written(axes: Iterable[str], said: Mapping[str, Assignment], pieces: Pieces) -> list[str]:
    """The longest order written out as `a * b` among the clauses of these axes."""
    orders = [
        [piece for axis in said[name].sequence for piece in pieces.covers.get(axis, ())]
        for name in axes
        if name in said and len(said[name].sequence) > 1
    ]
    wanted = set(axes)
    longest = max(orders, key=len, default=[])
    return [axis for axis in longest if axis in wanted]


def _order_disputes(
    cuts: Mapping[str, tuple[str, ...]],
    follows: Mapping[str, int],
    arriving: Sequence[Arriving],
) -> list[Dispute]:
    """Operands that bring the same axes on one dimension, in different orders."""
    disputes = []
    for dim, axes in cuts.items():
        followed = [axis for axis in axes if axis in follows]
        if len(followed) < 2:
            continue
        orders = {
            operand.place: tuple(axis for axis in operand.layout.axes(dim) if axis in followed)
            for operand in arriving
            if not operand.weight and operand.layout is not None
        }
        full = {one: order for one, order in orders.items() if len(order) == len(followed)}
        if len(set(full.values())) > 1:
            choices = tuple((one, f"{dim} on {' * '.join(order)}") for one, order in full.items())
            disputes.append(Dispute(followed[0], choices))
    return disputes

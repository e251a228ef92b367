"""How inputs, weights, caches and outputs lie at rest: as declared, and where nothing is declared
as all their uses need them, replicated where the uses disagree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parspec.interpreter.analysis.grid import Pieces
from parspec.interpreter.spec.model import Assignment, Stage
from parspec.interpreter.theory.layouts import EVERYWHERE, FLAT, TURN, Layout, Node, layout


def at_rest(
    clauses: Iterable[Assignment],
    stage: Stage | None,
    leaves: Sequence[str],
    pieces: Pieces,
    otherwise: Layout,
) -> Layout:
    """The layout that state clauses describe; axes that they do not name as in `otherwise`.

    Store axes lie inside the others on a dimension; a flattened store takes only axes on which the
    variable would be replicated.
    """
    said = {piece: clause for clause in clauses for piece in pieces.covers.get(clause.axis, ())}
    at_stage = () if stage is None else pieces.covers.get(stage.axis, ())
    if not said and not at_stage:
        return otherwise
    kept = otherwise.without({*said, *at_stage})
    cuts, partial, central = dict(kept.cuts), dict(kept.partial), dict(kept.central)
    if stage is not None and at_stage:
        at = pieces.nodes_at(at_stage, stage.index)
        central |= {piece: (node,) for piece, node in at.items()}
    for piece, clause in said.items():
        match clause.saying:
            case "partial":
                partial[piece] = clause.kind or "sum"
            case "centralized":
                central[piece] = (0,)
            case "store" if otherwise.state(piece).letter != "R":
                cuts |= {dim: axes for dim, axes in otherwise.cuts if piece in axes}
            case "store" if clause.dim is None:
                cuts[FLAT] = (*cuts.get(FLAT, ()), piece)
            case "partition" | "store":
                for leaf, part in pieces.shares(clause, leaves):
                    if part == piece:
                        cuts[leaf] = (*cuts.get(leaf, ()), piece)
    zigzag = (piece for piece, clause in said.items() if clause.dealt == "zigzag")
    return layout(cuts, partial, central, (*kept.zigzag, *zigzag))


def consensus(needs: Sequence[Layout]) -> Layout:
    """What all uses agree on, axis by axis; replicated elsewhere, but on the nodes that use it only
    where each use is on one node."""
    distinct = tuple(dict.fromkeys(needs))
    if not distinct:
        return EVERYWHERE
    if len(distinct) == 1:
        return distinct[0]
    first, others = distinct[0], distinct[1:]
    cuts = {
        dim: tuple(a for a in axes if all(o.state(a) == first.state(a) for o in others))
        for dim, axes in first.cuts
    }
    central: dict[str, tuple[Node, ...]] = {}
    for axis, _ in first.central:
        states = [need.state(axis) for need in distinct]
        if all(state.letter == "C" for state in states):
            nodes = {node for state in states for node in state.nodes}
            if TURN not in nodes or nodes == {TURN}:
                central[axis] = tuple(sorted(nodes, key=str))
    return layout(cuts, (), central, first.zigzag)

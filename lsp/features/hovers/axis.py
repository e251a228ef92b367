"""Hover on an axis or another view of the mesh: its size and link, and what moves on it."""

from __future__ import annotations

from functools import partial

from parspec.interpreter.analysis.result import Move
from parspec.interpreter.output.wording.axes import linked, piece_of, pieces_told
from parspec.interpreter.output.wording.quantities import sized
from parspec.interpreter.spec.model import Axis, View
from parspec.lsp.facts import Facts
from parspec.lsp.features.hovers.moves import by_primitive
from parspec.lsp.features.hovers.subject import Place, Subject, paragraph
from parspec.lsp.features.prices import DOT, cost
from parspec.lsp.features.prose import Block, Code, code, note
from parspec.lsp.features.written import comment


def axis(name: str, place: Place) -> Subject | None:
    """An axis, a view or a piece of one (`tp.0`) by name."""
    found = place.facts.axes.get(name) or place.facts.axes.get(name.partition(".")[0])
    if found is None:
        return None
    head: tuple[Block, ...] = (
        Code(_declared(found)),
        *paragraph(_of(found), _pieces(found, place.facts)),
        note(comment(found.name, found.site, place.snapshot)),
    )
    return Subject(head, partial(_details, name), partial(_brief, name))


def _declared(found: Axis | View) -> str:
    return f"{'mesh' if isinstance(found, Axis) else 'axis'} {linked(found)}"


def _of(found: Axis | View) -> str:
    """What a view is made of."""
    if isinstance(found, Axis):
        return ""
    of = " · ".join(map(code, found.of))
    if found.pieces is None:
        return f"another name for {of}"
    cut = " · ".join(code(sized(piece, size)) for piece, size in found.pieces)
    return f"{of} cut anew into {cut}, outermost first"


def _pieces(found: Axis | View, facts: Facts) -> str:
    """What layouts name in its place: the pieces that an axis falls into, the one that a view
    is."""
    if isinstance(found, Axis):
        return DOT.join(map(code, pieces_told(found.name, facts.grid, facts.model.mesh.views)))
    piece = piece_of(found, facts.grid)
    return "" if piece is None else f"shown as {code(piece)}"


def _moves(name: str, facts: Facts) -> list[Move]:
    """What moves on an axis or on parts of it."""
    covers = facts.grid.covers
    pieces = set(covers.get(name, ()))
    return [
        move
        for axes, moves in facts.moved_on.items()
        if any(pieces.intersection(covers.get(axis, ())) for axis in axes)
        for move in moves
    ]


def _brief(name: str, facts: Facts) -> str:
    found = facts.axes.get(name)
    if found is None:
        return ""
    moves = _moves(name, facts)
    price = cost(moves, facts).told() if moves else _nothing(facts)
    return f"{code(linked(found))} · {price}"


def _details(name: str, facts: Facts) -> tuple[Block, ...]:
    return facts.once(_moved, name)


def _moved(name: str, facts: Facts) -> tuple[Block, ...]:
    moves = _moves(name, facts)
    if not moves:
        return tuple(paragraph(_nothing(facts)))
    return (*paragraph(f"**{cost(moves, facts).told()}**"), by_primitive(moves, facts))


def _nothing(facts: Facts) -> str:
    """That nothing moves, in the passes that are evaluated."""
    if not facts.model.trains:
        return "nothing moves on it"
    return "nothing moves on it forward; gradients are not evaluated"

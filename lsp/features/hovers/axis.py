"""Hover on an axis or another view of the mesh: its size and link, and what moves on it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from weakref import WeakKeyDictionary

from parspec.interpreter.analysis.result import Move
from parspec.interpreter.output.wording.quantities import sized
from parspec.interpreter.spec.model import Axis, View
from parspec.lsp.facts import Facts
from parspec.lsp.features.hovers.moves import by_primitive
from parspec.lsp.features.hovers.subject import Place, Subject, paragraph
from parspec.lsp.features.prices import cost
from parspec.lsp.features.prose import Block, Code, code, note
from parspec.lsp.features.written import comment


def axis(name: str, place: Place) -> Subject | None:
    """An axis, a view or a piece of one (`tp.0`) by name."""
    found = place.facts.axes.get(name) or place.facts.axes.get(name.partition(".")[0])
    if found is None:
        return None
    head: tuple[Block, ...] = (
        Code(_declared(found)),
        *paragraph(_of(found)),
        note(comment(found.name, found.site, place.snapshot)),
    )
    return Subject(head, partial(_details, name), partial(_brief, name))


def _declared(found: Axis | View) -> str:
    return f"{'mesh' if isinstance(found, Axis) else 'axis'} {_sized(found)}"


def _sized(found: Axis | View) -> str:
    link = f" over {found.link}" if found.link else ""
    return f"{sized(found.name, found.size)}{link}"


def _of(found: Axis | View) -> str:
    """What a view is made of."""
    if isinstance(found, Axis):
        return ""
    of = " · ".join(map(code, found.of))
    if found.pieces is None:
        return f"another name for {of}"
    cut = " · ".join(code(sized(piece, size)) for piece, size in found.pieces)
    return f"{of} cut anew into {cut}, outermost first"


def _moves(name: str, facts: Facts) -> list[Move]:
    """What moves on an axis or on parts of it."""
    covers = facts.grid.covers
    pieces = set(covers.get(name, ()))
    asked = {
        axes
        for axes in {move.axes for move in facts.at_work}
        if any(pieces.intersection(covers.get(axis, ())) for axis in axes)
    }
    return [move for move in facts.at_work if move.axes in asked]


def _brief(name: str, facts: Facts) -> str:
    found = facts.axes.get(name)
    if found is None:
        return ""
    moves = _moves(name, facts)
    price = cost(moves, facts.model.cost).told() if moves else "nothing moves on it"
    return f"{code(_sized(found))} · {price}"


_TOLD: WeakKeyDictionary[Facts, dict[str, tuple[Block, ...]]] = WeakKeyDictionary()
"""What has been told of axes: it takes long to sum up, and axes are everywhere."""


def _details(name: str, facts: Facts) -> tuple[Block, ...]:
    known = _TOLD.setdefault(facts, {})
    if name not in known:
        known[name] = tuple(_moved(name, facts))
    return known[name]


def _moved(name: str, facts: Facts) -> Iterator[Block]:
    moves = _moves(name, facts)
    if not moves:
        yield from paragraph("nothing moves on it")
        return
    yield from paragraph(f"**{cost(moves, facts.model.cost).told()}**")
    yield by_primitive(moves, facts)

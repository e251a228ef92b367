"""Primitives in a hover: what each moves, from which state to which, at what price and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from parspec.interpreter.analysis.result import Move
from parspec.interpreter.output.wording.facts import heaviest, moved
from parspec.lsp.facts import Facts
from parspec.lsp.features.prices import cost, formula
from parspec.lsp.features.prose import Block, Items, Table, code, lines
from parspec.lsp.parts import grouped

_MOST = 6  # primitives that are told apart
_MOST_ROWS = 10


def told_moves(title: str, moves: Sequence[Move], facts: Facts) -> Iterator[Block]:
    """What they are, what all cost where there are several, and an item for each primitive; those
    that move most where there are many."""
    if not moves:
        return
    prices = facts.model.cost
    shown = moves if len(moves) <= _MOST else heaviest(moves, prices)[:_MOST]
    if len(moves) > 1:
        yield lines(f"{title or 'together'}: **{cost(moves, facts).told()}**")
    elif title:
        yield lines(f"{title}:")
    yield Items(tuple(_item(move, facts) for move in shown))
    if len(moves) > len(shown):
        yield lines(f"and {len(moves) - len(shown)} more")


def _item(move: Move, facts: Facts) -> str:
    """Its cost first, what it is, and the formula behind its traffic."""
    prices = facts.model.cost
    what = code(moved(move, facts.label(move.tensor)))
    on = ", ".join(map(code, move.axes))
    direction = "" if move.direction == "forward" else f", {move.direction}"
    return "\n".join(
        (
            f"**{move.primitive} {what} · {cost([move], facts).told()}**",
            f"{code(move.before)} → {code(move.after)} on {on}, {_where(move, facts)}{direction}",
            f"order {move.order}: {formula(move, prices)}",
            *_of_a_carry(move, facts),
        )
    )


def _of_a_carry(move: Move, facts: Facts) -> Iterator[str]:
    """Why what comes into a stack is moved in the first turn, too."""
    tensor = facts.tensor(move.tensor)
    if move.cause == "operand" and tensor is not None and tensor.role == "carry":
        yield "in each turn, the first too: all turns find it as a turn leaves it"


def _where(move: Move, facts: Facts) -> str:
    layer = code(facts.written(move.layer))
    match move.cause:
        case "output":
            return "at the output"
        case "stage":
            return f"between the stages of {layer}"
        case "carry":
            return f"into {layer}"
        case "statistic":
            return f"in {layer}"
    return f"in front of {layer}"


def by_primitive(moves: Iterable[Move], facts: Facts) -> Table:
    """A row for each primitive and the axes it is on: how many there are and what they cost; the
    one with the heaviest move first."""
    prices = facts.model.cost
    kinds = grouped(
        heaviest(moves, prices), lambda move: [(move.primitive or "", ", ".join(move.axes))]
    )
    rows = [
        (primitive, axes, str(len(alike)), *cost(alike, facts).figures())
        for (primitive, axes), alike in islice(kinds.items(), _MOST_ROWS)
    ]
    if len(kinds) > len(rows):
        rows.append((f"and {len(kinds) - len(rows)} more", "", "", "", "", ""))
    return Table(("", "on", "places", "traffic", "per device", "time"), tuple(rows), 4)

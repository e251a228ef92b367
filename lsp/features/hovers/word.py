"""Hover on a word of the language: what it means, and what it comes to in this spec."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from parspec.interpreter.explanations.explanation import Explanation, Kind
from parspec.interpreter.explanations.index import explained
from parspec.lsp.facts import Facts
from parspec.lsp.features.hovers.moves import by_primitive
from parspec.lsp.features.hovers.subject import Subject, paragraph
from parspec.lsp.features.prices import cost
from parspec.lsp.features.prose import Block, code, lines


def word(text: str, kinds: Iterable[Kind]) -> Subject | None:
    """A word by its meaning: the first of these kinds that it has."""
    meanings = {meaning.kind: meaning for meaning in reversed(explained(text))}
    meaning = next((meanings[kind] for kind in kinds if kind in meanings), None)
    return None if meaning is None else Subject(explanation(meaning))


def primitive(text: str) -> Subject | None:
    """A communication primitive, with what it moves in the plan."""
    meaning = word(text, ("primitive",))
    if meaning is None:
        return None
    return Subject(meaning.head, partial(_details, text), partial(_brief, text))


def explanation(meaning: Explanation) -> tuple[Block, ...]:
    """What `parspec explain` says, without the example."""
    facts = (f"{label}: {value}" for label, value in meaning.facts)
    name = code(meaning.name) if meaning.kind == "mark" else meaning.name
    return (
        lines(f"**{name}** ({meaning.kind})", *meaning.text.split("\n")),
        *paragraph(*facts),
    )


def _brief(text: str, facts: Facts) -> str:
    moves = [move for move in facts.at_work if move.primitive == text]
    if moves:
        return cost(moves, facts).told()
    return f"no {code(text)}{' forward' if facts.model.trains else ''}"


def _details(text: str, facts: Facts) -> Iterator[Block]:
    moves = [move for move in facts.at_work if move.primitive == text]
    if moves:
        yield from paragraph(f"in this plan: **{cost(moves, facts).told()}**")
        yield by_primitive(moves, facts)

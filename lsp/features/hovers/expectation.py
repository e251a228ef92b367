"""Hover on an `expect`: whether it holds, and the real value."""

from __future__ import annotations

from functools import partial

from parspec.interpreter.output.wording.facts import verdict
from parspec.lsp.facts import Facts
from parspec.lsp.features.hovers.subject import Place, Subject, paragraph
from parspec.lsp.features.prices import DOT
from parspec.lsp.features.prose import Block, Code, note, quoted
from parspec.lsp.features.written import statement
from parspec.lsp.snapshot import Placed


def expectation(placed: Placed, place: Place) -> Subject:
    """The `expect` that a statement is."""
    chunk = placed.chunk
    head = (Code(statement(chunk)), note(chunk.note))
    return Subject(head, partial(_details, chunk.key, place), partial(_brief, chunk.key, place))


def _brief(chunk: int, place: Place, facts: Facts) -> str:
    for found in facts.analysis.expects:
        if (found.site.file, found.site.chunk) == (place.snapshot.file, chunk):
            value = quoted(found.value)
            return DOT.join(filter(None, (f"**{verdict(found)}**", value)))
    return ""


def _details(chunk: int, place: Place, facts: Facts) -> tuple[Block, ...]:
    return paragraph(_brief(chunk, place, facts))

"""What is written at a site, in whichever file: its statement, in one line, and its comments."""

from __future__ import annotations

import re

from parspec.grammar.document import Chunk
from parspec.grammar.syntax import (
    AxisStatement,
    DimStatement,
    LayerStatement,
    MeshStatement,
    OpStatement,
    StackStatement,
    TensorStatement,
)
from parspec.interpreter.diagnostics.findings import Site
from parspec.lsp.snapshot import Snapshot

_LONGEST = 300  # characters of a statement that are shown
_COMMENT = re.compile(r'("[^"\r\n]*")|#[^\r\n]*')
_BLANKS = re.compile(r"\s+")


def chunk_at(site: Site, snapshot: Snapshot) -> Chunk | None:
    """The statement in which a site is; None for what is not written anywhere."""
    source = snapshot.sources.get(site.file)
    if source is None:
        return None
    for run in source.document.runs:
        if site.chunk in run.offset_of:
            return next(chunk for chunk in run.every if chunk.key == site.chunk)
    return None


def comment(name: str, site: Site, snapshot: Snapshot) -> str:
    """The comment that documents what is declared at a site: beside it, or above its statement."""
    chunk = chunk_at(site, snapshot)
    return "" if chunk is None else comment_in(chunk, name)


def comment_in(chunk: Chunk, name: str) -> str:
    """The comment that documents a name which a statement declares."""
    return next((note for item, note in chunk.parsed.notes if item == name), chunk.note)


def statement(chunk: Chunk) -> str:
    """A statement in one line, without comments; a stack without its clauses."""
    match chunk.statement:
        case LayerStatement(clauses=(*_, last)):
            text = chunk.text[: last.span.end]
        case LayerStatement(expression=expression) if expression is not None:
            text = chunk.text[: expression.span.end]
        case StackStatement(carry_out=carry):
            text = chunk.text[: carry.span.end]
        case _:
            text = chunk.text
    text = _COMMENT.sub(lambda found: found[1] or "", text)
    told = _BLANKS.sub(" ", text).strip().removesuffix("{").rstrip()
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}…"


def declared_as(chunk: Chunk, name: str) -> str:
    """What a name is declared to be, in a few words."""
    match chunk.statement:
        case DimStatement(items=items):
            spans = [item.span for item in items if item.name.text == name]
        case MeshStatement(axes=axes) | AxisStatement(items=axes):
            spans = [axis.span for axis in axes if axis.name.text == name]
        case TensorStatement(items=tensors):
            spans = [tensor.span for tensor in tensors if tensor.name.text == name]
        case OpStatement(parameters=tensors, out=out):
            spans = [t.span for t in (*tensors, out) if t.name.text == name]
        case _:
            return statement(chunk)
    return chunk.text[slice(*spans[0])] if spans else statement(chunk)

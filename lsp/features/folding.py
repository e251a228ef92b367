"""Folding and selection: the parts of a text that fold, and those that grow around a cursor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Literal, NamedTuple

from parspec.grammar.document import Document
from parspec.grammar.span import Span
from parspec.grammar.syntax import ImportStatement
from parspec.lsp.extents import extents, extents_around
from parspec.lsp.ranges import Range
from parspec.lsp.snapshot import Snapshot

_COMMENTS = re.compile(r"(?m)^[ \t]*#[^\r\n]*(?:(?:\r\n|\r|\n)[ \t]*#[^\r\n]*)+")


class Fold(NamedTuple):
    """From the first to the last line that a range is in."""

    range: Range
    kind: Literal["body", "comment", "imports"]


def folds(document: Document) -> Iterator[Fold]:
    """What folds: statements on several lines with their bodies, runs of comments, of imports."""
    imports: list[Range] = []
    for outer in extents(document):
        for extent in outer.preorder():
            if _has_lines(document.text, extent.range):
                yield Fold(extent.range, "body")
        if isinstance(outer.chunk.statement, ImportStatement):
            imports.append(outer.range)
        elif imports:
            yield Fold(Range(imports[0].start, imports[-1].end), "imports")
            imports = []
    if imports:
        yield Fold(Range(imports[0].start, imports[-1].end), "imports")
    for match in _COMMENTS.finditer(document.text):
        yield Fold(Range(*match.span()), "comment")


def _has_lines(text: str, within: Range) -> bool:
    return text.find("\n", *within) >= 0 or text.find("\r", *within) >= 0


def selections(snapshot: Snapshot, offset: int) -> tuple[Range, ...]:
    """The ranges around an offset, each inside the next: the word, the parts of its statement, the
    statement, the bodies that it is in, the whole text."""
    found: list[Range] = [Range(0, len(snapshot.text))]
    around = extents_around(snapshot.document, offset)
    found += (extent.range for extent in around)
    if around:
        here = around[-1]
        own = Range(here.range.start, here.range.start + len(here.chunk.text))
        if own.start <= offset <= own.end:
            found.append(own)
            spans = _spans(here.chunk.statement, offset - own.start)
            found += (here.range_of(span) for span in spans)
    word = snapshot.word_at(offset)
    if word is not None:
        found.append(word)
    return tuple(_nested(found))


def _nested(found: list[Range]) -> list[Range]:
    """From the innermost on, each once and larger than the one before."""
    result: list[Range] = []
    for each in sorted(set(found), key=lambda each: (each.end - each.start, each.start)):
        if not result or (each.start <= result[-1].start and result[-1].end <= each.end):
            result.append(each)
    return result


def _spans(node: Any, offset: int) -> Iterator[Span]:
    """The spans of the parts of a statement that hold an offset."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple) and not isinstance(part, Span):
            pending += part
        elif is_dataclass(part):
            span = getattr(part, "span", None)
            if span is None or span.start <= offset <= span.end:
                pending += (getattr(part, field.name) for field in fields(part))
                if span is not None:
                    yield span

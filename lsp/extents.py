"""Extents: from where to where a statement with its body stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from parspec.grammar.document import Chunk, Document
from parspec.grammar.span import Span
from parspec.lsp.ranges import Range

_GAP = re.compile(r"(?:\s|#[^\r\n]*)*")


class Extent(NamedTuple):
    """A chunk with where it stands, its body and the brace behind that included."""

    chunk: Chunk
    range: Range
    inner: tuple[Extent, ...]

    def range_of(self, span: Span) -> Range:
        """Where a span of the chunk stands."""
        return Range(self.range.start + span.start, self.range.start + span.end)

    def preorder(self) -> Iterator[Extent]:
        """The extent and all those inside it, in reading order."""
        yield self
        for each in self.inner:
            yield from each.preorder()


def extents(document: Document) -> tuple[Extent, ...]:
    """The outermost statements of a document."""
    return tuple(
        _extent(chunk, document.text, run.offset_of, start)
        for run, start in zip(document.runs, document.starts, strict=True)
        for chunk in run.chunks
    )


def extents_around(document: Document, offset: int) -> tuple[Extent, ...]:
    """The statements in which an offset stands, outermost first."""
    place = bisect_right(document.starts, offset) - 1
    if place < 0:
        return ()
    run, start = document.runs[place], document.starts[place]
    inside = tuple(_extent(chunk, document.text, run.offset_of, start) for chunk in run.chunks)
    found: list[Extent] = []
    while inside:
        here = [each for each in inside if each.range.start <= offset <= each.range.end]
        if not here:
            break
        found.append(here[-1])
        inside = here[-1].inner
    return tuple(found)


def _extent(chunk: Chunk, text: str, offset_of: Mapping[int, int], base: int) -> Extent:
    start = base + offset_of[chunk.key]
    inner = tuple(_extent(each, text, offset_of, base) for each in chunk.body)
    end = inner[-1].range.end if inner else start + len(chunk.text)
    if chunk.text.endswith("{"):
        end = closing(text, end)
    return Extent(chunk, Range(start, end), inner)


def closing(text: str, end: int) -> int:
    """The end of a body whose last statement ends at `end`: behind its brace, if it has one."""
    gap = _GAP.match(text, end)
    brace = gap.end() if gap else end
    return brace + 1 if text.startswith("}", brace) else end

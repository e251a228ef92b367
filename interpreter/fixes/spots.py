"""Statements where they are written, and edits of them.

Offsets are relative to the first character of the statement, as in the syntax tree; an edit may
reach over its ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from parspec.grammar.document import Chunk, Document
from parspec.grammar.span import Span
from parspec.grammar.syntax import (
    Clause,
    ForStatement,
    LayerStatement,
    OutputStatement,
    PartitionClause,
    StackStatement,
    Statement,
    TensorStatement,
)
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Edit, Site
from parspec.interpreter.spec.library_files import is_library
from parspec.interpreter.spec.model import Model

_TOKEN = re.compile(r'"[^"\r\n]*"|(?P<comment>#[^\r\n]*)|[^\s#"]+|"')
_BLANK = re.compile(r"(?:\s|#[^\r\n]*)*")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


@value
class Spot:
    """A statement in the text of its file: its chunk, the offset at which that starts, and the
    headers in whose bodies it stands, innermost first."""

    file: str
    document: Document
    chunk: Chunk
    start: int
    around: tuple[Chunk, ...]

    def text(self, span: Span) -> str:
        """What is written at a span."""
        return self.document.text[self.start + span.start : self.start + span.end]

    def of(self, header: Chunk) -> Spot:
        """One of the headers in whose bodies the statement stands."""
        outer = self.around[self.around.index(header) + 1 :]
        start = self.document.start_of(header.key)
        return Spot(self.file, self.document, header, start, outer)

    @property
    def outermost(self) -> Spot:
        """The outermost statement that it is in, or itself."""
        return self.of(self.around[-1]) if self.around else self

    def site(self, span: Span) -> Site:
        """Where a span is."""
        return Site(self.file, self.chunk.key, span)

    def replace(self, span: Span, text: str) -> Edit:
        """Other text in place of a span."""
        return Edit(self.site(span), text)

    def insert(self, offset: int, text: str) -> Edit:
        """Text in front of an offset."""
        return self.replace(Span(offset, offset), text)

    # -- the whole statement ---------------------------------------------------------------------

    @property
    def code_end(self) -> int:
        """Where the statement ends, without the comment beside it; a header in front of its
        `{`."""
        tokens = [m for m in _TOKEN.finditer(self.chunk.text) if m["comment"] is None]
        if tokens and self.chunk.text.rstrip().endswith("{"):
            return len(self.chunk.text.rstrip().removesuffix("{").rstrip())
        return tokens[-1].end() if tokens else 0

    @property
    def end(self) -> int:
        """Where the statement ends with its comment or its body."""
        return self._end(self.chunk) - self.start

    def below(self, statement: str) -> Edit:
        """A statement on a line of its own below this one."""
        return self.insert(self.end, f"{self._break}{self._indent}{statement}")

    def above(self, statement: str) -> Edit:
        """A statement above this one and its comments, on a line of its own if this one begins its
        line."""
        if not self._begins_line:
            return self.insert(0, f"{statement} ")
        return self.insert(-self._comments, f"{statement}{self._break}{self._indent}")

    def removed(self) -> Edit:
        """The statement taken away, with the comments above it that document it and, where nothing
        else is on them, its lines."""
        text, begin, end = self.document.text, 0, self.end
        line_ends = _LINE_BREAK.match(text, self.start + end)
        if self._begins_line:
            begin = -(self._comments if self.chunk.note else 0)
            if line_ends or self.start + end == len(text):
                begin -= self._column_of(self.start + begin)
                end += len(line_ends[0]) if line_ends else 0
        return self.replace(Span(begin, end), "")

    @property
    def _indent(self) -> str:
        """The blanks with which the line of the statement begins."""
        begin = self.start - self._column_of(self.start)
        line = self.document.text[begin : self.start]
        return line[: len(line) - len(line.lstrip())]

    @property
    def _begins_line(self) -> bool:
        begin = self.start - self._column_of(self.start)
        return not self.document.text[begin : self.start].strip()

    @property
    def _comments(self) -> int:
        """How many characters the comments directly above the statement have, up to it."""
        return self.start - _comments_start(self.document.text, self.start)

    @property
    def _break(self) -> str:
        """How the lines of the file end."""
        found = _LINE_BREAK.search(self.document.text)
        return "\n" if found is None else found[0]

    def _column_of(self, offset: int) -> int:
        return offset - _line_start(self.document.text, offset)

    def _end(self, chunk: Chunk) -> int:
        start = self.document.start_of(chunk.key)
        end = start + len(chunk.text.rstrip())
        if not chunk.text.rstrip().endswith("{"):
            return end
        inner = self._end(chunk.body[-1]) if chunk.body else end
        blank = _BLANK.match(self.document.text, inner)
        close = inner if blank is None else blank.end()
        return close + 1 if self.document.text.startswith("}", close) else inner

    # -- lists -----------------------------------------------------------------------------------

    def without(self, items: Sequence[Span], place: int) -> Edit:
        """A list without one of its items and the comma beside that."""
        if place:
            return self.replace(Span(items[place - 1].end, items[place].end), "")
        return self.replace(Span(items[0].start, items[1].start), "")

    def without_some(self, items: Sequence[Span], places: Sequence[int]) -> Iterator[Edit]:
        """A list without some of its items, but not all, and the commas beside them."""
        first = next(place for place in range(len(items)) if place not in places)
        if first:
            yield self.replace(Span(items[0].start, items[first].start), "")
        for place in (place for place in places if place > first):
            yield self.without(items, place)

    def without_part(self, span: Span) -> Edit:
        """The statement without a part of it and the blanks in front of that."""
        front = self.chunk.text[: span.start]
        return self.replace(Span(len(front.rstrip()), span.end), "")

    # -- clauses ---------------------------------------------------------------------------------

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses of a layer, a variable, an output or a stack."""
        match self.chunk.statement:
            case (
                LayerStatement(clauses=clauses)
                | TensorStatement(clauses=clauses)
                | OutputStatement(clauses=clauses)
                | StackStatement(clauses=clauses)
                | ForStatement(clauses=clauses)
            ):
                return clauses
        return ()

    def with_clause(self, clause: str) -> Edit:
        """One more clause at the end."""
        return self.insert(self.code_end, f" {clause}")

    def with_cut(self, cut: str) -> Edit:
        """One more item of `partition`: behind the others, or in a clause of its own."""
        partitions = [each for each in self.clauses if isinstance(each, PartitionClause)]
        if partitions:
            return self.insert(partitions[-1].span.end, f", {cut}")
        return self.with_clause(f"partition {cut}")

    def without_cut(self, span: Span) -> Edit:
        """The statement without an item of `partition`, or without the clause that is at the
        span."""
        for clause in self.clauses:
            if isinstance(clause, PartitionClause):
                cuts = [cut.span for cut in clause.cuts]
                if span in cuts and len(cuts) > 1:
                    return self.without(cuts, cuts.index(span))
                if span in cuts:
                    return self.without_part(clause.span)
        return self.without_part(span)


def spot(site: Site, model: Model) -> Spot | None:
    """The statement in which a site is; None where nobody can edit it: in the library, or
    nowhere."""
    document = dict(model.documents).get(site.file)
    if document is None or is_library(site.file):
        return None
    if site.chunk not in document.paths:
        return None
    return _spot(site.file, document, site.chunk)


def inside(header: Spot) -> Iterator[Spot]:
    """The statements of a header's body, without those of bodies in it."""
    for chunk in header.chunk.body:
        start = header.document.start_of(chunk.key)
        around = (header.chunk, *header.around)
        yield Spot(header.file, header.document, chunk, start, around)


def every(file: str, model: Model) -> Iterator[Spot]:
    """The statements of a file, in reading order."""
    document = dict(model.documents)[file]
    for start, chunk in document.placed():
        yield Spot(file, document, chunk, start, document.paths[chunk.key][1:])


def of_type(kind: type[Statement], file: str, model: Model) -> Iterator[Spot]:
    """The statements of one type in a file, in reading order."""
    document = dict(model.documents)[file]
    return (_spot(file, document, key) for key in document.by_type.get(kind, ()))


def last(kind: type[Statement], file: str, model: Model) -> Spot | None:
    """The last statement of one type in a file that stands in no body."""
    document = dict(model.documents)[file]
    keys = reversed(document.by_type.get(kind, ()))
    outermost = (key for key in keys if len(document.paths[key]) == 1)
    return next((_spot(file, document, key) for key in outermost), None)


def _spot(file: str, document: Document, key: int) -> Spot:
    chunk, *around = document.paths[key]
    return Spot(file, document, chunk, document.start_of(key), tuple(around))


def _line_start(text: str, offset: int) -> int:
    """Where the line of an offset begins."""
    start = text.rfind("\n", 0, offset) + 1
    return max(start, text.rfind("\r", start, offset) + 1)


@lru_cache(maxsize=8)  # many findings may stand in one statement
def _comments_start(text: str, offset: int) -> int:
    """Where the comment lines directly above an offset begin; the offset itself without any."""
    start, begin = offset, _line_start(text, offset)
    while begin:
        end = begin - (2 if text.endswith("\r\n", 0, begin) else 1)
        begin = _line_start(text, end)
        line = text[begin:end]
        if not line.lstrip().startswith("#"):
            break
        start = begin + len(line) - len(line.lstrip())
    return start

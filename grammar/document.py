"""A parsed text: its statements in chunks, and where each of these stands.

A text is split into *chunks* at the keywords that begin statements; each chunk holds one
statement. Every span is relative to the start of its chunk, so a chunk that merely moves keeps
its nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from parspec.grammar.span import Span
from parspec.grammar.syntax import ImportStatement, Statement
from parspec.grammar.values import value


@value
class SyntaxFault:
    """One syntax error: a sentence, where it shows, what may stand there instead, and a mend.

    `replacement` is the text to put in place of `span`, where a mend is certain enough to offer;
    a line that it begins is one of the statement's own, indented alike.
    `help` is a second sentence that says how to mend it, or "".
    """

    message: str
    span: Span
    expected: tuple[str, ...]
    help: str = ""
    replacement: str | None = None


@value
class Parsed:
    """What one chunk's text means: the statement as far as it was understood, its faults, the
    words that were skipped (their names are not reported as unknown or unused elsewhere), and the
    comments beside its items, by the name that they document."""

    statement: Statement | None
    faults: tuple[SyntaxFault, ...]
    skipped: tuple[str, ...]
    notes: tuple[tuple[str, str], ...]


_WORD = re.compile(r"[^\W\d]\w*")
TOP = -1
"""The key of whatever chunk comes first."""


@value
class Chunk:
    """A statement's text with what it means. `key` names it in its document, also after edits
    elsewhere; in a text parsed afresh keys count chunks in reading order (preorder). `note`: the
    comment above it. It does not know where it stands: `Document.start_of` does."""

    key: int
    text: str
    parsed: Parsed
    note: str
    body: tuple[Chunk, ...]

    @property
    def statement(self) -> Statement | None:
        """The statement as far as it was understood."""
        return self.parsed.statement

    def preorder(self) -> Iterator[Chunk]:
        """The chunk and all those inside it, in reading order."""
        pending = [self]
        while pending:
            here = pending.pop()
            yield here
            pending += reversed(here.body)


@dataclass(frozen=True)
class Run:
    """Some consecutive outermost `chunks`, the same value for as long as no edit touches it: what
    is computed from a run need not be computed again. `every`: all its chunks in reading order;
    `offsets`: where each of these starts, from the start of the run."""

    chunks: tuple[Chunk, ...]
    every: tuple[Chunk, ...]
    offsets: tuple[int, ...]

    @cached_property
    def keys(self) -> tuple[int, int]:
        """The least and the greatest key of its chunks."""
        keys = [chunk.key for chunk in self.every]
        return min(keys), max(keys)

    @cached_property
    def offset_of(self) -> Mapping[int, int]:
        """Where the chunks start, by key."""
        return {chunk.key: at for chunk, at in zip(self.every, self.offsets, strict=True)}

    @cached_property
    def faulty(self) -> tuple[Chunk, ...]:
        """The chunks with a syntax error."""
        return tuple(chunk for chunk in self.every if chunk.parsed.faults)

    @cached_property
    def faulty_words(self) -> frozenset[str]:
        """Every word of the chunks with a syntax error."""
        return frozenset(word for chunk in self.faulty for word in _WORD.findall(chunk.text))

    @cached_property
    def importing(self) -> tuple[tuple[int, ImportStatement], ...]:
        """The outermost imports, each with where its chunk starts, from the start of the run."""
        return tuple(
            (self.offset_of[chunk.key], chunk.statement)
            for chunk in self.chunks
            if isinstance(chunk.statement, ImportStatement)
        )


@dataclass(frozen=True)
class Document:
    """A parsed text: its runs with the offsets at which they start, the comment that documents the
    file, the first key that is free. `regular`: braces match, so that a part of the text reads the
    same by itself."""

    text: str
    runs: tuple[Run, ...]
    starts: tuple[int, ...]
    note: str
    free_key: int
    regular: bool

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """The outermost chunks."""
        return tuple(chunk for run in self.runs for chunk in run.chunks)

    @cached_property
    def every(self) -> tuple[Chunk, ...]:
        """All chunks in reading order."""
        return tuple(chunk for run in self.runs for chunk in run.every)

    @cached_property
    def faulty(self) -> tuple[Chunk, ...]:
        """The chunks with a syntax error."""
        return tuple(chunk for run in self.runs for chunk in run.faulty)

    @cached_property
    def paths(self) -> Mapping[int, tuple[Chunk, ...]]:
        """All chunks in reading order, by key, each with the headers in whose bodies it stands,
        innermost first."""
        found: dict[int, tuple[Chunk, ...]] = {}
        pending: list[tuple[Chunk, ...]] = [(chunk,) for chunk in reversed(self.chunks)]
        while pending:
            path = pending.pop()
            found[path[0].key] = path
            pending += [(inner, *path) for inner in reversed(path[0].body)]
        return found

    @cached_property
    def by_type(self) -> Mapping[type, tuple[int, ...]]:
        """The keys of the chunks of each type of statement, in reading order."""
        found: dict[type, list[int]] = {}
        for chunk in self.every:
            found.setdefault(type(chunk.statement), []).append(chunk.key)
        return {kind: tuple(keys) for kind, keys in found.items()}

    def start_of(self, key: int) -> int:
        """The offset of the first character of a chunk; 0 where it has no such chunk."""
        if key == TOP:
            return self.starts[0] if self.starts else 0
        for run, start in zip(self.runs, self.starts, strict=True):
            least, most = run.keys
            if least <= key <= most and key in run.offset_of:
                return start + run.offset_of[key]
        return 0

    def importing(self) -> Iterator[tuple[int, ImportStatement]]:
        """Every outermost import, with where its chunk starts."""
        for run, start in zip(self.runs, self.starts, strict=True):
            for offset, statement in run.importing:
                yield start + offset, statement

    def placed(self) -> Iterator[tuple[int, Chunk]]:
        """Every chunk with its start, in reading order."""
        for run, start in zip(self.runs, self.starts, strict=True):
            for chunk, offset in zip(run.every, run.offsets, strict=True):
                yield start + offset, chunk

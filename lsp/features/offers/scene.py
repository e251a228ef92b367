"""Scene: a cursor with the names that can be seen from it; what all offers are made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TypeVar, cast

from parspec.grammar import syntax
from parspec.grammar.keywords import normal
from parspec.lsp.cursor import Cursor
from parspec.lsp.facts import Facts
from parspec.lsp.features.offers.subject import Subject, subject
from parspec.lsp.features.offers.suggestion import Suggestion
from parspec.lsp.features.written import declared_as
from parspec.lsp.mentions import Space
from parspec.lsp.names import Names, Symbol
from parspec.lsp.regions import Region, is_op
from parspec.lsp.snapshot import Snapshot

V = TypeVar("V")

_MOST = 400  # names of one kind; of more only those that begin as typed
_WORD = re.compile(r"\A[\w-]+")
_KEY = re.compile(r"([^\W\d]\w*)\s*=[^={}]*?\Z")
_COMMENT = re.compile(r'("[^"\r\n]*")|#[^\r\n]*')


class Scene:
    """One cursor. `files`: those that may be imported; `partial`: whether names were left out
    because there are too many."""

    def __init__(self, snapshot: Snapshot, cursor: Cursor, files: Iterable[str]) -> None:
        self.snapshot = snapshot
        self.cursor = cursor
        self.files = files
        self.names: Names = snapshot.names
        self.partial = False
        self._told: dict[object, object] = {}

    @cached_property
    def before(self) -> str:
        """The text of the statement in front of the cursor, without comments."""
        return _COMMENT.sub(lambda found: found[1] or "", self.cursor.before)

    @cached_property
    def behind(self) -> str:
        """The rest of the line behind the word that the cursor is in, without a comment."""
        text, end = self.snapshot.text, self.cursor.typed.end
        line = text[end : self.snapshot.lines.line_span(self.snapshot.lines.line_of(end))[1]]
        return _COMMENT.sub(lambda found: found[1] or "", _WORD.sub("", line)).strip()

    @cached_property
    def verb(self) -> str:
        """The word that the statement begins with."""
        return next(iter(re.findall(r"\w+", self.before)), "")

    @cached_property
    def key(self) -> str:
        """The key in braces whose value the cursor is in; "" where it is in none."""
        found = _KEY.search(self.before)
        return found[1] if found else ""

    @cached_property
    def statement(self) -> syntax.Statement | None:
        """The statement that is being typed, as far as it is understood."""
        placed = self.cursor.placed
        if placed is None or placed.start != self.cursor.start:
            return None
        return placed.chunk.statement

    @cached_property
    def region(self) -> Region | None:
        """The body in whose names the cursor is: the statement's own if that is an op."""
        file, cursor = self.snapshot.file, self.cursor
        if cursor.before and cursor.placed is not None:
            placed = cursor.placed
            inside = self.names.region_inside(file, placed.chunk, placed.start)
            around = self.names.region_around(file, placed.chunk, placed.start)
            return inside if inside is not None and is_op(inside) else around
        owner = cursor.owner
        return None if owner is None else self.names.region_inside(file, owner.chunk, owner.start)

    @cached_property
    def subject(self) -> Subject:
        """What the statement is about."""
        return subject(self.statement, self.before, self.region, self.names)

    @cached_property
    def facts(self) -> Facts:
        """What is known of the file, in a plan's body under that plan."""
        analysis = self.snapshot.analysis_at(self.cursor.typed.start)
        return next(each for each in self.snapshot.facts if each.analysis is analysis)

    def once(self, tell: Callable[[Scene], V]) -> V:
        """What is told of the scene, found out once."""
        if tell not in self._told:
            self._told[tell] = tell(self)
        return cast(V, self._told[tell])

    # -- names -----------------------------------------------------------------------------------

    def space(self, space: Space, rank: int) -> Iterator[Suggestion]:
        """All names of a space that can be seen."""
        yield from self.all(self.names.visible(space, self.region), rank)

    def all(self, symbols: Iterable[Symbol], rank: int) -> Iterator[Suggestion]:
        """Symbols, apart from those that the statement itself declares."""
        every = [symbol for symbol in symbols if not self.declares(symbol)]
        for symbol in self.few(every, lambda symbol: symbol.name):
            yield self.one(symbol, rank)

    def few(self, every: list[V], name: Callable[[V], str]) -> list[V]:
        """So many things as are shown at once: of more those whose names begin as typed."""
        if len(every) <= _MOST:
            return every
        self.partial = True
        typed = normal(self.snapshot.text[slice(*self.cursor.typed)])
        return [each for each in every if name(each).startswith(typed)][:_MOST]

    def one(self, symbol: Symbol, rank: int) -> Suggestion:
        """A symbol, with what it is declared to be."""
        declared = self.names.declarations(symbol)
        if not declared:
            return Suggestion(symbol.name, symbol.space, "", rank)
        site = self.names.site(declared[0])
        detail = declared_as(declared[0].chunk, symbol.name)
        return Suggestion(symbol.name, declared[0].mention.kind, detail, rank, site=site)

    def known(self, space: Space) -> frozenset[str]:
        """The names of a space that can be seen, but for those that the statement declares."""
        visible = self.names.visible(space, self.region)
        return frozenset(each.name for each in visible if not self.declares(each))

    def role(self, symbol: Symbol) -> str:
        """What a tensor is declared as: `weight`, `activation`; "" where it is not."""
        declared = self.names.declarations(symbol)
        return declared[0].mention.kind if declared else ""

    def declares(self, symbol: Symbol) -> bool:
        """Whether it is declared by the statement itself that is being typed, for what is around
        it, and nowhere else."""
        cursor = self.cursor
        placed = cursor.placed
        if placed is None or not cursor.before:
            return False
        begun = cursor.start - placed.start
        return all(
            entry.chunk is placed.chunk
            and entry.mention.look != "body"
            and entry.mention.span.start >= begun
            for entry in self.names.declarations(symbol)
        )

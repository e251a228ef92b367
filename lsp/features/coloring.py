"""Semantic tokens: what each word of a text is, for editors that colour by meaning.

A name of one kind has one type wherever it stands (`legend`). Marks and comments are left to the
editor.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from parspec.grammar.document import Chunk
from parspec.interpreter.spec.library_files import is_library
from parspec.lsp.features.meaning import kind_of
from parspec.lsp.names import Names, Symbol
from parspec.lsp.ranges import Range
from parspec.lsp.regions import Entry, listing_of
from parspec.lsp.snapshot import Snapshot
from parspec.lsp.tokens import tokens_of

_TYPES: Mapping[str, str] = {
    "keyword": "keyword",
    "number": "number",
    "unit": "type",
    "string": "string",
    "library": "namespace",
    "primitive": "macro",
    "dim": "typeParameter",
    "axis": "enumMember",
    "tensor": "variable",
    "parameter": "parameter",
    "layer": "method",
    "stack": "class",
    "block": "function",
    "op": "function",
    "function": "function",
    "link": "struct",
    "device": "struct",
    "plan": "namespace",
    "dtype": "type",
    "setting": "property",
    "argument": "property",
    "figure": "property",
}
_OTHER = "keyword"  # words of the language: states, values, price lists
_GIVEN = ("defaultLibrary",)


class Colored(NamedTuple):
    """A word with its type and modifiers."""

    range: Range
    type: str
    modifiers: tuple[str, ...] = ()


def colored(snapshot: Snapshot, within: Range) -> Iterator[Colored]:
    """The words of the statements that a range of a file touches, in order."""
    colours = _Colours(snapshot.names)
    document = snapshot.document
    first = max(0, bisect_right(document.starts, within.start) - 1)
    for run, start in zip(document.runs[first:], document.starts[first:], strict=True):
        if start > within.end:
            return
        listing = listing_of(run)
        for order, (chunk, offset) in enumerate(zip(run.every, run.offsets, strict=True)):
            at = start + offset
            if at <= within.end and within.start <= at + len(chunk.text):
                yield from colours.of_chunk(chunk, at, listing.entries(order))


class _Colour(NamedTuple):
    """The type and the modifiers of a symbol, "" for what has none; and what declares it."""

    type: str
    modifiers: tuple[str, ...]
    declared: frozenset[int]


class _Colours:
    """The colours of a file's names, each worked out once."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._known: dict[Symbol, _Colour] = {}

    def of_chunk(self, chunk: Chunk, start: int, entries: Sequence[Entry]) -> list[Colored]:
        """The words of a chunk that starts at an offset."""
        found = [self._named(entry, start) for entry in entries]
        for token in tokens_of(chunk, {entry.mention.span.start for entry in entries}):
            at = Range(start + token.start, start + token.end)
            given = _GIVEN if token.kind == "library" else ()
            found.append(Colored(at, _TYPES[token.kind], given))
        return sorted(colour for colour in found if colour.type)

    def _named(self, entry: Entry, start: int) -> Colored:
        mention = entry.mention
        at = Range(start + mention.span.start, start + mention.span.end)
        symbols = self._names.symbols(entry)
        if not symbols:
            return Colored(at, "" if mention.space == "any" else _TYPES.get(mention.kind, _OTHER))
        colour = self._known.get(symbols[0])
        if colour is None:
            colour = self._known[symbols[0]] = self._colour(entry, symbols)
        if id(entry) in colour.declared:
            return Colored(at, colour.type, ("declaration", *colour.modifiers))
        return Colored(at, colour.type, colour.modifiers)

    def _colour(self, entry: Entry, symbols: tuple[Symbol, ...]) -> _Colour:
        declared = self._names.declarations(symbols[0])
        kind = kind_of(entry, symbols, declared)
        role = declared[0].mention.kind if declared else ""
        modifiers = {
            "readonly": role in ("weight", "input"),
            "defaultLibrary": self._is_given(kind, declared),
        }
        shown = role if role == "parameter" else kind
        on = tuple(name for name, holds in modifiers.items() if holds)
        return _Colour(_TYPES.get(shown, _OTHER), on, frozenset(map(id, declared)))

    def _is_given(self, kind: str, declared: tuple[Entry, ...]) -> bool:
        """Whether it is the language's or its library's."""
        if not declared:
            return kind == "function"
        return is_library(self._names.file(declared[0]))

"""Do two texts say the same, apart from blanks? The same statements in the same bodies, and the
same comments documenting the same things.

Statements of the same words are the same. Where a text has syntax errors, what was understood in
spite of them, and the errors themselves, have to be the same too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from parspec.grammar.document import Chunk, Document
from parspec.grammar.notes import Notes, note_of_file, note_right_of, notes_above
from parspec.grammar.parser import parse
from parspec.grammar.splitter import BLANKS, Split, split
from parspec.grammar.words import words

_BLANKS = re.compile(r"(?:[^\S\x1c-\x1f]|\ufeff)++")
_SPAN = re.compile(r"Span\(start=\d+, end=\d+\)")


def same(document: Document, text: str) -> bool:
    """Does `text` say what the document does?"""
    before = document.text
    if _BLANKS.sub("", before) != _BLANKS.sub("", text):
        return False
    here, there = split(before), split(text)
    if _outline(before, here) != _outline(text, there):
        return False
    if not all(map(_same_statement, _texts(before, here), _texts(text, there))):
        return False
    return not document.faulty or _same_understood(document, parse(text))


class _Place(NamedTuple):
    """Where a statement stands, and the comments above it and behind its `{`."""

    level: int
    opens: bool
    closed: bool
    above: str
    right: str


def _outline(text: str, whole: Split) -> tuple[str, list[str], list[_Place]]:
    """The comment on the file, all comments, and the places of all statements."""
    above = notes_above(text, whole)
    comments = [text[start:end].rstrip(BLANKS) for start, end in whole.comments]
    places = [
        _Place(
            piece.level,
            piece.opens,
            piece.closed,
            above.get(piece.start, ""),
            note_right_of(text, whole, piece.end) if piece.opens else "",
        )
        for piece in whole.pieces
    ]
    return note_of_file(text, whole), comments, places


def _texts(text: str, whole: Split) -> Iterator[str]:
    return (text[piece.start : piece.end] for piece in whole.pieces)


def _same_statement(here: str, there: str) -> bool:
    """Have two statements the same words, and their items the same notes?"""
    if here == there:
        return True
    if words(here) != words(there):
        return False
    lined = "#" in here and any(end in text for end in "\r\n" for text in (here, there))
    return not lined or _notes(here) == _notes(there)


def _notes(text: str) -> tuple[str, Notes]:
    chunk = parse(text).every[0]
    return chunk.note, chunk.parsed.notes


def _same_understood(here: Document, there: Document) -> bool:
    return len(here.every) == len(there.every) and all(map(_same_chunk, here.every, there.every))


def _same_chunk(here: Chunk, there: Chunk) -> bool:
    if here.text == there.text:
        return here.parsed == there.parsed
    return _without_spans(here) == _without_spans(there)


def _without_spans(chunk: Chunk) -> str:
    return _SPAN.sub("", repr(chunk.parsed))

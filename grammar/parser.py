"""Text -> document: every statement that can be understood, and an error for each that cannot.

`parse` takes any text and never raises. It cuts the text into chunks and looks each chunk's text
up among those parsed before, so that after an edit only what changed is parsed. A mistake gives
one error; the statements around it stay as they are.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from parspec.grammar import messages
from parspec.grammar.notes import (
    Notes,
    item_notes,
    note_above,
    note_behind,
    note_of_file,
    note_right_of,
)
from parspec.grammar.splitter import MAX_DEPTH, Piece, Split, split
from parspec.grammar.statements import Understood, keyword_fault, understand
from parspec.grammar.syntax import Chunk, Document, Parsed, Span, SyntaxFault

_WORD = re.compile(r"\w+")
_CACHED_CHUNKS = 1 << 15  # chunk texts; a file of 10k lines has about as many chunks


class _Read(NamedTuple):
    """What a chunk's text means by itself, and as `Parsed`."""

    understood: Understood
    parsed: Parsed
    behind: str  # the comment at its end, where it documents no item


def parse(text: str) -> Document:
    """The document that `text` is."""
    whole = split(text)
    pieces = [part for piece in whole.pieces for part in _pieces(text, piece)]
    texts = [text[piece.start : piece.end] for piece in pieces]
    reads = [_read(piece_text) for piece_text in texts]
    parsed = _with_keyword_names(text, pieces, reads)
    every: list[Chunk] = []
    bodies: dict[int, list[Chunk]] = {}
    for index in range(len(pieces) - 1, -1, -1):
        piece = pieces[index]
        body = tuple(reversed(bodies.pop(piece.level + 1, ())))
        note = note_above(text, whole, piece.start) or (
            note_right_of(text, whole, piece.end) if piece.opens else reads[index].behind
        )
        here = _with_structure(piece, texts[index], parsed[index])
        chunk = Chunk(index, piece.start, texts[index], here, note, body)
        bodies.setdefault(piece.level, []).append(chunk)
        every.append(chunk)
    chunks = tuple(reversed(bodies.pop(0, ())))
    return Document(text, chunks, tuple(reversed(every)), note_of_file(text, whole))


@lru_cache(maxsize=_CACHED_CHUNKS)
def _read(text: str) -> _Read:
    understood = understand(text)
    notes: Notes = item_notes(text, understood.statement)
    faults = (understood.fault,) if understood.fault else ()
    parsed = Parsed(understood.statement, faults, understood.skipped, notes)
    return _Read(understood, parsed, "" if notes else note_behind(text))


def _pieces(text: str, piece: Piece) -> list[Piece]:
    """The piece, or its parts where starters in it are misspelt."""
    cuts = _read(text[piece.start : piece.end]).understood.cuts
    if not cuts:
        return [piece]
    bounds = [piece.start, *(piece.start + cut for cut in cuts), piece.end]
    parts = []
    for start, stop in zip(bounds, bounds[1:], strict=False):
        end = start + len(text[start:stop].rstrip())
        parts.append(replace(piece, start=start, end=end, opens=False, closed=True, shallow=True))
    parts[-1] = replace(parts[-1], opens=piece.opens, closed=piece.closed, shallow=piece.shallow)
    return parts


def _with_keyword_names(text: str, pieces: list[Piece], reads: list[_Read]) -> list[Parsed]:
    """Where a keyword was meant as a name the text was split at it: one error, at the keyword."""
    parsed = [read.parsed for read in reads]
    for index in range(1, len(pieces)):
        before, here = reads[index - 1].understood, reads[index].understood
        neighbours = pieces[index - 1].level == pieces[index].level
        if not (neighbours and here.alone and before.wants and parsed[index - 1].faults):
            continue
        word = _first_word(text[pieces[index].start : pieces[index].end])
        fault = keyword_fault(word, Span(0, len(word)), before.wants)
        parsed[index - 1] = replace(parsed[index - 1], faults=())
        skipped = tuple(dict.fromkeys((word, *here.skipped)))
        parsed[index] = Parsed(None, (fault,), skipped, ())
    return parsed


def _with_structure(piece: Piece, text: str, parsed: Parsed) -> Parsed:
    """With the error of a header whose body does not end or is too deep, if it has no other."""
    if parsed.faults or (piece.closed and piece.shallow):
        return parsed
    word = _first_word(text)
    message = messages.too_deep(MAX_DEPTH) if piece.closed else messages.unclosed(word)
    return replace(parsed, faults=(SyntaxFault(message, Span(0, len(word)), ()),))


def _first_word(text: str) -> str:
    word = _WORD.match(text)
    return word[0] if word else ""

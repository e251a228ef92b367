"""Text -> document: every statement that can be understood, and an error for each that cannot.

`parse` takes any text and never raises. It cuts the text into chunks and looks each chunk's text
up among those parsed before, so that after an edit only what changed is parsed. A mistake gives
one error; the statements around it stay as they are.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from parspec.grammar import messages
from parspec.grammar.document import Chunk, Document, Parsed, Run, SyntaxFault
from parspec.grammar.notes import (
    Notes,
    item_notes,
    note_behind,
    note_of_file,
    note_right_of,
    notes_above,
)
from parspec.grammar.runs import grouped, kept, spliced, window_of
from parspec.grammar.span import Span
from parspec.grammar.splitter import (
    BLANKS,
    MAX_CHARACTERS,
    MAX_DEPTH,
    Excess,
    Piece,
    Split,
    excess,
    split,
)
from parspec.grammar.statements import keyword_fault, understand

_WORD = re.compile(r"\w+")
_BEGINNING = re.compile(r"\S{1,40}")  # of a text that is not read, where that is said
_CACHED_CHUNKS = 1 << 15  # chunk texts; a file of 10k lines has about as many chunks


class _Read(NamedTuple):
    """What a chunk's text means by itself. `behind`: the comment at its end, where it documents no
    item; `cuts`, `wants`, `alone`: see `Understood`."""

    parsed: Parsed
    behind: str
    cuts: tuple[int, ...]
    wants: tuple[str, ...]
    alone: bool


def parse(text: str, before: Document | None = None) -> Document:
    """The document that `text` is; of a text with too much in it nothing is read.

    Given the document that it was `before` an edit, only statements near the edit are looked at,
    and everything else is the same value as there. The result is the same, but for keys.
    """
    if before is not None and len(text) <= MAX_CHARACTERS:
        edited = _edited(before, text)
        if edited is not None:
            return edited
    much = excess(text)
    if much is not None:
        return _unread(text, much)
    reading = _reading(text, 0)
    runs, starts = grouped(reading.chunks, reading.starts, text)
    return Document(text, runs, starts, reading.note, len(reading.starts), reading.regular)


def _edited(before: Document, text: str) -> Document | None:
    """The document after an edit, from a window of whole runs around it; None where the window
    does not read by itself as it does in the whole."""
    if text == before.text:
        return before
    window = window_of(before, text)
    if window is None:
        return None
    part = text[window.start : window.end]
    if excess(part) is not None:
        return None
    reading = _reading(part, before.free_key)
    if not reading.regular:
        return None
    chunks = kept(before, window, reading.chunks)
    if chunks is None:
        return None
    runs, starts = grouped(chunks, reading.starts, part)
    note = reading.note if window.start == 0 else before.note
    free_key = before.free_key + len(reading.starts)
    return spliced(before, window, runs, starts, text, note, free_key)


class _Reading(NamedTuple):
    """The outermost chunks of a text or a window of one, and where all chunks start."""

    chunks: tuple[Chunk, ...]
    starts: tuple[int, ...]
    note: str
    regular: bool


def _reading(text: str, first_key: int) -> _Reading:
    if _read.cache_info().currsize > _CACHED_CHUNKS:
        _read.cache_clear()
    whole = split(text)
    parts = [part for piece in whole.pieces for part in _parts(text, piece)]
    pieces = [part.piece for part in parts]
    texts = [part.text for part in parts]
    reads = [part.read for part in parts]
    parsed = _with_keyword_names(text, whole, pieces, reads)
    parsed = _without_left_braces(whole, pieces, texts, parsed)
    ending = _broken_off_with(pieces, reads)
    above = notes_above(text, whole)
    bodies: dict[int, list[Chunk]] = {}
    for index in range(len(pieces) - 1, -1, -1):
        piece = pieces[index]
        body = tuple(reversed(bodies.pop(piece.level + 1, ())))
        note = above.get(piece.start) or (
            note_right_of(text, whole, piece.end) if piece.opens else reads[index].behind
        )
        here = parsed[index]
        if index not in ending:
            here = _with_structure(piece, texts[index], here)
        chunk = Chunk(first_key + index, texts[index], here, note, body)
        bodies.setdefault(piece.level, []).append(chunk)
    chunks = tuple(reversed(bodies.pop(0, ())))
    starts = tuple(piece.start for piece in pieces)
    return _Reading(chunks, starts, note_of_file(text, whole), whole.regular)


def _unread(text: str, much: Excess) -> Document:
    """A text that is not read, as one chunk with one fault."""
    found = _BEGINNING.search(text)
    start, first = (found.start(), found[0]) if found else (0, text[:1])
    fault = SyntaxFault(messages.too_much(much.limit, much.what), Span(0, len(first)), ())
    chunk = Chunk(0, first, Parsed(None, (fault,), (), ()), "", ())
    return Document(text, (Run((chunk,), (chunk,), (0,)),), (start,), "", 1, False)


@cache
def _read(text: str) -> _Read:
    understood = understand(text)
    notes: Notes = item_notes(text, understood.statement)
    faults = (understood.fault,) if understood.fault else ()
    parsed = Parsed(understood.statement, faults, understood.skipped, notes)
    behind = "" if notes else note_behind(text)
    return _Read(parsed, behind, understood.cuts, understood.wants, understood.alone)


class _Part(NamedTuple):
    """A piece with its text and what that means."""

    piece: Piece
    text: str
    read: _Read


def _parts(text: str, piece: Piece) -> list[_Part]:
    """The piece, or its parts where starters in it are misspelt."""
    whole = _part(text, piece)
    cuts = whole.read.cuts
    if not cuts:
        return [whole]
    bounds = [piece.start, *(piece.start + cut for cut in cuts), piece.end]
    parts = []
    for start, stop in pairwise(bounds):
        end = start + len(text[start:stop].rstrip(BLANKS))
        parts.append(replace(piece, start=start, end=end, opens=False, closed=True, shallow=True))
    parts[-1] = replace(parts[-1], opens=piece.opens, closed=piece.closed, shallow=piece.shallow)
    return [_part(text, part) for part in parts]


def _part(text: str, piece: Piece) -> _Part:
    own = text[piece.start : piece.end]
    return _Part(piece, own, _read(own))


def _with_keyword_names(
    text: str, whole: Split, pieces: list[Piece], reads: list[_Read]
) -> list[Parsed]:
    """Where a keyword was meant as a name the text was split at it: one error, at the keyword."""
    parsed = [read.parsed for read in reads]
    for index in range(1, len(pieces)):
        before, here = reads[index - 1], reads[index]
        if not (before.wants and parsed[index - 1].faults):
            continue
        if not _continues(whole, pieces[index - 1], pieces[index]):
            continue
        broken = here.parsed.faults and _on_one_line(whole, pieces[index - 1], pieces[index])
        if not (here.alone or (broken and not pieces[index].opens)):
            continue
        word = _first_word(text[pieces[index].start : pieces[index].end])
        mended = parsed[index - 1]
        parsed[index - 1] = Parsed(mended.statement, (), mended.skipped, mended.notes)
        parsed[index] = _keyword_as_name(word, before.wants, here.parsed.skipped)
    return parsed


@lru_cache(maxsize=256)
def _keyword_as_name(word: str, wants: tuple[str, ...], skipped: tuple[str, ...]) -> Parsed:
    fault = keyword_fault(word, Span(0, len(word)), wants)
    return Parsed(None, (fault,), tuple(dict.fromkeys((word, *skipped))), ())


def _without_left_braces(
    whole: Split, pieces: list[Piece], texts: list[str], parsed: list[Parsed]
) -> list[Parsed]:
    """A `}` that is left behind a broken statement is what remains of it, with what follows on its
    line, and no error more."""
    for index in range(1, len(parsed)):
        if not (texts[index].startswith("}") and parsed[index - 1].faults):
            continue
        if texts[index] == "}" or _on_one_line(whole, pieces[index - 1], pieces[index]):
            parsed[index] = replace(parsed[index], faults=())
    return parsed


def _continues(whole: Split, before: Piece, here: Piece) -> bool:
    """Does a piece stand where the one before it would go on: on its last line, or indented?"""
    if before.level != here.level or before.opens:
        return False
    indent = here.start - whole.starts[whole.line_of(here.start)]
    began = before.start - whole.starts[whole.line_of(before.start)]
    return indent > began or _on_one_line(whole, before, here)


def _on_one_line(whole: Split, before: Piece, here: Piece) -> bool:
    """Does a piece begin on the line on which the one before it ends?"""
    return whole.line_of(before.end) == whole.line_of(here.start)


def _broken_off_with(pieces: list[Piece], reads: list[_Read]) -> set[int]:
    """Headers whose body runs on to the end of a text that is broken off: their missing `}` is no
    mistake of its own beside a broken last statement, nor beside that of a header inside."""
    if not pieces:
        return set()
    last = len(pieces) - 1
    told = bool(reads[last].parsed.faults)
    around: set[int] = set()
    level = pieces[last].level + (1 if pieces[last].opens else 0)
    for index in range(last, -1, -1):
        if pieces[index].opens and pieces[index].level == level - 1:
            level -= 1
            if told:
                around.add(index)
            told = told or not pieces[index].closed
        if level == 0:
            break
    return around


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

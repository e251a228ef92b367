"""Which comment documents what.

A run of comment lines directly above a statement documents it; so does a comment behind an item,
on the item's last line. A run that starts on the first line and is followed by a blank line
documents the file. Commented-out code documents nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from parspec.grammar.keywords import STARTERS
from parspec.grammar.lines import line_starts
from parspec.grammar.span import Span
from parspec.grammar.splitter import BLANKS, Split, split
from parspec.grammar.statements import understand
from parspec.grammar.syntax import (
    AxisStatement,
    BlockStatement,
    DeviceStatement,
    DimStatement,
    InferStatement,
    LayerStatement,
    LinkStatement,
    MeshStatement,
    OpStatement,
    PlanStatement,
    PointwiseStatement,
    StackStatement,
    Statement,
    TensorStatement,
    TrainStatement,
)

Notes: TypeAlias = tuple[tuple[str, str], ...]
"""Names and the comments that document them."""

_TOKEN = re.compile(r'#[^\r\n]*|"[^"\r\n]*"')
_BELOW = re.compile(r"(?:\r\n|\r|\n)(?:[^\S\r\n\x1c-\x1f]|\ufeff)*+(?=[^\r\n])")
_FIRST_WORD = re.compile(r"[\s#]*([a-z]+)")


def item_notes(text: str, statement: Statement | None) -> Notes:
    """The comments behind the items of one statement, whose text this is."""
    comments = _comments_in(text) if "#" in text else []
    if statement is None or not comments:
        return ()
    starts = line_starts(text)
    names: dict[int, list[str]] = {}
    for name, end in _items(statement):
        names.setdefault(bisect_right(starts, end), []).append(name)
    notes: dict[str, str] = {}
    for comment in comments:
        beside: Sequence[str] = names.pop(bisect_right(starts, comment.start), ())
        if comment.end == len(text):
            left = [name for line in names.values() for name in line]
            beside = _named_by(statement, beside or left)
        notes.update(_shared_out(beside, _documents(text[slice(*comment)])))
    return tuple((name, note) for name, note in notes.items() if note)


def note_behind(text: str) -> str:
    """The comment with which a statement's text ends, or ""."""
    comments = _comments_in(text) if "#" in text else []
    if comments and comments[-1].end == len(text):
        return _documents(text[slice(*comments[-1])])
    return ""


def notes_above(text: str, whole: Split) -> dict[int, str]:
    """The runs of comment lines that stand directly above something, by its offset."""
    notes: dict[int, str] = {}
    run: list[Span] = []
    for comment in whole.comments:
        if not _own_line(text, whole, comment):
            continue
        if run and whole.line_of(comment.start) != whole.line_of(run[-1].start) + 1:
            run = []
        run.append(comment)
        below = _directly_below(text, comment)
        if below is not None:
            notes[below] = _documents("\n".join(text[slice(*line)] for line in run))
            run = []
    return notes


def note_right_of(text: str, whole: Split, end: int) -> str:
    """The comment behind a header that ends at `end`, on the same line."""
    index = bisect_right(whole.comments, Span(end, end))
    for comment in whole.comments[index : index + 1]:
        between = text[end : comment.start]
        if not between.strip(BLANKS) and "\n" not in between and "\r" not in between:
            return _documents(text[slice(*comment)])
    return ""


def note_of_file(text: str, whole: Split) -> str:
    """The run of comment lines on top of a text, where a blank line or nothing follows it."""
    run: list[Span] = []
    for comment in whole.comments:
        if whole.line_of(comment.start) != len(run) or not _own_line(text, whole, comment):
            break
        run.append(comment)
    if not run or not _is_blank(text, whole, len(run)):
        return ""
    return _documents("\n".join(text[slice(*comment)] for comment in run))


# -- comments ------------------------------------------------------------------------------------


def _comments_in(text: str) -> list[Span]:
    return [Span(*m.span()) for m in _TOKEN.finditer(text) if m[0].startswith("#")]


def _own_line(text: str, whole: Split, comment: Span) -> bool:
    """Does nothing stand in front of the comment on its line?"""
    start = whole.starts[whole.line_of(comment.start)]
    return not text[start : comment.start].strip(BLANKS)


def _is_blank(text: str, whole: Split, line: int) -> bool:
    """Is a line empty, or behind the last?"""
    bounds = (*whole.starts[line : line + 2], len(text), len(text))
    return not text[bounds[0] : bounds[1]].strip(BLANKS)


def _directly_below(text: str, comment: Span) -> int | None:
    """The offset of what the line below a comment begins with, unless that is a comment."""
    found = _BELOW.match(text, comment.end)
    return found.end() if found and text[found.end()] != "#" else None


def _documents(comment: str) -> str:
    """What a run of comment lines says, without the lines that are code."""
    lines = [line.lstrip("#" + BLANKS).rstrip(BLANKS) for line in comment.split("\n")]
    if _is_code("\n".join(lines)):
        return ""
    return "\n".join(line for line in lines if not _is_code(line)).strip("\n")


@lru_cache(maxsize=4096)
def _is_code(text: str) -> bool:
    """Is this text nothing but statements?"""
    first = _FIRST_WORD.match(text)
    if not first or first[1] not in STARTERS:
        return False
    return all(
        piece.closed and understand(text[piece.start : piece.end]).fault is None
        for piece in split(text).pieces
    )


# -- what they stand beside ----------------------------------------------------------------------


def _items(statement: Statement) -> Iterator[tuple[str, int]]:
    """The names that comments may stand beside, each with the offset where its item ends."""
    match statement:
        case DimStatement(items) | TensorStatement(_, items) | AxisStatement(items):
            yield from ((item.name.text, item.span.end) for item in items)
        case MeshStatement(axes):
            yield from ((item.name.text, item.span.end) for item in axes)
        case LinkStatement(_, settings) | DeviceStatement(_, settings):
            yield from ((setting.key.text, setting.span.end) for setting in settings)
        case TrainStatement(_, settings) | InferStatement(settings):
            yield from ((setting.key.text, setting.span.end) for setting in settings)
        case OpStatement(_, items) | BlockStatement(_, items):
            yield from ((item.name.text, item.span.end) for item in items)
        case _:
            return


def _named_by(statement: Statement, listed: Sequence[str]) -> Sequence[str]:
    """What a comment at a statement's end documents: the items listed last, or the statement,
    by its name if it has one."""
    match statement:
        case DimStatement() | TensorStatement() | AxisStatement() | MeshStatement():
            return listed
        case LinkStatement() | DeviceStatement() | OpStatement() | BlockStatement():
            return [statement.name.text]
        case LayerStatement() | PointwiseStatement() | StackStatement() | PlanStatement():
            return [statement.name.text]
        case _:
            return ()


def _shared_out(names: Sequence[str], note: str) -> Iterator[tuple[str, str]]:
    """One part of the comment for each name if the commas give as many, else all of it."""
    parts = [part.strip() for part in note.split(",")]
    if len(parts) != len(names):
        parts = [note] * len(names)
    yield from zip(names, parts, strict=True)

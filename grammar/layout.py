"""One statement -> the lines that it takes in the one style.

A statement stands on one line where that fits, but settings stand one to a line where the first of
them stood below the `{`. A comment stays behind the word that it stood behind. Where that is not
the last one, lines stay as they were, since a comment documents what ends on its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from parspec.grammar.breaking import Rooms, Text, at_clauses, wrapped
from parspec.grammar.columns import BODY, LIMIT, STEP, Line, width, with_comment
from parspec.grammar.spacing import spaces
from parspec.grammar.syntax import (
    AxisStatement,
    DeviceStatement,
    DimStatement,
    ForStatement,
    InferStatement,
    LayerStatement,
    LinkStatement,
    MeshStatement,
    OutputStatement,
    StackStatement,
    Statement,
    TensorStatement,
    TrainStatement,
)
from parspec.grammar.words import is_comment, line_ends, words, words_at

_CACHED_STATEMENTS = 1 << 15
_LABEL = 3  # words up to the colon of `layer NAME:`


@lru_cache(maxsize=_CACHED_STATEMENTS)
def laid_out(text: str, statement: Statement, indent: int, beside: str) -> tuple[Line, ...]:
    """The lines of a statement with this text, in a body at `indent`. `beside` is the comment
    behind it on its last line where that is not part of the text, else ""."""
    written = _written(text, statement, indent, beside)
    commented = "#" in text and any(map(is_comment, written.words))
    if written.settings and _stands_open(written, commented):
        return tuple(_expanded(written))
    if commented or (written.comment and _spread(text, _item_ends(statement))):
        return tuple(_kept(written))
    return _fitted(written, statement)


class _Written(NamedTuple):
    """A statement at `indent`: its words as they are spaced, the lines that end in front of each,
    the comment behind them, and which words begin settings."""

    text: Text
    lines: Sequence[int]
    comment: str
    indent: int
    settings: frozenset[int]

    @property
    def words(self) -> Sequence[str]:
        """The words."""
        return self.text.words


def _written(text: str, statement: Statement, indent: int, beside: str) -> _Written:
    found = words(text)
    lines = line_ends(text) if "\n" in text or "\r" in text else [0] * len(found)
    comment = beside
    if is_comment(found[-1]) and not lines[-1]:
        comment = found.pop()
    clauses = words_at(text, _clause_starts(statement))
    settings = frozenset(words_at(text, _setting_starts(statement)))
    spaced = Text(found, spaces(found, frozenset(clauses), settings), clauses)
    return _Written(spaced, lines, comment, indent, settings)


# -- ways to stand -------------------------------------------------------------------------------


def _fitted(written: _Written, statement: Statement) -> tuple[Line, ...]:
    """On one line if that fits, else on several. For the sake of a comment only clauses leave the
    line, and so it is where the comment documents what is listed on its line."""
    text, indent, comment = written.text, written.indent, written.comment
    cells = tuple(text.between(*bounds) for bounds in _cells(text, statement))
    whole = (Line(indent, cells, comment),)
    room = LIMIT - indent
    code = width(text.joined)
    if with_comment(code, comment) <= room:
        return whole
    if code <= room:
        broken = tuple(_lines(at_clauses(text), indent, comment))
        return broken if all(map(_fits, broken)) else whole
    if written.settings:
        return tuple(_expanded(written))
    if comment and _item_ends(statement):
        return tuple(_lines(at_clauses(text), indent, comment))
    return tuple(_lines(wrapped(text, Rooms(room, room - STEP)), indent, comment))


def _kept(written: _Written) -> Iterator[Line]:
    """On the lines that it had; those without a comment are broken where they are too long."""
    count = len(written.words)
    starts = [0, *(index for index in range(1, count) if written.lines[index])]
    for first, stop in pairwise((*starts, count)):
        comment = written.comment if stop == count else ""
        for line in _stretch(written, first, stop, written.indent, comment):
            yield line if line.cells and not first else line._replace(indent=written.indent + STEP)


def _stands_open(written: _Written, commented: bool) -> bool:
    """Does a statement with settings stand on several lines, or have to for its comments?"""
    opener = written.words.index("{")
    if any(map(is_comment, written.words[:opener])):
        return False
    return commented or written.lines[opener + 1] > 0


def _expanded(written: _Written) -> Iterator[Line]:
    """With its settings on lines of their own, or on one line where a comment documents them."""
    listed, lines, indent = written.words, written.lines, written.indent
    inside = listed.index("{") + 1
    if is_comment(listed[inside]) and not lines[inside]:
        inside += 1
    yield from _stretch(written, 0, inside, indent, "")
    endings = _endings(written)
    index, last = inside, len(listed) - 1
    while index < last:
        if lines[index] > 1 and index > inside:
            yield Line(0, ())
        stop = _end_of_setting(written, index)
        if is_comment(listed[endings[stop - 1] - 1]):
            stop = endings[stop - 1]
        begins = index in written.settings or is_comment(listed[index])
        yield from _stretch(written, index, stop, indent + (BODY if begins else BODY + STEP), "")
        index = stop
    yield Line(indent, ("}",), written.comment)


def _end_of_setting(written: _Written, index: int) -> int:
    """Where the words end that belong to the setting at `index`, up to a comment in it."""
    last = len(written.words) - 1
    if is_comment(written.words[index]):
        return index + 1
    others = (
        at
        for at in range(index + 1, last)
        if at in written.settings or is_comment(written.words[at])
    )
    return next(others, last)


def _endings(written: _Written) -> list[int]:
    """For each word the index behind the comment that ends its line, or behind the word itself
    where none does."""
    found = [index + 1 for index in range(len(written.words))]
    for index in range(len(found) - 2, -1, -1):
        behind = found[index + 1]
        if not written.lines[index + 1] and is_comment(written.words[behind - 1]):
            found[index] = behind
    return found


def _stretch(written: _Written, first: int, stop: int, indent: int, comment: str) -> Iterator[Line]:
    """Some of the words on one line, or on several where that is too long and has no comment."""
    if is_comment(written.words[stop - 1]):
        stop, comment = stop - 1, written.words[stop - 1]
    if first == stop:
        yield Line(indent, (), comment)
        return
    part = written.text.part(first, stop)
    room = LIMIT - indent
    texts = [part.joined] if comment else wrapped(part, Rooms(room, room - STEP))
    yield from _lines(texts, indent, comment)


def _lines(texts: Sequence[str], indent: int, comment: str) -> Iterator[Line]:
    """The lines of a statement, with the comment behind the last."""
    for index, text in enumerate(texts):
        last = index == len(texts) - 1
        yield Line(indent + (STEP if index else 0), (text,), comment if last else "")


def _fits(line: Line) -> bool:
    return line.indent + with_comment(width(line.cells[0]), line.comment) <= LIMIT


def _cells(text: Text, statement: Statement) -> Iterator[tuple[int, int]]:
    """The bounds of a whole line's parts in columns."""
    cuts: tuple[int, ...] = (0,)
    match statement:
        case LayerStatement():
            cuts = (0, _LABEL, text.clauses[0] if text.clauses else len(text.words))
        case TensorStatement():
            cuts = (0, 1)
    return pairwise((*cuts, len(text.words)))


# -- what of a statement matters here ------------------------------------------------------------


def _clause_starts(statement: Statement) -> tuple[int, ...]:
    match statement:
        case (
            LayerStatement()
            | TensorStatement()
            | OutputStatement()
            | StackStatement()
            | ForStatement()
        ):
            return tuple(clause.span.start for clause in statement.clauses)
        case _:
            return ()


def _setting_starts(statement: Statement) -> tuple[int, ...]:
    match statement:
        case LinkStatement() | DeviceStatement() | TrainStatement() | InferStatement():
            return tuple(setting.span.start for setting in statement.settings)
        case _:
            return ()


def _item_ends(statement: Statement) -> tuple[int, ...]:
    """Where items end that a comment at the statement's end documents if they are on its line."""
    match statement:
        case DimStatement() | TensorStatement() | AxisStatement():
            return tuple(item.span.end for item in statement.items)
        case MeshStatement():
            return tuple(item.span.end for item in statement.axes)
        case _:
            return ()


def _spread(text: str, ends: Sequence[int]) -> bool:
    """Do items end on several lines?"""
    between = text[min(ends) : max(ends)] if ends else ""
    return "\n" in between or "\r" in between

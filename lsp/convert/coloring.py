"""Semantic tokens as the protocol has them: five numbers a word, all at once or what has changed.

A result's id is made from its numbers, so that equal results have one id. The numbers of a run of
statements are kept for as long as neither it nor what may be named there changes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

from lsprotocol import types

from parspec.grammar.document import Run
from parspec.lsp.convert.view import View, units
from parspec.lsp.features.coloring import Colored, colored
from parspec.lsp.legend import KINDS, MODIFIERS
from parspec.lsp.ranges import Range
from parspec.lsp.regions import listing_of

_DELTA = "textDocument.semanticTokens.requests.full.delta"


class Painted(NamedTuple):
    """The numbers of a run's words; `first`, `last`: where the first and the last one start, from
    the start of the run; `text`: what is written there, up to the next run; `far`: names in it may
    lead into the bodies of other runs."""

    run: Run
    text: str
    numbers: array[int]
    first: int
    last: int
    far: bool


class Painting(NamedTuple):
    """The numbers of a file's words: all, and run by run. `nameable`: what could be named there."""

    numbers: array[int]
    nameable: tuple[object, ...]
    runs: tuple[Painted, ...]


def semantic_tokens_full(view: View, _: types.SemanticTokensParams) -> types.SemanticTokens:
    """What each word of a file is."""
    data = _painting(view).numbers
    result_id = _identified(data) if view.client.can(_DELTA) else None
    return types.SemanticTokens(data.tolist(), result_id)


def semantic_tokens_delta(
    view: View, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta:
    """What has changed since a result; all, where that is not the last one."""
    before = view.session.paintings.get(view.snapshot.file)
    data = _painting(view).numbers
    result_id = _identified(data)
    if before is None or params.previous_result_id != _identified(before.numbers):
        return types.SemanticTokens(data.tolist(), result_id)
    return types.SemanticTokensDelta(list(_changed(before.numbers, data)), result_id)


def semantic_tokens_range(
    view: View, params: types.SemanticTokensRangeParams
) -> types.SemanticTokens:
    """What each word of a part of a file is."""
    within = view.span(params.range)
    return types.SemanticTokens(_numbers(view, colored(view.snapshot, within)).tolist())


# -- what has changed ----------------------------------------------------------------------------


def _identified(data: array[int]) -> str:
    return blake2b(data, digest_size=12).hexdigest()


def _changed(before: array[int], after: array[int]) -> list[types.SemanticTokensEdit]:
    """The edit that leads from some numbers to others; none where they are the same."""
    start = _alike(before, after)
    same = _alike(before[start:][::-1], after[start:][::-1])
    gone = len(before) - same - start
    new = after[start : len(after) - same].tolist()
    return [types.SemanticTokensEdit(start, gone, new)] if gone or new else []


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    """How many numbers two rows begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


# -- run by run ----------------------------------------------------------------------------------


def _painting(view: View) -> Painting:
    """The numbers of a file, which are kept as the last ones."""
    session, snapshot = view.session, view.snapshot
    before, nameable = session.paintings.get(snapshot.file), snapshot.names.nameable
    known = (
        {id(one.run): one for one in before.runs} if before and before.nameable == nameable else {}
    )
    document, text = snapshot.document, snapshot.text
    ends = (*document.starts, len(text))[1:]
    painted = []
    for run, start, end in zip(document.runs, document.starts, ends, strict=True):
        session.checkpoint()
        one = known.get(id(run))
        if one is None or one.far or one.text != text[start:end]:
            one = _painted(view, run, start, end)
        painted.append(one)
    numbers = _joined(view, painted)
    session.paintings[snapshot.file] = Painting(numbers, nameable, tuple(painted))
    return session.paintings[snapshot.file]


def _painted(view: View, run: Run, start: int, end: int) -> Painted:
    """The numbers of a run's words."""
    near = colored(view.snapshot, Range(start, end))
    words = [word for word in near if start <= word.range.start < end]
    edges = [word.range.start - start for word in (*words[:1], *words[-1:])]
    return Painted(
        run,
        view.snapshot.text[start:end],
        _numbers(view, words),
        min(edges, default=0),
        max(edges, default=0),
        listing_of(run).leads_far,
    )


def _joined(view: View, painted: Sequence[Painted]) -> array[int]:
    """The numbers of all runs, each first word placed behind the last one before it."""
    lines, starts = view.snapshot.lines, view.snapshot.document.starts
    data = array("I")
    line = begin = 0
    for one, start in zip(painted, starts, strict=True):
        if not one.numbers:
            continue
        at = len(data)
        data.extend(one.numbers)
        first = start + one.first
        here = lines.line_of(first)
        if here > line:
            begin = lines.line_span(here)[0]
        data[at] = here - line
        data[at + 1] = units(view.snapshot.text[begin:first], view.client.encoding)
        begin = start + one.last
        line = lines.line_of(begin)
    return data


# -- numbers -------------------------------------------------------------------------------------


def _numbers(view: View, words: Iterable[Colored]) -> array[int]:
    """Each word by where it starts from the one before it, how long it is, and its numbers."""
    lines, text, encoding = view.snapshot.lines, view.snapshot.text, view.client.encoding
    even = encoding == "utf-32" or text.isascii()  # every character is one unit
    data = array("I")
    line = begin = 0
    end = lines.line_span(0)[1]
    for (start, stop), kind, modifiers in words:
        ahead = 0
        if start > end:
            before, line = line, lines.line_of(start)
            ahead = line - before
            begin, end = lines.line_span(line)
        column, length = start - begin, stop - start
        if not even:
            column = units(text[begin:start], encoding)
            length = units(text[start:stop], encoding)
        data.extend((ahead, column, length, *_look(kind, modifiers)))
        begin = start
    return data


@cache
def _look(kind: str, modifiers: tuple[str, ...]) -> tuple[int, int]:
    return KINDS.index(kind), sum(1 << MODIFIERS.index(each) for each in modifiers)

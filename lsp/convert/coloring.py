"""Semantic tokens as the protocol has them: five numbers a word, all at once or what has changed.

A result's id is made from its numbers, so that equal results have one id.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b

from lsprotocol import types

from parspec.lsp.convert.view import View, units
from parspec.lsp.features.coloring import colored
from parspec.lsp.legend import KINDS, MODIFIERS
from parspec.lsp.ranges import Range

_DELTA = "textDocument.semanticTokens.requests.full.delta"


def semantic_tokens_full(view: View, _: types.SemanticTokensParams) -> types.SemanticTokens:
    """What each word of a file is."""
    data = _numbers(view, Range(0, len(view.snapshot.text)))
    if not view.client.can(_DELTA):
        return types.SemanticTokens(data)
    return types.SemanticTokens(data, _remembered(view, data))


def semantic_tokens_delta(
    view: View, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta:
    """What has changed since a result; all, where that is not the last one."""
    before = view.session.colours.get(view.snapshot.file)
    data = _numbers(view, Range(0, len(view.snapshot.text)))
    number = _remembered(view, data)
    if before is None or params.previous_result_id != _identified(before):
        return types.SemanticTokens(data, number)
    return types.SemanticTokensDelta(list(_changed(before, data)), number)


def semantic_tokens_range(
    view: View, params: types.SemanticTokensRangeParams
) -> types.SemanticTokens:
    """What each word of a part of a file is."""
    return types.SemanticTokens(_numbers(view, view.span(params.range)))


# -- what has changed ----------------------------------------------------------------------------


def _remembered(view: View, data: Sequence[int]) -> str:
    """The id of a result, which is kept as the last one of its file."""
    kept = view.session.colours[view.snapshot.file] = array("I", data)
    return _identified(kept)


def _identified(data: array[int]) -> str:
    return blake2b(data, digest_size=12).hexdigest()


def _changed(before: Sequence[int], after: Sequence[int]) -> list[types.SemanticTokensEdit]:
    """The edit that leads from some numbers to others; none where they are the same."""
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    rest = shorter - start
    same = next((back for back in range(rest) if before[-1 - back] != after[-1 - back]), rest)
    gone = len(before) - same - start
    new = list(after[start : len(after) - same])
    return [types.SemanticTokensEdit(start, gone, new)] if gone or new else []


# -- numbers -------------------------------------------------------------------------------------


def _numbers(view: View, within: Range) -> list[int]:
    """Each word by where it starts from the one before it, how long it is, and its numbers."""
    lines, text, encoding = view.snapshot.lines, view.snapshot.text, view.client.encoding
    even = encoding == "utf-32" or text.isascii()  # every character is one unit
    data: list[int] = []
    line = begin = 0
    end = lines.line_span(0)[1]
    for (start, stop), kind, modifiers in colored(view.snapshot, within):
        ahead = 0
        if start > end:
            view.session.checkpoint()
            before, line = line, lines.line_of(start)
            ahead = line - before
            begin, end = lines.line_span(line)
        if even:
            data += (ahead, start - begin, stop - start)
        else:
            data += (ahead, units(text[begin:start], encoding), units(text[start:stop], encoding))
        data += _look(kind, modifiers)
        begin = start
    return data


@cache
def _look(kind: str, modifiers: tuple[str, ...]) -> tuple[int, int]:
    return KINDS.index(kind), sum(1 << MODIFIERS.index(each) for each in modifiers)

"""Runs: a document's chunks in small groups that outlive edits elsewhere.

After an edit a window of whole runs is read again and put in place of what it was. The window
begins and ends at statements that the edit cannot have changed, so that it reads by itself as it
does in the whole; where that is in doubt there is no window.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from parspec.grammar.document import Chunk, Document, Run
from parspec.grammar.keywords import STARTERS
from parspec.grammar.splitter import MAX_STATEMENTS

LENGTH = 48  # outermost chunks in a run: shorter ones are more to look through, longer ones to redo
GUARD = 2  # chunks on each side of an edit that must read as before
_STARTERS = frozenset(STARTERS)


class Window(NamedTuple):
    """The runs from `first` up to `last` (not included) are read again: they are the text from
    `start` to `end`, which has grown by `growth`. Chunks before `before` and from `after` on (of
    those in the window's old runs) lie clear of the edit."""

    first: int
    last: int
    start: int
    end: int
    growth: int
    before: int
    after: int


def grouped(
    chunks: tuple[Chunk, ...], starts: tuple[int, ...], text: str
) -> tuple[tuple[Run, ...], tuple[int, ...]]:
    """Chunks in runs, with where each run starts; `starts`: where all chunks do, in reading order.

    A run begins where a statement begins a line.
    """
    runs: list[Run] = []
    bounds: list[int] = []
    rest = iter(starts)
    group: list[Chunk] = []
    every: list[Chunk] = []
    places: list[int] = []

    def close() -> None:
        if group:
            offsets = tuple(place - places[0] for place in places)
            runs.append(Run(tuple(group), tuple(every), offsets))
            bounds.append(places[0])

    for chunk in chunks:
        inside = tuple(chunk.preorder())
        where = tuple(islice(rest, len(inside)))
        if len(group) >= LENGTH and _begins(chunk, where[0], text):
            close()
            group, every, places = [], [], []
        group.append(chunk)
        every += inside
        places += where
    close()
    return tuple(runs), tuple(bounds)


def _begins(chunk: Chunk, start: int, text: str) -> bool:
    """Is a chunk a statement that begins a line?"""
    word = chunk.text.split(None, 1)[0]
    return word in _STARTERS and (start == 0 or text[start - 1] in "\r\n")


def window_of(before: Document, text: str) -> Window | None:
    """The window around what differs between a document and a text."""
    crowded = sum(len(run.every) for run in before.runs) > MAX_STATEMENTS // 2
    if crowded or not (before.regular and before.runs):
        return None
    same = _common(before.text, text)
    growth = len(text) - len(before.text)
    same_behind = _common_end(before.text, text, min(len(text), len(before.text)) - same)
    changed_end = len(before.text) - same_behind
    first = max(0, bisect_right(before.starts, same) - 1)
    last = bisect_left(before.starts, changed_end)
    last = max(last, first + 1)
    while True:
        start = before.starts[first] if first else 0
        end = before.starts[last] if last < len(before.runs) else len(before.text)
        places = [
            run_start + offset_of[chunk.key]
            for run, run_start in zip(
                before.runs[first:last], before.starts[first:last], strict=True
            )
            for offset_of in (run.offset_of,)
            for chunk in run.chunks
        ]
        clear_before = bisect_right(places, same) - 1 - GUARD
        clear_after = bisect_left(places, changed_end) + GUARD
        if first and clear_before < 1:
            first -= 1
        elif last < len(before.runs) and clear_after > len(places) - 1:
            last += 1
        else:
            break
    return Window(
        first,
        last,
        start,
        end + growth,
        growth,
        max(0, clear_before),
        max(0, len(places) - clear_after),
    )


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(one: str, other: str, most: int) -> int:
    """How many characters two texts have in common at their end, at most so many."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def kept(before: Document, window: Window, chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...] | None:
    """The chunks of a window as read again, those that did not change as they were; None where
    one clear of the edit has changed."""
    old = [chunk for run in before.runs[window.first : window.last] for chunk in run.chunks]
    most = min(len(old), len(chunks))
    head = 0
    while head < most and _same(old[head], chunks[head], first=head == 0 and window.start > 0):
        head += 1
    if head == len(old) == len(chunks):  # the edit is in the space between them
        return tuple(old)
    tail = 0
    while tail < most - head and _same(old[-1 - tail], chunks[-1 - tail], first=False):
        tail += 1
    if head < min(window.before, most) or tail < min(window.after, most - head):
        return None
    missing = (window.first and not head) or (window.last < len(before.runs) and not tail)
    if missing:
        return None
    ending = len(old) - tail
    changed = [_renewed(*pair) for pair in zip(old[head:ending], chunks[head:], strict=False)]
    new = chunks[head + len(changed) : len(chunks) - tail]
    return (*old[:head], *changed[: len(chunks) - tail - head], *new, *old[ending:])


def _renewed(old: Chunk, new: Chunk) -> Chunk:
    """A chunk in the place of another, under the other's keys if their bodies are alike."""
    keys = [chunk.key for chunk in old.preorder()]
    if len(keys) != sum(1 for _ in new.preorder()):
        return new
    rest = iter(keys)

    def keyed(chunk: Chunk) -> Chunk:
        key = next(rest)
        return replace(chunk, key=key, body=tuple(map(keyed, chunk.body)))

    return keyed(new)


def _same(old: Chunk, new: Chunk, *, first: bool) -> bool:
    """Has a chunk not changed? The comment above a window's first one lies outside it."""
    return (
        old.text == new.text
        and (old.parsed is new.parsed or old.parsed == new.parsed)
        and (first or old.note == new.note)
        and len(old.body) == len(new.body)
        and all(
            _same(one, other, first=False) for one, other in zip(old.body, new.body, strict=True)
        )
    )


def spliced(
    before: Document,
    window: Window,
    runs: tuple[Run, ...],
    starts: tuple[int, ...],
    text: str,
    note: str,
    free_key: int,
) -> Document:
    """A document with the runs of a window put in place of what they were."""
    return Document(
        text,
        (*before.runs[: window.first], *runs, *before.runs[window.last :]),
        (
            *before.starts[: window.first],
            *(window.start + start for start in starts),
            *(start + window.growth for start in before.starts[window.last :]),
        ),
        note,
        free_key,
        regular=True,
    )

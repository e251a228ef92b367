"""Edits between two texts that differ in their blanks alone, and how edits are carried out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_BLANK = re.compile(r"(?:[^\S\x1c-\x1f]|\ufeff)*+")
_INK = re.compile(r"(?:[^\s\ufeff]|[\x1c-\x1f])*+")


class Edit(NamedTuple):
    """Half-open range of a text, in code points, and what is to stand there instead."""

    start: int
    end: int
    replacement: str


def edits_between(before: str, after: str) -> Iterator[Edit]:
    """What makes `after` of `before`, in order; all but their blanks is the same."""
    here = there = 0
    while True:
        passed = _alike(before, after, here, there)
        here, there = here + passed, there + passed
        blank, other = _end(_BLANK, before, here), _end(_BLANK, after, there)
        if before[here:blank] != after[there:other]:
            yield _trimmed(before, here, blank, after[there:other])
        if blank == len(before):
            return
        ink = min(_end(_INK, before, blank) - blank, _end(_INK, after, other) - other)
        here, there = blank + ink, other + ink


def _alike(before: str, after: str, here: int, there: int) -> int:
    """How long the whole lines are that two texts have in common from two offsets on."""
    done = here
    while end := before.find("\n", done) + 1:
        line = before[done:end]
        if not after.startswith(line, there + done - here):
            break
        done = end
    return done - here


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text with edits, which are in order, carried out."""
    parts: list[str] = []
    done = 0
    for edit in edits:
        parts += (text[done : edit.start], edit.replacement)
        done = edit.end
    return "".join((*parts, text[done:]))


def _trimmed(text: str, start: int, end: int, replacement: str) -> Edit:
    """An edit without what it leaves as it is at its start; it divides no line end."""
    same = 0
    while same < min(end - start, len(replacement)) and text[start + same] == replacement[same]:
        same += 1
    if same and replacement[same - 1] == "\r":
        same -= 1
    return Edit(start + same, end, replacement[same:])


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start

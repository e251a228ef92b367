"""Where the words of a statement that is too long for one line go on the next.

In front of clauses first, each on a line of its own; then behind commas and in front of operators,
those outside brackets before those inside, with as much on a line as it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from parspec.grammar.columns import width
from parspec.grammar.keywords import STARTERS

_CLAUSE = 0  # the lowest rank: a line is broken there first
_NEVER = 1 << 20
_PARENTHESES, _BRACKETS = 10, 50  # what they add to the ranks inside
_DEEPER = {"(": _PARENTHESES, "{": _PARENTHESES, "[": _BRACKETS}
_LESS_DEEP = {")": -_PARENTHESES, "}": -_PARENTHESES, "]": -_BRACKETS}


class Text(NamedTuple):
    """Words, the spaces in front of each, and which of them begin clauses."""

    words: Sequence[str]
    spaces: Sequence[int]
    clauses: Sequence[int]

    @property
    def joined(self) -> str:
        """All on one line."""
        return self.between(0, len(self.words))

    def between(self, first: int, stop: int) -> str:
        """Some of the words on one line."""
        words, spaces = self.words[first:stop], self.spaces[first:stop]
        parts = [" " * space + word for word, space in zip(words, spaces, strict=True)]
        return "".join(parts)[spaces[0] if spaces else 0 :]

    def part(self, first: int, stop: int) -> Text:
        """Some of the words by themselves."""
        clauses = [index - first for index in self.clauses if first < index < stop]
        return Text(self.words[first:stop], self.spaces[first:stop], clauses)


class Rooms(NamedTuple):
    """Columns for the first line and for each further one."""

    first: int
    further: int


def at_clauses(text: Text) -> list[str]:
    """What is in front of the clauses on a line, and each clause on its own."""
    bounds = pairwise((0, *text.clauses, len(text.words)))
    return [text.between(first, stop) for first, stop in bounds]


def wrapped(text: Text, rooms: Rooms) -> list[str]:
    """All on as many lines as it needs."""
    return _wrapped(text, _ranks(text), 0, len(text.words), rooms)


def _wrapped(text: Text, ranks: Sequence[int], first: int, stop: int, rooms: Rooms) -> list[str]:
    whole = text.between(first, stop)
    rank = min(ranks[first + 1 : stop], default=_NEVER)
    if width(whole) <= rooms.first or rank >= _NEVER:
        return [whole]
    cuts = [index for index in range(first + 1, stop) if ranks[index] == rank]
    lines: list[str] = []
    for start, end in pairwise((first, *cuts, stop)):
        part = " " * text.spaces[start] + text.between(start, end)
        room = rooms.further if len(lines) > 1 else rooms.first
        if lines and rank != _CLAUSE and width(lines[-1] + part) <= room:
            lines[-1] += part
        else:
            left = Rooms(rooms.further, rooms.further) if lines else rooms
            lines += _wrapped(text, ranks, start, end, left)
    return lines


def _ranks(text: Text) -> list[int]:
    """The rank of the place in front of each word: the lower, the sooner a line is broken there."""
    steps = (_DEEPER.get(word, 0) + _LESS_DEEP.get(word, 0) for word in text.words)
    depths = list(accumulate(steps))
    ranks = [_NEVER] * len(depths)
    for index in range(2 if text.words[0] in STARTERS else 1, len(depths)):
        left, right = text.words[index - 1], text.words[index]
        if text.spaces[index] or left in ("(", ","):
            ranks[index] = max(depths[index - 1], 0) + _rank(left, right)
    for index in text.clauses:
        ranks[index] = _CLAUSE
    return ranks


def _rank(left: str, right: str) -> int:
    """The rank of the place between two neighbours, without what is around."""
    if left == "," or right == "|":
        return 1
    if right in ("+", "-"):
        return 2
    if right in ("*", "/"):
        return 3
    if left == "=":
        return 4
    if right == "->":
        return _PARENTHESES + 5
    return _NEVER if right == "{" else 9

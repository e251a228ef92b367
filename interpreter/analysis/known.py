"""Known: what the last analysis of a file found, so that the next one finds only what is new.

A pass is a pure function. What it was given at a place is kept with what came out, and it is not
run again while it is given the same. Whoever looks at a file again and again owns one `Known`; a
result never depends on what is in it.

Same means equal. So passes hand on what is equal only to itself (parts, and what was found of a
part), and plain values; what has a site, which equality does not see, goes inside a part.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias, TypeVar, TypeVarTuple

Given = TypeVarTuple("Given")
Found = TypeVar("Found")
Entries: TypeAlias = Mapping[tuple[object, Hashable], tuple[tuple[object, ...], Any]]
NOTHING: Entries = {}


class Known:
    """Results by pass and place; no more of them than the last analysis needed."""

    __slots__ = ("_before", "_now")

    def __init__(self, before: Entries = NOTHING) -> None:
        self._before = before
        self._now: dict[tuple[object, Hashable], tuple[tuple[object, ...], Any]] = {}

    @property
    def size(self) -> int:
        """How many results the last analysis left."""
        return len(self._before)

    def recall(self, place: Hashable, function: Callable[[*Given], Found], *given: *Given) -> Found:
        """The result of a pure function: the one kept for this place, if it was given the same."""
        key = function, place
        entry = self._now.get(key) or self._before.get(key)
        if entry is None or entry[0] != given:
            entry = given, function(*given)
        self._now[key] = entry
        found: Found = entry[1]
        return found

    def same(self, place: Hashable, value: Found) -> Found:
        """The value itself, or the equal one that was here before."""
        return self.recall(place, _itself, value)

    def turn(self) -> None:
        """An analysis is done: forget what it did not ask for."""
        self._before, self._now = self._now, {}

    def fork(self) -> Known:
        """What is known so far, to try something with: what that finds is kept apart."""
        return Known({**self._before, **self._now})


def _itself(value: Found) -> Found:
    return value

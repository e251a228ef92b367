"""Known: what the last analysis of a file found, so that the next one finds only what is new.

A pass is a pure function. What it was given at a place is kept with what came out, and it is not
run again while it is given the same. Whoever looks at a file again and again owns one `Known`; a
result never depends on what is in it.

Same means equal. So passes hand on what is equal only to itself (parts, and what was found of a
part), and plain values; what has a site, which equality does not see, goes inside a part.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeAlias, TypeVar, TypeVarTuple

Given = TypeVarTuple("Given")
Found = TypeVar("Found")
Kept: TypeAlias = dict[object, tuple[tuple[object, ...], Any]]  # what each pass was given and found
WHOLE = None  # the place of what is found of a whole model


class Known:
    """The last results of passes by place: a part, the name of a variable, the whole."""

    __slots__ = ("_places",)

    def __init__(self) -> None:
        self._places: dict[Hashable, Kept] = {WHOLE: {}}

    @property
    def size(self) -> int:
        """How many results are kept."""
        return sum(map(len, self._places.values()))

    def recall(self, place: Hashable, function: Callable[[*Given], Found], *given: *Given) -> Found:
        """The result of a pure function: the one kept for this place, if it was given the same."""
        kept = self._places.get(place)
        if kept is None:
            kept = self._places[place] = {}
        entry = kept.get(function)
        if entry is None or entry[0] != given:
            entry = kept[function] = given, function(*given)
        found: Found = entry[1]
        return found

    def same(self, value: Found) -> Found:
        """A value of which the whole has one of a kind: the one from before, if it is equal."""
        kept = self._places[WHOLE]
        entry = kept.get(type(value))
        if entry is None or entry[1] != value:
            entry = kept[type(value)] = (), value
        found: Found = entry[1]
        return found

    def forget_all_but(self, places: Iterable[Hashable]) -> None:
        """Forget what was found at other places than these, and of the whole."""
        kept = self._places
        self._places = {place: kept[place] for place in (WHOLE, *places) if place in kept}

    def fork(self) -> Known:
        """What is known so far, to try something with: what that finds is kept apart."""
        aside = Known()
        aside._places = {place: dict(kept) for place, kept in self._places.items()}
        return aside

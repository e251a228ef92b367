"""Known: what the last analysis of a file found, so that the next one finds only what is new.

A pass is a pure function. What it was given is kept with what came out, and it is not run again
while it is given the same. Most passes run once for each of some places (parts, variables), and as
a rule a place is given what it was given the last time; to see that costs next to nothing. Whoever
looks at a file again and again owns one `Known`; a result never depends on what is in it.

Same means equal. So passes hand on what is equal only to itself (parts, and what was found of a
part), and plain values; what has a site, which equality does not see, goes inside a part.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar, TypeVarTuple

Given = TypeVarTuple("Given")
Found = TypeVar("Found")
Row: TypeAlias = tuple[Any, ...]


class _Kept(NamedTuple):
    """What a pass was given, each row with its place in front, and what it found."""

    rows: Sequence[Row]
    found: Sequence[Any]


_NOTHING = _Kept((), ())
_NEW: tuple[Row, None] = ((), None)  # what was given and found where nobody has looked yet


class Known:
    """The last results of passes, by their functions."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[object, _Kept] = {}

    @property
    def size(self) -> int:
        """How many results are kept."""
        return sum(len(kept.rows) for kept in self._kept.values())

    def recall(self, function: Callable[[*Given], Found], *given: *Given) -> Found:
        """The result of a pure function of a whole model: the last, if it was given the same."""
        kept = self._kept.get(function)
        if kept is None or kept.rows[0] != given:
            kept = self._kept[function] = _Kept((given,), (function(*given),))
        found: Found = kept.found[0]
        return found

    def each(
        self,
        function: Callable[..., Found],
        places: Sequence[Hashable],
        *columns: Iterable[Any],
    ) -> tuple[Found, ...]:
        """The results of a pure function at each of some places, which it is given first, then what
        stands in the columns there; the last result, where it was given the same."""
        rows = list(zip(places, *columns, strict=False))
        earlier = zip(rows, *self._before(function, places), strict=True)
        found = tuple([last if row == was else function(*row) for row, was, last in earlier])
        self._kept[function] = _Kept(rows, found)
        return found

    def in_turn(
        self, function: Callable[..., Found], places: Sequence[Hashable]
    ) -> Callable[..., Found]:
        """A function to call once for each of some places, in order, where what is given there
        depends on what was found before: like `function`, which it runs if it has to."""
        rows: list[Row] = []
        found: list[Found] = []
        earlier = zip(*self._before(function, places), strict=True)
        self._kept[function] = _Kept(rows, found)

        def at_next(*given: Any) -> Found:
            was, last = next(earlier)
            result: Found = last if given == was else function(*given)
            rows.append(given)
            found.append(result)
            return result

        return at_next

    def same(self, value: Found) -> Found:
        """A value of which the whole has one of a kind: the one from before, if it is equal."""
        kept = self._kept.get(type(value))
        if kept is None or kept.found[0] != value:
            kept = self._kept[type(value)] = _Kept(((),), (value,))
        found: Found = kept.found[0]
        return found

    def fork(self) -> Known:
        """What is known so far, to try something with: what that finds is kept apart."""
        aside = Known()
        aside._kept = dict(self._kept)
        return aside

    def _before(self, function: object, places: Sequence[Hashable]) -> _Kept:
        """What was given and found at these places the last time."""
        kept = self._kept.get(function, _NOTHING)
        if len(kept.rows) == len(places):  # as a rule everything stands where it stood
            return kept
        by_place = {row[0]: (row, found) for row, found in zip(*kept, strict=True)}
        known = [by_place.get(place, _NEW) for place in places]
        return _Kept([row for row, _ in known], [found for _, found in known])

"""Known: what the last analysis of a file found, so that the next one finds only what is new.

A pass is a pure function. What it was given is kept with what came out, and it is not run again
while it is given the same. Most passes run once for each of some places (parts, variables), and as
a rule a place is given what it was given the last time; to see that costs next to nothing. Whoever
looks at a file again and again owns one `Known`; a result never depends on what is in it.

Same means equal. So passes hand on what is equal only to itself (parts, and what was found of a
part), and plain values; what has a site, which equality does not see, goes inside a part.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar, TypeVarTuple

Given = TypeVarTuple("Given")
Found = TypeVar("Found")
Row: TypeAlias = tuple[Any, ...]


class _Kept(NamedTuple):
    """What a pass was given and what it found: in each column what it was given at every place, the
    places themselves in the first; what it was given at all of them."""

    columns: Sequence[Sequence[Any]]
    everywhere: Row
    found: Sequence[Any]


_NEW = object()  # what was given where nobody has looked yet


class Known:
    """The last results of passes, by their functions."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[object, _Kept] = {}

    @property
    def size(self) -> int:
        """How many results are kept."""
        return sum(len(kept.found) for kept in self._kept.values())

    def recall(self, function: Callable[[*Given], Found], *given: *Given) -> Found:
        """The result of a pure function of a whole model: the last, if it was given the same."""
        kept = self._kept.get(function)
        if kept is None or kept.everywhere != given:
            kept = self._kept[function] = _Kept((), given, (function(*given),))
        found: Found = kept.found[0]
        return found

    def each(
        self,
        function: Callable[..., Found],
        places: Sequence[Hashable],
        *columns: Sequence[Any],
        everywhere: Row = (),
    ) -> tuple[Found, ...]:
        """The results of a pure function at each of some places, which it is given first, then what
        stands in the columns there, then what it is given `everywhere`; the last result, where it
        was given the same."""
        now = (places, *columns)
        kept = self._before(function, now)
        if kept.everywhere == everywhere:
            found = list(kept.found)
            others = _differing(now, kept.columns)
        else:
            found = [None] * len(places)
            others = enumerate(zip(*now, strict=True))
        for place, row in others:
            found[place] = function(*row, *everywhere)
        results = tuple(found)
        self._kept[function] = _Kept(now, everywhere, results)
        return results

    def in_turn(
        self, function: Callable[..., Found], places: Sequence[Hashable]
    ) -> Callable[..., Found]:
        """A function to call once for each of some places, in order, where what is given there
        depends on what was found before: like `function`, which it runs if it has to."""
        rows: list[Row] = []
        found: list[Found] = []
        kept = self._before(function, (places, rows))
        earlier = zip(kept.columns[1], kept.found, strict=True)
        self._kept[function] = _Kept((places, rows), (), found)

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
            kept = self._kept[type(value)] = _Kept((), (), (value,))
        found: Found = kept.found[0]
        return found

    def fork(self) -> Known:
        """What is known so far, to try something with: what that finds is kept apart."""
        aside = Known()
        aside._kept = dict(self._kept)
        return aside

    def _before(self, function: object, now: Sequence[Sequence[Any]]) -> _Kept:
        """What was given and found the last time, at the places of now."""
        places, nothing = now[0], _Kept([()] * len(now), (), ())
        kept = self._kept.get(function, nothing)
        if len(kept.found) == len(places):  # as a rule everything stands where it stood
            return kept
        numbers = {place: number for number, place in enumerate(kept.columns[0])}
        at = [numbers.get(place) for place in places]
        columns = [[_NEW if n is None else column[n] for n in at] for column in kept.columns]
        return _Kept(columns, kept.everywhere, [None if n is None else kept.found[n] for n in at])


def _differing(
    now: Sequence[Sequence[Any]], before: Sequence[Sequence[Any]]
) -> Iterator[tuple[int, Row]]:
    """The places where something else is given than before, with what is given there."""
    alike = map(operator.is_, now[0], before[0])
    for column, was in zip(now[1:], before[1:], strict=True):
        alike = map(operator.and_, alike, map(operator.is_, column, was))
    for place, same in enumerate(alike):
        if not same:
            row = tuple([column[place] for column in now])
            if row != tuple([column[place] for column in before]):
                yield place, row

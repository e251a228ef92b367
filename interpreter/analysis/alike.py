"""Alike: rows of values of which many are equal, each looked at once.

A network repeats itself: of the layers and variables of a part only a few differ in what figures
depend on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value", bound=Hashable)
Found = TypeVar("Found")


class Alike(NamedTuple, Generic[Value]):
    """The different values of a row, in the order in which they come first, how often each stands
    there, and at each place of the row the number of the one that does."""

    different: tuple[Value, ...]
    counts: tuple[int, ...]
    places: tuple[int, ...]

    def each(self, found: Sequence[Found]) -> tuple[Found, ...]:
        """What was found of each different value, at every place of the row."""
        return tuple(map(found.__getitem__, self.places))

    def counted(self, found: Iterable[Found]) -> Iterator[tuple[Found, int]]:
        """What was found of each different value, with how often that stands in the row."""
        return zip(found, self.counts, strict=True)


def alike(values: Iterable[Value]) -> Alike[Value]:
    """A row of values."""
    numbers: dict[Value, int] = {}
    places = tuple([numbers.setdefault(value, len(numbers)) for value in values])
    counts = Counter(places)
    return Alike(tuple(numbers), tuple(map(counts.__getitem__, range(len(numbers)))), places)

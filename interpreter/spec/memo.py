"""Memo: values kept with what they were made from, so that after an edit only what it touches is
made again.

What a value is made from is told apart by identity: the parser hands over the very same runs for
text that has not changed, and so on from there. What is not asked for in a turn is forgotten.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
V = TypeVar("V")


class Memo(Generic[V]):
    """Values of one kind."""

    def __init__(self) -> None:
        self._before: dict[tuple[int, ...], tuple[tuple[object, ...], V]] = {}
        self._now: dict[tuple[int, ...], tuple[tuple[object, ...], V]] = {}

    def known(self, *made_from: object) -> V | None:
        """The value that was kept for these very objects."""
        key = tuple(map(id, made_from))
        entry = self._now.get(key) or self._before.get(key)
        if entry is None:
            return None
        self._now[key] = entry
        return entry[1]

    def keep(self, value: V, *made_from: object) -> V:
        """Keeps a value; the objects live as long as it does."""
        self._now[tuple(map(id, made_from))] = (made_from, value)
        return value

    def of(self, make: Callable[[T], V], made_from: T, *beside: object) -> V:
        """The value that is made from an object, as of what is beside it."""
        value = self.known(made_from, *beside)
        return self.keep(make(made_from), made_from, *beside) if value is None else value

    def turn(self) -> None:
        """A new turn begins: forgets what was not asked for in the last one."""
        self._before, self._now = self._now, {}


class Row(Generic[T, V]):
    """Values that are made from a row of objects, one from each."""

    def __init__(self) -> None:
        self._row: Sequence[T] = ()
        self._values: tuple[V, ...] = ()

    def of(self, make: Callable[[T], V], row: Sequence[T]) -> tuple[V, ...]:
        """The values; those of objects that were in the last row are as they were there."""
        if len(row) == len(self._row) and all(map(operator.is_, row, self._row)):
            return self._values
        known = dict(zip(map(id, self._row), self._values, strict=True))
        values = [known[id(one)] if id(one) in known else make(one) for one in row]
        self._row, self._values = row, tuple(values)
        return self._values

"""A text that a benchmark edits, and the edits: at random places, one replacement each.

Texts are ASCII with line feeds, so that a column is the same number in every encoding.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Any, NamedTuple, TypeAlias


class Edit(NamedTuple):
    """Puts `new` in place of what is between two offsets. `faulty`: whether the text has an error
    after it; None where it may have or not."""

    start: int
    end: int
    new: str
    faulty: bool | None = None


Drawing: TypeAlias = Callable[[str, Random], Edit]
"""Draws the next edit of a text."""


@dataclass
class Edited:
    """A text with its lines and its version."""

    text: str
    version: int = 1
    _starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._starts = [0, *accumulate(map(len, self.text.splitlines(keepends=True)))]

    def position(self, offset: int) -> dict[str, int]:
        """The position of an offset, as the protocol has it."""
        line = bisect_right(self._starts, offset) - 1
        return {"line": line, "character": offset - self._starts[line]}

    def change(self, edit: Edit) -> dict[str, Any]:
        """Makes an edit; its event."""
        place = {"start": self.position(edit.start), "end": self.position(edit.end)}
        self.text = f"{self.text[: edit.start]}{edit.new}{self.text[edit.end :]}"
        self.version += 1
        self.__post_init__()
        return {"range": place, "text": edit.new}


def mending(right: str, wrong: str) -> Drawing:
    """A mistake at a random place: `wrong` instead of `right`; the next edit mends it."""

    def draw(text: str, random: Random) -> Edit:
        at = text.find(wrong)
        if at >= 0:
            return Edit(at, at + len(wrong), right, faulty=False)
        at = random.choice(places(text, right))
        return Edit(at, at + len(right), wrong, faulty=True)

    return draw


def flipping(one: str, other: str) -> Drawing:
    """One of two words at a random place becomes the other one."""

    def draw(text: str, random: Random) -> Edit:
        at = random.choice([*places(text, one), *places(text, other)])
        old, new = (one, other) if text.startswith(one, at) else (other, one)
        return Edit(at, at + len(old), new)

    return draw


def resizing(name: str, least: int, step: int) -> Drawing:
    """Another size of a dimension."""

    def draw(text: str, random: Random) -> Edit:
        size = re.search(rf"\bdim {name} = (\d+)", text)
        assert size is not None
        return Edit(*size.span(1), str(least + step * random.randrange(1000)))

    return draw


def places(text: str, word: str) -> list[int]:
    """Where a word stands."""
    return [found.start() for found in re.finditer(re.escape(word), text)]

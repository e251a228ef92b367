"""A client's own copy of a file: its text, positions counted the slow way, and random edits.

Nothing here is the server's: lines end at \\n, \\r\\n and \\r, columns are counted by encoding what
stands in front.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal

Sync = Literal["incremental", "full", "mixed"]
Encoding = Literal["utf-8", "utf-16", "utf-32"]

_WIDTH = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_END = re.compile(r"\r\n|\r|\n")
WORDS = (
    "layer", "dim", "weight", "output", "partition", "on", "tp", "dp", "{", "}", "[", "]", ":", "=",
    "*", "+", ",", "?", "#", '"', "frozen", "7", "0", "x", "h", "B", "D", "批次", "Δ", "🚀",
    "# 张量 🚀\n", "\n", "\r\n", "\r", "\n\n", "\u2028", "\x0c", "\x85", "\t", "dim Z = 8\n",
    "for *: partition B on dp\n", "plan p {\n    mesh tp = 4\n}\n", "stack s[L]: x -> y {\n",
    "layer new: new[B, D] = gelu(x)\n", "expect traffic <= 1 MB\n", 'import "model.par"\n',
)  # fmt: skip


@dataclass
class Mirror:
    """One file as its client has it; `first`: what it began with. `version` None: not open."""

    uri: str
    first: str
    path: Path | None
    text: str = ""
    version: int | None = None
    _undo: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text = self.first

    def position(self, offset: int, encoding: Encoding) -> dict[str, int]:
        """The position of an offset."""
        ends = list(_END.finditer(self.text, 0, offset))
        start = ends[-1].end() if ends else 0
        codec = encoding if encoding == "utf-8" else f"{encoding}-le"
        column = len(self.text[start:offset].encode(codec)) // _WIDTH[encoding]
        return {"line": len(ends), "character": column}

    def offset(self, position: dict[str, int], encoding: Encoding) -> int:
        """The offset of a position that a server names."""
        starts = [0, *(end.end() for end in _END.finditer(self.text))]
        codec = encoding if encoding == "utf-8" else f"{encoding}-le"
        start = starts[position["line"]]
        rest = self.text[start:].encode(codec)
        return start + len(rest[: position["character"] * _WIDTH[encoding]].decode(codec))

    def places(self) -> list[int]:
        """The offsets that have a position: not those between the characters of a line end."""
        return [at for at in range(len(self.text) + 1) if self.text[at - 1 : at + 1] != "\r\n"]

    def edited(self, random: Random, sync: Sync, encoding: Encoding) -> list[dict[str, Any]]:
        """Makes a random edit; the events that tell of it, each about what the one before left."""
        self._undo = [*self._undo[-20:], self.text]
        count = random.choice((1, 1, 1, 2, 3))
        return [self._event(random, sync, encoding) for _ in range(count)]

    def _event(self, random: Random, sync: Sync, encoding: Encoding) -> dict[str, Any]:
        start, end, new = self._drawn(random)
        whole = sync == "full" or (sync == "mixed" and random.random() < 0.3)
        place = {} if whole else {"start": start, "end": end}
        place = {name: self.position(at, encoding) for name, at in place.items()}
        self.text = self.text[:start] + new + self.text[end:]
        return {"text": self.text} if whole else {"range": place, "text": new}

    def _drawn(self, random: Random) -> tuple[int, int, str]:
        """An edit: two offsets and what comes between them."""
        places = self.places()
        at = random.choice(places)
        lines = self._lines()
        if len(self.text) > 2 * len(self.first) + 500:
            return 0, len(self.text), self.first
        match random.choice(("word", "gone", "number", "line", "joined", "undo", "undo", "first")):
            case "word":
                return at, at, random.choice(WORDS)
            case "gone":
                later = [place for place in places if at <= place <= at + 30]
                return at, random.choice(later), random.choice(("", "", "x", "🚀y"))
            case "number":
                digits = [found.span() for found in re.finditer(r"\d+", self.text)]
                start, end = random.choice(digits) if digits else (at, at)
                return start, end, str(random.choice((0, 1, 2, 3, 8, 64, 4096, 28672)))
            case "line":
                start, end = random.choice(lines)
                there = random.choice(lines)[0]
                return there, there, self.text[start:end]
            case "joined":
                start, end = random.choice(lines)
                return start, end, ""
            case "undo":
                return 0, len(self.text), self._undo.pop() if self._undo else self.first
            case _:
                return 0, len(self.text), random.choice((self.first, self.text, ""))

    def _lines(self) -> list[tuple[int, int]]:
        """The lines, each with what ends it."""
        starts = [0, *(end.end() for end in _END.finditer(self.text))]
        return list(zip(starts, [*starts[1:], len(self.text)], strict=True))


def applied(mirror: Mirror, edits: list[dict[str, Any]], encoding: Encoding) -> str:
    """The text of a file after edits that a server answers with."""
    placed = [
        (*(mirror.offset(edit["range"][at], encoding) for at in ("start", "end")), edit["newText"])
        for edit in edits
    ]
    text = mirror.text
    for start, end, new in sorted(placed, reverse=True):
        text = text[:start] + new + text[end:]
    return text

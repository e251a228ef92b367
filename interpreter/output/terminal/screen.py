"""What the terminal at the other end can show: colours, and how many columns.

NO_COLOR switches colours off, FORCE_COLOR on, wherever the text goes; without either they are for
terminals. Lines are 80 columns long, on a terminal as long as its own, from 60 to 120.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

from parspec.grammar.values import value

COLUMNS = 80
_LEAST_COLUMNS = 60  # a narrower terminal wraps by itself
_MOST_COLUMNS = 120  # longer lines are hard to read
_RESET = "\x1b[0m"


@value
class Palette:
    """Escape sequences by what is shown: a severity, `frame`, `strong`, `faint`, `help`."""

    codes: Mapping[str, str]

    def paint(self, role: str, text: str) -> str:
        """The text in the colour of its role."""
        code = self.codes.get(role)
        return f"{code}{text}{_RESET}" if code and text else text


PLAIN = Palette({})
COLOURED = Palette(
    {
        "error": "\x1b[1;31m",
        "warning": "\x1b[1;33m",
        "info": "\x1b[1;34m",
        "hint": "\x1b[1;34m",
        "frame": "\x1b[34m",
        "help": "\x1b[1;36m",
        "strong": "\x1b[1m",
        "faint": "\x1b[2m",
        "good": "\x1b[32m",
    }
)


@value
class Screen:
    """How text is to be shown: wrapped at so many columns. `limit` is the most that a line takes
    which cannot be wrapped; None where it may be of any length, as in a pipe."""

    palette: Palette
    columns: int
    limit: int | None = None


def screen(stream: TextIO) -> Screen:
    """The screen behind a stream."""
    columns = _columns(stream)
    return Screen(_palette(stream), columns, columns if stream.isatty() else None)


def can_redraw(stream: TextIO) -> bool:
    """Whether what was written can be written over: on a terminal that takes escape sequences."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _palette(stream: TextIO) -> Palette:
    if os.environ.get("NO_COLOR"):
        return PLAIN
    forced = os.environ.get("FORCE_COLOR")
    if forced:
        return PLAIN if forced == "0" else COLOURED
    return COLOURED if can_redraw(stream) else PLAIN


def _columns(stream: TextIO) -> int:
    if not stream.isatty():
        return COLUMNS
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except OSError:
        return COLUMNS
    return min(_MOST_COLUMNS, max(columns, _LEAST_COLUMNS)) if columns else COLUMNS

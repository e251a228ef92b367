"""Text on a terminal: how many cells it takes, and what is safe to send there.

Wide characters take two cells, combining ones none. Control characters, which a hostile file could
use to steer the terminal, are shown as their pictures; a tab is shown as spaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from unicodedata import category, east_asian_width

TAB = "    "
ELLIPSIS = "…"
_PICTURES = 0x2400  # the control pictures of Unicode, in the order of the control characters
_DELETE = 0x7F
_NO_BREAK = "\u00a0"


def glyph(character: str) -> str:
    """What is shown for one code point."""
    if character == "\t":
        return TAB
    code = ord(character)
    if code < ord(" "):
        return chr(_PICTURES + code)
    if code == _DELETE:
        return "␡"
    return "�" if category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") else character


def safe(text: str) -> str:
    """The text with every code point as it is shown."""
    return text if text.isascii() and text.isprintable() else "".join(map(glyph, text))


def width(text: str) -> int:
    """Cells that a text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in ("W", "F") else 1


def padded(text: str, cells: int) -> str:
    """The text with spaces behind it, at least so many cells wide."""
    return text + " " * (cells - width(text))


def window(widths: Sequence[int], start: int, end: int, room: int) -> tuple[int, int]:
    """The part of a line, as a half-open range of its glyphs, that shows `start` to `end` in so
    many cells: all of it where it fits, else what is around the start."""
    if sum(widths) <= room:
        return 0, len(widths)
    first = last = min(start, len(widths))
    left = room
    while last < min(end, len(widths)) and widths[last] <= left:
        left -= widths[last]
        last += 1
    while True:
        grown = False
        if first > 0 and widths[first - 1] <= left:
            first -= 1
            left -= widths[first]
            grown = True
        if last < len(widths) and widths[last] <= left:
            left -= widths[last]
            last += 1
            grown = True
        if not grown:
            return first, last


def shortened(text: str, room: int) -> str:
    """The text, without its middle where it takes more than `room` cells: `data_p…rallel`."""
    if width(text) <= room:
        return text
    tail = _fitting(text[::-1], (room - width(ELLIPSIS)) // 2)[::-1]
    return _fitting(text, room - width(ELLIPSIS) - width(tail)) + ELLIPSIS + tail


def _fitting(text: str, room: int) -> str:
    """The beginning of a text that takes so many cells."""
    for end, taken in enumerate(accumulate(map(_cells, text))):
        if taken > room:
            return text[:end]
    return text


def wrapped(text: str, room: int, indent: str = "") -> list[str]:
    """The text in lines of at most `room` cells, broken at spaces; `indent` begins all lines but
    the first. A word that is longer than a line is shortened."""
    lines: list[str] = []
    line = ""
    for word in (shortened(word, room - width(indent)) for word in text.split(" ")):
        longer = f"{line} {word}" if line.strip() else line + word
        if line.strip() and width(longer) > room:
            lines.append(line)
            longer = indent + word
        line = longer
    return [*lines, line]


def flowed(items: Iterable[str], separator: str, room: int) -> list[str]:
    """Items in lines of at most `room` cells, broken behind a separator where that is possible; no
    line begins with one."""
    end = separator.rstrip()
    gap = separator.removeprefix(end)
    *before, last = list(items) or [""]
    lines: list[str] = []
    line = ""
    for item in (*(item + end.replace(" ", _NO_BREAK) for item in before), last):
        longer = f"{line}{gap}{item}" if line else item
        if line and width(longer) > room:
            lines += wrapped(line, room)
            longer = item
        line = longer
    return [shown.replace(_NO_BREAK, " ") for shown in (*lines, *wrapped(line, room))]

"""Excerpts: the lines of a source that a place is in, with carets under its exact range."""

from __future__ import annotations

from parspec.grammar.values import value
from parspec.interpreter.output.checks.diagnostic import Place, Source
from parspec.interpreter.output.terminal.cells import ELLIPSIS, glyph, width, window
from parspec.interpreter.output.terminal.screen import Screen

_FRAME = 3  # cells of ` | ` between a line's number and the line


@value
class _Marked:
    """A line with its number and the half-open range of columns, from 0, that is marked."""

    number: int
    text: str
    start: int
    end: int


def gutter(*places: Place) -> int:
    """Cells that the line numbers of these places need."""
    return max(len(str(place.end.line)) for place in places)


def excerpt(source: Source, place: Place, role: str, margin: int, screen: Screen) -> list[str]:
    """The place's first and last line, marked in the colour of `role`; `margin` are the cells for
    line numbers."""
    frame = screen.palette.paint("frame", f"{' ' * margin} |")
    shown = [frame]
    marked = _marked(source, place)
    for line, before in zip(marked, (None, *marked), strict=False):
        if before is not None and line.number > before.number + 1:
            shown.append(screen.palette.paint("frame", "..."))
        text, blank, carets = _drawn(line, screen.columns - margin - _FRAME)
        number = screen.palette.paint("frame", f"{line.number:>{margin}} |")
        shown.append(f"{number} {text}".rstrip())
        shown.append(f"{frame} {' ' * blank}{screen.palette.paint(role, '^' * carets)}")
    return shown


def _marked(source: Source, place: Place) -> list[_Marked]:
    first, last = place.start.line, place.end.line
    start, end = place.start.column - 1, place.end.column - 1
    text = source.line(first)
    if first == last:
        return [_Marked(first, text, start, max(end, start + 1))]
    head = _Marked(first, text, start, max(len(text.rstrip()), start + 1))
    tail = source.line(last)
    indent = len(tail) - len(tail.lstrip())
    return [head, _Marked(last, tail, indent, end)] if end > indent else [head]


def _drawn(line: _Marked, room: int) -> tuple[str, int, int]:
    """The line, cut to what fits around its mark; cells in front of the mark, and under it."""
    text = line.text.rstrip().ljust(line.start + 1)  # a mark may stand behind the line's end
    near, far = max(line.start - room, 0), line.start + room + 1  # nothing else can fit
    cut = text[near:far]
    plain = cut.isascii() and cut.isprintable()  # as a rule, and thousands of lines may be shown
    glyphs = [*cut] if plain else [*map(glyph, cut)]
    widths = [1] * len(cut) if plain else [*map(width, glyphs)]
    start, end = line.start - near, line.end - near
    fits = len(cut) == len(text) and sum(widths) <= room
    first, last = window(widths, start, end, room if fits else room - 2 * width(ELLIPSIS))
    left = ELLIPSIS if near + first > 0 else ""
    right = ELLIPSIS if near + last < len(text) else ""
    shown = left + "".join(glyphs[first:last]) + right
    blank = width(left) + sum(widths[first:start])
    carets = sum(widths[start : min(end, last)])
    return shown, blank, max(carets, 1)

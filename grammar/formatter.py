"""A text -> the same text in the one style: only blanks and line ends ever change.

One statement stands on a line, bodies stand two columns further in, lines take up to 100 columns,
runs of blank lines become one. Comments stay where they are and document what they did. A
statement with a syntax error stays as it is, and all line ends are those of most lines.

Every result is held against the text; where it would say anything else the text is left alone.
Formatting what is formatted changes nothing. Nothing here knows what a statement means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from parspec.grammar.columns import Line, rendered
from parspec.grammar.document import Document
from parspec.grammar.edits import Edit, applied, edits_between
from parspec.grammar.entries import Entry, entries
from parspec.grammar.parser import parse
from parspec.grammar.sameness import same
from parspec.grammar.splitter import BLANKS

_BYTE_ORDER_MARK = "\ufeff"
_LINE_END = re.compile(r"\r\n|\r|\n")


def formatted(text: str) -> str:
    """The text in the one style."""
    if text.startswith(_BYTE_ORDER_MARK):
        return _BYTE_ORDER_MARK + formatted(text.removeprefix(_BYTE_ORDER_MARK))
    return in_style(parse(text))


def in_style(document: Document) -> str:
    """A document's text in the one style."""
    text = document.text
    if text.startswith(_BYTE_ORDER_MARK):
        return formatted(text)
    styled = _styled(document)
    return styled if styled == text or same(document, styled) else text


def edits(document: Document) -> tuple[Edit, ...]:
    """What brings a text into the one style, in order, each edit as small as it can be."""
    found = _edits(document)
    return found if not found or same(document, applied(document.text, found)) else ()


def range_edits(document: Document, start: int, end: int) -> tuple[Edit, ...]:
    """Those of the edits that concern the statements and comments which a range touches."""
    text = document.text
    spans = [(at, at + len(chunk.text)) for at, chunk in document.placed()]
    touched = [(first, last) for first, last in spans if first <= end and start <= last]
    low = len(text[: min([start, *(first for first, _ in touched)])].rstrip(BLANKS))
    high = max([end, *(last for _, last in touched)])
    chosen = tuple(edit for edit in _edits(document) if low <= edit.start and edit.end <= high)
    return chosen if not chosen or same(document, applied(text, chosen)) else ()


def _edits(document: Document) -> tuple[Edit, ...]:
    """What makes the styled text, which is not held against the text yet."""
    text = document.text
    styled = formatted(text) if text.startswith(_BYTE_ORDER_MARK) else _styled(document)
    return () if styled == text else tuple(edits_between(text, styled))


def _styled(document: Document) -> str:
    """The lines of a document in the one style; its own where it holds text of no statement."""
    found = entries(document)
    if found is None:
        return document.text
    styled = "".join(f"{line}\n" for line in _lines(found))
    end = _line_end(document.text)
    return _LINE_END.sub(end, styled) if end != "\n" or "\r" in styled else styled


def _lines(found: Sequence[Entry]) -> Iterator[str]:
    """The lines of all entries, in columns where they stand together."""
    run: list[Line] = []
    for entry in found:
        if run and (entry.alone or entry.blank or entry.lines[0].indent != run[-1].indent):
            yield from rendered(run)
            run = []
        if entry.blank:
            yield ""
        if entry.alone:
            yield from _alone(entry.lines)
        else:
            run += entry.lines
    yield from rendered(run)


def _alone(lines: Sequence[Line]) -> Iterator[str]:
    """The lines of one statement, in columns between braces and blank lines."""
    run: list[Line] = []
    for line in lines:
        code = "".join(line.cells)
        if code.endswith(("{", "}")) or not (code or line.comment):
            yield from rendered(run)
            yield from rendered([line])
            run = []
        else:
            run.append(line)
    yield from rendered(run)


def _line_end(text: str) -> str:
    """What ends most lines."""
    both = text.count("\r\n")
    counts = {"\n": text.count("\n") - both, "\r\n": both, "\r": text.count("\r") - both}
    return max(counts, key=counts.__getitem__)

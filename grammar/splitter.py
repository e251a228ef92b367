"""A text -> the pieces that are parsed one by one, by the rules of the language alone.

Every statement starts with a keyword; the text is cut there. Nothing in a comment or a string
cuts. Only the braces of `block`, `stack` and `plan` hold statements; other braces stay inside
their piece. Any text can be split, in time linear in its length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Set
from dataclasses import dataclass

from parspec.grammar.keywords import BODIED, BRACED, STARTERS, misspelt_starter
from parspec.grammar.lines import line_starts
from parspec.grammar.syntax import Span

MAX_DEPTH = 100
"""How deep bodies, brackets and sizes may be nested."""

BLANKS = "".join(
    chr(code)
    for code in (*range(0x3001), 0xFEFF)
    if (chr(code).isspace() or code == 0xFEFF) and not 0x1C <= code <= 0x1F
)
"""The characters between tokens, as BLANK in par.lark."""

_SKIP = r"(?:[^\S\x1c-\x1f]|\ufeff|#[^\r\n]*+)*+"
_EXEMPT = r"=:\[(.,)\]}+\-|<>"  # a starter in front of one of these is a name or a key


def _starter(word: str) -> str:
    """`word` where it begins a statement. Each pattern opens with a letter: it searches faster."""
    return rf"{word}(?!\w)(?<![\w.]{word})(?!{_SKIP}[{_EXEMPT}{'' if word == 'for' else '*'}])"


_MARK = re.compile(
    "|".join(
        (
            r"#[^\r\n]*",
            r'"[^"\r\n]*"',
            r"[{}]",
            *map(_starter, STARTERS),
            rf"no(?!\w)(?<![\w.]no){_SKIP}\w+",
            rf"per(?!\w)(?<![\w.]per){_SKIP}device(?!\w)(?!{_SKIP}[^\W\d]\w*{_SKIP}\{{)",
        )
    )
)
_STARTERS = frozenset(STARTERS)
_FIRST_WORD = re.compile(r"(?:\A|[\r\n])[ \t]*([^\W\d]\w*)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement's text, or a header's up to its `{`, or text that belongs to no statement.

    `level` counts the bodies around it; pieces come in reading order. `closed` is False for a
    header whose body runs on to the end of the file, `shallow` for one nested too deep to read.
    """

    start: int
    end: int
    level: int
    opens: bool
    closed: bool
    shallow: bool


@dataclass(frozen=True, slots=True)
class Split:
    """The pieces of a text, its comments, and the offsets at which its lines start."""

    pieces: tuple[Piece, ...]
    comments: tuple[Span, ...]
    starts: tuple[int, ...]

    def line_of(self, offset: int) -> int:
        """The 0-based line that holds `offset`."""
        return bisect_right(self.starts, offset) - 1


def split(text: str) -> Split:
    """Cut `text`. Texts whose braces do not match are read twice: once to learn which `{` stays
    open, once to close it before the first starter that stands no further right than its opener.
    """
    marks = [match.span() for match in _MARK.finditer(text)]
    starts = line_starts(text)
    cutter = _Cutter(text, starts, frozenset())
    cutter.run(marks)
    if unclosed := cutter.still_open():
        cutter = _Cutter(text, starts, unclosed)
        cutter.run(marks)
    return Split(tuple(cutter.pieces), tuple(cutter.comments), tuple(starts))


class _Cutter:
    """One pass over the marks of a text: its comments, strings, braces and starters."""

    def __init__(self, text: str, starts: list[int], unclosed: Set[int]) -> None:
        self._text = text
        self._starts = starts
        self._unclosed = unclosed  # where openers start whose `{` is never closed
        self.pieces: list[Piece] = []
        self.comments: list[Span] = []
        self._open: list[int] = []  # where the openers of the bodies around start
        self._current: int | None = None  # where the piece being read starts
        self._word = ""  # its starter, "" where it has none
        self._inner = 0  # braces open inside it
        self._sunk = 0  # braces open in a body nested too deep
        self._searched = 0  # up to where misspelt openers were looked for
        self._behind = 0  # end of the last mark

    def run(self, marks: list[tuple[int, int]]) -> None:
        """Cut the whole text."""
        for start, end in marks:
            if self._current is None and not self._sunk:
                self._begin_stray(start)
            self._take(self._text[start:end], start, end)
            self._behind = end
        if self._current is None and not self._sunk:
            self._begin_stray(len(self._text))
        self._finish(len(self._text))

    def still_open(self) -> frozenset[int]:
        """Where the openers start whose body has not been closed."""
        return frozenset(self._open)

    def _take(self, mark: str, start: int, end: int) -> None:
        if mark.startswith("#"):
            self.comments.append(Span(start, end))
        elif self._sunk:
            self._sunk += (mark == "{") - (mark == "}")
        elif mark in _STARTERS:
            self._starter(mark, start)
        elif mark == "}":
            self._closing(start)
        else:
            if self._current is None:
                self._begin(start, "")
            if mark == "{":
                self._opening(end)

    def _begin(self, start: int, word: str) -> None:
        self._current, self._word, self._inner = start, word, 0
        self._searched = start

    def _begin_stray(self, stop: int) -> None:
        """Begin a piece at text that no starter stands before."""
        bare = self._text[self._behind : stop].lstrip(BLANKS)
        if bare:
            self._begin(stop - len(bare), "")

    def _finish(self, stop: int) -> None:
        """End the current piece in front of `stop`."""
        if self._current is not None:
            self._add(self._current, self._content_end(self._current, stop), opens=False)
        self._current, self._inner = None, 0

    def _add(self, start: int, end: int, *, opens: bool) -> None:
        level = len(self._open)
        closed = start not in self._unclosed
        self.pieces.append(Piece(start, end, level, opens, closed, level < MAX_DEPTH))

    def _starter(self, word: str, start: int) -> None:
        if self._current is not None and self._inner and self._right_of(start, self._current):
            return
        self._finish(start)
        while (
            self._open
            and self._open[-1] in self._unclosed
            and not self._right_of(start, self._open[-1])
        ):
            self._open.pop()
        self._begin(start, word)

    def _opening(self, end: int) -> None:
        if self._inner or self._current is None:
            self._inner += 1
            return
        if self._word not in BRACED and self._word != "for":
            self._begin_misspelt(end)
        if self._word not in BODIED:
            self._inner = 1
            return
        self._add(self._current, end, opens=True)
        if self.pieces[-1].shallow:
            self._open.append(self._current)
        else:
            self._sunk = 1
        self._current = None

    def _begin_misspelt(self, end: int) -> None:
        """A `{` where none belongs: was an opener misspelt on the way from the piece's start?"""
        for match in _FIRST_WORD.finditer(self._text, self._searched, end):
            meant = misspelt_starter(match[1])
            if meant in BRACED and match.start(1) != self._current:
                self._finish(match.start(1))
                self._begin(match.start(1), meant)
            elif meant in BRACED:
                self._word = meant
        self._searched = end

    def _closing(self, start: int) -> None:
        if self._inner:
            self._inner -= 1
        elif self._open:
            self._finish(start)
            self._open.pop()
        elif self._current is None or self._word:
            self._finish(start)
            self._begin(start, "")

    def _right_of(self, offset: int, opener: int) -> bool:
        """Does what is at `offset` stand further right in its line than its opener?"""
        return self._column(offset) > self._column(opener)

    def _column(self, offset: int) -> int:
        return offset - self._starts[bisect_right(self._starts, offset) - 1]

    def _content_end(self, start: int, stop: int) -> int:
        """Where the piece's last token ends, or the comment behind it on its line."""
        behind: Span | None = None
        for comment in self._comments_back(start):
            bare = self._text[comment.end : stop].rstrip(BLANKS)
            if bare:
                return self._with_comment(comment.end + len(bare), behind)
            behind, stop = comment, comment.start
        return self._with_comment(start + len(self._text[start:stop].rstrip(BLANKS)), behind)

    def _comments_back(self, start: int) -> Iterator[Span]:
        for comment in reversed(self.comments):
            if comment.start < start:
                return
            yield comment

    def _with_comment(self, end: int, comment: Span | None) -> int:
        if comment and bisect_right(self._starts, end) == bisect_right(self._starts, comment.start):
            return comment.end
        return end

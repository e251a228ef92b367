"""A text -> the pieces that are parsed one by one, by the rules of the language alone.

Every statement starts with a keyword; the text is cut there. Nothing in a comment or a string
cuts. Only the braces of `block`, `stack` and `plan` hold statements; other braces stay inside
their piece. Any text can be split, in time linear in its length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Set
from itertools import islice
from typing import NamedTuple

from parspec.grammar.keywords import BODIED, BRACED, FIGURES, STARTERS, misspelt_starter
from parspec.grammar.lines import line_starts
from parspec.grammar.span import Span
from parspec.grammar.values import value

MAX_DEPTH = 100
"""How deep bodies, brackets and sizes may be nested."""

MAX_STATEMENTS = 100_000
"""How many statements a text may have: people write hundreds."""

MAX_MARKS = 1_000_000
"""How many lines, and signs that items stand between, a text may have: ten a statement."""

MAX_CHARACTERS = 1 << 24
"""How long a text may be."""

BLANKS = "".join(
    chr(code)
    for code in (*range(0x3001), 0xFEFF)
    if (chr(code).isspace() or code == 0xFEFF) and not 0x1C <= code <= 0x1F
)
"""The characters between tokens, as BLANK in par.lark."""

_SKIP = r"(?:[^\S\x1c-\x1f]|\ufeff|#[^\r\n]*+)*+"
_MARK = re.compile(  # each part opens with a character, not a look behind: it searches faster
    "|".join(
        (
            r"#[^\r\n]*",
            r'"[^"\r\n]*"',
            r"//[^\r\n]*",  # as others write comments: a mistake, of one statement alone
            r"[{}]",
            *(rf"{word}(?!\w)(?<![\w.]{word})" for word in STARTERS),
            rf"no(?!\w)(?<![\w.]no){_SKIP}\w+",
            rf"per(?!\w)(?<![\w.]per){_SKIP}device(?!\w)(?!{_SKIP}[^\W\d]\w*{_SKIP}\{{)",
        )
    )
)
_EXEMPTING = re.compile(rf"{_SKIP}([=:\[(.,)\]}}+\-|<>*])")
_NARROWING = re.compile(rf"{_SKIP}(?:on|in|per|forward|backward|update)(?!\w)(?!{_SKIP}\[)")
_EXPECTED = re.compile(r"(?<!\w)expect\s+\Z")
_BLANK = re.compile(_SKIP)
_BEHIND_PATTERN = re.compile(r"\}\s*[:.,]")
_STARTERS = frozenset(STARTERS)
_SIGNS = '\r\n#"{}([,=+*'
_NEAR = 80  # characters in front of a word among which `expect` is looked for
_FIRST_WORD = re.compile(r"(?:\A|[\r\n])[ \t]*([^\W\d]\w*)")


@value
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


@value
class Split:
    """The pieces of a text, its comments, and the offsets at which its lines start. `regular`: no
    brace is missing or left over."""

    pieces: tuple[Piece, ...]
    comments: tuple[Span, ...]
    starts: tuple[int, ...]
    regular: bool

    def line_of(self, offset: int) -> int:
        """The 0-based line that holds `offset`."""
        return bisect_right(self.starts, offset) - 1


def split(text: str) -> Split:
    """Cut `text`.

    A text whose braces do not match is read twice: once to learn which `{` stays open, and which
    header lacks the `{` of a `}` that is left over; once to close the one before the first starter
    that stands no further right than its opener, and to open the other.
    """
    marks = [match.span() for match in _MARK.finditer(text) if _cuts(match)]
    starts = line_starts(text)
    cutter = _Cutter(text, starts, _Repairs(frozenset(), frozenset(), len(text)))
    cutter.run(marks)
    sound = not cutter.unclosed and not cutter.unopened
    regular = sound and not cutter.strays
    if not sound or not all(piece.shallow for piece in cutter.pieces):
        unclosed, unopened = frozenset(cutter.unclosed), frozenset(cutter.unopened)
        cutter = _Cutter(text, starts, _Repairs(unclosed, unopened, MAX_DEPTH))
        cutter.run(marks)
    return Split(tuple(cutter.pieces), tuple(cutter.comments), tuple(starts), regular)


class Excess(NamedTuple):
    """What a text has more of than is read, and the most that is read."""

    what: str
    limit: int


def excess(text: str) -> Excess | None:
    """What a text has too much of to be read, if anything."""
    if len(text) > MAX_CHARACTERS:
        return Excess("characters", MAX_CHARACTERS)
    if len(text) > MAX_MARKS and sum(map(text.count, _SIGNS)) > MAX_MARKS:
        return Excess("lines and signs", MAX_MARKS)
    if len(text) <= MAX_STATEMENTS * len(min(STARTERS, key=len)):
        return None
    starters = (m for m in _MARK.finditer(text) if m[0] in _STARTERS and _cuts(m))
    many = next(islice(starters, MAX_STATEMENTS, None), None) is not None
    return Excess("statements", MAX_STATEMENTS) if many else None


def _cuts(mark: re.Match[str]) -> bool:
    """False for a starter that stands in front of a mark which makes it a name or a key, or that
    is a figure."""
    if mark[0] not in _STARTERS:
        return True
    if mark[0] in FIGURES and _is_figure(mark):
        return False
    exempting = _EXEMPTING.match(mark.string, mark.end())
    return exempting is None or (exempting[1] == "*" and mark[0] == "for")


def _is_figure(mark: re.Match[str]) -> bool:
    """Does a word stand behind `expect` and in front of what narrows an expectation?"""
    before = mark.string[max(0, mark.start() - _NEAR) : mark.start()]
    narrowed = _NARROWING.match(mark.string, mark.end())
    return narrowed is not None and _EXPECTED.search(before) is not None


@value
class _Repairs:
    """What a second reading knows: where openers start whose `{` is never closed, or that lack
    their `{`; and how deep bodies are read."""

    never_closed: Set[int]
    never_opened: Set[int]
    depth: int


class _Cutter:
    """One pass over the marks of a text: its comments, strings, braces and starters."""

    def __init__(self, text: str, starts: list[int], repairs: _Repairs) -> None:
        self._text = text
        self._starts = starts
        self._repairs = repairs
        self.pieces: list[Piece] = []
        self.comments: list[Span] = []
        self.unclosed: list[int] = []  # where the openers of the bodies around start
        self.unopened: list[int] = []  # where openers start that lacked the `{` of a stray `}`
        self.strays = 0  # how many `}` belong to nothing
        self._bare: list[int] = []  # where openers start that had no `{`
        self._current: int | None = None  # where the piece being read starts
        self._word = ""  # its starter, "" where it has none
        self._inner = 0  # braces open inside it
        self._brace = -1  # the last `{` in it that stood in no other, -1 for none
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
                self._opening(start, end)

    def _begin(self, start: int, word: str) -> None:
        self._current, self._word, self._inner = start, word, 0
        self._searched, self._brace = start, -1

    def _begin_stray(self, stop: int) -> None:
        """Begin a piece at text that no starter stands before."""
        bare = self._text[self._behind : stop].lstrip(BLANKS)
        if bare:
            self._begin(stop - len(bare), "")

    def _finish(self, stop: int) -> None:
        """End the current piece in front of `stop`."""
        if self._current is not None:
            end = self._content_end(self._current, stop)
            if self._word in BODIED and self._current in self._repairs.never_opened:
                self._add_header(self._current, end)
            else:
                self._add(self._current, end, opens=False)
                if self._word in BODIED:
                    self._bare.append(self._current)
        self._current, self._inner = None, 0

    def _add_header(self, start: int, end: int) -> None:
        self._add(start, end, opens=True)
        if len(self.unclosed) < self._repairs.depth:
            self.unclosed.append(start)
        else:
            self._sunk = 1

    def _add(self, start: int, end: int, *, opens: bool) -> None:
        level = len(self.unclosed)
        closed = start not in self._repairs.never_closed
        self.pieces.append(Piece(start, end, level, opens, closed, level < MAX_DEPTH))

    def _starter(self, word: str, start: int) -> None:
        if self._current is not None and self._inner and self._right_of(start, self._current):
            return
        self._finish(start)
        while (
            self.unclosed
            and self.unclosed[-1] in self._repairs.never_closed
            and not self._right_of(start, self.unclosed[-1])
        ):
            self.unclosed.pop()
        self._begin(start, word)

    def _opening(self, start: int, end: int) -> None:
        if self._inner:
            self._inner += 1
            return
        if self._word not in BRACED and self._word != "for":
            self._begin_hidden(end)
        nameless = not self._word and self._starts_body(end)
        if self._current is not None and (self._word in BODIED or nameless):
            self._add_header(self._current, end)
            self._current = None
        else:
            self._inner, self._brace = 1, start

    def _starts_body(self, end: int) -> bool:
        """Does a statement begin behind a `{`?"""
        blank = _BLANK.match(self._text, end)
        mark = _MARK.match(self._text, blank.end()) if blank else None
        return mark is not None and mark[0] in _STARTERS and _cuts(mark)

    def _begin_hidden(self, end: int) -> None:
        """A `{` where none belongs: does an opener hide on the way, misspelt or without a name?"""
        for match in _FIRST_WORD.finditer(self._text, self._searched, end):
            meant = match[1] if match[1] in BRACED else misspelt_starter(match[1])
            if meant in BRACED:
                if match.start(1) != self._current:
                    self._finish(match.start(1))
                self._begin(match.start(1), meant)
        self._searched = end

    def _closing(self, start: int) -> None:
        if self._inner > 1 or (self._inner and not self._pattern_is_over(start)):
            self._inner -= 1
        elif self._lacks_brace(start):
            self._brace = start
        elif self.unclosed:
            self._finish(start)
            self.unclosed.pop()
        elif self._bare:
            self._finish(start)
            self.unopened.append(self._bare.pop())
        else:
            self.strays += 1
            if self._current is None or self._word:
                self._finish(start)
                self._begin(start, "")

    def _pattern_is_over(self, stop: int) -> bool:
        """Is the `{` inside the piece that of a pattern which lost its `}`?"""
        return self._word == "for" and ":" in self._text[self._brace : stop]

    def _lacks_brace(self, stop: int) -> bool:
        """Does a `}` belong to the current piece, though that has no `{`?"""
        if self._current is None:
            return False
        if self._word == "for":
            return _BEHIND_PATTERN.match(self._text, stop) is not None
        if self._word not in BRACED or self._word in BODIED or self._brace >= 0:
            return False
        return "=" in self._text[self._current : stop]

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

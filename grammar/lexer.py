"""The contextual lexer: text of one chunk -> the tokens that the parser can take, one at a time.

Everything about the tokens comes out of par.lark. A word is a keyword only where the parser's
state takes that keyword; a reserved word is never a NAME. What fits nowhere comes out as a token
that the parser refuses (UNKNOWN for characters of no token), so a lexer error does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from parspec.grammar.keywords import NAME, RESERVED
from parspec.grammar.span import Span
from parspec.grammar.tables import Tables

END = "$END"
"""The terminal at the end of a text."""

UNKNOWN = "UNKNOWN"
"""Type of a token that stands for characters that belong to no token."""

_WORD = 1  # the group of a word in the pattern of what comes next; 2 is that of a mark
_ANY = re.compile(r"\w+|.", re.DOTALL)
_NO_WORDS = frozenset(("COMPARISON", "STRING", "PLACE", "NUMBER", "SHORT_COUNT", "DIVISOR"))
"""Shapes that begin with no letter: where a word stands they are not looked for."""

_Shapes: TypeAlias = tuple[tuple[str, re.Pattern[str]], ...]


class Token(NamedTuple):
    """A terminal of par.lark where it stands; `value` is its text, of which the rules say what it
    may be."""

    type: str
    value: Any
    span: Span


class _Taken(NamedTuple):
    """What one state of the parser takes: the types of the texts that are always one token, the
    shapes of the others (`lettered`: those that a word may have), and what a word is that is no
    keyword there."""

    fixed: Mapping[str, str]
    shapes: _Shapes
    lettered: _Shapes
    word: str


class Lexer:
    """Contextual lexer over the terminals of par.lark."""

    def __init__(self, tables: Tables) -> None:
        self._fixed = tables.fixed
        marks = sorted((text for text in self._fixed if not text.isalpha()), key=len, reverse=True)
        mark = "|".join(map(re.escape, marks))
        self._next = re.compile(f"(?:{tables.ignored})*+(?:({NAME})|({mark}))?")
        self._shapes = tuple([(name, re.compile(pattern)) for name, pattern in tables.shapes])
        self._taken: dict[int, _Taken] = {}

    def next_token(
        self, text: str, position: int, state: int, row: Mapping[str, Any]
    ) -> tuple[str, int, int]:
        """Type, start and end of the token behind the blanks and comments at `position`, for the
        parser's `state`, which takes `row`; END at the end of the text."""
        taken = self._taken.get(state) or self._take(state, row)
        found = self._next.match(text, position)
        assert found is not None  # the pattern takes nothing, too
        group = found.lastindex
        if group is None:
            return self._other(text, found.end(), taken)
        start, end = found.span(group)
        fixed, shapes, lettered, word = taken
        lexeme = found[group]
        if lexeme in fixed:
            return fixed[lexeme], start, end
        for name, pattern in lettered if group == _WORD else shapes:
            if match := pattern.match(text, start):
                return name, start, match.end()
        if group == _WORD and (word != "NAME" or lexeme not in RESERVED):
            return word, start, end
        return self._fixed[lexeme], start, end

    def _take(self, state: int, row: Mapping[str, Any]) -> _Taken:
        shapes = tuple(shape for shape in self._shapes if shape[0] in row)
        fixed = {text: name for text, name in self._fixed.items() if name in row}
        if "COMPARISON" in row:
            fixed.pop("=", None)  # it may be the beginning of a `==`
        taken = self._taken[state] = _Taken(
            fixed,
            shapes,
            tuple(shape for shape in shapes if shape[0] not in _NO_WORDS),
            next((kind for kind in ("WORD", "KEY") if kind in row), "NAME"),
        )
        return taken

    def _other(self, text: str, start: int, taken: _Taken) -> tuple[str, int, int]:
        """The same where neither a word nor a mark stands."""
        if start == len(text):
            return END, start, start
        for name, pattern in taken.shapes:
            if match := pattern.match(text, start):
                return name, start, match.end()
        rest = _ANY.match(text, start)
        end = rest.end() if rest else start + 1
        if taken.word == "WORD" and text[start].isalnum():
            return "WORD", start, end
        for name, pattern in self._shapes:
            if match := pattern.match(text, start):
                return name, start, match.end()
        return UNKNOWN, start, end

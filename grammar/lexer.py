"""The contextual lexer: text of one chunk -> the tokens that the parser can take, one at a time.

Everything about the tokens comes out of par.lark. A word is a keyword only where the parser's
state takes that keyword; a reserved word is never a NAME. What fits nowhere comes out as a token
that the parser refuses (UNKNOWN for characters of no token), so a lexer error does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from lark.common import LexerConf
from lark.lexer import Lexer, LexerState, PatternStr

from parspec.grammar.keywords import NAME, RESERVED
from parspec.grammar.span import Span, span_of

END = "$END"
"""The terminal at the end of a text."""

UNKNOWN = "UNKNOWN"
"""Type of a token that stands for characters that belong to no token."""

_WORD = 1  # the group of a word in the pattern of what comes next; 2 is that of a mark
_ANY = re.compile(r"\w+|.", re.DOTALL)
_NO_WORDS = frozenset(("COMPARISON", "STRING", "PLACE", "NUMBER", "DIVISOR"))
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


class ParLexer(Lexer):
    """Contextual lexer over the terminals of par.lark."""

    __future_interface__ = 2  # lark hands over its lexer state and parser state as they are

    def __init__(self, conf: LexerConf) -> None:
        named = {terminal.name: terminal for terminal in conf.terminals}
        ignored = "|".join(named[name].pattern.value for name in conf.ignore)
        shapes = [t for t in conf.terminals if t.name not in conf.ignore]
        self._fixed = {t.pattern.value: t.name for t in shapes if isinstance(t.pattern, PatternStr)}
        marks = sorted((text for text in self._fixed if not text.isalpha()), key=len, reverse=True)
        mark = "|".join(map(re.escape, marks))
        self._next = re.compile(f"(?:{ignored})*+(?:({NAME})|({mark}))?")
        self._shapes = tuple(
            (t.name, re.compile(t.pattern.value))
            for t in sorted(shapes, key=lambda terminal: -terminal.priority)
            if not isinstance(t.pattern, PatternStr) and t.name not in ("WORD", "KEY", "NAME")
        )
        self._taken: dict[int, _Taken] = {}

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Any]:
        """Yield the tokens to lark; its parser must have taken each before it asks for the next."""
        text = lexer_state.text.text
        states = parser_state.parse_conf.states
        stack = parser_state.state_stack
        kind, start, end = self.next_token(text, 0, stack[-1], states[stack[-1]])
        while kind != END:
            yield Token(kind, text[start:end], span_of(start, end))
            kind, start, end = self.next_token(text, end, stack[-1], states[stack[-1]])

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

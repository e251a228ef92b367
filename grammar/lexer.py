"""The contextual lexer: text of one chunk -> the tokens that the parser can take, one at a time.

Everything about the tokens comes out of par.lark. A word is a keyword only where the parser's
state takes that keyword; a reserved word is never a NAME. What fits nowhere comes out as a token
that the parser refuses (UNKNOWN for characters of no token), so a lexer error does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lark.common import LexerConf
from lark.lexer import Lexer, LexerState, PatternStr, Token

from parspec.grammar.keywords import NAME, RESERVED

UNKNOWN = "UNKNOWN"
"""Type of a token that stands for characters that belong to no token."""

_WORD = re.compile(NAME)
_ANY = re.compile(r"\w+|.", re.DOTALL)


class ParLexer(Lexer):
    """Contextual lexer over the terminals of par.lark."""

    __future_interface__ = 2  # lark hands over its lexer state and parser state as they are

    def __init__(self, conf: LexerConf) -> None:
        named = {terminal.name: terminal for terminal in conf.terminals}
        ignored = "|".join(named[name].pattern.value for name in conf.ignore)
        self._blank = re.compile(f"(?:{ignored})*+")
        shapes = [t for t in conf.terminals if t.name not in conf.ignore]
        self._fixed = {t.pattern.value: t.name for t in shapes if isinstance(t.pattern, PatternStr)}
        marks = sorted((text for text in self._fixed if not text.isalpha()), key=len, reverse=True)
        self._mark = re.compile("|".join(map(re.escape, marks)))
        self._shapes = [
            (t.name, re.compile(t.pattern.value))
            for t in sorted(shapes, key=lambda terminal: -terminal.priority)
            if not isinstance(t.pattern, PatternStr) and t.name not in ("WORD", "KEY", "NAME")
        ]
        self._by_state: dict[int, tuple[tuple[str, re.Pattern[str]], ...]] = {}

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Token]:
        """Yield the tokens to lark; its parser must have taken each before it asks for the next."""
        text = lexer_state.text.text
        states = parser_state.parse_conf.states
        stack = parser_state.state_stack
        position = self.skip(text, 0)
        while position < len(text):
            kind, end = self.next_token(text, position, stack[-1], states[stack[-1]])
            yield Token(kind, text[position:end], position, None, None, None, None, end)
            position = self.skip(text, end)

    def skip(self, text: str, position: int) -> int:
        """Where the next token starts, behind blanks and comments."""
        blank = self._blank.match(text, position)
        return blank.end() if blank else position

    def next_token(
        self, text: str, position: int, state: int, row: Mapping[str, Any]
    ) -> tuple[str, int]:
        """Type and end of the token at `position`, for the parser's `state`, which takes `row`."""
        word = _WORD.match(text, position)
        fixed = self._fixed.get(word[0], "") if word else ""
        if word and fixed in row:
            return fixed, word.end()
        shapes = self._by_state.get(state)
        if shapes is None:
            shapes = tuple(shape for shape in self._shapes if shape[0] in row)
            self._by_state[state] = shapes
        for name, pattern in shapes:
            if match := pattern.match(text, position):
                return name, match.end()
        if word:
            for kind in ("WORD", "KEY"):
                if kind in row:
                    return kind, word.end()
            return fixed if fixed and word[0] in RESERVED else "NAME", word.end()
        return self._other(text, position, row)

    def _other(self, text: str, position: int, row: Mapping[str, Any]) -> tuple[str, int]:
        """The same where neither a word nor a shape that the state takes stands there."""
        if mark := self._mark.match(text, position):
            return self._fixed[mark[0]], mark.end()
        rest = _ANY.match(text, position)
        end = rest.end() if rest else position + 1
        if "WORD" in row and text[position].isalnum():
            return "WORD", end
        for name, pattern in self._shapes:
            if match := pattern.match(text, position):
                return name, match.end()
        return UNKNOWN, end

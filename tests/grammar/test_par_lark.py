"""par.lark has no conflicts and agrees with the data beside it."""

import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from lark.common import LexerConf
from lark.lexer import Lexer as LarkLexer
from lark.lexer import LexerState, PatternStr

from parspec.grammar.builder import builders
from parspec.grammar.compiling import lark_of
from parspec.grammar.keywords import BODIED, BRACED, PRIMITIVES, RESERVED, STARTERS, UNITS
from parspec.grammar.lexer import END, Lexer, Token
from parspec.grammar.machine import Run
from parspec.grammar.messages import NAMES, TERMINALS
from parspec.grammar.span import span_of
from parspec.grammar.splitter import BLANKS
from parspec.grammar.tables import SOURCE, tables


def _for_lark(build: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    return lambda parts: build(*parts)


BUILDERS = SimpleNamespace(**{rule: _for_lark(build) for rule, build in builders().items()})


class _ForLark(LarkLexer):
    """The lexer as lark's parser asks for tokens."""

    __future_interface__ = 2  # lark hands over its lexer state and parser state as they are

    def __init__(self, conf: LexerConf) -> None:
        self._lexer = Lexer(tables())

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Token]:
        """Yield the tokens; lark's parser must have taken each before it asks for the next."""
        text, states = lexer_state.text.text, parser_state.parse_conf.states
        end = 0
        while True:
            state = parser_state.state_stack[-1]
            kind, start, end = self._lexer.next_token(text, end, state, states[state])
            if kind == END:
                return
            yield Token(kind, text[start:end], span_of(start, end))


# a shift/reduce conflict raises
LARK = lark_of(SOURCE.read_text("utf-8"), strict=True, lexer=_ForLark, transformer=BUILDERS)


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(next(t.pattern.value for t in LARK.terminals if t.name == name))


def test_every_rule_has_a_builder() -> None:
    built = set(builders())
    named = {
        rule.alias or rule.options.template_source or str(rule.origin.name)
        for rule in LARK.rules
        if not rule.origin.name.startswith("_") and not rule.options.expand1
    }
    assert named <= built


def test_reserved_words_are_keywords_of_the_grammar() -> None:
    words = {t.pattern.value for t in LARK.terminals if isinstance(t.pattern, PatternStr)}
    assert words >= RESERVED


def test_starters_are_what_a_statement_can_begin_with() -> None:
    assert {terminal.lower() for terminal in Run().accepted()} == set(STARTERS)


def test_braced_starters_are_those_with_a_brace_of_their_own() -> None:
    braced = {
        rule.expansion[0].name.lower()
        for rule in LARK.rules
        if "LBRACE" in {symbol.name for symbol in rule.expansion} and rule.origin.name != "any_of"
    }
    assert braced == BRACED
    headers = [rule.expansion for rule in LARK.rules if rule.expansion]
    assert {e[0].name.lower() for e in headers if e[-1].name == "LBRACE"} == BODIED


def test_units_and_primitives_agree() -> None:
    unit = _pattern("UNIT")
    assert [word for word in UNITS if not unit.fullmatch(word)] == []
    prefixes = [a + b for a in ("", *"kKMGTPEmnuµ") for b in ("", "i")]
    letters = [prefix + unit for prefix in prefixes for unit in ("B", "s", "bit")]
    rates = [*letters, *(f"{word}/s" for word in letters), *(f"{a}flop/s" for a in "kKMGTPEZ")]
    assert {word for word in rates if unit.fullmatch(word)} <= set(UNITS)
    assert [name for name in PRIMITIVES if not _pattern("PRIMITIVE").fullmatch(name)] == []


def test_a_unit_may_touch_its_number() -> None:
    number = _pattern("NUMBER")
    assert [unit for unit in UNITS if number.match(f"80{unit}")[0] != "80"] == []


def test_blanks_agree() -> None:
    blank = _pattern("BLANK")
    assert {chr(code) for code in range(0x10000) if blank.fullmatch(chr(code))} == set(BLANKS)


def test_every_terminal_and_name_has_words() -> None:
    words = {t.name: t.pattern.value for t in LARK.terminals if t.name not in ("BLANK", "COMMENT")}
    unsaid = {name for name, value in words.items() if name not in TERMINALS}
    assert {name for name in unsaid if name.lower() != words[name]} == set()
    names = {
        str(rule.origin.name)
        for rule in LARK.rules
        if [symbol.name for symbol in rule.expansion] == ["NAME"]
    }
    assert names == set(NAMES)


@pytest.mark.parametrize("text", ["dim B = 4 * D", "expect h is P(F) on tp.0", "for *: frozen"])
def test_lark_itself_parses_the_same(text: str) -> None:
    run = Run()
    assert run.read(text)
    parser = LARK.parse_interactive(text)
    parser.exhaust_lexer()
    assert parser.feed_eof() == run.result

"""Compiling: par.lark as lark understands it, and the tables of that.

Which parts of a rule are handed to its builder follows lark's way: tokens that say nothing (`,`)
are left out, None stands for an optional part that is not there, and the items of a repetition,
which lark makes a rule of its own (`__dim_star_0`), are handed over one by one.
"""

from __future__ import annotations

from typing import Any

from lark import Lark
from lark.grammar import Rule as LarkRule
from lark.grammar import Terminal
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift

from parspec.grammar.tables import BEGUN, LONGER, PASSED, Rule, Tables

_ABSENT = -1
_WORDS = ("WORD", "KEY", "NAME")  # what any word may be


def lark_of(source: str, **options: Any) -> Lark:
    """A grammar as lark understands it; `options` are lark's."""
    return Lark(source, parser="lalr", **options)


def compiled(source: str) -> Tables:
    """The tables of a grammar."""
    grammar = lark_of(source)
    conf = grammar.parse_interactive("").parser_state.parse_conf
    numbers = {rule: number for number, rule in enumerate(grammar.rules)}
    terminals = {terminal.name: terminal for terminal in grammar.lexer_conf.terminals}
    ignored = grammar.lexer_conf.ignore
    shapes = [one for one in terminals.values() if one.name not in ignored]
    return Tables(
        conf.start_state,
        conf.end_state,
        [
            {
                name: argument if action is Shift else -1 - numbers[argument]
                for name, (action, argument) in conf.states[state].items()
            }
            for state in range(len(conf.states))
        ],
        [_rule(rule) for rule in grammar.rules],
        "|".join(terminals[name].pattern.value for name in ignored),
        {t.pattern.value: t.name for t in shapes if isinstance(t.pattern, PatternStr)},
        [
            (t.name, t.pattern.value)
            for t in sorted(shapes, key=lambda terminal: -terminal.priority)
            if not isinstance(t.pattern, PatternStr) and t.name not in _WORDS
        ],
        sorted(
            {
                symbol.name
                for rule in grammar.rules
                for symbol in rule.expansion
                if isinstance(symbol, Terminal) and not symbol.filter_out
            }
        ),
    )


def _rule(rule: LarkRule) -> Rule:
    places = _places(rule)
    lists = tuple(p for p in places if p != _ABSENT and _is_repetition(rule.expansion[p]))
    return Rule(len(rule.expansion), str(rule.origin.name), _builder(rule, lists), places, lists)


def _builder(rule: LarkRule, lists: tuple[int, ...]) -> str:
    """The name of what makes a rule's value; a repetition needs none, its value is a list."""
    if rule.options.expand1 and not rule.alias:
        return PASSED
    if _is_repetition(rule.origin):
        return LONGER if lists else BEGUN
    return str(rule.alias or rule.options.template_source or rule.origin.name)


def _is_repetition(symbol: Any) -> bool:
    return not isinstance(symbol, Terminal) and symbol.name.startswith("_")


def _places(rule: LarkRule) -> tuple[int, ...]:
    """The places of the parts that are handed over."""
    here = iter(enumerate(rule.expansion))
    places = []
    for absent in rule.options.empty_indices or (False,) * len(rule.expansion):
        place, symbol = (_ABSENT, None) if absent else next(here)
        if not (isinstance(symbol, Terminal) and symbol.filter_out):
            places.append(place)
    return tuple(places)

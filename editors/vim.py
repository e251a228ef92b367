"""Neovim's syntax file: colours before the language server's semantic tokens arrive, and without
it."""

from __future__ import annotations

from collections.abc import Iterable

from words import (
    BUDGETS,
    DECLARED_FUNCTIONS,
    PRICE_LISTS,
    SETTING_KEYS,
    SETTING_VALUES,
    TYPES,
    called,
    contextual,
)

from parspec.grammar.keywords import INNER_WORDS, PRIMITIVES, STARTERS, UNITS

_LINKS = {
    "parStatement": "Statement",
    "parClause": "Keyword",
    "parContextual": "Keyword",
    "parDeclared": "Function",
    "parFunction": "Function",
    "parPrimitive": "Special",
    "parKey": "Identifier",
    "parValue": "Constant",
    "parFigure": "Identifier",
    "parType": "Type",
    "parNumber": "Number",
    "parUnit": "Number",
    "parOperator": "Operator",
    "parHole": "Todo",
    "parString": "String",
    "parComment": "Comment",
}


def syntax() -> str:
    """The syntax file."""
    functions = (*DECLARED_FUNCTIONS, *called())
    lines = (
        '" Colours of the parspec language. Written by editors/generate.py from the grammar.',
        "",
        'if exists("b:current_syntax")',
        "  finish",
        "endif",
        "let s:cpo_save = &cpo",
        "set cpo&vim",
        "",
        '" A word that begins a statement is a name where one of these follows.',
        _match("parStatement", rf"\%(\.\)\@1<!{_word(STARTERS)}\%(\s*[=:\[(.,)\]}}+<>|-]\)\@!"),
        f"syn keyword parClause {' '.join(INNER_WORDS)}",
        "",
        '" Words that may be names elsewhere, where what stands around them tells.',
        _match("parContextual", rf"{_word(contextual())}\%(\s*[=:\[.,]\)\@!"),
        _match("parFunction", rf"{_word(functions)}\ze\s*\%((\|over\>\)"),
        _match("parType", rf"\%(:\s*\|\<dtype\s\+\|=\s*\)\@<={_word(TYPES)}"),
        _match("parKey", rf"{_word(SETTING_KEYS)}\ze\s*=[^=]"),
        _match("parValue", rf"\%(=\s*\)\@<={_word(SETTING_VALUES)}"),
        _match("parValue", rf"\%(\<cost\s\+\)\@<={_word(PRICE_LISTS)}"),
        _match("parFigure", rf"\%(\<expect\s\+\)\@<={_word(BUDGETS)}"),
        _match("parDeclared", r"\%(\<\%(layer\|op\|block\|stack\|plan\)\s\+\)\@<=\K\k*"),
        "",
        _match("parNumber", _NUMBER + r"\>", "nextgroup=parUnit skipwhite"),
        _match("parUnit", rf"\%({_either(UNITS)}\)\%(\k\|\s*=[^=]\)\@!", "contained"),
        _match("parOperator", r"->\|[<>=]=\|[-+*/=<>|]"),
        _match("parPrimitive", rf"\k\@1<!{_group(PRIMITIVES)}\%(\k\|-\)\@!"),
        _match("parHole", r"?"),
        r'syn region parString start=/"/ end=/"/ oneline',
        _match("parComment", r"#.*$", "contains=@Spell"),
        r"syn region parBody start=/{/ end=/}/ transparent fold",
        "syn sync minlines=200",
        "",
        *(f"hi def link {group} {target}" for group, target in _LINKS.items()),
        "",
        'let b:current_syntax = "par"',
        "let &cpo = s:cpo_save",
        "unlet s:cpo_save",
    )
    return "\n".join(lines) + "\n"


_NUMBER = r"\<\d[0-9_]*\%(\.\d\+\)\=\%([eE][+-]\=\d\+\|[KMGT]i\)\="


def _match(group: str, pattern: str, options: str = "") -> str:
    escaped = pattern.replace("/", r"\/")
    return f"syn match {group} /{escaped}/ {options}".rstrip()


def _word(words: Iterable[str]) -> str:
    return rf"\<{_group(words)}\>"


def _group(words: Iterable[str]) -> str:
    return rf"\%({_either(words)}\)"


def _either(words: Iterable[str]) -> str:
    return r"\|".join(sorted(words, key=lambda word: (-len(word), word)))

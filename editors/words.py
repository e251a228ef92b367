"""The words that editors colour, from the grammar and from the interpreter's tables.

Nothing that stands there is listed here; `generate.py` writes these into the editors' files.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from lark import Lark
from lark.lexer import PatternStr, TerminalDef

from parspec.grammar.keywords import RESERVED
from parspec.interpreter.explanations.prices import PRICES
from parspec.interpreter.spec.expects import FIGURES
from parspec.interpreter.spec.functions import FUNCTIONS
from parspec.interpreter.spec.hardware import DEVICE_SETTINGS, LINK_SETTINGS
from parspec.interpreter.spec.settings import DTYPES, SETTINGS

DECLARED_FUNCTIONS = tuple(FUNCTIONS)
"""Functions that every spec knows."""

TYPES = tuple(DTYPES)
"""Element types."""

PRICE_LISTS = tuple(price.name for price in PRICES)
"""What may follow `cost`."""

BUDGETS = tuple(FIGURES)
"""Figures that `expect` compares."""

SETTING_KEYS = tuple(
    dict.fromkeys(
        (
            *(rule.key for rules in SETTINGS.values() for rule in rules),
            *LINK_SETTINGS,
            *DEVICE_SETTINGS,
        )
    )
)
"""Keys in braces, of `train`, `infer`, `link` and `device`."""

SETTING_VALUES = tuple(
    dict.fromkeys(
        word
        for rules in SETTINGS.values()
        for rule in rules
        for word in rule.words
        if not word.isdigit()
    )
)
"""Words that settings take, element types apart."""


@cache
def contextual() -> tuple[str, ...]:
    """Words that are keywords in their places and names elsewhere (`unit`, `zigzag`)."""
    fixed = (t.pattern.value for t in _terminals() if isinstance(t.pattern, PatternStr))
    return tuple(sorted(word for word in fixed if word.isalpha() and word not in RESERVED))


@cache
def called() -> tuple[str, ...]:
    """Words that the grammar itself calls, in sizes and expectations: `capacity(`, `grad(`."""
    starts = (re.match(r"[a-z]+(?=\(\?=)", t.pattern.value) for t in _terminals())
    return tuple(sorted(start[0] for start in starts if start))


@cache
def _terminals() -> tuple[TerminalDef, ...]:
    text = files("parspec.grammar").joinpath("par.lark").read_text(encoding="utf-8")
    return tuple(Lark(text, parser="lalr").terminals)

"""Everything that can be explained, and how it is found.

Case, spaces, commas, hyphens and underscores do not count: `all gather`, `tensor column`,
`global batch` and `par201` are found. A word may have several meanings (`ring` is a price list and
a clause); all of them are given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher

from parspec.interpreter.diagnostics.catalogue import ENTRIES
from parspec.interpreter.diagnostics.entry import Entry
from parspec.interpreter.explanations.clauses import CLAUSES
from parspec.interpreter.explanations.explanation import Explanation
from parspec.interpreter.explanations.functions import FUNCTION_WORDS
from parspec.interpreter.explanations.library import LIBRARY_WORDS
from parspec.interpreter.explanations.marks import MARKS
from parspec.interpreter.explanations.prices import FIGURE_WORDS, PRICES
from parspec.interpreter.explanations.primitives import PRIMITIVE_WORDS
from parspec.interpreter.explanations.settings import SETTING_WORDS
from parspec.interpreter.explanations.statements import STATEMENTS
from parspec.interpreter.explanations.states import STATES
from parspec.interpreter.explanations.strategies import STRATEGIES
from parspec.interpreter.explanations.units import UNIT_WORDS
from parspec.interpreter.spec.names import near

_LIKE = 0.75  # of difflib: `All-Gahter` is like `All-Gather`; `megatron` is not like `mean`


def _diagnostic(entry: Entry) -> Explanation:
    """A diagnostic of the catalogue, which has its texts."""
    return Explanation(
        "diagnostic",
        f"{entry.code} {entry.name}",
        entry.explanation,
        entry.example,
        (entry.code, entry.name),
        (("severity", entry.severity),),
        entry.corrected,
    )


EXPLANATIONS: tuple[Explanation, ...] = (
    *STATEMENTS,
    *CLAUSES,
    *MARKS,
    *STATES,
    *PRIMITIVE_WORDS,
    *PRICES,
    *STRATEGIES,
    *FUNCTION_WORDS,
    *SETTING_WORDS,
    *FIGURE_WORDS,
    *UNIT_WORDS,
    *LIBRARY_WORDS,
    *map(_diagnostic, ENTRIES),
)
"""Every explanation, by kind."""


def explained(word: str) -> tuple[Explanation, ...]:
    """What a word means: the explanations of that name first, then those that it leads to."""
    return _BY_KEY.get(_key(word), ())


def nearest(word: str) -> tuple[str, ...]:
    """The names that were most likely meant by a word without explanation, at most three: only
    such as differ by little, as most words are asked about for what they mean elsewhere."""
    close = near(word, _NAMES)
    return tuple(name for name in close if _is_like(word.casefold(), name.casefold()))


def _is_like(word: str, name: str) -> bool:
    return name.startswith(word) or SequenceMatcher(None, word, name).ratio() >= _LIKE


def _key(word: str) -> str:
    return re.sub(r"[\s,_-]+", "", word).casefold()


def _by_key() -> Mapping[str, tuple[Explanation, ...]]:
    found: dict[str, dict[Explanation, None]] = {}
    for explanation in EXPLANATIONS:
        found.setdefault(_key(explanation.name), {})[explanation] = None
    for explanation in EXPLANATIONS:
        for alias in explanation.aliases:
            found.setdefault(_key(alias), {})[explanation] = None
    return {key: tuple(explanations) for key, explanations in found.items()}


_BY_KEY = _by_key()
_NAMES = tuple(name for e in EXPLANATIONS for name in (e.name, *e.aliases))

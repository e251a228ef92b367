"""The words of the language as data: the splitter cuts at them, messages suggest them.

par.lark is the language; a test holds these lists against it.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from functools import lru_cache

STARTERS = (
    *("dim", "mesh", "axis", "link", "device", "dtype", "input", "weight", "cache", "var"),
    *("output", "layer", "op", "block", "stack", "for", "stages", "train", "infer", "cost"),
    *("plan", "expect", "communication", "import"),
)
"""Reserved words that begin a statement."""

INNER_WORDS = (
    *("partition", "replicated", "centralized", "partial", "store", "frozen", "at", "on"),
    *("over", "none", "no", "of", "in", "is"),
)
"""Reserved words that stand inside statements."""

RESERVED = frozenset((*STARTERS, *INNER_WORDS))
"""Words that are never a name. Every other word of the language may be one."""

FIGURES = frozenset(("cache", "communication"))
"""Starters that are figures behind `expect`."""

NAME = r"[^\W\d][\w\u0300-\u036f\u3099\u309a]*"
"""A name as a pattern, like NAME in par.lark: accents may be characters of their own."""

BODIED = frozenset(("block", "stack", "plan"))
"""Starters whose braces hold statements."""

BRACED = frozenset((*BODIED, "train", "infer", "link", "device"))
"""Starters that open braces at all, apart from the patterns of `for`."""

PRIMITIVES = (
    *("All-Gather", "Reduce-Scatter", "All-to-All", "All-Reduce", "Gather", "Scatter"),
    *("Broadcast", "Reduce", "Send", "Permute"),
)
"""Communication primitives as `expect` names them."""

_BYTES = tuple(f"{prefix}B" for prefix in ("", *"kMGTP", *(f"{letter}i" for letter in "KMGTP")))
_BITS = tuple(f"{prefix}bit" for prefix in ("", *"kMGT"))
_FLOPS = tuple(f"{prefix}flop" for prefix in ("", *"kMGTPE"))

UNITS = (
    *(unit + rate for unit in (*_BYTES, *_BITS, *_FLOPS) for rate in ("", "/s")),
    *("ns", "us", "µs", "ms", "s", "%"),
)
"""Units that a quantity may carry, as they are written."""

_CLOSENESS = 0.74  # of difflib: `layr`, `layers`, `stak`, `weigth` are near; `later`, `start` not


def normal(name: str) -> str:
    """A name in the form in which names are compared: each accent in one character with its
    letter."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


@lru_cache(maxsize=4096)
def misspelt_starter(word: str) -> str | None:
    """The starter that `word` was probably meant to be; None for a starter and for other words."""
    if len(word) < 3 or len(word) > 20 or word in RESERVED:
        return None
    return next(iter(get_close_matches(word.lower(), STARTERS, 1, _CLOSENESS)), None)


def misspelt_unit(word: str) -> str | None:
    """The unit that `word` was probably meant to be (`GBps`, `gb`), or None."""
    plain = word.lower()
    spelt = (plain, plain.removesuffix("s"))
    if plain.endswith("ps"):  # `GBps`; of operations `Tflops` is a rate
        spelt = (f"{plain[:-2]}/s", f"{plain[:-1]}/s")
    return next((unit for unit in UNITS if unit.lower() in spelt), None)


def misspelt_primitive(word: str) -> str | None:
    """The primitive that `word` was probably meant to be (`AllReduce`, `all_gather`), or None."""
    plain = re.sub(r"[-_ ]", "", word).casefold()
    known = {name.replace("-", "").casefold(): name for name in PRIMITIVES}
    near = get_close_matches(plain, known, 1, 0.85)
    return known[near[0]] if near else None

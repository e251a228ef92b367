"""What an explanation is: one word that a reader may ask about, and what there is to say of it.

Texts are short and true; an example is a whole spec that checks clean, with `expect`s that pin
what the text says of it (a diagnostic's example has that diagnostic, its correction checks clean).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from parspec.grammar.values import value

Kind: TypeAlias = Literal[
    "statement",
    "clause",
    "mark",
    "state",
    "primitive",
    "price list",
    "strategy",
    "function",
    "setting",
    "figure",
    "unit",
    "library",
    "diagnostic",
]

HEADINGS: Mapping[Kind, str] = {
    "statement": "statements",
    "clause": "words inside statements",
    "mark": "marks",
    "state": "states",
    "primitive": "communication primitives",
    "price list": "price lists",
    "strategy": "strategies",
    "function": "functions",
    "setting": "settings",
    "figure": "figures of budgets",
    "unit": "units and element types",
    "library": "files and links of the library",
    "diagnostic": "diagnostics",
}
"""What explanations of each kind are called together."""


@value
class Explanation:
    """A word with its meaning.

    `aliases` are other names that lead here; `facts` are rows of a label and a value, under the
    text; `example` is "" for what the library has, except hardware; `corrected` is the example
    without its mistake, "" where it has none.
    """

    kind: Kind
    name: str
    text: str
    example: str
    aliases: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    corrected: str = ""

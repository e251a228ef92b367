"""VS Code's language configuration: comments, brackets, what a word is, indentation, folding."""

from __future__ import annotations

from typing import Any

from parspec.grammar.keywords import PRIMITIVES

_NAME = r"[\p{L}\p{Nl}_][\p{L}\p{M}\p{N}\p{Pc}]*"
_HYPHENATED = tuple(name for name in PRIMITIVES if "-" in name)
_NUMBER = r"\d[\d_.]*\w*"


def configuration() -> dict[str, Any]:
    """The configuration as JSON has it."""
    brackets = [["{", "}"], ["[", "]"], ["(", ")"]]
    pairs = [{"open": opening, "close": closing} for opening, closing in brackets]
    quotes = {"open": '"', "close": '"', "notIn": ["string", "comment"]}
    return {
        "comments": {"lineComment": "#"},
        "brackets": brackets,
        "colorizedBracketPairs": brackets,
        "autoClosingPairs": [*pairs, quotes],
        "autoCloseBefore": ";:.,=}])> \n\t",
        "surroundingPairs": [*pairs, {"open": '"', "close": '"'}],
        "wordPattern": {"pattern": "|".join((*_HYPHENATED, _NAME, _NUMBER)), "flags": "u"},
        "indentationRules": {
            "increaseIndentPattern": r"^[^#\"]*\{[^}#\"]*(?:#.*)?$",
            "decreaseIndentPattern": r"^\s*\}",
        },
        "folding": {
            "markers": {"start": r"^\s*#\s*region\b", "end": r"^\s*#\s*endregion\b"},
        },
        "onEnterRules": [
            {
                "beforeText": r"^\s*#.*$",
                "afterText": r"^\s*\S.*$",
                "action": {"indent": "none", "appendText": "# "},
            }
        ],
    }

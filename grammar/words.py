"""The words of a statement's text: what the one style never takes apart.

A word is a token, or several that belong together (`GB/s`, `All-Gather`). The style only ever
changes the blanks between words, so that statements of the same words mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from parspec.grammar.keywords import UNITS
from parspec.grammar.splitter import BLANKS

_LETTER = r"[\w\u0300-\u036f\u3099\u309a]"
_UNIT = rf"(?:{'|'.join(sorted(map(re.escape, UNITS), key=len, reverse=True))})(?!\w)"
_RATE = rf"(?:{'|'.join(re.escape(unit) for unit in UNITS if '/' in unit)})(?!\w)"
_WORD = re.compile(  # what is frequent comes first
    "|".join(
        (
            rf"[^\W\d]{_LETTER}*+(?!/s|-)",
            r"[\[\](),:.{}*+|?]",
            r"#[^\r\n]*",
            r'"[^"\r\n]*"',
            r"(?:All-Gather|All-Reduce|All-to-All|Reduce-Scatter)(?![\w-])",
            r"[0-9](?:_?[0-9])*+(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++|(?:[KMGT]i|[kMT])(?!\w))?"
            rf"(?={_UNIT}|(?!\w))",
            _RATE,
            rf"{_LETTER}+",
            r"->|[<>=]=",
            r"[^\s\ufeff]|[\x1c-\x1f]",
        )
    )
)
_LINE_END = re.compile(r"\r\n|\r|\n")


def words(text: str) -> list[str]:
    """The words of a statement's text, comments included (without the blanks behind them)."""
    found: list[str] = _WORD.findall(text)
    if "#" in text:
        return [word.rstrip(BLANKS) if is_comment(word) else word for word in found]
    return found


def line_ends(text: str) -> list[int]:
    """For each word how many lines end between it and the word in front of it."""
    found: list[int] = []
    end = 0
    for match in _WORD.finditer(text):
        found.append(len(_LINE_END.findall(text[end : match.start()])))
        end = match.end()
    return found


def words_at(text: str, offsets: Iterable[int]) -> list[int]:
    """Which words start at these offsets, given in order."""
    found: list[int] = []
    index = end = 0
    for offset in offsets:
        index += len(_WORD.findall(text, end, offset))
        end = offset
        found.append(index)
    return found


def is_comment(word: str) -> bool:
    """Is a word a comment, which ends its line?"""
    return word[0] == "#"

"""The tokens of a statement's text beside its names: keywords, numbers, units, file names.

In a statement that is understood every word that is no name is a keyword. Of one that is broken
the parser is asked, since a word is a keyword only where the grammar takes it as one; behind the
first token that cannot follow only reserved words are told apart.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from parspec.grammar.document import Chunk
from parspec.grammar.keywords import PRIMITIVES, RESERVED, UNITS
from parspec.grammar.machine import Run
from parspec.grammar.syntax import ImportStatement

Kind: TypeAlias = Literal["keyword", "library", "number", "unit", "primitive", "string", "mark"]

_KINDS: dict[str, Kind] = {
    "NUMBER": "number",
    "DIVISOR": "number",
    "UNIT": "unit",
    "PRIMITIVE": "primitive",
    "STRING": "string",
}
_NAMES = frozenset(("NAME", "KEY", "WORD", "PLACE"))
_UNIT = rf"(?:{'|'.join(sorted(map(re.escape, UNITS), key=len, reverse=True))})(?!\w)"
_TOKEN = re.compile(
    r"(?P<comment>#[^\r\n]*)"
    r'|(?P<string>"[^"\r\n]*")'
    rf"|(?P<primitive>{'|'.join(PRIMITIVES)})(?![\w-])"
    r"|(?P<word>[^\W\d][\w\u0300-\u036f\u3099\u309a]*)"
    r"|(?P<number>(?<![.\w])[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+|[KMGT]i(?!\w))?)"
    rf"(?P<gap>\s*)(?P<unit>{_UNIT})?"
)


_MARK = re.compile(r'#[^\r\n]*|"[^"\r\n]*"|(?P<mark>->|[*+])')  # in no comment


class Token(NamedTuple):
    """A token; offsets are those of the statement's text."""

    text: str
    start: int
    end: int
    kind: Kind


def tokens_of(chunk: Chunk, names: Container[int]) -> tuple[Token, ...]:
    """The tokens of a chunk in order; `names`: the offsets at which its names start."""
    if chunk.parsed.faults or chunk.statement is None:
        return tuple(token for token in _asked(chunk.text) if token.start not in names)
    return tuple(_plain(chunk, names))


def mark_at(text: str, offset: int) -> Token | None:
    """The `*`, `+` or `->` of a statement's text at an offset, or that ends there."""
    for match in _MARK.finditer(text):
        if match["mark"] and match.start() <= offset <= match.end():
            return Token(match[0], *match.span(), "mark")
    return None


def _plain(chunk: Chunk, names: Container[int]) -> Iterator[Token]:
    word: Kind = "library" if isinstance(chunk.statement, ImportStatement) else "keyword"
    for match in _TOKEN.finditer(chunk.text):
        start = match.start()
        if start in names:
            continue
        match match.lastgroup:
            case "word":
                kind = word if start else "keyword"
                yield Token(match[0], start, match.end(), kind)
            case "string":
                yield Token(match[0], start, match.end(), "string")
            case "primitive":
                yield Token(match[0], start, match.end(), "primitive")
            case "gap" | "unit":
                yield Token(match["number"], start, match.end("number"), "number")
                if match["unit"]:
                    yield Token(match["unit"], *match.span("unit"), "unit")


@lru_cache(maxsize=256)
def _asked(text: str) -> tuple[Token, ...]:
    """The tokens that the parser takes, then the reserved words."""
    found: list[Token] = []
    run = Run()
    end = 0
    for token in run.tokens(text):
        if not run.feed(token):
            break
        start, end = token.span
        kind = _KINDS.get(token.type, "keyword")
        if token.type in _KINDS or (token.value[0].isalpha() and token.type not in _NAMES):
            found.append(Token(token.value, start, end, kind))
    for match in _TOKEN.finditer(text, end):
        if match.lastgroup == "word" and match[0] in RESERVED:
            found.append(Token(match[0], *match.span(), "keyword"))
    return tuple(found)

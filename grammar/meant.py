"""What was meant where a statement stops: words and marks of other tools, and near spellings.

A fault of this kind says what the language writes instead, and mends it where only one thing can
be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from parspec.grammar import messages
from parspec.grammar.document import SyntaxFault
from parspec.grammar.keywords import PRIMITIVES, misspelt_primitive
from parspec.grammar.lexer import UNKNOWN, Token
from parspec.grammar.span import Span

_FOREIGN_COMMENT = "//"
_STATES: Mapping[str, str] = {
    "partial": "R(partial)",
    "replicated": "R",
    "centralized": "C(0)",
}
_COMPARISONS: Mapping[str, str] = {"=": "==", "=<": "<=", "=>": ">=", "≤": "<=", "≥": ">="}
_COMPARISON = re.compile(r"=[<>]?|[≤≥]")
_PINNED = re.compile(r"[^\W\d]\w*(?:-\w+)*(?: (?P<next>\w+))?")
_SHORT = re.compile(r"([0-9]+(?:\.[0-9]+)?)[ \t]*([kKMGT])(?!\w)")
_APART = re.compile(
    r"(?P<number>[0-9]\w*(?:\.[0-9]+)?)[ \t]+(?:(?P<prefix>[kMGTPnuµm]|[KMGTP]i)[ \t]+"
    r"(?P<unit>(?:B|bit|flop|s)(?:/s)?)|(?P<binary>[KMGT]i))(?!\w)(?!\s*=(?!=))"
)
_NEXT = re.compile(r",\s*(?P<name>[^\W\d]\w*)\s*(?=\[)")
_DECLARING = frozenset({"INPUT", "WEIGHT", "CACHE", "VAR"})  # what lists variables
_CLAUSES = frozenset(
    {"PARTITION", "REPLICATED", "CENTRALIZED", "PARTIAL", "STORE", "AT", "FROZEN", "RECOMPUTE"}
)
_QUANTITIES = frozenset({"DEVICE", "EXPECT", "LINK"})  # what stands in these has a unit
_THOUSANDS: Mapping[str, int] = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4}


def recognised(
    text: str, tokens: Sequence[Token], found: Token, wanted: Sequence[str]
) -> SyntaxFault | None:
    """The fault of a statement that stops at `found`, where one of the terminals `wanted` could
    stand; None where nothing in particular was meant."""
    return next(_faults(text, tokens, found, wanted), None)


def foreign_comment(text: str, token: Token) -> Token | None:
    """The mark with which a comment of another language begins at a token."""
    if token.type != "SLASH" or not text.startswith(_FOREIGN_COMMENT, token.span.start):
        return None
    span = Span(token.span.start, token.span.start + len(_FOREIGN_COMMENT))
    return Token(UNKNOWN, _FOREIGN_COMMENT, span)


def meant_state(word: str, span: Span) -> SyntaxFault | None:
    """The fault of a clause's word that stands for the state that it brings about."""
    state = _STATES.get(word)
    if state is None:
        return None
    return SyntaxFault(messages.clause_as_state(word, state), span, (), "", state)


def _faults(
    text: str, tokens: Sequence[Token], found: Token, wanted: Sequence[str]
) -> Iterator[SyntaxFault]:
    if found.value == _FOREIGN_COMMENT:
        yield SyntaxFault(messages.foreign_comment(found.value), found.span, (), "", "#")
    yield from _number(text, tokens, found, wanted)
    yield from _apart(text, tokens)
    if tokens and tokens[0].type in _DECLARING:
        yield from _list_ended(text, tokens, found)
    if tokens and tokens[0].type == "EXPECT":
        yield from _primitive(text, tokens, found)
        if "COMPARISON" in wanted:
            yield from _comparison(text, found.span.start)


def _number(
    text: str, tokens: Sequence[Token], found: Token, wanted: Sequence[str]
) -> Iterator[SyntaxFault]:
    """A number with a letter for its thousands: `2k`, `1.5k`, `2 k` where no unit may follow."""
    apart = bool(tokens) and tokens[-1].type == "NUMBER" and "UNIT" not in wanted
    whole = tokens[-1] if tokens and (found.value == "." or apart) else found
    short = _SHORT.match(text, whole.span.start)
    if short is not None:
        power = _THOUSANDS[short[2]]
        binary, decimal = (Fraction(short[1]) * base**power for base in (1024, 1000))
        if binary.denominator == decimal.denominator == 1:
            size = f"{short[1]}{short[2].upper()}i"
            message = messages.short_number(short[0], size, int(binary), int(decimal))
            yield SyntaxFault(message, Span(*short.span()), ())


def _list_ended(text: str, tokens: Sequence[Token], found: Token) -> Iterator[SyntaxFault]:
    """A further variable behind the clauses of a list: `weight w[D] store on dp, v[D]`. It is a
    statement of its own, on a line of its own."""
    near = (found, *reversed(tokens[-2:]))
    comma = next((token for token in near if token.type == "COMMA"), None)
    further = None if comma is None else _NEXT.match(text, comma.span.start)
    if further is None or _CLAUSES.isdisjoint(token.type for token in tokens):
        return
    keyword, name = tokens[0].value, further["name"]
    span = Span(further.start(), further.start("name"))
    yield SyntaxFault(messages.list_ended(keyword, name), span, (), "", f"\n{keyword} ")


def _apart(text: str, tokens: Sequence[Token]) -> Iterator[SyntaxFault]:
    """A prefix apart from its number or from its unit: `4 Ki`, `80 G B`. Only the words that come
    last are looked at: what stands in front of them was understood."""
    number = next((token for token in reversed(tokens[-3:]) if token.type == "NUMBER"), None)
    apart = None if number is None else _APART.match(text, number.span.start)
    if apart is None or (apart["binary"] and tokens[0].type in _QUANTITIES):
        return
    whole = f"{apart['number']}{apart['binary']}"
    if not apart["binary"]:
        whole = f"{apart['number']} {apart['prefix']}{apart['unit']}"
    yield SyntaxFault(messages.apart(apart[0], whole), Span(*apart.span()), (), "", whole)


def _primitive(text: str, tokens: Sequence[Token], found: Token) -> Iterator[SyntaxFault]:
    """A primitive in another spelling: `Allreduce`, `all-reduce`, `All-Reduces`."""
    place = 2 if len(tokens) > 1 and tokens[1].type == "NO" else 1
    begin = (*tokens, found)[min(place, len(tokens))].span.start
    pinned = _PINNED.match(text, begin)
    if pinned is None:
        return
    end = pinned.end() if pinned["next"] is None else pinned.start("next") - 1
    for stop in (pinned.end(), end):
        word = text[begin:stop]
        close = misspelt_primitive(word)
        apart = stop != end and close is not None and len(close) != len(word)
        if close is not None and word not in PRIMITIVES and not apart:
            yield SyntaxFault(messages.misspelt(word, close), Span(begin, stop), (), "", close)


def _comparison(text: str, start: int) -> Iterator[SyntaxFault]:
    """A budget's figure set equal to its bound as in an assignment."""
    sign = _COMPARISON.match(text, start)
    if sign is not None:
        right = _COMPARISONS[sign[0]]
        message = messages.no_comparison(sign[0], right)
        yield SyntaxFault(message, Span(*sign.span()), (), "", right)

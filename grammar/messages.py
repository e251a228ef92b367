"""What the parser could take, and what it found -> sentences that a person can use.

One table from the terminals and name rules of par.lark to words serves messages and whoever
offers what may be typed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from parspec.grammar.keywords import STARTERS

NAMES = {
    "dimension": "a dimension",
    "size_name": "a size",
    "argument_name": "an argument",
    "axis": "an axis",
    "link_name": "a link name",
    "device_name": "a device name",
    "optimizer": "an optimizer",
    "dtype_name": "a type",
    "tensor": "a tensor",
    "layer_name": "a layer name",
    "op_name": "an operator name",
    "block_name": "a block name",
    "stack_name": "a stack name",
    "plan_name": "a plan name",
    "scope_name": "a layer or stack",
    "library_name": "a file of the library",
    "function": "a function",
    "kind": "a kind of partial",
    "pattern_name": "a layer",
    "one_of": "a layer",
    "price_list": "a price list",
    "mode": "a mode",
    "figure": "a figure such as traffic or memory",
    "state_name": "a state",
    "state_argument": "a dimension or node",
    "path_part": "a name",
}
"""Rules of par.lark that are one NAME, and what the name is for."""

TERMINALS = {
    "NAME": "a name",
    "WORD": "a word",
    "KEY": "a setting",
    "NUMBER": "a number",
    "SHORT_COUNT": "a number",
    "DIVISOR": "a number other than 0",
    "PLACE": "a number",
    "UNIT": "a unit",
    "UNIT_WORD": '"unit"',
    "STRING": "a file name in quotes",
    "PRIMITIVE": "a primitive such as All-Gather",
    "COMPARISON": "a comparison",
    "CAPACITY": '"capacity"',
    "GRAD": '"grad"',
    "PER": '"per device"',
    "COMMA": '","',
    "COLON": '":"',
    "EQUAL": '"="',
    "DOT": '"."',
    "VBAR": '"|"',
    "HOLE": '"?"',
    "ARROW": '"->"',
    "PLUS": '"+"',
    "MINUS": '"-"',
    "STAR": '"*"',
    "SLASH": '"/"',
    "LPAR": '"("',
    "RPAR": '")"',
    "LSQB": '"["',
    "RSQB": '"]"',
    "LBRACE": '"{"',
    "RBRACE": '"}"',
}
"""Terminals of par.lark in words. A terminal that is not here is a keyword: its own lower case."""

_GROUPS = (
    ("an expression", {"a tensor", "a function", "a number", '"("', '"-"'}),
    ("an expression", {"a tensor", "a function", "a number", '"("'}),
    ("a size", {"a size", "a number", '"capacity"', '"("'}),
    ("a size", {"a size", "a number", '"("'}),
    ("a value", {"a word", "a number", '"("'}),
    ("an operator", {'"+"', '"-"', '"*"', '"/"'}),
    (
        'a clause such as "partition"',
        {
            *('"partition"', '"replicated"', '"centralized"', '"partial"', '"store"', '"at"'),
            *('"frozen"', '"recompute"', '"uneven"'),
        },
    ),
    ('"forward", "backward" or "update"', {'"forward"', '"backward"', '"update"'}),
)
_FOREIGN = {"、": ",", "。": ".", "×": "*", "−": "-", "→": "->", "@": "*"}
_BY_MARK = {word[1:-1]: terminal for terminal, word in TERMINALS.items() if not word[1].isalnum()}
_MARKS = '"'
_TOO_LARGE = re.compile(r"(?:[0-9]_?){32,}[0-9]?|[0-9_]+[eE][0-9]{3,}")
_LONGEST = 7  # how many alternatives a sentence lists

_HEADERS = {
    "block": "block name(x[B, D]) -> y { ... }",
    "op": "op name(X[B, I], W[I, O]) -> Y[B, O] = X * W",
    "stack": "stack name[L]: x -> y { ... }",
}
_CLOSERS = {")": "(", "]": "[", "}": "{"}


def describe(terminals: Collection[str], names: Iterable[str]) -> tuple[str, ...]:
    """The terminals in words, each once: things to name first, then keywords, then marks.

    `names` are the rules that a NAME may turn into there.
    """
    kinds = {NAMES[name] for name in names if name in NAMES}
    words = {
        TERMINALS.get(terminal, f'"{terminal.lower()}"')
        for terminal in terminals
        if terminal != "$END" and not (terminal == "NAME" and kinds)
    }
    return tuple(sorted(words | kinds, key=lambda word: (word[0] in _MARKS, _is_mark(word), word)))


def _is_mark(word: str) -> bool:
    return word.startswith('"') and not word[1].isalpha()


def listed(expected: Iterable[str]) -> str:
    """`a, b or c`, with what belongs together under one word."""
    words = list(dict.fromkeys(expected))
    for group, members in _GROUPS:
        if members <= set(words):
            words = [group, *(word for word in words if word not in members and word != group)]
    if len(words) > _LONGEST:
        words = [*words[: _LONGEST - 1], "others"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def quoted(text: str) -> str:
    """A token as a sentence shows it: short, in quotes, unprintable characters by code."""
    shown = "".join(char if char.isprintable() else f"U+{ord(char):04X}" for char in text[:30])
    return f'"{shown}{"..." if len(text) > 30 else ""}"'


def missing(expected: Collection[str], previous: str, found: str) -> str:
    """Something has to follow `previous`; `found` stands there, "" at the end."""
    instead = f", found {quoted(found)}" if found else ""
    return f"expected {listed(expected)} after {quoted(previous)}{instead}"


def list_ended(keyword: str, name: str) -> str:
    """A further item behind the clauses, which hold for the whole list and end it."""
    return f"a clause ends the list; write {quoted(keyword)} again in front of {quoted(name)}"


def shape(keyword: str) -> str:
    """How a statement with a header is written; "" for others."""
    return f"it is `{_HEADERS[keyword]}`" if keyword in _HEADERS else ""


def surplus(previous: str, found: str) -> str:
    """The statement could have ended before `found`."""
    if found in _CLOSERS:
        return f'this "{found}" closes no "{_CLOSERS[found]}"'
    return f"{quoted(found)} cannot follow {quoted(previous)} here"


def said_again(words: str) -> str:
    """What an `expect` says for the second time."""
    return f"{quoted(words)} is said twice"


def too_much(limit: int, what: str) -> str:
    """A text that has more of something than is read."""
    return f"more than {limit} {what}: none of this text is read"


def odd(found: str) -> str:
    """A character that is part of no token."""
    if found == '"':
        return "this quote is not closed on its line"
    if not found.isprintable():
        return f"the control character U+{ord(found[0]):04X} is not part of the language"
    if _TOO_LARGE.fullmatch(found):
        return f"{quoted(found)} is too large: numbers have at most 31 digits, exponents 2"
    if found[0].isdigit():
        return f"{quoted(found)} is neither a number nor a name"
    return f"{quoted(found)} is not part of the language"


def plain_character(found: str) -> str | None:
    """The mark that a full-width or curly character stands for (`，` for `,`), or None."""
    plain = _FOREIGN.get(found) or unicodedata.normalize("NFKC", found)
    return plain if plain != found and plain in _BY_MARK else None


def mark_terminal(mark: str) -> str | None:
    """The terminal that is spelt `mark`, or None."""
    return _BY_MARK.get(mark)


def keyword_as_name(word: str, names: Iterable[str]) -> str:
    """A reserved word where a name belongs."""
    words = (NAMES[name] for name in names if name in NAMES)
    kinds = sorted({word.removesuffix(" name").partition(" such as")[0] for word in words})
    kind = " or ".join(kinds) or "a name"
    return f"{quoted(word)} is a keyword of the language; {kind} needs another name"


def no_statement(found: str) -> str:
    """Text in front of the first starter, or behind the `}` of a body."""
    if found in _CLOSERS:
        return f'this "{found}" closes no "{_CLOSERS[found]}"'
    some = ", ".join(f'"{word}"' for word in (STARTERS[0], STARTERS[1], "input"))
    return f'a statement begins with a keyword such as {some} or "layer", not with {quoted(found)}'


def misspelt(word: str, meant: str) -> str:
    """A word that is close to one of the language."""
    return f"{quoted(word)} is unknown; did you mean {quoted(meant)}?"


def misspelt_keyword(word: str, accepted: Iterable[str]) -> str | None:
    """The keyword among the accepted terminals that `word` was probably meant to be, or None."""
    keywords = [terminal.lower() for terminal in accepted if terminal not in TERMINALS]
    near = get_close_matches(word.lower(), keywords, 1, 0.8)
    return near[0] if near and near[0] != word else None


def clause_as_state(word: str, state: str) -> str:
    """The word of a clause where a state belongs."""
    return f"{quoted(word)} is the word of a clause; the state is written {quoted(state)}"


def foreign_comment(mark: str) -> str:
    """A comment of another language."""
    return f'a comment begins with "#", not with {quoted(mark)}'


def short_number(written: str, binary: str, power: int, decimal: int) -> str:
    """A number with a letter for its thousands, which may be either."""
    return f"{quoted(written)} is no number; did you mean {binary} ({power}) or {decimal:_}?"


def apart(written: str, whole: str) -> str:
    """A prefix with a space where none may be."""
    return f"{quoted(written)} has a space too many; write {quoted(whole)}"


def no_comparison(written: str, right: str) -> str:
    """A mark that is no comparison."""
    bound = ' (a bound is "<=" or ">=")' if right == "==" else ""
    return f"{quoted(written)} does not compare; did you mean {quoted(right)}{bound}?"


def unknown_unit(word: str, meant: str | None) -> str:
    """A word behind a number that is no unit."""
    suggestion = f"; did you mean {quoted(meant)}?" if meant else ""
    return f"{quoted(word)} is not a unit{suggestion}"


def unclosed(word: str) -> str:
    """A `{` without its `}`."""
    return f'the "{{" of this {quoted(word)} is never closed'


def too_deep(limit: int) -> str:
    """Nested deeper than anything is read."""
    return f"nested more than {limit} deep"

"""The names in a statement that is broken: what they are names of, as far as the parser came.

Up to the first token that cannot follow the grammar says what each name is for; behind it a name
may be of any kind.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping

from parspec.grammar.keywords import NAME, RESERVED, normal
from parspec.grammar.machine import Run
from parspec.grammar.span import Span
from parspec.lsp.mentions import Act, Mention, Space

_PLACES: Mapping[str, tuple[Space, str, Act]] = {
    "dimension": ("dim", "dim", "uses"),
    "size_name": ("size", "dim", "uses"),
    "axis": ("axis", "axis", "uses"),
    "link_name": ("link", "link", "uses"),
    "device_name": ("device", "device", "uses"),
    "tensor": ("tensor", "tensor", "uses"),
    "function": ("function", "function", "uses"),
    "layer_name": ("layer", "layer", "declares"),
    "stack_name": ("layer", "stack", "declares"),
    "op_name": ("function", "op", "declares"),
    "block_name": ("function", "block", "declares"),
    "plan_name": ("plan", "plan", "declares"),
    "dtype_name": ("word", "dtype", "uses"),
    "argument_name": ("word", "argument", "uses"),
    "optimizer": ("word", "optimizer", "uses"),
    "kind": ("word", "partial", "uses"),
    "price_list": ("word", "price list", "uses"),
    "mode": ("word", "mode", "uses"),
}
"""Space, kind and act of a name by the rule of par.lark that it is."""

_CALLED = re.compile(r"\s*(?:\(|over\b|masked\b)")
_NAMES = re.compile(rf'#[^\r\n]*|"[^"\r\n]*"|({NAME})')


def loose_mentions(text: str, known: Container[int]) -> Iterator[Mention]:
    """The names of a chunk's text, but for those that start at the offsets `known`."""
    run = Run()
    end = 0
    for token in run.tokens(text):
        rules = run.name_rules()
        if not run.feed(token):
            break
        start, end = token.span
        if token.type == "NAME" and start not in known:
            place = _place(rules, text, end)
            yield Mention(normal(token.value), Span(start, end), *place)
    for match in _NAMES.finditer(text, end):
        word = match[1]
        if word and word not in RESERVED and match.start() not in known:
            yield Mention(normal(word), Span(*match.span()), "any", "name")


def _place(rules: tuple[str, ...], text: str, end: int) -> tuple[Space, str, Act]:
    """What a name is that ends at `end` and could be any of some rules."""
    if "function" in rules and _CALLED.match(text, end):
        return _PLACES["function"]
    likely = [rule for rule in rules if rule != "function"]
    if len(likely) == 1 and likely[0] in _PLACES:
        return _PLACES[likely[0]]
    return "any", "name", "uses"

"""Signatures: what the call, the header or the braces around the cursor take, and which part of it
is being written.

Read off the text in front of the cursor, so that it works while the call is half typed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from parspec.grammar.keywords import NAME, normal
from parspec.grammar.syntax import BlockStatement, OpStatement, PointwiseStatement
from parspec.grammar.values import value
from parspec.interpreter.explanations.index import explained
from parspec.interpreter.spec.functions import DECLARED_POINTWISE, FUNCTIONS, Function
from parspec.interpreter.spec.sizes import CAPACITY_ARGUMENTS
from parspec.lsp.features.braces import keys_of, rules_of
from parspec.lsp.features.written import comment
from parspec.lsp.names import Names, Symbol
from parspec.lsp.ranges import Range
from parspec.lsp.snapshot import Placed, Snapshot

_MARK = re.compile(r'#[^\r\n]*|"[^"\r\n]*"|[()\[\],{}]')
_CALL = re.compile(rf"({NAME})\s*(?:over\s+([^()]*?)\s*)?(?:masked\s*)?$")
_DECLARED = re.compile(rf"(?:op|block)\s+{NAME}\s*$")
_STACK = re.compile(rf"\bstack\s+({NAME})\s*$")
_AT = re.compile(rf"\bat\s+({NAME}(?:\.\w+)*)\s*$")
_BRACED = re.compile(rf"(train|infer|link|device)\b(?:\s+{NAME})?\s*$")
_KEY = re.compile(rf"({NAME})\s*=[^=]*$")
_MORE = "..."
_OPERANDS = {
    "lookup": ("tokens", "table"),
    "crossentropy": ("z", "labels"),
    "dispatch": ("x", "r"),
    "combine": ("y", "r"),
    "swiglu": ("g", "u"),
    "dropout": ("x", "0.1"),
    "rope": ("q", "cos", "sin"),
    "rmsnorm": ("x", "weight"),
    "layernorm": ("x", "weight", "bias"),
    "topk": ("x", "2"),
}


@value
class Signature:
    """`label` with its parameters' ranges in it; `active`: the one being written, None behind the
    last; `note`: what it does, in the words of its author."""

    label: str
    parameters: tuple[Range, ...]
    active: int | None
    note: str


def signature(snapshot: Snapshot, offset: int) -> Signature | None:
    """The innermost call, header or braces around an offset; None where there are none."""
    placed = snapshot.chunk_at(offset)
    if placed is None:
        return None
    text = snapshot.text[placed.start : offset]
    while (opened := _opened(text)) is not None and text[opened[0]] == "[":
        header = _header(text[: opened[0]])
        if header is not None:
            return header
        text = text[: opened[0]]
    if opened is None:
        return None
    bracket, commas = opened
    if text[bracket] == "{":
        return _braces(text[:bracket], text[bracket + 1 :])
    call = _CALL.search(text, 0, bracket)
    if call is None or _DECLARED.search(text, 0, bracket):
        return None
    shape = _shape(snapshot, placed, normal(call[1]), call[2] or "D")
    if shape is None:
        return None
    head, parameters, tail, note = shape
    last = len(parameters) - 1
    active = min(commas, last) if _MORE in parameters else commas
    return _signature(head, parameters, tail, active if active <= last else None, note)


def _signature(
    head: str,
    parameters: Sequence[str],
    tail: str,
    active: int | None,
    note: str,
    comma: str = ", ",
) -> Signature:
    """A signature made of its parts."""
    ranges: list[Range] = []
    label = head
    for place, parameter in enumerate(parameters):
        label += comma if place else ""
        ranges.append(Range(len(label), len(label) + len(parameter)))
        label += parameter
    return Signature(label + tail, tuple(ranges), active, note)


def _header(before: str) -> Signature | None:
    """What stands between the brackets of a stack's header, and of a pipeline's stage."""
    if stack := _STACK.search(before):
        note = "The dimension that counts the turns: what is declared with it has one slice a turn."
        return _signature(f"stack {stack[1]}[", ("L",), "]: x -> y", 0, note)
    if at := _AT.search(before):
        note = "The stage that computes it, counted from 0."
        return _signature(f"at {at[1]}[", ("stage",), "]", 0, note)
    return None


def _braces(before: str, written: str) -> Signature | None:
    """The settings of a statement; what the one takes that is being written."""
    braced = _BRACED.match(before)
    if braced is None:
        return None
    keys = keys_of(braced[1])
    key = _KEY.search(written)
    active = list(keys).index(key[1]) if key and key[1] in keys else None
    note = "" if key is None else _taken(braced[1], key[1])
    return _signature(f"{before.strip()} {{ ", tuple(keys), " }", active, note, "  ")


def _taken(verb: str, key: str) -> str:
    """What a setting is, what it may be and what it is when it is unsaid."""
    rule = rules_of(verb).get(key)
    if rule is None:
        return next((each.text for each in explained(key) if each.kind == "setting"), "")
    choice = f": {', '.join(rule.words)}" if rule.words else ""
    return f"{rule.meaning}{choice} (default: {rule.default})"


def _opened(text: str) -> tuple[int, int] | None:
    """Where the innermost bracket opens that does not close in a text, and the commas since."""
    opened: list[list[int]] = []
    for match in _MARK.finditer(text):
        mark = match[0]
        if match.end() == len(text) and mark[0] == "#":
            return None
        if mark in "([{":
            opened.append([match.start(), 0])
        elif mark in ")]}" and opened:
            opened.pop()
        elif mark == "," and opened:
            opened[-1][1] += 1
    return (opened[-1][0], opened[-1][1]) if opened else None


def _shape(
    snapshot: Snapshot, placed: Placed, name: str, over: str
) -> tuple[str, tuple[str, ...], str, str] | None:
    """Of something that can be called what stands in front of its parameters, these, what stands
    behind them, and what it does. `over`: the dimensions that it is called along."""
    names = snapshot.names
    region = names.region_around(snapshot.file, placed.chunk, placed.start)
    declared = names.declarations(names.function(name, region)) if region else ()
    if not declared:
        return _given(name, over)
    site = names.site(declared[0])
    note = comment(name, site, snapshot)
    written = declared[0].chunk.text
    match declared[0].chunk.statement:
        case OpStatement(parameters=parameters, out=out):
            shown = tuple(written[slice(*item.span)] for item in parameters)
            return f"{name}(", shown, f") -> {written[slice(*out.span)]}", note
        case BlockStatement(parameters=parameters, out=result):
            shown = tuple(written[slice(*item.span)] for item in parameters)
            return f"{name}(", shown, f") -> {result.text}", note
        case PointwiseStatement():
            return f"{name}(", _parameters(name, DECLARED_POINTWISE), ")", note
    return None


def _given(name: str, over: str) -> tuple[str, tuple[str, ...], str, str] | None:
    """The same of what the language brings."""
    if name == "capacity":
        shown = tuple(f"{argument} = " for argument in CAPACITY_ARGUMENTS)
        return "capacity(", shown, ")", _meaning(name)
    function = FUNCTIONS.get(name)
    if function is None:
        return None
    along = f" over {over} " if function.along else ""
    return f"{name}{along}(", _parameters(name, function), ")", _meaning(name)


def parameters_of(names: Names, function: Symbol) -> tuple[str, ...]:
    """The names of the parameters of an op or a block; () of anything else."""
    for entry in names.declarations(function):
        match entry.chunk.statement:
            case OpStatement(parameters=items) | BlockStatement(parameters=items):
                return tuple(item.name.text for item in items)
    return ()


def operands(name: str) -> tuple[str, ...]:
    """What the operands of a function of the language are usually called."""
    return _OPERANDS.get(name, ("x",))


def _parameters(name: str, function: Function) -> tuple[str, ...]:
    """The operands that a function takes; those that may be left out in brackets."""
    named = operands(name)
    shown = (n if place < function.least else f"[{n}]" for place, n in enumerate(named))
    return (*shown, _MORE) if function.most is None else tuple(shown)


def _meaning(name: str) -> str:
    kinds = ("function", "clause", "setting")
    return next((each.text for each in explained(name) if each.kind in kinds), "")

"""Functions that nobody knows: which may be meant, and what those of other tools are here."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import takewhile
from typing import TYPE_CHECKING

from parspec.grammar.expressions import Scalar, TensorUse
from parspec.grammar.syntax import BlockStatement, OpStatement
from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix
from parspec.interpreter.spec.functions import ELSEWHERE, FUNCTIONS, PRODUCT
from parspec.interpreter.spec.library_declarations import library_functions
from parspec.interpreter.spec.names import near, replacing

if TYPE_CHECKING:
    from parspec.grammar.expressions import Call
    from parspec.interpreter.diagnostics.findings import Datum
    from parspec.interpreter.spec.scopes import Here

_CLOSENESS = 0.85  # of difflib, to a name that nobody imports: `swiglu_mpl`, not `gelu_mlp`


def report_unknown_function(call: Call, here: Here) -> None:
    """`unknown_name`, for a function of other tools with what it is here, for others with those
    that may be meant."""
    name = call.function
    if here.is_quiet("function", name):
        return
    site, meant = here.at(name.span), ELSEWHERE.get(name.text.casefold())
    data: tuple[tuple[str, Datum], ...] = (("kind", "function"), ("name", name.text))
    known = _known(call, here)
    if meant is not None:
        close = tuple(each for each in known if f"`{each}" in meant)
        data = (*data, ("near", close), ("here", meant))
        fixes = _as_product(call, here) if meant is PRODUCT else ()
    elif name.text in library_functions():
        data, fixes = (*data, ("near", ())), ()
    elif known:
        data, fixes = (*data, ("near", known)), replacing(name.text, site, known)
    else:
        data, fixes = (*data, ("near", _in_library(name.text))), ()
    here.notes.found.append(Finding("unknown_name", site, data, fixes=fixes))


def _as_product(call: Call, here: Here) -> tuple[Fix, ...]:
    """The product of what it is called with, if these are variables."""
    plain = all(isinstance(part, TensorUse) for part in call.arguments)
    if len(call.arguments) < 2 or not plain:
        return ()
    text = " * ".join(here.placed.text(part.span) for part in call.arguments)
    return (Fix(f"Write `{text}`", (Edit(here.at(call.span), text),)),)


def _known(call: Call, here: Here) -> tuple[str, ...]:
    """The functions of a close name, best first, up to one that takes another number of tensors or
    that the name is longer than by a word: `gelu_mlp` is not `gelu` mistyped."""
    name = call.function.text
    close = near(name, (*FUNCTIONS, *here.scope.callee_names()))
    words = name.split("_")
    return tuple(takewhile(lambda each: each not in words and _takes(each, call, here), close))


def _takes(name: str, call: Call, here: Here) -> bool:
    """May a function of that name be called with so many tensors?"""
    tensors = sum(not isinstance(part, Scalar) for part in call.arguments)
    callee, function = here.scope.callee(name), FUNCTIONS.get(name)
    match callee and callee.statement:
        case OpStatement(parameters=parameters) | BlockStatement(parameters=parameters):
            return len(parameters) == tensors
    if callee is not None or function is None:
        return True
    return function.least <= tensors and (function.most is None or tensors <= function.most)


def _in_library(name: str) -> tuple[str, ...]:
    """The functions of the library whose names are all but the same."""
    ratios = (
        (SequenceMatcher(None, name.casefold(), each).ratio(), each) for each in library_functions()
    )
    return tuple(each for ratio, each in sorted(ratios, reverse=True) if ratio >= _CLOSENESS)[:1]

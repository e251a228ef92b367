"""Expected: what the text of an `expect` in front of the cursor leaves open.

Read off that text, so that it works while the statement is half typed.
"""

from __future__ import annotations

import re

from parspec.grammar.keywords import normal
from parspec.interpreter.spec.clauses import PARTIAL_KINDS
from parspec.interpreter.spec.expects import FIGURES
from parspec.interpreter.spec.sizes import Kind
from parspec.lsp.facts import Facts

_STATE = re.compile(r"\bexpect\s+([\w.]+)[^()]*\bis\s+(\w+)\s*\([^()]*\Z")
_VARIABLE = re.compile(r"\bexpect\s+(?:grad\s*\([^()]*\)|([\w.]+))\s+\Z")
_FIGURE = re.compile(r"\bexpect\s+(\w+)\b(?=.*[<>=])", re.DOTALL)


def state_arguments(before: str, facts: Facts) -> tuple[str, ...] | None:
    """What may stand in the parentheses of a state: `partial` and the kinds of partial in R's, the
    variable's dimensions in P's; None where it is not known."""
    match = _STATE.search(before)
    if match is None:
        return None
    match match[2]:
        case "R":
            return ("partial", *PARTIAL_KINDS)
        case "P":
            return _dims(normal(match[1]), facts) or None
    return ()


def _dims(path: str, facts: Facts) -> tuple[str, ...]:
    """The dimensions of a variable and their factors."""
    every = [tensor for part in facts.parts for tensor in part.tensors.values()]
    named = [tensor for tensor in every if tensor.name == path]
    found = named or [tensor for tensor in every if tensor.label == path]
    return tuple(dict.fromkeys(dim for each in found for dim in (*each.dims, *each.leaves)))


def fitting(before: str, accepted: frozenset[str]) -> frozenset[str]:
    """The terminals that may follow, of those that the parser accepts: behind a variable only
    `is`, as a figure alone is bounded or narrowed."""
    match = _VARIABLE.search(before)
    return accepted if match is None or match[1] in FIGURES else accepted & {"IS"}


def bound_kinds(before: str) -> tuple[Kind, ...]:
    """The kinds of quantity that may bound the figure in front of a comparison."""
    match = _FIGURE.search(before)
    return FIGURES.get(match[1], ()) if match else ()

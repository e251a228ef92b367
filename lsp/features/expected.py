"""Expected: what the text of an `expect` in front of the cursor leaves open.

Read off that text, so that it works while the statement is half typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from parspec.grammar.keywords import PRIMITIVES, normal
from parspec.interpreter.analysis.budgets import AT_REST, OF_A_WHOLE
from parspec.interpreter.spec.clauses import PARTIAL_KINDS
from parspec.interpreter.spec.expects import FIGURES, OF_TRAINING
from parspec.interpreter.spec.sizes import Kind
from parspec.lsp.facts import Facts

_STATE = re.compile(r"\bexpect\s+([\w.]+)[^()]*\bis\s+(\w+)\s*\([^()]*\Z")
_VARIABLE = re.compile(r"\bexpect\s+(?:grad\s*\([^()]*\)|(?!no\b)([\w.]+))\s+\Z")
_BUDGET = re.compile(r"\bexpect\s+(\w+)(?!\s+is\b)(?![\w-])")
_PIN = re.compile(rf"\bexpect\s+(?:no\s+)?(?:{'|'.join(PRIMITIVES)})(?![\w-])")


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
    """The terminals that may follow, of those that the parser accepts: behind a variable only `is`,
    as a figure alone is bounded or narrowed; behind a primitive no `is`; and only what the figure
    can be narrowed to."""
    if _PIN.search(before):
        return accepted - {"IS", "PER"}
    match = _VARIABLE.search(before)
    if match is not None and match[1] not in FIGURES:
        return accepted & {"IS"}
    return accepted - _UNFIT.get(figure_of(before), _OF_OTHERS)


def figure_of(before: str) -> str:
    """The figure that an `expect` bounds; "" where it bounds none."""
    match = _BUDGET.search(before)
    return match[1] if match and match[1] in FIGURES else ""


def bound_kinds(before: str) -> tuple[Kind, ...]:
    """The kinds of quantity that may bound the figure of an `expect`."""
    return FIGURES.get(figure_of(before), ())


_PASSES = frozenset({"FORWARD", "BACKWARD", "UPDATE"})
_OF_OTHERS = frozenset({"PER"})  # what is said of traffic alone
_NARROWED: Mapping[str, frozenset[str]] = {
    "traffic": frozenset(),
    **dict.fromkeys(OF_A_WHOLE | OF_TRAINING, frozenset({"PER", "IN", "ON", "LPAR"})),
    **dict.fromkeys(("compute", "flops"), frozenset({"PER", "ON"})),
}
_UNFIT: Mapping[str, frozenset[str]] = {
    figure: frozenset({"IS"})
    | _NARROWED.get(figure, _OF_OTHERS)
    | (_PASSES if figure in AT_REST | OF_TRAINING | {"step"} else frozenset())
    for figure in FIGURES
}
"""By figure, the terminals that the grammar takes behind it and that say nothing of it."""

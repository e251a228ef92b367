"""Errors beside figures: how many a spec has, and whether its figures may be others without them.

What is not kept (a budget, a pin) or avoidable is an error about a plan that is understood: its
figures are right. After any other error what a plan does is known in part.
"""

from __future__ import annotations

from itertools import islice

from parspec.interpreter.analysis.doubts import figures_in_doubt
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.entry import plural

_UNDERSTOOD = ("PAR3", "PAR4")  # codes about what a plan that is understood moves and promises


def errors_of(analysis: Analysis) -> str:
    """`2 errors`, those that `parspec check` counts under the plan; "" for none."""
    found = {each for each in analysis.findings if catalogue.severity(each) == "error"}
    return plural(len(found), "error") if found else ""


def is_in_doubt(analysis: Analysis) -> bool:
    """Whether an error leaves open what the plan does: its figures are no more than those of what
    is understood."""
    own = islice(analysis.findings, len(analysis.model.findings), None)
    return figures_in_doubt(analysis.model) or any(
        catalogue.severity(each) == "error" and not catalogue.code(each).startswith(_UNDERSTOOD)
        for each in own
    )


def doubt_of(analysis: Analysis) -> str:
    """`2 errors` where they leave open what the plan does; else ""."""
    return errors_of(analysis) if is_in_doubt(analysis) else ""


def understood(doubt: str) -> str:
    """`of what is understood: 2 errors`, said of figures; "" where nothing is in doubt."""
    return f"of what is understood: {doubt}" if doubt else ""

"""Mending: whether a fix does what it is offered for, told by what is found before and after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.findings import Datum, Finding

_HIDING = frozenset({"syntax_error", "unknown_name"})  # what depends on these is left out
_BESIDE = frozenset({"info", "hint"})  # severities with which a plan still checks clean
_PLANS = "PAR2"  # codes from here on are about a plan whose names and shapes are understood


def mended(
    gone: Iterable[Finding], before: Collection[Finding], after: Collection[Finding]
) -> bool:
    """Whether findings are gone and no other error or warning has come. What was not looked at
    because of them may show once they are gone: it does not come of the fix."""
    left = Counter(map(_said, before))
    left.subtract(Counter(map(_said, after)))
    to_go = Counter(map(_said, gone))
    if any(left[said] < number for said, number in to_go.items()):
        return False
    if any(name in _HIDING for name, _ in to_go):
        return True
    hiding = any(_hides(name) for name, _ in to_go)
    return not any(_is_of_shapes(name) or not hiding for name in news(before, after))


def news(before: Iterable[Finding], after: Iterable[Finding]) -> set[str]:
    """The names of errors and warnings of which there are more than before."""
    serious = (finding for finding in after if catalogue.severity(finding) not in _BESIDE)
    known = Counter(finding.name for finding in before)
    return set(Counter(finding.name for finding in serious) - known)


def _hides(name: str) -> bool:
    """Whether it is an error about names or shapes: a plan is not understood before it is gone."""
    return catalogue.entry(name).severity == "error" and _is_of_shapes(name)


def _is_of_shapes(name: str) -> bool:
    """Whether it is about names or shapes; what is no longer used may be of no more use."""
    return catalogue.entry(name).code < _PLANS and name != "unused_name"


def _said(finding: Finding) -> tuple[str, tuple[tuple[str, Datum], ...]]:
    """A finding by what it says, wherever it stands. Of a plan that is understood it does not
    matter what the figures are."""
    known = catalogue.entry(finding.name).code < _PLANS
    return finding.name, finding.data if known else ()

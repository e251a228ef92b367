"""Expects: every budget and pin of a model held against the figures."""

from __future__ import annotations

from collections.abc import Iterable

from parspec.grammar.syntax import BudgetExpect, PrimitiveExpect, StateExpect
from parspec.interpreter.analysis.budgets import judge_budget
from parspec.interpreter.analysis.doubts import figures_in_doubt
from parspec.interpreter.analysis.figures import Figures, Verdict
from parspec.interpreter.analysis.pins import judge_primitive, judge_state
from parspec.interpreter.analysis.result import ExpectResult
from parspec.interpreter.diagnostics.findings import Datum, Finding
from parspec.interpreter.spec.model import Expect


def judge(
    expects: Iterable[Expect], figures: Figures
) -> tuple[tuple[ExpectResult, ...], tuple[Finding, ...]]:
    """The result of every expect and the findings of those that fail or cannot be told: it cannot
    where a broken statement may be why it fails."""
    results, findings = [], []
    for expect in expects:
        verdict = _verdict(expect, figures)
        if verdict.holds is False and figures_in_doubt(figures.inferred.model):
            verdict = Verdict(None, verdict.value)
        results.append(ExpectResult(expect.text, verdict.holds, verdict.value, expect.site))
        if verdict.finding is not None:
            findings.append(verdict.finding)
    return tuple(results), tuple(findings)


def _verdict(expect: Expect, figures: Figures) -> Verdict:
    unknown = next((axis for axis in expect.axes if axis not in figures.inferred.grid.covers), None)
    if unknown is not None:
        return _no_such_part(expect, unknown, figures)
    match expect.statement.condition:
        case BudgetExpect() as budget:
            return judge_budget(expect, budget, figures)
        case PrimitiveExpect() as pin:
            return judge_primitive(expect, pin, figures)
        case StateExpect() as pin:
            return judge_state(expect, pin, figures)


def _no_such_part(expect: Expect, axis: str, figures: Figures) -> Verdict:
    """An expect on a part of an axis (`tp.0`) that has no parts, or not so many."""
    parts = tuple(figures.inferred.grid.covers[axis.partition(".")[0]])
    facts: tuple[tuple[str, Datum], ...] = (("kind", "axis"), ("name", axis), ("near", parts))
    return Verdict(None, "", Finding("unknown_name", expect.site, facts))

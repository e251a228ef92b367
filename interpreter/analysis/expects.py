"""Expects: every budget and pin of a model held against the figures."""

from __future__ import annotations

from collections.abc import Iterable

from parspec.grammar.syntax import BudgetExpect, PrimitiveExpect, StateExpect
from parspec.interpreter.analysis.budgets import judge_budget
from parspec.interpreter.analysis.doubts import clash, figures_in_doubt, layouts_in_doubt
from parspec.interpreter.analysis.figures import Figures, Verdict
from parspec.interpreter.analysis.pins import judge_primitive, judge_state
from parspec.interpreter.analysis.result import ExpectResult
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.findings import Datum, Finding
from parspec.interpreter.spec.model import Expect, Model

PLANS_SPREAD = "the file has no mesh of its own: see its plans"


def judge(
    expects: Iterable[Expect], figures: Figures, checks: Iterable[Finding]
) -> tuple[tuple[ExpectResult, ...], tuple[Finding, ...]]:
    """The result of every expect and the findings of those that fail or cannot be told. It cannot
    where a broken statement or a clash may be why it fails or holds, nor that it holds where
    `checks` have found an error."""
    model = figures.inferred.model
    checks = tuple(checks)
    wrong = any(catalogue.severity(finding) == "error" for finding in checks)
    guessed = clash(checks)
    results, findings = [], []
    for expect in expects:
        if _is_for_plans(expect, model):
            results.append(ExpectResult(expect.text, None, PLANS_SPREAD, expect.site))
            continue
        verdict = _verdict(expect, figures)
        failed = verdict.holds is False
        if (guessed and _is_spread(expect)) or _in_doubt(expect, model) or (wrong and not failed):
            verdict = Verdict(None, verdict.value, None if failed else verdict.finding)
        results.append(ExpectResult(expect.text, verdict.holds, verdict.value, expect.site))
        if verdict.finding is not None:
            findings.append(verdict.finding)
    return tuple(results), tuple(findings)


def _is_for_plans(expect: Expect, model: Model) -> bool:
    """Whether an expect is about how a model is spread that only its plans bring a mesh for."""
    return _is_spread(expect) and not model.mesh.axes and model.plan is None and bool(model.plans)


def _is_spread(expect: Expect) -> bool:
    """Whether an expect is about how a model is spread: all but how many parameters it has."""
    condition = expect.statement.condition
    return not isinstance(condition, BudgetExpect) or condition.figure.text != "parameters"


def _in_doubt(expect: Expect, model: Model) -> bool:
    """Whether what an expect is about may be missing because a statement is broken."""
    if isinstance(expect.statement.condition, BudgetExpect):
        return figures_in_doubt(model)
    return layouts_in_doubt(model)


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

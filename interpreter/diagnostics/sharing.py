"""Findings of one file as it is and under its plans: each once, with what it was found under."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from parspec.interpreter.diagnostics.findings import Finding

Under: TypeAlias = tuple[str | None, ...]
"""Plans under which something was found, None for the file without a plan; () for all that was
looked at, the file itself among it."""


def found_under(
    plans: Iterable[tuple[str | None, Iterable[Finding]]],
) -> Mapping[Finding, Under]:
    """The findings under each plan (None: of the file itself), in their order."""
    found: dict[Finding, list[str | None]] = {}
    looked_at: list[str | None] = []
    for plan, findings in plans:
        looked_at.append(plan)
        for finding in findings:
            alike = finding if finding.plan is None else replace(finding, plan=None)
            found.setdefault(alike, []).append(plan)
    return {finding: under(plans_of, looked_at) for finding, plans_of in found.items()}


def under(found: Iterable[str | None], looked_at: Sequence[str | None]) -> Under:
    """What something was found under, each once, of all that was looked at."""
    plans = tuple(dict.fromkeys(found))
    return () if None in plans and len(plans) == len(looked_at) else plans


def named(found: Under) -> tuple[str, ...]:
    """The plans among it."""
    return tuple(plan for plan in found if plan is not None)

"""Findings of one file as it is and under its plans: each once, with the plans that have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from parspec.interpreter.diagnostics.findings import Finding


def found_under(
    plans: Iterable[tuple[str | None, Iterable[Finding]]],
) -> Mapping[Finding, tuple[str, ...]]:
    """The findings under each plan (None: of the file itself), in their order. What the file
    itself has is under no plan."""
    found: dict[Finding, list[str | None]] = {}
    for plan, findings in plans:
        for finding in findings:
            found.setdefault(replace(finding, plan=None), []).append(plan)
    return {finding: _named(under) for finding, under in found.items()}


def _named(plans: Iterable[str | None]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(plans))
    return () if None in names else tuple(name for name in names if name is not None)

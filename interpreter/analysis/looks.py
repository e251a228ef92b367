"""Looks: what was found when a spec was looked at before, as it is and under its plans.

Whoever looks at one spec again and again (an editor's open file, a watched one) keeps one; then a
look costs what has changed since the last.
"""

from __future__ import annotations

from dataclasses import field

from parspec.grammar.values import value
from parspec.interpreter.analysis.known import Known
from parspec.interpreter.spec import resolve


@value
class Looks:
    """What `resolve` knows of the spec, and `analyze` under each plan."""

    resolved: resolve.Known = field(default_factory=resolve.Known)
    _analysed: dict[str | None, Known] = field(default_factory=dict)

    def analysed(self, plan: str | None) -> Known:
        """What `analyze` knows under a plan (None: of the spec itself)."""
        return self._analysed.setdefault(plan, Known())

"""Trying: fixes that are shown were made and looked at, but where that would take too long.

A fix is tried in the plan in which its finding was found first, on texts in memory. What is certain
by itself is not tried; nor is anything once the layers that were looked at again are too many: then
a fix is shown untried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from parspec.grammar.edits import Edit as TextEdit
from parspec.grammar.edits import applied
from parspec.grammar.values import value
from parspec.interpreter.fixes.fixes import CERTAIN, fixes, surest
from parspec.interpreter.fixes.mending import mended
from parspec.interpreter.spec.readers import Reader, Unread

if TYPE_CHECKING:
    from parspec.interpreter.analysis.result import Analysis
    from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix
    from parspec.interpreter.spec.model import Model

Again: TypeAlias = "Callable[[Mapping[str, str], str | None], Analysis]"
"""The analysis of a spec under a plan if these files had other texts."""

PATIENCE = 1000  # layers that are looked at again for the fixes of one file
_FEWEST = 10  # layers that a look takes as long as, at least
_TRIED = frozenset({"layers_lost"})  # of these the fixes are shown that have been tried


class Trials:
    """The fixes of one spec, tried."""

    def __init__(self, analyses: Iterable[Analysis], again: Again) -> None:
        self.analyses = {analysis.model.plan: analysis for analysis in analyses}
        self.again = again
        self.left = PATIENCE

    def offered(self, finding: Finding, model: Model) -> tuple[Fix, ...]:
        """The fixes of a finding that may be shown."""
        if finding.name in CERTAIN:
            return surest(finding, model)
        analysis = self.analyses[model.plan]
        cost = max(_FEWEST, len(analysis.layers))
        tried = finding.name in _TRIED
        shown = fixes(finding, model) if tried else surest(finding, model)
        if not shown or self.left < cost * len(shown):
            return () if tried else shown
        self.left -= cost * len(shown)
        return tuple(fix for fix in shown if self._mends(fix, finding, analysis))

    def _mends(self, fix: Fix, finding: Finding, analysis: Analysis) -> bool:
        model = analysis.model
        after = self.again(_with(fix.edits, model), model.plan)
        return mended([finding], analysis.findings, after.findings)


@value
class Beside(Reader):
    """A reader to which some files have other texts."""

    texts: Mapping[str, str]
    reader: Reader

    def read(self, file: str) -> str | Unread:
        """The other text of a file, or its own."""
        return self.texts[file] if file in self.texts else self.reader.read(file)

    def real(self, file: str) -> str | None:
        """Where a file or folder lies."""
        return self.reader.real(file)


def _with(edits: Iterable[Edit], model: Model) -> Mapping[str, str]:
    """The texts of the files that are edited, with the edits."""
    documents = dict(model.documents)
    found: dict[str, list[TextEdit]] = {}
    for edit in edits:
        start = documents[edit.site.file].start_of(edit.site.chunk)
        span = edit.site.span
        placed = TextEdit(start + span.start, start + span.end, edit.text)
        found.setdefault(edit.site.file, []).append(placed)
    return {
        file: applied(documents[file].text, sorted(own, key=lambda edit: edit[:2]))
        for file, own in found.items()
    }

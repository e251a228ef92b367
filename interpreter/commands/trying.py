"""Trying: fixes that are shown were made and looked at, but where that would take too long.

A fix is tried in the plan in which its finding was found first, on texts in memory. What is certain
by itself is not tried; nor is anything once the statements that were looked at again are too many:
then a fix is shown untried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from parspec.grammar.edits import Edit as TextEdit
from parspec.grammar.edits import applied
from parspec.grammar.values import value
from parspec.interpreter.commands.loading import READER, Spec, analysed
from parspec.interpreter.fixes.fixes import CERTAIN, fixes, surest
from parspec.interpreter.fixes.mending import mended
from parspec.interpreter.spec.readers import Reader, Unread

if TYPE_CHECKING:
    from parspec.interpreter.analysis.result import Analysis
    from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix
    from parspec.interpreter.output.checks.diagnostic import Offer
    from parspec.interpreter.spec.model import Model

Again: TypeAlias = "Callable[[Mapping[str, str], str | None], Analysis]"
"""The analysis of a spec under a plan if these files had other texts."""

PATIENCE = 4000  # statements that are looked at again for the fixes of one file
_FEWEST = 40  # statements that a look takes as long as, at least
_TRIED = frozenset({"layers_lost"})  # of these the fixes are shown that have been tried


def tried(
    spec: Spec,
    analyses: Iterable[Analysis],
    sizes: Mapping[str, int],
    cost: str | None,
    reader: Reader = READER,
) -> Offer:
    """The fixes on offer for a spec that was looked at with other sizes and prices."""
    from parspec.interpreter.analysis.looks import Looks  # not for commands that only read

    looks = Looks()

    def again(texts: Mapping[str, str], plan: str | None) -> Analysis:
        written = replace(spec, text=texts.get(spec.file, spec.text))
        return analysed(written, plan, sizes, cost, Beside(texts, reader), looks)

    return Trials(analyses, again).offered


class Trials:
    """The fixes of one spec, tried."""

    def __init__(self, analyses: Iterable[Analysis], again: Again) -> None:
        self.analyses = {analysis.model.plan: analysis for analysis in analyses}
        self.again = again
        self.statements = max(map(_statements, self.analyses.values()), default=0)
        self.left = PATIENCE

    def offered(self, finding: Finding, model: Model) -> tuple[Fix, ...]:
        """The fixes of a finding that may be shown."""
        if finding.name in CERTAIN:
            return surest(finding, model)
        analysis = self.analyses[model.plan]
        cost = max(_FEWEST, self.statements)
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


def _statements(analysis: Analysis) -> int:
    """How many statements the files of a spec have."""
    return sum(len(run.every) for _, document in analysis.model.documents for run in document.runs)


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

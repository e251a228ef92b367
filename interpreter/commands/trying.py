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

PATIENCE = 1000  # statements that are looked at again for the fixes of one file
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
        self.statements = max(map(_looked_at, self.analyses.values()), default=0)
        self.left = PATIENCE

    def offered(self, finding: Finding, model: Model) -> tuple[Fix, ...]:
        """The fixes of a finding that may be shown."""
        if finding.name in CERTAIN:
            return surest(finding, model)
        if finding.name in _TRIED:
            return self._that_mend(fixes(finding, model), finding, model, ())
        likely = surest(finding, model)
        return self._that_mend(likely, finding, model, likely)

    def _that_mend(
        self, found: tuple[Fix, ...], finding: Finding, model: Model, untried: tuple[Fix, ...]
    ) -> tuple[Fix, ...]:
        """The fixes that do what they are for; `untried` where it would take too long to tell."""
        cost = len(found) * max(_FEWEST, self.statements)
        if self.left < cost:
            return untried
        self.left -= cost
        analysis = self.analyses[model.plan]
        return tuple(fix for fix in found if self._mends(fix, finding, analysis))

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


def _looked_at(analysis: Analysis) -> int:
    """How many statements the files of a spec have, as often as they are looked at: for each hole
    once more."""
    runs = (run for _, document in analysis.model.documents for run in document.runs)
    holes = sum(finding.name == "hole" for finding in analysis.findings)
    return sum(len(run.every) for run in runs) * (1 + holes)


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

"""Trials: a spec as it would be with some edits, and whether it would check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.fixes import mending
from parspec.interpreter.output.wording.errors import is_in_doubt
from parspec.lsp.features.edits import by_file, edited
from parspec.lsp.ranges import Edit
from parspec.lsp.snapshot import Snapshot

Attempt: TypeAlias = Callable[[Mapping[str, str]], Snapshot]
"""The snapshot that there would be if these files had other texts."""

UNBOUNDED = 1 << 62


@value
class Bench:
    """A snapshot and the way to try edits of it. `patience`: how many layers may be analysed for
    what nobody has asked for."""

    snapshot: Snapshot
    attempt: Attempt
    patience: int = UNBOUNDED

    def affords(self, trials: int) -> bool:
        """Whether there is patience for so many trials."""
        layers = sum(len(analysis.layers) for analysis in self.snapshot.analyses)
        return trials * layers <= self.patience

    def tried(self, edits: Iterable[Edit]) -> Snapshot:
        """The snapshot with edits, of any files."""
        sources = self.snapshot.sources
        texts = {file: edited(sources[file].text, own) for file, own in by_file(edits).items()}
        return self.attempt(texts)


def findings(snapshot: Snapshot) -> Mapping[Finding, Analysis]:
    """What was found in a file and under its plans, each once, with the first analysis that has
    it."""
    first: dict[Finding, Analysis] = {}
    for analysis in snapshot.analyses:
        for finding in analysis.findings:
            first.setdefault(finding, analysis)
    return first


def counted(snapshot: Snapshot) -> Counter[str]:
    """How many findings there are of each name."""
    return Counter(finding.name for finding in findings(snapshot))


def is_misunderstood(snapshot: Snapshot) -> bool:
    """Whether an error leaves open what a plan moves: what it is said to move may be wrong."""
    return any(is_in_doubt(analysis) for analysis in snapshot.analyses)


def mended(found: Iterable[Finding], before: Snapshot, after: Snapshot) -> bool:
    """Whether findings are gone and no other error or warning has come."""
    return mending.mended(found, findings(before), findings(after))


def news(before: Snapshot, after: Snapshot) -> set[str]:
    """The names of errors and warnings of which there are more than before."""
    return mending.news(findings(before), findings(after))

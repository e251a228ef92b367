"""Quick fixes: the ways to mend what was found.

A fix is offered if it can be relied on: it was tried, or its finding says by itself what is meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.fixes.fixes import CERTAIN, fixes, is_safe
from parspec.lsp.features.actions.action import Action, Mended, Rank
from parspec.lsp.features.actions.trial import Bench, counted, findings, mended
from parspec.lsp.features.edits import placed
from parspec.lsp.ranges import Edit, Range
from parspec.lsp.snapshot import Snapshot


def quick_fixes(bench: Bench, within: Range) -> Iterator[Action]:
    """The fixes of what was found at a range of the file, in the order of the findings."""
    snapshot = bench.snapshot
    together: set[str] = set()
    for finding, analysis in findings(snapshot).items():
        place = _at(finding, snapshot)
        if place is None or not _touch(place.location.range, within):
            continue
        preferred = is_safe(finding) or finding.name == "hole"
        for title, edits in _reliable(finding, analysis, bench):
            rank: Rank = "preferred" if preferred else "possible"
            yield Action(title, "quickfix", edits, mends=place, rank=rank)
            preferred = False
        if finding.name not in together:
            together.add(finding.name)
            yield from _together(finding, place, snapshot)


def _reliable(
    finding: Finding, analysis: Analysis, bench: Bench
) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """The fixes of a finding that can be relied on, with their edits."""
    before, known = bench.snapshot, fixes(finding, analysis.model)
    certain = finding.name in CERTAIN
    if not certain and not bench.affords(len(known)):
        return
    for fix in known:
        edits = placed(fix, before)
        if edits and (certain or mended([finding], before, bench.tried(edits))):
            yield fix.title, edits


def _together(finding: Finding, place: Mended, snapshot: Snapshot) -> Iterator[Action]:
    """What several findings of one kind have done at once: holes filled, primitives pinned."""
    if finding.name == "hole":
        holes = [each for each in findings(snapshot) if each.name == "hole"]
        edits = [edit for hole in holes for edit in placed(hole.fixes[0], snapshot)]
        if len(holes) > 1:
            title = f"Fill all {len(holes)} holes"
            yield Action(title, "quickfix", tuple(dict.fromkeys(edits)), mends=place)
    if finding.name == "unpinned" and counted(snapshot)["unpinned"] > 1:
        yield Action("Pin all primitives", "quickfix", task="pin all", mends=place)


def _at(finding: Finding, snapshot: Snapshot) -> Mended | None:
    """Where a finding of the file itself is."""
    location = snapshot.location(finding.site)
    if location is None or location.file != snapshot.file:
        return None
    return Mended(catalogue.code(finding), location)


def _touch(one: Range, other: Range) -> bool:
    return one.start <= other.end and other.start <= one.end

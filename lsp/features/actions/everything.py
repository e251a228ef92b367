"""Everything at once: all that can be mended without asking, with the result looked at again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.fixes.fixes import CERTAIN, fixes, is_safe
from parspec.lsp.features.actions.trial import Bench, findings, mended
from parspec.lsp.features.edits import placed
from parspec.lsp.ranges import Edit
from parspec.lsp.snapshot import Snapshot


def is_any(bench: Bench) -> bool:
    """Whether something can be mended without asking."""
    return any(
        mend.finding.name in CERTAIN or _help([mend], bench) for mend in _mends(bench.snapshot)
    )


def fix_all(bench: Bench) -> tuple[Edit, ...]:
    """The edits of all safe fixes that do not overlap and leave nothing new to be mended; where all
    of them together do not do that, those that do one after the other."""
    mends = list(_mends(bench.snapshot))
    if not mends or _help(mends, bench):
        return _edits(mends)
    taken: list[_Mend] = []
    for mend in mends:
        if _help([*taken, mend], bench):
            taken.append(mend)
    return _edits(taken)


class _Mend(NamedTuple):
    """The fix of a finding: what of it is not done by those before it."""

    finding: Finding
    edits: tuple[Edit, ...]


def _edits(mends: Iterable[_Mend]) -> tuple[Edit, ...]:
    return tuple(edit for mend in mends for edit in mend.edits)


def _help(mends: Sequence[_Mend], bench: Bench) -> bool:
    after = bench.tried(_edits(mends))
    return mended([mend.finding for mend in mends], bench.snapshot, after)


def _mends(snapshot: Snapshot) -> Iterator[_Mend]:
    """What is to be done for each finding, unless it clashes with what one before it does. An edit
    that is made already is made once."""
    taken: list[Edit] = []
    for finding, analysis in findings(snapshot).items():
        offered = fixes(finding, analysis.model) if is_safe(finding) else ()
        edits = placed(offered[0], snapshot) if offered else ()
        new = tuple(edit for edit in edits if edit not in taken)
        own = all(edit.location.file == snapshot.file for edit in edits)
        if new and own and not any(_clash(edit, taken) for edit in new):
            yield _Mend(finding, new)
            taken += new


def _clash(edit: Edit, others: Iterable[Edit]) -> bool:
    start, end = edit.location.range
    return any(
        start < other.location.range.end and other.location.range.start < end for other in others
    )

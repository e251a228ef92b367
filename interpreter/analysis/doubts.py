"""Doubts: findings that may only follow from a statement that is broken.

What a broken statement was to say is missing in the model: a clause of a `for`, a layer, a size. A
budget that fails then, or operands that disagree, may be its consequence, and are not reported
before it is mended. So it is where a layer is not understood as it is told two things that clash.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.doubt import broken_chunks
from parspec.interpreter.spec.model import Model

EXPECTING = frozenset({"expect", "communication"})
"""Statements that only look at a plan."""
PRICING = frozenset({"cost", "link", "device", "dtype"})
"""Statements that give figures, not layouts."""
CONSEQUENCES = frozenset(
    {
        "operands_disagree",
        "carry_unsettled",
        "layers_lost",
        "weight_not_on_stage",
        "partial_left",
        "batch_mismatch",
        "schedule_constraint",
        "double_reduce",
    }
)
"""What may follow from a clause that is missing."""
CLASHES = frozenset({"axis_reused", "operands_disagree"})
"""What keeps a layer from being understood: how it lies then is a guess."""


def figures_in_doubt(model: Model) -> bool:
    """Whether a statement is broken without which figures are not those of the spec."""
    return not model.doubt <= EXPECTING


def layouts_in_doubt(model: Model) -> bool:
    """Whether a statement is broken without which layouts are not those of the spec."""
    return not model.doubt <= EXPECTING | PRICING


def clash(findings: Iterable[Finding]) -> bool:
    """Whether a layer is not understood."""
    return any(finding.name in CLASHES for finding in findings)


def without_doubtful(findings: Iterable[Finding], model: Model) -> Iterator[Finding]:
    """The findings but for those that may only follow from broken statements or from clashes."""
    findings = tuple(findings)
    broken = broken_chunks(model.documents)
    guessed, layouts = clash(findings), layouts_in_doubt(model)
    for finding in findings:
        if (finding.site.file, finding.site.chunk) in broken:
            doubtful = True
        elif finding.name in ("out_of_memory", "not_evaluated"):
            doubtful = guessed or figures_in_doubt(model)
        elif finding.name == "unpinned":
            doubtful = guessed or bool(model.doubt)
        else:
            follows = layouts or (guessed and finding.name not in CLASHES)
            doubtful = follows and finding.name in CONSEQUENCES
        if not doubtful:
            yield finding

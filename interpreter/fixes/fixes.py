"""Fixes: how a finding may be mended, worked out when somebody asks.

Some findings carry fixes, which only those who found them know; most are mended by what is
written: a clause removed, a dimension declared, a bound raised. Nothing here looks at whether
what is left checks clean: only of those in CERTAIN it is certain that a fix removes its finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from parspec.interpreter.diagnostics.entry import items
from parspec.interpreter.diagnostics.findings import Finding, Fix
from parspec.interpreter.fixes import (
    clauses,
    declarations,
    expects,
    factors,
    imports,
    names,
    shapes,
    sizes,
    stacks,
)
from parspec.interpreter.fixes.case import Case, case
from parspec.interpreter.spec.library_declarations import declaring
from parspec.interpreter.spec.model import Model

Mender: TypeAlias = Callable[[Case], Iterator[Fix]]

_MENDERS: Mapping[str, tuple[Mender, ...]] = {
    "unknown_name": (
        names.close_names,
        imports.functions,
        declarations.missing,
        expects.partitioned,
    ),
    "duplicate_name": (names.repeated,),
    "unused_name": (factors.unread, names.as_output, names.unused),
    "unmatched_pattern": (names.patterns,),
    "file_not_found": (names.close_files,),
    "rank_mismatch": (shapes.rank,),
    "global_size_mismatch": (shapes.other_size,),
    "repeated_dim": (shapes.repeated_dim,),
    "wrong_arguments": (shapes.arguments,),
    "missing_index": (shapes.missing_index,),
    "summed_alone": (shapes.summed_alone,),
    "resized": (names.resized,),
    "unit_mismatch": (sizes.unit,),
    "bad_setting": (sizes.setting,),
    "indivisible": (sizes.indivisible,),
    "block_split": (sizes.fewer_nodes,),
    "too_many_nodes": (sizes.fewer_nodes,),
    "uneven_split": (sizes.uneven_store,),
    "dim_not_in_layer": (clauses.foreign_dim,),
    "axis_reused": (clauses.reused_axis,),
    "conflicting_states": (clauses.two_states,),
    "stage_out_of_range": (clauses.stage,),
    "needs_whole": (clauses.whole_dim,),
    "operands_disagree": (clauses.choices,),
    "partial_left": (clauses.partial_output,),
    "pad_reaches_reduction": (clauses.masked,),
    "weight_not_on_stage": (clauses.off_stage,),
    "hidden_comm": (clauses.needless,),
    "redundant_gather": (clauses.needless,),
    "misplaced": (clauses.misplaced,),
    "batch_mismatch": (sizes.near_size,),
    "layers_lost": (stacks.layers_lost,),
    "carry_unsettled": (stacks.unsettled,),
    "out_of_memory": (clauses.stored,),
    "expect_failed": (expects.budget,),
    "memory_expectation": (expects.budget,),
    "input_state_mismatch": (expects.state,),
    "state_mismatch": (expects.state,),
    "unpinned": (expects.pin,),
    "double_reduce": (expects.unpin,),
}

_LIKELIER: Mapping[str, Mender] = {
    "dim_without_operand": factors.forgotten,
    "missing_sum": factors.forgotten,
    "summed_alone": factors.forgotten,
}
"""What comes before the fixes of those who found it."""

CERTAIN = frozenset(
    {
        "syntax_error",
        "unknown_name",
        "unit_mismatch",
        "unpinned",
        "stage_out_of_range",
    }
)
"""Findings whose fixes remove them whatever else the spec says."""

_SAFE = {
    *CERTAIN,
    "redundant_gather",
    "unexpected_collective",
    "hidden_comm",
    "partial_left",
    "pad_reaches_reduction",
}


def is_safe(finding: Finding) -> bool:
    """Whether the first fix of a finding is what was meant, so that nobody need be asked: a unit
    completed, a name for which only one other can have been meant. An import asks for the sizes of
    what it brings."""
    if finding.name == "unknown_name":
        data = dict(finding.data)
        near = items(data.get("near"))
        brought = data["kind"] == "function" and any(declaring("function", str(n)) for n in near)
        return len(near) == 1 and not brought
    return finding.name in _SAFE


def surest(finding: Finding, model: Model) -> tuple[Fix, ...]:
    """The fixes that may be shown without having been tried: those of who found it, else the first
    of a finding that says by itself what is meant or what is missing."""
    if finding.fixes:
        return finding.fixes
    if finding.name == "unused_name":
        found = case(finding, model)
        return () if found is None else tuple(names.as_output(found))
    kind = dict(finding.data).get("kind")
    if is_safe(finding) or (finding.name == "unknown_name" and kind != "state"):
        return fixes(finding, model)[:1]
    return ()


def fixes(finding: Finding, model: Model) -> tuple[Fix, ...]:
    """The ways to mend a finding of a model, the most likely first."""
    first, menders = _LIKELIER.get(finding.name), _MENDERS.get(finding.name, ())
    found = case(finding, model) if first or menders else None
    if found is None:
        return finding.fixes
    likelier = first(found) if first else ()
    return (*likelier, *finding.fixes, *(each for mender in menders for each in mender(found)))

"""A comparison of plans: everything that is held against one another, as one frozen value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.output.comparisons.bounds import bounds
from parspec.interpreter.output.comparisons.differences import differences
from parspec.interpreter.output.comparisons.figures import figures
from parspec.interpreter.output.comparisons.moves import exchanges
from parspec.interpreter.output.comparisons.values import (
    Comparison,
    Expected,
    Missing,
    StageRow,
    Variant,
)
from parspec.interpreter.output.wording.facts import memory_kinds
from parspec.interpreter.theory.formulas import is_number


def compared(variants: Sequence[Variant]) -> Comparison:
    """The variants (two or more), held against the first."""
    analyses = [variant.analysis for variant in variants]
    return Comparison(
        tuple(variants),
        differences(variants),
        figures(variants),
        exchanges(variants),
        tuple(map(bounds, variants)),
        _stages(analyses),
        _expects(analyses),
        tuple(tuple(_missing(variant)) for variant in variants),
    )


def _stages(analyses: Sequence[Analysis]) -> tuple[StageRow, ...]:
    tables = [{stage.stage: stage for stage in one.stages} for one in analyses]
    return tuple(
        StageRow(
            stage,
            tuple(table[stage].holds if stage in table else None for table in tables),
            tuple(table[stage].memory.total if stage in table else None for table in tables),
        )
        for stage in sorted({stage for table in tables for stage in table})
    )


def _expects(analyses: Sequence[Analysis]) -> tuple[Expected, ...]:
    tables = [{expect.text: expect for expect in one.expects} for one in analyses]
    return tuple(
        Expected(
            text,
            tuple((one.holds, one.value) if (one := table.get(text)) else None for table in tables),
        )
        for text in dict.fromkeys(text for table in tables for text in table)
    )


def _missing(variant: Variant) -> Iterator[Missing]:
    """What is not computed of a variant."""
    model, totals = variant.analysis.model, variant.analysis.totals
    passes = [name for name, amount in totals.traffic if amount is None]
    if model.trains and passes:
        yield Missing(f"traffic {' and '.join(passes)}", "not evaluated")
    kinds = [name for name, amount in memory_kinds(totals.memory).items() if amount is None]
    if kinds:
        reason = "they need the backward pass" if model.trains else "not evaluated"
        yield Missing(f"memory in all, {', '.join(kinds)}", reason)
    if totals.compute_time is None:
        yield Missing("compute time", _no_compute_time(variant))
    if totals.communication_time is None:
        yield Missing("communication time", _no_communication_time(variant))
    if totals.step_time is None:
        reason = "depends on the schedule" if variant.analysis.stages else "a part is not computed"
        yield Missing("step time", "the backward pass is missing" if model.trains else reason)


def _no_compute_time(variant: Variant) -> str:
    device = variant.device
    if device is None:
        return "the mesh names no device"
    if device.flops is None or device.hbm is None:
        return f"flops or hbm of {device.name} is not given"
    return "sizes are symbolic"


def _no_communication_time(variant: Variant) -> str:
    axes = [axis for axis in variant.analysis.model.mesh.axes if axis.link is None]
    if axes:
        return f"no link for {', '.join(axis.name for axis in axes)}"
    symbolic = any(not is_number(move.size) for move in variant.analysis.moves)
    return "sizes are symbolic" if symbolic else "not evaluated"

"""What a comparison says in sentences: what its figures rest on, and what bounds each plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.entry import axes, choice, enumeration, plural
from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.output.comparisons.figures import NO_LINK
from parspec.interpreter.output.comparisons.values import (
    Bounds,
    Comparison,
    Largest,
    Missing,
    Unit,
    Variant,
)
from parspec.interpreter.output.comparisons.words import capacity, percent, shown
from parspec.interpreter.output.wording.axes import every_piece
from parspec.interpreter.output.wording.facts import memory_kinds
from parspec.interpreter.output.wording.quantities import SYMBOLIC, in_bytes, in_seconds
from parspec.interpreter.theory.formulas import is_number, total

_DIM = "dim "
Fact: TypeAlias = tuple[str, str]  # a name, and what is said under it


def grounds(comparison: Comparison) -> Iterator[Fact]:
    """What the figures are of, which pieces of axes they name, what is wrong with the specs, and
    what is not computed."""
    variants = comparison.variants
    yield "figures", "; ".join(_said_of(variants, [_step(one) for one in variants]))
    pieces = [", ".join(every_piece(one.analysis.model)) or "none" for one in variants]
    if set(pieces) != {"none"}:
        yield "pieces", "; ".join(_said_of(variants, pieces))
    unlike = _unlike(comparison)
    if unlike:
        yield "mind", f"they do not do the same work ({unlike}): amounts are not of one thing"
    if len({variant.analysis.model.cost for variant in variants}) > 1:
        yield "mind", "traffic is at different prices; --cost NAME puts it all at one"
    for variant in variants:
        if plans := _plans_untold(variant, variants):
            yield "mind", f"{variant.name}: without its plans; --plan {choice(plans)} picks one"
        mistakes = mistakes_in(variant)
        failed = errors_in(variant) - mistakes
        if mistakes:
            left = f"{plural(mistakes, 'error')}; what that concerns is left out of its figures"
            yield "found", f"{variant.name}: {left}"
        if failed:
            yield "found", f"{variant.name}: {plural(failed, 'budget')} not kept"
    whose: dict[Missing, list[str]] = {}
    for variant, missing in zip(variants, comparison.missing, strict=True):
        for each in missing:
            whose.setdefault(each, []).append(variant.name)
    for each, names in whose.items():
        of = "" if len(names) == len(variants) else f" of {enumeration(tuple(names))}"
        yield "not computed", f"{each.figures}{of}: {each.reason}"


def _plans_untold(variant: Variant, variants: Sequence[Variant]) -> tuple[str, ...]:
    """The plans of a variant's file where none of them is compared."""
    model = variant.analysis.model
    models = (one.analysis.model for one in variants)
    compared = [one.plan for one in models if one.file == model.file]
    return model.plans if compared == [None] else ()


def _unlike(comparison: Comparison) -> str:
    """In what the work of the variants differs."""
    subjects = [one.subject for one in comparison.differences if one.subject in ("step", "layer")]
    dims = [one for one in comparison.differences if one.subject.startswith(_DIM)]
    names = ", ".join(one.subject.removeprefix(_DIM) for one in dims)
    return ", ".join([*dict.fromkeys(subjects), *([f"sizes of {names}"] if names else [])])


def errors_in(variant: Variant) -> int:
    """How many errors its spec has."""
    return len(_errors(variant))


def mistakes_in(variant: Variant) -> int:
    """How many of them leave something out of its figures: all but budgets that are not kept."""
    return sum(not catalogue.is_budget(one) for one in _errors(variant))


def _errors(variant: Variant) -> set[Finding]:
    return {one for one in variant.analysis.findings if catalogue.severity(one) == "error"}


def _said_of(variants: Sequence[Variant], texts: Sequence[str]) -> list[str]:
    """One text for all, or that of each."""
    if len(set(texts)) == 1:
        return [texts[0]]
    return [f"{one.name}: {text}" for one, text in zip(variants, texts, strict=True)]


def _step(variant: Variant) -> str:
    analysis = variant.analysis
    passes = [name for name, amount in analysis.totals.traffic if amount is not None]
    step = "one forward pass"
    if analysis.model.trains and len(passes) == len(analysis.totals.traffic):
        step = "one optimizer step"
    elif analysis.model.trains:
        step = f"the {enumeration(tuple(passes))} pass of one optimizer step"
    elif analysis.model.settings is not None:
        step = "one forward pass of inference"
    return f"of {step}, traffic at {analysis.model.cost} prices"


def bounds_told(variant: Variant, found: Bounds) -> Iterator[Fact]:
    """What bounds a variant: memory, compute or communication, and what dominates each."""
    yield "memory", _memory(variant, found)
    totals = variant.analysis.totals
    compute, communication = totals.compute_time, totals.communication_time
    if compute is not None and communication is not None and compute + communication:
        yield "time", _balance(compute, communication)
    if found.layer is not None:
        unit: Unit = "seconds" if isinstance(found.layer.amount, float) else "count"
        most = "takes longest" if unit == "seconds" else "has most FLOPs"
        layer = f"{found.layer.name} {most}, {_share(found.layer, unit)}"
        yield "compute", layer if found.hbm is None else f"{layer}; {_waiting(found.hbm)}"
    if found.axis is not None and found.exchange is not None:
        unit = "seconds" if found.timed else "bytes"
        most = "takes longest" if found.timed else "moves most"
        over = "" if found.link == NO_LINK else f" over {found.link}"
        yield "axis", f"{axes(found.axis.name)}{over} {most}, {_share(found.axis, unit)}"
        yield "primitive", f"{found.exchange.name} {most}, {_share(found.exchange, unit)}"


def _memory(variant: Variant, found: Bounds) -> str:
    memory, has = variant.analysis.totals.memory, variant.capacity
    needed = memory.total
    if needed is None:
        known = total(part for part in memory_kinds(memory).values() if part is not None)
        text = f"total not computed, known parts {in_bytes(known)}"
    else:
        text = in_bytes(needed) if is_number(needed) else SYMBOLIC
    if has is not None:
        text += f" of {capacity(has)}"
    if is_number(needed) and is_number(has) and has:
        text += f" ({percent(Fraction(needed) / Fraction(has))})"
        text += f": {in_bytes(needed - has)} too much" if needed > has else ""
    if found.memory is not None and needed is not None:
        text += f"; most is {found.memory.name}, {_share(found.memory, 'bytes')}"
    return text if found.stage is None else f"{text}; stage {found.stage} is the fullest"


def _balance(compute: float, communication: float) -> str:
    """`compute bound: compute 3.35 s (71%), communication 1.35 s (29%)`."""
    share = Fraction(compute) / (Fraction(compute) + Fraction(communication))
    if share == 1:
        return f"compute bound: {in_seconds(compute)}, nothing is communicated"
    bound = "compute" if 2 * share >= 1 else "communication"
    return (
        f"{bound} bound: compute {in_seconds(compute)} ({percent(share)}), "
        f"communication {in_seconds(communication)} ({percent(1 - share)})"
    )


def _waiting(hbm: Fraction) -> str:
    if hbm == 0:
        return "all compute is FLOPs bound"
    if hbm == 1:
        return "all compute is memory bandwidth bound"
    return f"{percent(hbm)} of compute is memory bandwidth bound"


def _share(part: Largest, unit: Unit) -> str:
    """`623 ms (19%)`."""
    if part.share is None:
        return "a guess while sizes are symbolic"
    return f"{shown(part.amount, unit)} ({percent(part.share)})"

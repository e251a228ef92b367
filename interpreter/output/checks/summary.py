"""One line about a spec or a plan of it: what is wrong with it, or what it is and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.diagnostic import Diagnostic
from parspec.interpreter.output.terminal.cells import safe, width
from parspec.interpreter.output.terminal.screen import Screen
from parspec.interpreter.output.wording.facts import per_device_of, traffic_of
from parspec.interpreter.output.wording.quantities import (
    how_many,
    in_bytes,
    in_seconds,
    sized,
)
from parspec.interpreter.spec.model import Mesh
from parspec.interpreter.theory.formulas import is_number

_COUNTED = ("error", "warning", "info", "hint")
_SEPARATOR = " · "


@value
class _Fact:
    """Something to know of a spec; what has a lower rank goes later where room is short."""

    rank: int
    text: str


def summaries(found: Checked, screen: Screen) -> Iterator[str]:
    """A line for a file; where it has plans that were looked at, one for each of them, and first
    one for the file without a plan, if it has a mesh or something was found there alone."""
    for analysis in found.analyses:
        plan = analysis.model.plan
        own = [diagnostic for diagnostic in found.diagnostics if diagnostic.concerns(plan)]
        if plan is not None:
            yield summary(f"{found.file}{_SEPARATOR}{plan}", own, analysis, screen)
        elif len(found.analyses) == 1:
            yield summary(found.file, own, analysis, screen)
        elif analysis.model.mesh.axes or any(one.without_plan for one in own):
            yield summary(f"{found.file}{_SEPARATOR}no plan", own, analysis, screen)


def summary(
    file: str, diagnostics: Iterable[Diagnostic], analysis: Analysis, screen: Screen
) -> str:
    """`mlp.par: ok · 3 layers · mesh N = 8 · traffic 1.06 GB · 117 MB/device · ...`, all of it, or
    on a terminal as much as fits a line; only what is wrong where something is."""
    counts: Counter[str] = Counter(diagnostic.severity for diagnostic in diagnostics)
    verdict = counted(counts)
    role = "good"
    if counts["error"] or counts["warning"]:
        role = "error" if counts["error"] else "warning"
    else:
        verdict = f"ok, {verdict}" if verdict else "ok"
    facts = () if counts["error"] else _facts(analysis)
    if screen.limit is not None:
        facts = _fitting(facts, screen.limit - width(f"{safe(file)}: {verdict}"))
    told = "".join(f"{_SEPARATOR}{fact.text}" for fact in facts)
    return f"{safe(file)}: {screen.palette.paint(role, verdict)}{told}"


def _fitting(facts: tuple[_Fact, ...], room: int) -> tuple[_Fact, ...]:
    """The facts that fit, in their order. They are dropped in the order of their ranks, so that
    two lines of which one says less agree on what is left."""
    ranked = sorted(facts, key=lambda fact: fact.rank)
    taken = accumulate(len(_SEPARATOR) + width(fact.text) for fact in ranked)
    kept = [fact for fact, cells in zip(ranked, taken, strict=True) if cells <= room]
    return tuple(fact for fact in facts if fact in kept)


def counted_diagnostics(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`; "" for none."""
    return counted(Counter(diagnostic.severity for diagnostic in diagnostics))


def counted(counts: Counter[str]) -> str:
    """`2 errors, 1 warning`, the worst first; "" for none."""
    return ", ".join(plural(counts[kind], kind) for kind in _COUNTED if counts[kind])


def _facts(analysis: Analysis) -> tuple[_Fact, ...]:
    totals = analysis.totals
    traffic = traffic_of(analysis)
    facts = [_Fact(4, plural(len(analysis.layers), "layer"))]
    axes = analysis.model.mesh.axes
    if axes and all(is_number(axis.size) for axis in axes):
        facts.append(_Fact(5, f"mesh {_mesh(analysis.model.mesh)}"))
    if is_number(traffic):
        facts.append(_Fact(1, f"traffic {in_bytes(traffic)}"))
        if is_number(device := per_device_of(analysis)) and device:
            facts.append(_Fact(2, f"{in_bytes(device)}/device"))
    if is_number(totals.memory.total):
        facts.append(_Fact(0, f"memory {in_bytes(totals.memory.total)}/device"))
    if is_number(totals.parameters) and totals.parameters:
        facts.append(_Fact(6, f"{how_many(totals.parameters)} parameters"))
    if totals.step_time is not None:
        facts.append(_Fact(3, f"step {in_seconds(totals.step_time)}"))
    return tuple(facts)


def _mesh(mesh: Mesh) -> str:
    return ", ".join(sized(axis.name, axis.size) for axis in mesh.axes)

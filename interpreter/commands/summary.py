"""One line about a spec: what is wrong with it, or what it is and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.commands.cells import safe, width
from parspec.interpreter.commands.diagnostic import Diagnostic
from parspec.interpreter.commands.quantities import how_many, in_bytes, in_seconds, sum_of
from parspec.interpreter.commands.terminal import Screen
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.theory.formulas import Amount, is_number

_COUNTED = ("error", "warning", "info", "hint")
_SEPARATOR = " · "


def summary(
    file: str, diagnostics: Iterable[Diagnostic], analysis: Analysis, screen: Screen
) -> str:
    """`mlp.par: ok · 3 layers on N = 8 · traffic 1.06 GB · ...`, as much as fits a line; only
    what is wrong where something is."""
    counts: Counter[str] = Counter(diagnostic.severity for diagnostic in diagnostics)
    verdict = counted(counts)
    role = "good"
    if counts["error"] or counts["warning"]:
        role = "error" if counts["error"] else "warning"
    else:
        verdict = f"ok, {verdict}" if verdict else "ok"
    facts = [] if counts["error"] else _facts(analysis)
    line = f"{safe(file)}: {verdict}"
    for fact in facts:
        longer = f"{line}{_SEPARATOR}{fact}"
        if width(longer) > screen.columns:
            break
        line = longer
    return line.replace(verdict, screen.palette.paint(role, verdict), 1)


def counted_diagnostics(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`; "" for none."""
    return counted(Counter(diagnostic.severity for diagnostic in diagnostics))


def counted(counts: Counter[str]) -> str:
    """`2 errors, 1 warning`, the worst first; "" for none."""
    return ", ".join(plural(counts[kind], kind) for kind in _COUNTED if counts[kind])


def _facts(analysis: Analysis) -> list[str]:
    totals = analysis.totals
    layers = plural(len(analysis.layers), "layer")
    mesh = ", ".join(f"{axis.name} = {axis.size}" for axis in analysis.model.mesh.axes)
    facts = [f"{layers} on {mesh}" if mesh else layers]
    traffic = sum_of(amount for _, amount in totals.traffic if amount is not None)
    if is_number(traffic):
        facts.append(f"traffic {in_bytes(traffic)}")
        if is_number(device := _per_device(analysis)) and device:
            facts.append(f"{in_bytes(device)} a device")
    if is_number(totals.memory.total):
        facts.append(f"memory {in_bytes(totals.memory.total)}")
    if is_number(totals.parameters) and totals.parameters:
        facts.append(f"{how_many(totals.parameters)} parameters")
    if totals.step_time is not None:
        facts.append(f"step {in_seconds(totals.step_time)}")
    return facts


def _per_device(analysis: Analysis) -> Amount | None:
    return sum_of(move.per_device for move in analysis.moves)

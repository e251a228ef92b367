"""The top of a report's page: what was asked, and the few figures that answer it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.diagnostics.readable import share_text
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.summary import counted
from parspec.interpreter.output.reports.page.bars import share
from parspec.interpreter.output.reports.page.figures import (
    bytes_figure,
    count_figure,
    seconds_figure,
)
from parspec.interpreter.output.reports.page.markup import NOTHING, Html, element, joined, separated
from parspec.interpreter.output.wording.axes import mesh_of
from parspec.interpreter.output.wording.errors import doubt_of, understood
from parspec.interpreter.output.wording.facts import (
    device_of,
    dims_of,
    kept,
    lacks_total,
    per_device_of,
    step_of,
    times_of,
    traffic_of,
)
from parspec.interpreter.output.wording.quantities import in_bytes, in_seconds
from parspec.interpreter.theory.formulas import reader

_DOT = Html(' <span class="separator">·</span> ')


def header(found: Checked) -> Html:
    """The file and its plan, the mesh, the dimensions, what the figures are of."""
    analysis = found.analyses[0]
    model = analysis.model
    said = understood(doubt_of(analysis))
    doubt = (element("span", {"class": "verdict error"}, said),) if said else ()
    path = PurePath(found.file)
    folder = f"{path.parent}/" if path.name and str(path.parent) != "." else ""
    plan = element("span", {"class": "plan"}, f"plan {model.plan}") if model.plan else NOTHING
    title = element("h1", {}, element("small", {}, folder), path.name or found.file, plan)
    devices = [reader(model.mesh.devices)] if model.mesh.devices is not None else []
    device = " ".join((*devices, *([model.mesh.device] if model.mesh.device else ())))
    facts = (
        ("Mesh", _listed((*mesh_of(model), *([device] if device else ())))),
        ("Dimensions", _listed(dims_of(model))),
        (
            "Figures",
            separated((f"of {step_of(model)}, traffic at {model.cost} prices", *doubt), ", "),
        ),
    )
    return joined((title, _pairs("facts", facts)))


def _listed(items: Iterable[str]) -> str:
    """Items that a line end does not break where it can be helped."""
    return separated((item.replace(" ", "\u00a0") for item in items), _DOT) or "none"


def key_figures(found: Checked) -> Html:
    """The few figures that somebody asks first."""
    analysis = found.analyses[0]
    totals = analysis.totals
    figures: list[tuple[str, str, str]] = [
        ("Traffic", bytes_figure(traffic_of(analysis)), _per_device(analysis)),
        ("Memory per device", _memory_figure(analysis), _memory_note(analysis)),
        *_time(analysis),
        ("Parameters", count_figure(totals.parameters), plural(len(analysis.layers), "layer")),
    ]
    if totals.tokens_per_second is not None:
        mfu = f"{share_text(totals.mfu)} of peak FLOPs" if totals.mfu is not None else ""
        figures.append(("Tokens per second", count_figure(round(totals.tokens_per_second)), mfu))
    figures.append(_check(found))
    cells = (
        element(
            "div",
            {},
            element("dt", {}, name),
            element("dd", {"class": "figure"}, figure),
            element("dd", {"class": "note"}, note),
        )
        for name, figure, note in figures
    )
    return element("dl", {"class": "figures"}, *cells)


def _per_device(analysis: Analysis) -> Html:
    amount = per_device_of(analysis)
    return NOTHING if amount is None else joined((bytes_figure(amount), " per device"))


def _memory_figure(analysis: Analysis) -> Html:
    memory = analysis.totals.memory
    parts = dict(kept(memory))
    if memory.total is None and len(parts) == 1:
        return bytes_figure(next(iter(parts.values())))
    return bytes_figure(memory.total)


def _memory_note(analysis: Analysis) -> str:
    memory = analysis.totals.memory
    if memory.total is None:
        only = [name for name, _ in kept(memory)]
        return f"{', '.join(only)} only" if lacks_total(analysis) and only else ""
    device = device_of(analysis.model)
    if device is None or device.memory is None:
        return ""
    part = share(memory.total, device.memory)
    percent = f", {share_text(part)}" if part is not None else ""
    return f"of {in_bytes(device.memory)} on {device.name}{percent}"


def _time(analysis: Analysis) -> Iterator[tuple[str, str, str]]:
    """The time of a step with what it is made of, or that of its parts."""
    times = dict(times_of(analysis))
    step = times.pop("step", None)
    if step is not None:
        parts = (f"{name} {in_seconds(time)}" for name, time in times.items())
        yield "Step", seconds_figure(step), ", ".join(parts)
        return
    for name, time in times.items():
        yield f"{name.capitalize()} time", seconds_figure(time), ""


def _check(found: Checked) -> tuple[str, str, str]:
    counts: Counter[str] = Counter(diagnostic.severity for diagnostic in found.diagnostics)
    expects = found.analyses[0].expects
    held = sum(expect.holds is True for expect in expects)
    note = f"{held} of {plural(len(expects), 'expectation')} held" if expects else ""
    worst = "error" if counts["error"] else "warning" if counts["warning"] else "good"
    verdict = counted(Counter({k: counts[k] for k in ("error", "warning")})) or "clean"
    return "Check", element("span", {"class": f"verdict {worst}"}, verdict), note


def _pairs(name: str, pairs: Iterable[tuple[str, str]]) -> Html:
    terms = (joined((element("dt", {}, key), element("dd", {}, value))) for key, value in pairs)
    return element("dl", {"class": name}, *terms)

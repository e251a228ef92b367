"""`report --format markdown`: the plan for a comment on a pull request.

What somebody reviewing a change asks first: figures, the primitives that move most, totals,
stages, and what is wrong. Nothing that a spec says is taken for markup or for a mention: names
stand in code, sentences have their marks escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parspec.interpreter.analysis.result import Analysis, Move
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.diagnostics.readable import share_text
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.diagnostic import place
from parspec.interpreter.output.markdown_text import code, table, text, titled
from parspec.interpreter.output.wording.axes import mesh_of
from parspec.interpreter.output.wording.errors import doubt_of, understood
from parspec.interpreter.output.wording.facts import (
    NO_STEP,
    NO_TOTAL,
    at_work,
    axes_by_size,
    by_size,
    dims_of,
    heaviest,
    kept,
    labels_of,
    lacks_step,
    lacks_total,
    moved,
    per_device_of,
    stage_rows,
    step_of,
    times_of,
    traffic_of,
    verdict,
)
from parspec.interpreter.output.wording.pricing import traffic
from parspec.interpreter.output.wording.quantities import how_many, in_bytes, in_seconds

_MOST_PRIMITIVES = 10
_DOT = " · "


def report_markdown(found: Checked, moves: Iterable[Move]) -> str:
    """The report on the first analysis, its primitives among the given moves."""
    analysis = found.analyses[0]
    sections = (
        _header(analysis),
        _wrong(found),
        _failed(found),
        _summary(analysis),
        _primitives(analysis, at_work(moves)),
        _totals(analysis),
        _stages(analysis),
    )
    return "\n\n".join(section for section in sections if section) + "\n"


def _header(analysis: Analysis) -> str:
    model = analysis.model
    plan = f", plan {code(model.plan)}" if model.plan is not None else ""
    doubt = understood(doubt_of(analysis))
    return "\n".join(
        (
            f"### {code(model.file)}{plan}",
            "",
            f"Mesh {_DOT.join(map(code, mesh_of(model))) or 'none'}.",
            f"Dimensions {_DOT.join(map(code, dims_of(model))) or 'none'}.",
            f"Figures of {step_of(model)}, traffic at {model.cost} prices"
            + (f", **{doubt}**." if doubt else "."),
        )
    )


def _wrong(found: Checked) -> str:
    rows = [
        (
            f"{diagnostic.severity} {diagnostic.code}",
            code(f"{diagnostic.place.file}:{diagnostic.place.start.line}"),
            text(diagnostic.message),
        )
        for diagnostic in found.diagnostics
        if diagnostic.severity in ("error", "warning")
    ]
    return titled("Errors and warnings", table(("", "place", "message"), rows, 0))


def _failed(found: Checked) -> str:
    analysis = found.analyses[0]
    rows = [
        (
            code(expect.text),
            verdict(expect),
            text(expect.value),
            str(place(expect.site, found.sources, analysis.model.file).start.line),
        )
        for expect in analysis.expects
        if expect.holds is not True
    ]
    held = len(analysis.expects) - len(rows)
    heads = ("expectation", "", "value", "line")
    if not rows:
        return f"{plural(held, 'expectation')}, all held." if held else ""
    return titled(f"Expectations ({held} of {len(analysis.expects)} hold)", table(heads, rows, 1))


def _summary(analysis: Analysis) -> str:
    rows = [
        ("parameters", text(how_many(analysis.totals.parameters))),
        ("traffic", text(in_bytes(traffic_of(analysis)))),
        ("traffic of a device", text(in_bytes(per_device_of(analysis)))),
        ("memory of a device", _memory(analysis)),
        *((f"{name} time", in_seconds(time)) for name, time in times_of(analysis)),
    ]
    if lacks_step(analysis):
        rows.append(("step time", NO_STEP))
    if analysis.totals.tokens_per_second is not None:
        rows.append(("tokens/s", how_many(round(analysis.totals.tokens_per_second))))
    if analysis.totals.mfu is not None:
        rows.append(("of peak FLOPs", share_text(analysis.totals.mfu)))
    return table(("", "value"), rows, 1)


def _memory(analysis: Analysis) -> str:
    memory = analysis.totals.memory
    parts = ", ".join(f"{name} {text(in_bytes(amount))}" for name, amount in kept(memory))
    if memory.total is None:
        return "; ".join(part for part in (parts, NO_TOTAL * lacks_total(analysis)) if part) or "-"
    return f"{text(in_bytes(memory.total))} ({parts})" if parts else in_bytes(memory.total)


def _primitives(analysis: Analysis, moves: Sequence[Move]) -> str:
    prices = analysis.model.cost
    labels = labels_of(analysis)
    most = heaviest(moves, prices)[:_MOST_PRIMITIVES]
    rows = [
        (
            code(move.layer) if move.layer else "output",
            move.direction,
            f"{move.primitive} of {code(moved(move, labels.get(move.tensor, move.tensor)))}",
            code(", ".join(move.axes)),
            f"{code(move.before)} → {code(move.after)}",
            how_many(move.times),
            text(in_bytes(traffic(move, prices))),
            text(in_bytes(move.per_device)),
            in_seconds(move.time),
        )
        for move in most
    ]
    heads = ("layer", "pass", "primitive", "axis", "states", "times", "traffic", "per device")
    title = "Primitives"
    if len(most) < len(moves):
        title = f"The {len(most)} of {len(moves)} primitives that move most"
    return titled(title, table((*heads, "time"), rows, 4))


def _totals(analysis: Analysis) -> str:
    totals = analysis.totals
    rows = [
        *(("pass", name, amount) for name, amount in totals.traffic if amount is not None),
        *(("axis", code(name), amount) for name, amount in axes_by_size(totals)),
        *(("primitive", name, amount) for name, amount in by_size(totals.by_primitive)),
    ]
    cells = [(kind, name, text(in_bytes(amount))) for kind, name, amount in rows]
    return titled("Traffic by", table(("", "", "traffic"), cells, 1))


def _stages(analysis: Analysis) -> str:
    rows = [
        (stage, ", ".join(map(code, holds)), text(memory))
        for stage, holds, memory in stage_rows(analysis)
    ]
    return titled("Stages", table(("stage", "holds", "memory"), rows, 1))

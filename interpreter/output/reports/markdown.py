"""`report --format markdown`: the plan for a comment on a pull request.

What somebody reviewing a change asks first: figures, the primitives that move most, totals,
stages, and what is wrong. Nothing that a spec says is taken for markup or for a mention: names
stand in code, sentences have their marks escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from parspec.interpreter.analysis.result import Analysis, Move
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.diagnostics.readable import share_text
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.diagnostic import place
from parspec.interpreter.output.terminal.cells import safe
from parspec.interpreter.output.wording.facts import (
    NO_STEP,
    NO_TOTAL,
    at_work,
    by_size,
    dims_of,
    heaviest,
    kept,
    lacks_step,
    lacks_total,
    mesh_of,
    moved,
    per_device_of,
    step_of,
    times_of,
    traffic_of,
    verdict,
)
from parspec.interpreter.output.wording.pricing import traffic
from parspec.interpreter.output.wording.quantities import how_many, in_bytes, in_seconds

_MOST_PRIMITIVES = 10
_DOT = " · "
_MARKS = r"([\\`*_{}\[\]<>#|~&!])"


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
    plan = f", plan {_code(model.plan)}" if model.plan is not None else ""
    return "\n".join(
        (
            f"### {_code(model.file)}{plan}",
            "",
            f"Mesh {_DOT.join(map(_code, mesh_of(model))) or 'none'}.",
            f"Dimensions {_DOT.join(map(_code, dims_of(model))) or 'none'}.",
            f"Figures of {step_of(model)}, traffic at {model.cost} prices.",
        )
    )


def _wrong(found: Checked) -> str:
    rows = [
        (
            f"{diagnostic.severity} {diagnostic.code}",
            _code(f"{diagnostic.place.file}:{diagnostic.place.start.line}"),
            _text(diagnostic.message),
        )
        for diagnostic in found.diagnostics
        if diagnostic.severity in ("error", "warning")
    ]
    return _titled("Errors and warnings", _table(("", "place", "message"), rows, 0))


def _failed(found: Checked) -> str:
    analysis = found.analyses[0]
    rows = [
        (
            _code(expect.text),
            verdict(expect),
            _text(expect.value),
            str(place(expect.site, found.sources, analysis.model.file).start.line),
        )
        for expect in analysis.expects
        if expect.holds is not True
    ]
    held = len(analysis.expects) - len(rows)
    heads = ("expectation", "", "value", "line")
    if not rows:
        return f"{plural(held, 'expectation')}, all held." if held else ""
    return _titled(f"Expectations ({held} of {len(analysis.expects)} hold)", _table(heads, rows, 1))


def _summary(analysis: Analysis) -> str:
    rows = [
        ("parameters", _text(how_many(analysis.totals.parameters))),
        ("traffic", _text(in_bytes(traffic_of(analysis)))),
        ("traffic of a device", _text(in_bytes(per_device_of(analysis)))),
        ("memory of a device", _memory(analysis)),
        *((f"{name} time", in_seconds(time)) for name, time in times_of(analysis)),
    ]
    if lacks_step(analysis):
        rows.append(("step time", NO_STEP))
    if analysis.totals.tokens_per_second is not None:
        rows.append(("tokens/s", how_many(round(analysis.totals.tokens_per_second))))
    if analysis.totals.mfu is not None:
        rows.append(("of peak FLOPs", share_text(analysis.totals.mfu)))
    return _table(("", "value"), rows, 1)


def _memory(analysis: Analysis) -> str:
    memory = analysis.totals.memory
    parts = ", ".join(f"{name} {_text(in_bytes(amount))}" for name, amount in kept(memory))
    if memory.total is None:
        return "; ".join(part for part in (parts, NO_TOTAL * lacks_total(analysis)) if part) or "-"
    return f"{_text(in_bytes(memory.total))} ({parts})" if parts else in_bytes(memory.total)


def _primitives(analysis: Analysis, moves: Sequence[Move]) -> str:
    prices = analysis.model.cost
    labels = {tensor.name: tensor.label for tensor in analysis.tensors}
    most = heaviest(moves, prices)[:_MOST_PRIMITIVES]
    rows = [
        (
            _code(move.layer) if move.layer else "output",
            move.direction,
            f"{move.primitive} of {_code(moved(move, labels.get(move.tensor, move.tensor)))}",
            _code(", ".join(move.axes)),
            f"{_code(move.before)} → {_code(move.after)}",
            how_many(move.times),
            _text(in_bytes(traffic(move, prices))),
            _text(in_bytes(move.per_device)),
            in_seconds(move.time),
        )
        for move in most
    ]
    heads = ("layer", "pass", "primitive", "axis", "states", "times", "traffic", "per device")
    title = "Primitives"
    if len(most) < len(moves):
        title = f"The {len(most)} of {len(moves)} primitives that move most"
    return _titled(title, _table((*heads, "time"), rows, 4))


def _totals(analysis: Analysis) -> str:
    totals = analysis.totals
    rows = [
        *(("pass", name, amount) for name, amount in totals.traffic if amount is not None),
        *(("axis", _code(name), amount) for name, amount in by_size(totals.by_axis)),
        *(("primitive", name, amount) for name, amount in by_size(totals.by_primitive)),
    ]
    cells = [(kind, name, _text(in_bytes(amount))) for kind, name, amount in rows]
    return _titled("Traffic by", _table(("", "", "traffic"), cells, 1))


def _stages(analysis: Analysis) -> str:
    rows = [
        (
            str(stage.stage),
            ", ".join(map(_code, stage.holds)),
            _text(in_bytes(stage.memory.total)),
        )
        for stage in analysis.stages
    ]
    return _titled("Stages", _table(("stage", "holds", "memory"), rows, 1))


def _titled(title: str, table: str) -> str:
    return f"**{title}**\n\n{table}" if table else ""


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: int) -> str:
    """A table whose last so many columns hold numbers; "" without rows."""
    if not rows:
        return ""
    ruler = ["---"] * (len(heads) - numbers) + ["---:"] * numbers
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ruler, *rows))


def _code(text: str) -> str:
    """Code of one line, in a table or out of one. What is in code is neither markup nor a
    mention."""
    shown = safe(text).replace("|", "\\|")
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    gap = " " if longest else ""
    return f"{fence}{gap}{shown or ' '}{gap}{fence}"


def _text(text: str) -> str:
    """A sentence with its marks escaped; what stands in backquotes is code, and so is what could
    mention somebody."""
    parts = re.split("`([^`]+)`", text)
    return "".join(
        _code(part) if place % 2 or "@" in part else re.sub(_MARKS, r"\\\1", safe(part))
        for place, part in enumerate(parts)
    )

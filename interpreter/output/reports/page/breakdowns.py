"""What the figures of a report are made of: memory by part and by stage, time, traffic, as bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parspec.interpreter.analysis.result import Analysis, Memory
from parspec.interpreter.diagnostics.readable import share_text
from parspec.interpreter.output.reports.page.bars import Quantity, share, single, stacked
from parspec.interpreter.output.reports.page.figures import bytes_figure, seconds_figure
from parspec.interpreter.output.reports.page.markup import NOTHING, Html, element, joined
from parspec.interpreter.output.reports.page.tables import (
    Column,
    Row,
    Table,
    numbers,
    prose,
    table,
    texts,
)
from parspec.interpreter.output.wording.facts import (
    NO_STEP,
    NO_TOTAL,
    axes_by_size,
    by_size,
    device_of,
    kept,
    lacks_step,
    lacks_total,
    times_of,
)
from parspec.interpreter.output.wording.quantities import in_bytes, in_seconds, sum_of
from parspec.interpreter.theory.formulas import Amount, is_number


def memory(analysis: Analysis) -> Html:
    """Memory of the busiest device by its parts against what the device has, then that of each
    stage."""
    given = analysis.totals.memory
    device = device_of(analysis.model)
    limit = device.memory if device else None
    parts = kept(given)
    if not parts:
        return NOTHING
    whole = _most((_held(given), limit))
    said = ", ".join(f"{name} {in_bytes(amount)}" for name, amount in parts)
    bar = stacked(parts, whole, f"memory per device: {said}", limit)
    against = limit or given.total
    rows = [_part(name, bytes_figure(amount), share(amount, against)) for name, amount in parts]
    if given.total is not None:
        rows.append(_sum("total", bytes_figure(given.total), share(given.total, limit)))
    if device is not None and limit is not None:
        rows.append(_sum(f"{device.name} has", bytes_figure(limit), None))
    note = element("p", {"class": "note"}, NO_TOTAL) if lacks_total(analysis) else NOTHING
    return joined((bar, _key(rows), note, _stages(analysis, limit)))


def _key(rows: Iterable[Html]) -> Html:
    return element("ul", {"class": "key"}, *rows)


def _part(name: str, figure: Html, part: float | None) -> Html:
    """What a colour of a bar stands for."""
    return _said(element("i", {"class": f"swatch {name}"}), name, figure, part)


def _sum(name: str, figure: Html, part: float | None) -> Html:
    """What the parts of a bar come to, or are held against."""
    return _said(NOTHING, name, figure, part)


def _said(swatch: Html, name: str, figure: Html, part: float | None) -> Html:
    percent = NOTHING if part is None else element("span", {"class": "share"}, share_text(part))
    return element("li", {}, swatch, element("span", {}, name), element("b", {}, figure), percent)


def _stages(analysis: Analysis, limit: Amount | None) -> Html:
    stages = analysis.stages
    whole = _most((*(_held(stage.memory) for stage in stages), limit))
    columns = (*numbers("stage"), *prose("holds"), *texts(""), *numbers("memory"))
    rows = (
        Row(
            (
                element("data", {"value": str(stage.stage)}, str(stage.stage)),
                ", ".join(stage.holds),
                stacked(kept(stage.memory), whole, f"memory of stage {stage.stage}", limit),
                bytes_figure(stage.memory.total),
            )
        )
        for stage in stages
    )
    return table(Table("stages", columns, rows, len(stages)), "stages.")


def _held(given: Memory) -> Amount | None:
    """The total, or what is known of it."""
    if given.total is not None:
        return given.total
    return sum_of(amount for _, amount in kept(given))


def _most(amounts: Iterable[Amount | None]) -> Amount | None:
    """The largest number; None where there is none, or a formula among them."""
    known = [amount for amount in amounts if amount is not None]
    numbers_only = [amount for amount in known if is_number(amount)]
    return max(numbers_only, default=None) if len(numbers_only) == len(known) else None


def time(analysis: Analysis) -> Html:
    """The time of a step by what it is spent on."""
    times = dict(times_of(analysis))
    step = times.pop("step", None)
    parts = tuple(times.items())
    if not any(spent for _, spent in parts):
        return NOTHING
    whole = max(step or 0.0, sum(spent for _, spent in parts))
    said = ", ".join(f"{name} {in_seconds(spent)}" for name, spent in parts)
    rows = [_part(name, seconds_figure(spent), share(spent, whole)) for name, spent in parts]
    if step is not None:
        rows.append(_sum("step", seconds_figure(step), None))
    note = f"step: {NO_STEP}" if lacks_step(analysis) else ""
    return joined(
        (
            stacked(parts, whole, f"time: {said}"),
            _key(rows),
            element("p", {"class": "note"}, note) if note else NOTHING,
        )
    )


def traffic(analysis: Analysis) -> Html:
    """Traffic by pass, by axis and by primitive."""
    totals = analysis.totals
    passes = tuple((name, amount) for name, amount in totals.traffic if amount is not None)
    listed = (
        *([_amounts("pass", passes)] if len(passes) > 1 else []),
        _amounts("axis", axes_by_size(totals)),
        _amounts("primitive", by_size(totals.by_primitive)),
    )
    return element("div", {"class": "columns"}, *listed) if any(listed) else NOTHING


def _amounts(what: str, amounts: Sequence[tuple[str, Amount]]) -> Html:
    most: Quantity = _most(amount for _, amount in amounts)
    rows = (
        Row((name, bytes_figure(amount), single(amount, most, "traffic")))
        for name, amount in amounts
    )
    columns = (*texts(what), *numbers("traffic"), Column(""))
    return table(Table(f"traffic by {what}", columns, rows, len(amounts)), "rows.")

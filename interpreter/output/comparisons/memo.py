"""The memo of a comparison: what is said in which order, before anybody draws it.

Verdict first; then what differs, by how much, what bounds each, and primitive by primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Literal, TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.diagnostics.entry import axes, enumeration
from parspec.interpreter.output.comparisons.compared import compared
from parspec.interpreter.output.comparisons.figures import BY_AXIS, BY_LINK, IN_ALL, SIZE, TOTAL
from parspec.interpreter.output.comparisons.prose import Fact, bounds_told, grounds
from parspec.interpreter.output.comparisons.values import (
    Change,
    Comparison,
    Difference,
    Exchange,
    Expected,
    Figure,
    Quantity,
    StageRow,
    Status,
    Unit,
    Variant,
    Wanted,
    change,
    sign,
)
from parspec.interpreter.output.comparisons.verdict import verdict
from parspec.interpreter.output.comparisons.words import added, factor, shown
from parspec.interpreter.output.terminal.cells import shortened, width
from parspec.interpreter.output.wording.quantities import SYMBOLIC, in_bytes, in_seconds
from parspec.interpreter.theory.formulas import total

Role: TypeAlias = Literal["", "strong", "faint", "good", "warning", "error"]
Choice: TypeAlias = Callable[[Sequence[Exchange]], Sequence[Exchange]]
_ABREAST = 2  # so many variants stand beside the first
_OVERVIEW = 2  # tables in front of what bounds each variant
_LONGEST_NAMES = {2: 16, 3: 12}  # above a column, by how many variants stand abreast
_LONGEST_FORMULA = 14  # a longer one is told below the tables
_FEW = 6  # so many exchanges are always shown
_READING = "below the traffic: the busiest device's share and time"
_SUMS = (IN_ALL, TOTAL)
_TAIL = 1000  # a tail of differences is summed up where it is less than this part of all
_MARKS: dict[Status, str] = {"added": "+", "gone": "−", "changed": "~", "same": "=", "nowhere": ""}


@value
class Cell:
    """A text, of several lines perhaps, and the role that colours it."""

    text: str = ""
    role: Role = ""


@value
class Sheet:
    """A table; the last so many of its columns hold numbers. `below`: what is said under it."""

    columns: tuple[str, ...]
    numbers: int
    rows: tuple[tuple[Cell, ...], ...]
    below: str = ""

    @property
    def content(self) -> bool:
        """Whether it says anything."""
        return bool(self.rows or self.below)


@value
class Facts:
    """Sentences, each under a name."""

    title: str
    facts: tuple[Fact, ...]

    @property
    def content(self) -> bool:
        """Whether it says anything."""
        return bool(self.facts)


@value
class Memo:
    """A title, the verdict, what it rests on, and the parts."""

    title: str
    verdict: str
    grounds: tuple[Fact, ...]
    parts: tuple[Sheet | Facts, ...]


def memo(comparison: Comparison, choice: Choice) -> Memo:
    """The memo, with a row for each of the exchanges that are chosen; the others are summed up.
    Of many variants two at a time stand beside the first."""
    blocks = [comparison]
    if len(comparison.variants) > _ABREAST + 1:
        first, *others = comparison.variants
        beside = [others[place : place + _ABREAST] for place in range(0, len(others), _ABREAST)]
        blocks = [compared((first, *each)) for each in beside]
    sheets = [tuple(_sheets(block, choice(block.exchanges))) for block in blocks]
    said: tuple[Sheet | Facts, ...] = (
        *(sheet for each in sheets for sheet in each[:_OVERVIEW]),
        *_bounds(comparison),
        *(sheet for each in sheets for sheet in each[_OVERVIEW:]),
        _formulas(comparison),
    )
    return Memo(
        _title(comparison.variants),
        verdict(comparison),
        tuple(grounds(comparison)),
        tuple(part for part in said if part.content),
    )


def _sheets(comparison: Comparison, exchanges: Sequence[Exchange]) -> Iterator[Sheet]:
    """The tables on two or three variants, the overview first."""
    room = _LONGEST_NAMES[len(comparison.variants)]
    names = tuple(_heading(one.name, room) for one in comparison.variants)
    yield _differences(comparison, names)
    yield _figures(comparison.figures, names)
    yield _exchanges(comparison, exchanges, names)
    yield _stages(comparison.stages, names)
    yield _expects(comparison.expects, names)


def _heading(name: str, room: int) -> str:
    """A variant's name above a column: the plan below the file."""
    return "\n".join(shortened(part, room) for part in name.split(":"))


def everything(exchanges: Sequence[Exchange]) -> Sequence[Exchange]:
    """All of them."""
    return exchanges


def telling(exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """Those that differ, without a tail of small ones: together a thousandth of all."""
    differing = [exchange for exchange in exchanges if exchange.differs]
    everything = sum((exchange.weight for exchange in differing), Fraction(0))
    left = everything
    kept: list[Exchange] = []
    for exchange in differing:
        if len(kept) >= _FEW and left * _TAIL < everything:
            break
        kept.append(exchange)
        left -= exchange.weight
    return tuple(kept)


def _title(variants: Sequence[Variant]) -> str:
    first, *others = (variant.name for variant in variants)
    return f"{enumeration(tuple(others))} against {first}"


def _differences(comparison: Comparison, names: tuple[str, ...]) -> Sheet:
    rows = tuple(
        (
            Cell(one.subject if one.axis is None else f"{one.subject} on {one.axis}"),
            Cell(", ".join(one.members)),
            *(_said(value, one) for value in one.values),
        )
        for one in comparison.differences
    )
    return Sheet(("what differs", "of", *names), 0, rows)


def _said(value: str | None, difference: Difference) -> Cell:
    """A value; of the whole model's each part on a line of its own."""
    if value is None:
        return Cell("none" if difference.axis is None else f"no {difference.axis}", "faint")
    return Cell(value if difference.members else value.replace(", ", ",\n"))


def _figures(figures: Sequence[Figure], names: tuple[str, ...]) -> Sheet:
    """Each figure, and what changes against the first; under the name of its group where that has
    several."""
    rows: list[tuple[Cell, ...]] = []
    for group, found in groupby(_worth_telling(figures), key=lambda figure: figure.group):
        members = list(found)
        if group == SIZE:
            rows += ((Cell(one.name, "strong"), *_figure(one)) for one in members)
        elif len(members) == 1 and members[0].name in (*_SUMS, "forward"):
            name = group if members[0].name in _SUMS else f"{group}, {members[0].name}"
            rows.append((Cell(name, "strong"), *_figure(members[0])))
        else:
            rows.append((Cell(group, "strong"),))
            rows += ((Cell(f"  {axes(one.name)}"), *_figure(one)) for one in members)
    first, *others = names
    if len(others) == 1:
        return Sheet(("how much", *names, "change", ""), 4, tuple(rows))
    columns = (first, *(column for name in others for column in (name, "")))
    return Sheet(("how much", *columns), len(columns), tuple(rows))


def _worth_telling(figures: Sequence[Figure]) -> Iterator[Figure]:
    """The figures without those that another row tells: sizes that are all the same, the only part
    of a sum, links that are an axis each."""
    sums = {figure.group: figure.values for figure in figures if figure.name in _SUMS}
    of_axes = {figure.values for figure in figures if figure.group == BY_AXIS}
    of_links = {figure.values for figure in figures if figure.group == BY_LINK}
    for figure in figures:
        told = (
            (figure.group == SIZE and len(set(figure.values)) == 1)
            or (figure.group == BY_LINK and of_links <= of_axes)
            or (figure.name not in _SUMS and figure.values == sums.get(figure.group))
        )
        if not told:
            yield figure


def _figure(figure: Figure) -> Iterator[Cell]:
    first, *others = figure.values
    yield Cell(_short(shown(first, figure.unit)))
    for other in others:
        changed = change(first, other)
        role = _role(changed, figure.wanted)
        yield Cell(_short(shown(other, figure.unit)))
        if len(others) == 1:
            yield Cell(_short(added(changed, figure.unit)), role)
        yield Cell(factor(changed), role)


def _short(text: str) -> str:
    return text if width(text) <= _LONGEST_FORMULA else SYMBOLIC


def _role(changed: Change, wanted: Wanted) -> Role:
    way = sign(changed.difference)
    if way is None or wanted is None:
        return ""
    if way == 0:
        return "faint"
    return "good" if (way < 0) == (wanted == "less") else "warning"


def _bounds(comparison: Comparison) -> Iterator[Facts]:
    for variant, found in zip(comparison.variants, comparison.bounds, strict=True):
        yield Facts(f"what bounds {variant.name}", tuple(bounds_told(variant, found)))


def _exchanges(
    comparison: Comparison, exchanges: Sequence[Exchange], names: tuple[str, ...]
) -> Sheet:
    """A row for each exchange: what each variant does, in all, on the busiest device and for how
    long."""
    rows = tuple(_exchange(exchange) for exchange in exchanges)
    ends = ("change",) if len(names) == 2 else ()
    untold = [exchange for exchange in comparison.exchanges if exchange not in exchanges]
    below = [
        f"{len(group)} more {text}: {_sum(group)}"
        for text, group in (
            ("of little weight", [one for one in untold if one.differs and not one.close]),
            ("nearly the same", [one for one in untold if one.differs and one.close]),
            ("the same", [one for one in untold if not one.differs]),
        )
        if group
    ]
    if rows:
        below.insert(0, _READING)
    elif below:
        below = [f"all primitives are the same: {_sum(untold)}"]
    return Sheet(("", "primitives", *names, *ends), len(ends), rows, "; ".join(below))


def _sum(exchanges: Sequence[Exchange]) -> str:
    columns = zip(*(exchange.traffic for exchange in exchanges), strict=True)
    sums = [in_bytes(total(column)) for column in columns]
    return sums[0] if len(set(sums)) == 1 else " against ".join(sums)


def _exchange(exchange: Exchange) -> tuple[Cell, ...]:
    places = range(1, len(exchange.moves))
    marks = dict.fromkeys(_MARKS[exchange.status(place)] for place in places)
    cells = [
        Cell("".join(marks)),
        Cell(_what(exchange)),
        *(Cell(_done(exchange, place)) for place in range(len(exchange.moves))),
    ]
    if len(exchange.moves) == 2:
        moved = change(*exchange.traffic)
        second = added(change(*exchange.times), "seconds")
        if None in exchange.times:
            second = _short(added(change(*exchange.per_device), "bytes"))
        cells.append(Cell(f"{_short(added(moved, 'bytes'))}\n{second}", _role(moved, "less")))
    return tuple(cells)


def _what(exchange: Exchange) -> str:
    """`decoder.res1`, below it `o on tp`."""
    moved = exchange.label
    if exchange.statistic:
        moved = f"{exchange.statistic} of {moved}"
    later = "" if exchange.direction == "forward" else f", {exchange.direction}"
    return f"{exchange.layer or 'output'}{later}\n{moved} on {', '.join(exchange.axes)}"


def _done(exchange: Exchange, place: int) -> str:
    """`All-Reduce 21.6 TB`, below it `301 GB, 670 ms`."""
    if not exchange.moves[place]:
        return "nothing"
    names = " + ".join(exchange.primitives(place))
    moved = _short(in_bytes(exchange.traffic[place]))
    device = _short(in_bytes(exchange.per_device[place]))
    time = exchange.times[place]
    return f"{names} {moved}\n{device}" + ("" if time is None else f", {in_seconds(time)}")


def _stages(stages: Sequence[StageRow], names: tuple[str, ...]) -> Sheet:
    """Memory and content of the pipeline stages, where they differ; neighbours with the same memory
    share a row."""
    if all(len(set(row.holds)) == len(set(row.memory)) == 1 for row in stages):
        return Sheet((), 0, ())
    rows = []
    for _, found in groupby(stages, key=lambda row: tuple(map(in_bytes, row.memory))):
        members = list(found)
        first, last = members[0].stage, members[-1].stage
        title = str(first) if first == last else f"{first}-{last}"
        cells = (_held(members, place) for place in range(len(names)))
        rows.append((Cell(title), *cells))
    return Sheet(("stage", *names), 0, tuple(rows))


def _held(members: Sequence[StageRow], place: int) -> Cell:
    """`11.2 GB  embed, decoder 0-19`; of several stages what the first and the last hold."""
    held = [row.holds[place] for row in members]
    there = [", ".join(names) for names in held if names is not None]
    if not there:
        return Cell("no such stage", "faint")
    inside = there[0] if len(there) == 1 else f"{there[0]} … {there[-1]}"
    return Cell(f"{in_bytes(members[0].memory[place])}  {inside}")


def _expects(expects: Sequence[Expected], names: tuple[str, ...]) -> Sheet:
    """The expects that come out differently, or fail."""
    rows = []
    for expect in expects:
        outcomes = {None if verdict is None else verdict[0] for verdict in expect.verdicts}
        missing = None in expect.verdicts
        if False in outcomes or len({*outcomes} - {None} if missing else outcomes) > 1:
            rows.append((Cell(expect.text), *map(_verdict, expect.verdicts)))
    return Sheet(("expects", *names), 0, tuple(rows))


def _verdict(verdict: tuple[bool | None, str] | None) -> Cell:
    match verdict:
        case None:
            return Cell("not asked", "faint")
        case (None, value):
            return Cell(f"not evaluated: {value}")
        case (True, value):
            return Cell(f"holds: {value}", "good")
        case (_, value):
            return Cell(f"fails: {value}", "error")


def _formulas(comparison: Comparison) -> Facts:
    """What has symbols in it and no room in a table; what is the same is said once."""
    names: dict[str, list[str]] = {}
    for figure in _worth_telling(comparison.figures):
        text = _formula(figure.values, figure.unit, comparison.variants)
        names.setdefault(text, []).append(f"{figure.group}, {axes(figure.name)}")
    for exchange in comparison.exchanges:
        text = _formula(exchange.traffic, "bytes", comparison.variants)
        names.setdefault(text, []).append(_what(exchange).replace("\n", ": "))
    return Facts("formulas", tuple((found[0], text) for text, found in names.items() if text))


def _formula(values: Sequence[Quantity], unit: Unit, variants: Sequence[Variant]) -> str:
    """The formula of each and of the change between two; "" where tables have room for all."""
    texts = [shown(value, unit) for value in values]
    if all(_short(text) == text for text in texts):
        return ""
    if len(set(texts)) == 1:
        return texts[0]
    told = [f"{one.name} {text}" for one, text in zip(variants, texts, strict=True)]
    if len(values) == 2:
        told.append(f"change {added(change(*values), unit)}")
    return "; ".join(told)

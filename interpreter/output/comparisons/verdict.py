"""The verdict of a comparison: which plan does better, by how much and at what price, in a sentence
or two with numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Literal, TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.diagnostics.entry import enumeration
from parspec.interpreter.output.comparisons.figures import (
    BUSY,
    BY_LINK,
    DEVICE_TIME,
    IN_ALL,
    MEMORY,
    NO_LINK,
    PER_DEVICE,
    SIZE,
    STEP,
    TIME,
    TOTAL,
)
from parspec.interpreter.output.comparisons.prose import mistakes_in
from parspec.interpreter.output.comparisons.values import (
    Comparison,
    Quantity,
    Unit,
    Variant,
    change,
    sign,
)
from parspec.interpreter.output.comparisons.words import added, capacity, comparative, shown, times
from parspec.interpreter.output.wording.facts import memory_kinds
from parspec.interpreter.theory.formulas import (
    Amount,
    Polynomial,
    generic,
    is_number,
    symbols,
    total,
)

_ALIKE = Fraction(1, 100)  # a smaller difference decides nothing
NOTHING = "There is nothing to judge them by."
_Fit: TypeAlias = Literal["fits", "over", "unknown"]


def verdict(comparison: Comparison) -> str:
    """One or two sentences on two variants, a ranking by each measure of more."""
    measures = tuple(_measures(comparison))
    judged = _duel if len(comparison.variants) == 2 else _ranking
    told = [*judged(comparison, measures), *_doubt(comparison.variants)]
    return " ".join(told) or NOTHING


@value
class _Measure:
    """What plans are judged by, the less the better: `verb` and `of` stand around what is said of
    it (`moves ... over ib`), as a ratio or as a difference; `least` begins a ranking."""

    least: str
    verb: str
    of: str
    unit: Unit
    told: Literal["ratio", "difference"]
    values: tuple[Quantity, ...]

    def lead(self, place: int) -> int | None:
        """Of two: 1 where the variant has less than the other, -1 where more, 0 where about as
        much; None where that is not known."""
        mine, other = self.values[place], self.values[1 - place]
        changed = change(other, mine)
        if _about_one(changed.ratio) or mine == other == 0:
            return 0
        if changed.ratio is not None:
            return 1 if changed.ratio < 1 else -1
        way = -1 if mine == 0 else 1 if other == 0 else sign(changed.difference)
        return None if way is None else -way

    def phrase(self, place: int) -> str:
        """`moves 2.1 times less over ib (1.2 TB against 2.5 TB)`, of one of two."""
        mine, other = self.values[place], self.values[1 - place]
        told = f"{self.verb} {self._amount(mine, other)} {self.of}"
        if isinstance(mine, Polynomial) or isinstance(other, Polynomial):
            return told
        if mine == 0 or other == 0:
            return f"{told} (against {shown(other, self.unit) if other else 'nothing'})"
        texts = dict.fromkeys((shown(mine, self.unit), shown(other, self.unit)))
        return f"{told} ({' against '.join(texts)})"

    def _amount(self, mine: Quantity, other: Quantity) -> str:
        """`2.1 times less`, `14 GB more`, `as much`."""
        changed = change(other, mine)
        if _about_one(changed.ratio) or mine == other:
            return "as much"
        if mine == 0 or other == 0:
            return "nothing" if mine == 0 else shown(mine, self.unit)
        if self.told == "ratio" and changed.ratio:
            return comparative(changed.ratio)
        more = added(changed, self.unit)
        return f"{more[1:]} {'more' if more.startswith('+') else 'less'}"


def _about_one(ratio: Fraction | None) -> bool:
    return ratio is not None and abs(ratio - 1) < _ALIKE


def _measures(comparison: Comparison) -> Iterator[_Measure]:
    """Time, traffic, memory; each in the widest sense in which all variants have it."""
    for name, of in ((STEP, "time a step"), (BUSY, "time for compute and communication")):
        values = comparison.values(TIME, name)
        if all(values):
            yield _Measure(f"Least {of}", "takes", of, "seconds", "ratio", values)
            break
    if any(comparison.values(PER_DEVICE, IN_ALL)):
        yield _traffic(comparison)
    for name, of in ((TOTAL, "memory a device"), ("weights", "memory a device for weights")):
        values = comparison.values(MEMORY, name)
        if all(values):
            yield _Measure(f"Least {of}", "needs", of, "bytes", "difference", values)
            break


def _traffic(comparison: Comparison) -> _Measure:
    """Over the link where the variants differ most; a device's where they have not as many."""
    when = " forward" if any(map(_forward_only, comparison.variants)) else ""
    if len(set(comparison.values(SIZE, "devices"))) > 1:
        values = comparison.values(PER_DEVICE, IN_ALL)
        return _Measure("Least sent a device", "sends", f"a device{when}", "bytes", "ratio", values)
    rows = [figure for figure in comparison.figures if figure.group == BY_LINK]
    row = max(rows, key=lambda figure: _gap(figure.values))
    of = "in all" if row.name == NO_LINK else f"over {row.name}"
    return _Measure(f"Least traffic {of}", "moves", f"{of}{when}", "bytes", "ratio", row.values)


def _forward_only(variant: Variant) -> bool:
    """Whether passes of its step are not computed."""
    analysis = variant.analysis
    return analysis.model.trains and None in dict(analysis.totals.traffic).values()


def _gap(values: Sequence[Quantity]) -> Fraction:
    known = [generic(one) for one in values if one is not None and not isinstance(one, float)]
    return max(known) - min(known)


def _duel(comparison: Comparison, measures: Sequence[_Measure]) -> Iterator[str]:
    """What one of two does better or worse than the other, the one that is first in what decides.
    That only one of them fits comes before everything else."""
    variants = comparison.variants
    fits = _fits(variants)
    if len(fits) > 1:
        yield f"{', '.join(fits)}."
    leads = [(measure, measure.lead(0)) for measure in measures]
    decisive = [lead for _, lead in leads if lead]
    place = 0 if not decisive or decisive[0] > 0 else 1
    parts: list[str] = []
    winning = True
    for measure, _ in leads:
        lead = measure.lead(place)
        if lead is None:
            continue
        turn = "but " if lead < 0 and winning and parts else ""
        winning = winning and lead >= 0
        parts.append(turn + measure.phrase(place))
    told = [f"{variants[place].name} {', '.join(parts)}"] if parts else []
    told += fits if len(fits) == 1 else []
    if told:
        yield f"{'; '.join(told)}."
    yield from _devices(comparison, place, "It" if parts else variants[place].name)
    yield from _undecided([measure for measure, lead in leads if lead is None])


def _doubt(variants: Sequence[Variant]) -> Iterator[str]:
    wrong = [variant.name for variant in variants if mistakes_in(variant)]
    if wrong:
        yield f"All this as far as {enumeration(tuple(wrong))} could be read: there are errors."


def _devices(comparison: Comparison, place: int, subject: str) -> Iterator[str]:
    """What it means that one of two has more devices."""
    numbers = comparison.values(SIZE, "devices")
    mine, other = numbers[place], numbers[1 - place]
    ratio = change(other, mine).ratio
    if ratio is None or ratio == 1:
        return
    has = f"{times(ratio)} times as many" if ratio > 1 else f"{times(1 / ratio)} times fewer"
    said = f"{subject} has {has} devices ({shown(mine, 'count')} against {shown(other, 'count')})"
    spent = comparison.values(TIME, DEVICE_TIME)
    together = change(spent[1 - place], spent[place]).ratio
    if together:
        much = "as much" if _about_one(together) else comparative(together)
        said += f", all of them together take {much} time"
    yield f"{said}."


def _undecided(measures: Sequence[_Measure]) -> Iterator[str]:
    """What cannot be ranked because sizes are symbolic."""
    open_ones = [(one, [v for v in one.values if isinstance(v, Polynomial)]) for one in measures]
    names = sorted({name for _, values in open_ones for value in values for name in symbols(value)})
    if names:
        questions = [f"{one.verb} less {one.of}" for one, values in open_ones if values]
        unset = " ".join(f"{name}=..." for name in names)
        yield f"Which {enumeration(tuple(questions))} depends on sizes: --set {unset} ranks them."


def _ranking(comparison: Comparison, measures: Sequence[_Measure]) -> Iterator[str]:
    """`Least traffic over ib: a and b 1 GB, then c 4 GB.`"""
    fits = _fits(comparison.variants)
    if fits:
        yield f"{', '.join(fits) if len(fits) > 1 else fits[0][:1].upper() + fits[0][1:]}."
    for measure in measures:
        ranked = sorted(
            (value, variant.name)
            for value, variant in zip(measure.values, comparison.variants, strict=True)
            if value is not None and not isinstance(value, Polynomial)
        )
        if len(ranked) < len(comparison.variants):
            continue
        texts = groupby(ranked, key=lambda entry: shown(entry[0], measure.unit))
        told = [f"{enumeration(tuple(name for _, name in names))} {text}" for text, names in texts]
        yield f"{measure.least}: {', then '.join(told)}."
    yield from _undecided(measures)


def _fits(variants: Sequence[Variant]) -> list[str]:
    """`both fit 80 GiB`; `a fits 80 GiB`, `b does not`. Nothing of a device of unknown size."""
    groups: dict[tuple[Amount, _Fit], list[str]] = {}
    for variant in variants:
        if variant.capacity is not None:
            groups.setdefault((variant.capacity, _fit(variant)), []).append(variant.name)
    return [
        _fit_text(names, size, fit, len(names) == len(variants))
        for (size, fit), names in groups.items()
    ]


def _fit(variant: Variant) -> _Fit:
    memory, has = variant.analysis.totals.memory, variant.capacity
    known = total(part for part in memory_kinds(memory).values() if is_number(part))
    if is_number(has) and is_number(known) and known > has:
        return "over"
    return "fits" if is_number(memory.total) and is_number(has) else "unknown"


def _fit_text(names: Sequence[str], size: Amount, fit: _Fit, everyone: bool) -> str:
    """What is known of variants that are alike in it; `everyone`: there are no others."""
    room = capacity(size)
    who = _everyone(fit, len(names)) if everyone else enumeration(tuple(names))
    one = len(names) == 1 or (everyone and fit == "over")
    match fit:
        case "fits":
            return f"{who} {'fits' if one else 'fit'} {room}"
        case "over" if everyone:
            return f"{who} fits {room}"
        case "over":
            return f"{who} {'does' if one else 'do'} not fit {room}"
    return f"{who} may fit {room}, the total is not known"


def _everyone(fit: _Fit, count: int) -> str:
    if fit == "over":
        return "neither" if count == 2 else "none"
    return "both" if count == 2 else "all"

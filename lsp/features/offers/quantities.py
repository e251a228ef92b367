"""Quantities: the units of what is being typed, and the bounds that a figure keeps to now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, log10
from typing import TypeAlias

from parspec.grammar.keywords import UNITS
from parspec.interpreter.analysis.budgets import AT_REST
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics.readable import bytes_text, count_text, seconds_text
from parspec.interpreter.output.wording.facts import traffic_of
from parspec.interpreter.spec.hardware import DEVICE_SETTINGS, LINK_SETTINGS
from parspec.interpreter.spec.sizes import UNITS as KINDS_OF_UNITS
from parspec.interpreter.spec.sizes import Kind
from parspec.interpreter.theory.formulas import Amount, Number, is_number
from parspec.lsp.features import expected
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion

_NUMBER = re.compile(r"(\d[\d_]*)(\w*)")
_BOUNDED = re.compile(r"\bexpect\s+\w+\s*(?:<=|<)\s*\Z")
_USUAL: Mapping[Kind, tuple[str, ...]] = {
    "bytes": ("GB", "GiB", "MB", "TB"),
    "bytes/s": ("GB/s", "TB/s", "Gbit/s"),
    "s": ("ms", "us", "s"),
    "flop": ("Tflop", "Pflop"),
    "flop/s": ("Tflop/s", "Pflop/s"),
    "share": ("%",),
}
"""The units in which quantities of a kind are mostly given."""


def kinds(scene: Scene) -> tuple[Kind, ...]:
    """What a number at the cursor measures: a setting, or the bound of a figure."""
    if scene.verb == "expect":
        return expected.bound_kinds(scene.before)
    settings = {"link": LINK_SETTINGS, "device": DEVICE_SETTINGS}.get(scene.verb, {})
    kind = settings.get(scene.key)
    return (kind,) if kind else ()


def units(scene: Scene) -> Iterator[Suggestion]:
    """The units of what the number in front of the cursor measures; those that are usual first."""
    measured = kinds(scene)
    usual = {unit for kind in measured for unit in _USUAL.get(kind, ())}
    for unit in UNITS:
        if KINDS_OF_UNITS[unit][0] in measured:
            yield Suggestion(unit, "unit", "", 1 if unit in usual else 6)


def quantities(scene: Scene) -> Iterator[Suggestion]:
    """The number that is being typed with a unit behind it, as far as that is begun (`80G`)."""
    typed = _NUMBER.fullmatch(scene.snapshot.text[slice(*scene.cursor.typed)])
    if typed is None:
        return
    for unit in units(scene):
        if unit.label.casefold().startswith(typed[2].casefold()):
            yield replace(unit, label=f"{typed[1]} {unit.label}")


def lacks_unit(scene: Scene) -> bool:
    """Whether the number in front of the cursor means nothing without a unit."""
    measured = frozenset(kinds(scene))
    unitless = not measured or not measured.isdisjoint(("count", "share"))
    return "UNIT" in scene.cursor.accepted and not unitless


def bounds(scene: Scene) -> Iterator[Suggestion]:
    """What the figure of an `expect` is now, rounded up to a bound that it keeps to."""
    figure = expected.figure_of(scene.before)
    said = _NOW.get(figure)
    if said is None or not _BOUNDED.search(scene.before):
        return
    analysis = scene.facts.analysis
    if analysis.model.trains and figure not in AT_REST:
        return
    read, text = said
    amount = read(analysis)
    typed = scene.snapshot.text[slice(*scene.cursor.typed)]
    bound = text(_rounded_up(amount)) if is_number(amount) and amount > 0 else ""
    if bound and bound.startswith(typed):
        yield Suggestion(bound, "value", f"{figure} as it is now", 1)


def _rounded_up(amount: Number) -> Number:
    """An amount in three digits, never less than it is."""
    exact = Fraction(amount)
    step = Fraction(10) ** (floor(log10(exact)) - 2)
    rounded = ceil(exact / step) * step
    return rounded.numerator if rounded.denominator == 1 else rounded


def _step(analysis: Analysis) -> Fraction | None:
    time = analysis.totals.step_time
    return None if time is None else Fraction(time)


_Read: TypeAlias = Callable[[Analysis], "Amount | None"]
_NOW: Mapping[str, tuple[_Read, Callable[[Number], str]]] = {
    "traffic": (traffic_of, bytes_text),
    "memory": (lambda analysis: analysis.totals.memory.total, bytes_text),
    "weights": (lambda analysis: analysis.totals.memory.weights, bytes_text),
    "activations": (lambda analysis: analysis.totals.memory.activations, bytes_text),
    "cache": (lambda analysis: analysis.totals.memory.cache, bytes_text),
    "parameters": (lambda analysis: analysis.totals.parameters, count_text),
    "step": (_step, seconds_text),
}
"""How figures are read off an analysis, and how they are written."""

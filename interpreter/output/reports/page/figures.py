"""Figures on the page: what a person reads, with the exact number beside it for sorting, and on
demand the formula that it comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parspec.interpreter.output.json_text import number
from parspec.interpreter.output.reports.page.markup import Html, element
from parspec.interpreter.output.wording.quantities import UNKNOWN, how_many, in_bytes, in_seconds
from parspec.interpreter.theory.formulas import Amount, is_number

_LONGEST_FORMULA = 40  # a longer one is shown on demand


def bytes_figure(amount: Amount | None, reasons: Sequence[str] = ()) -> Html:
    """Bytes: `7.9 GB`, with what they come from on demand."""
    return _explained(_figure(amount, in_bytes), reasons)


def count_figure(amount: Amount | None) -> Html:
    """How many: `470M`."""
    return _figure(amount, how_many)


def seconds_figure(seconds: float | None) -> Html:
    """Seconds: `1.2 ms`."""
    if seconds is None:
        return not_computed()
    return element("data", {"value": repr(seconds)}, in_seconds(seconds))


def not_computed() -> Html:
    """What stands where nothing was computed."""
    return element("span", {"class": "none", "aria-label": "not computed"}, UNKNOWN)


def _figure(amount: Amount | None, text: Callable[[Amount], str]) -> Html:
    if amount is None:
        return not_computed()
    shown = text(amount)
    if is_number(amount):
        return element("data", {"value": repr(number(amount))}, shown)
    formula = element("span", {"class": "formula"}, shown)
    return formula if len(shown) <= _LONGEST_FORMULA else _explained_by("formula", (shown,))


def _explained(figure: Html, reasons: Sequence[str]) -> Html:
    return _explained_by(figure, reasons) if reasons else figure


def _explained_by(summary: str, reasons: Sequence[str]) -> Html:
    lines = (element("div", {}, reason) for reason in reasons)
    return element("details", {"class": "why"}, element("summary", {}, summary), *lines)

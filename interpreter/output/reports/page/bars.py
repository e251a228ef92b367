"""Bars: amounts as lengths. Widths are attributes of SVG, so that no style stands in the markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from parspec.interpreter.output.reports.page.markup import NOTHING, Html, element, joined
from parspec.interpreter.theory.formulas import Amount, is_number

Quantity: TypeAlias = "Amount | float | None"

_LENGTH = 1000  # of a whole bar, in its own units
_HEIGHT = 10
_MARK = 3  # how wide a limit is drawn


def stacked(
    parts: Iterable[tuple[str, Quantity]], whole: Quantity, label: str, limit: Quantity = None
) -> Html:
    """Parts by class end to end, on a bar as long as `whole`; a mark at the limit. Nothing where
    the whole is a formula, unknown or zero."""
    if share(whole, whole) is None:
        return NOTHING
    rects = []
    start = 0.0
    for name, amount in parts:
        width = _LENGTH * (share(amount, whole) or 0)
        rects.append(_rect(f"part {name}", start, width))
        start += width
    at = share(limit, whole)
    if at is not None:
        rects.append(_rect("limit", min(_LENGTH * at, _LENGTH - _MARK), _MARK))
    return _bar(rects, {"role": "img", "aria-label": label})


def single(amount: Quantity, whole: Quantity, name: str) -> Html:
    """One amount beside its figure, which says it to those who do not see it."""
    part = share(amount, whole)
    if part is None:
        return NOTHING
    return _bar((_rect(f"part {name}", 0, _LENGTH * part),), {"aria-hidden": "true"})


def share(amount: Quantity, whole: Quantity) -> float | None:
    """What part of a whole an amount is; None where one of them is no number or the whole is 0."""
    part, of = _exact(amount), _exact(whole)
    return float(min(part / of, Fraction(1))) if part is not None and of else None


def _exact(amount: Quantity) -> Fraction | None:
    if isinstance(amount, float) or is_number(amount):
        return Fraction(amount)
    return None


def _bar(rects: Sequence[Html], said: dict[str, str]) -> Html:
    shape = {"class": "bar", "viewBox": f"0 0 {_LENGTH} {_HEIGHT}", "preserveAspectRatio": "none"}
    return element("svg", shape | said, joined(rects))


def _rect(name: str, start: float, width: float) -> Html:
    return element(
        "rect", {"class": name, "x": float(start), "width": float(width), "height": _HEIGHT}
    )

"""Mends: operands that would fit a result which they do not fit as they are written.

Two operands whose places were confused are swapped, and an operand is read with the result's
dimension in the place of one over the same positions or of the same size. Whether a mend fits is
for the caller to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Edit, Fix
from parspec.interpreter.spec.indices import Dimensions, renamed

if TYPE_CHECKING:
    from parspec.interpreter.spec.indices import Reading
    from parspec.interpreter.spec.scopes import Here
    from parspec.interpreter.spec.shapes import Draft

_USE = re.compile(r"([^\s\[\]()]+)\s*(?:\[[^\]]*\])?")  # a tensor as an expression names it


@value
class Mend:
    """An operator with other operands, the edits that write it, and the first of what they
    write."""

    draft: Draft
    fix: Fix
    text: str


def swapped(draft: Draft, here: Here) -> Mend:
    """The two operands in each other's places."""
    first, second = draft.readings
    texts = here.placed.text(first.span), here.placed.text(second.span)
    edits = Edit(here.at(first.span), texts[1]), Edit(here.at(second.span), texts[0])
    fix = Fix(f"Swap `{texts[0]}` and `{texts[1]}`", edits)
    return Mend(replace(draft, readings=(second, first)), fix, texts[1])


def reindexed(draft: Draft, dim: str, here: Here) -> Iterator[tuple[str, Mend]]:
    """One operand read with `dim` in the place of another dimension, which is given beside; those
    over the same positions first, later operands before earlier ones."""
    found = [
        (not here.world.same_positions(old, dim), -place, old)
        for place, reading in enumerate(draft.readings)
        for old in reading.dims.names
        if _alike(old, dim, here)
    ]
    for _, place, old in sorted(found):
        reading = draft.readings[-place]
        use = _USE.fullmatch(here.placed.text(reading.span))
        if use is None or None in reading.operand.leaves:
            continue
        text = f"{use[1]}[{', '.join(dim if n == old else n for n in reading.dims.names)}]"
        fix = Fix(f"Write `{text}`", (Edit(here.at(reading.span), text),))
        readings = list(draft.readings)
        readings[-place] = _with(reading, old, dim)
        yield old, Mend(replace(draft, readings=tuple(readings)), fix, text)


def _alike(old: str, dim: str, here: Here) -> bool:
    """Are they over the same positions, or of one known size, and neither is a product?"""
    if old == dim or here.leaves(old) != (old,) or here.leaves(dim) != (dim,):
        return False
    size = here.world.size(dim)
    return here.world.same_positions(old, dim) or (
        size is not None and size == here.world.size(old)
    )


def _with(reading: Reading, old: str, dim: str) -> Reading:
    names = tuple(dim if name == old else name for name in reading.dims.names)
    groups = tuple(
        (dim,) if name == old else group
        for name, group in zip(reading.dims.names, reading.dims.groups, strict=True)
    )
    return renamed(reading, Dimensions(names, groups))

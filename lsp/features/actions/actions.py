"""Code actions: what may be done about a place in a text.

What costs little is worked out at once, the rest where it is chosen (`worked_out`), but for what a
title promises: that is true when it is shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from parspec.interpreter.diagnostics.entry import plural
from parspec.lsp.features.actions.action import Action, Kind
from parspec.lsp.features.actions.everything import fix_all, is_any
from parspec.lsp.features.actions.partitions import repartitions
from parspec.lsp.features.actions.pins import missing, missing_here, pinned
from parspec.lsp.features.actions.quickfixes import quick_fixes
from parspec.lsp.features.actions.trial import Bench, is_misunderstood
from parspec.lsp.ranges import Edit, Range

KINDS: tuple[Kind, ...] = ("quickfix", "refactor.rewrite", "source.fixAll.par", "source.pin.par")


def actions(bench: Bench, within: Range, kinds: Collection[Kind] = KINDS) -> Iterator[Action]:
    """The actions of some kinds at a range. Nothing is pinned before it is known what moves."""
    known = not is_misunderstood(bench.snapshot)
    if "quickfix" in kinds:
        yield from quick_fixes(bench, within)
    if "refactor.rewrite" in kinds:
        yield from repartitions(bench, within.start)
        if known and (pins := missing_here(bench.snapshot, within.start)):
            title = f"Write `{pins[0]}`" if len(pins) == 1 else f"Pin {len(pins)} primitives"
            yield Action(title, "refactor.rewrite", task="pin here")
    if "source.fixAll.par" in kinds and is_any(bench):
        yield Action("Fix all that needs no choice", "source.fixAll.par", task="fix all")
    if "source.pin.par" in kinds and known and (pins := missing(bench.snapshot, within.start)):
        every = "all " if len(pins) > 1 else ""
        title = f"Pin {every}{plural(len(pins), 'primitive')}"
        yield Action(title, "source.pin.par", task="pin all")


def worked_out(bench: Bench, task: str, offset: int) -> tuple[Edit, ...]:
    """The edits of a task at an offset; none where there is nothing to do any more, or no such
    task."""
    match task:
        case "pin here":
            return pinned(bench, offset, missing_here(bench.snapshot, offset))
        case "pin all":
            return pinned(bench, offset, missing(bench.snapshot, offset))
        case "fix all":
            return fix_all(bench)
    return ()

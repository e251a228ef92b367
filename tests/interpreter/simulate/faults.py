"""Faults: single mistakes planted in the engine, each of which a simulation has to notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from unittest.mock import patch

from parspec.interpreter.analysis import (
    flops,
    inference,
    moves,
    pipeline,
    placement,
    serving,
    sharding,
    sizes,
)
from parspec.interpreter.theory import redistribution, rule
from parspec.interpreter.theory.layouts import layout
from parspec.interpreter.theory.redistribution import Step
from parspec.interpreter.theory.rule import Needs
from parspec.interpreter.theory.space import Space

Planted = tuple[object, str, Callable]  # where, what, and the wrong thing made of the right one


ENGINE = (flops, moves, redistribution, serving, sharding, sizes)


def forget() -> None:
    """What was found with another engine is not remembered."""
    for module in ENGINE:
        for found in vars(module).values():
            if hasattr(found, "cache_clear"):
                found.cache_clear()


@contextmanager
def planted(fault: str) -> Iterator[None]:
    """The engine with one fault in it."""
    with ExitStack() as stack:
        for where, name, wrong in FAULTS[fault]:
            right = getattr(where, name)
            stack.enter_context(patch.object(where, name, wrong(right)))
        forget()
        yield
    forget()


def _steps(change: Callable[[Step], Step]) -> list[Planted]:
    """Every step that redistribution considers, changed."""

    def wrong(right):
        def edges(*arguments):
            yield from (change(step) for step in right(*arguments))

        return edges

    return [(redistribution, "_edges", wrong)]


def _named(old: str, new: str | None) -> list[Planted]:
    return _steps(lambda step: replace(step, primitive=new) if step.primitive == old else step)


def _moved(primitive: str | None, change: Callable) -> list[Planted]:
    """The target of one kind of step, changed."""
    return _steps(
        lambda step: (
            replace(step, target=change(step.target)) if step.primitive == primitive else step
        )
    )


def _reversed_cuts(where):
    return layout({dim: axes[::-1] for dim, axes in where.cuts}, where.partial, where.central)


def _reversed_group(step: Step) -> Step:
    fused = step.primitive in ("All-Gather", "All-to-All", "Gather") and len(step.axes) > 1
    return replace(step, axes=step.axes[::-1]) if fused else step


def _fewer_axes(step: Step) -> Step:
    fused = step.primitive in ("All-Reduce", "Reduce") and len(step.axes) > 1
    return replace(step, axes=step.axes[1:]) if fused else step


def _needs(change: Callable[[Needs], Needs]) -> list[Planted]:
    """What the dimension rule says, changed."""
    return [(sharding, "required", lambda right: lambda op, cuts: change(right(op, cuts)))]


def _without_partial(needs: Needs) -> Needs:
    return replace(needs, output=layout(dict(needs.output.cuts)))


def _whole_second(needs: Needs) -> Needs:
    first, *others = needs.inputs
    return replace(needs, inputs=(first, *(layout() for _ in others)))


def _price(change: Callable) -> list[Planted]:
    def wrong(right):
        return lambda *arguments: change(right(*arguments))

    return [(redistribution, "price", wrong), (moves, "price", wrong)]


def _one_group_less(priced):
    return replace(priced, groups=max(priced.groups - 1, 1))


def _statistics(change: Callable) -> list[Planted]:
    return [(rule, "STATISTICS", lambda right: {name: change(v) for name, v in right.items()})]


def _short_slices(right):
    def slice_of(self, dim, axes):
        elements = right(self, dim, ())
        nodes = self.group(axes)
        exact = not isinstance(elements, int)
        return right(self, dim, axes) if exact or dim == "flat" else max(elements // nodes, 1)

    return slice_of


def _always(value):
    return lambda right: lambda *arguments: value


def _course(change: Callable) -> list[Planted]:
    return [(pipeline, "_even_course", lambda right: lambda *a: change(right(*a)))]


FAULTS: Mapping[str, list[Planted]] = {
    "All-Reduce does what All-Gather should": _named("All-Gather", "All-Reduce"),
    "Reduce-Scatter is an All-to-All": _named("Reduce-Scatter", "All-to-All"),
    "Broadcast and Scatter are swapped": _steps(
        lambda step: replace(
            step,
            primitive={"Broadcast": "Scatter", "Scatter": "Broadcast"}.get(
                step.primitive, step.primitive
            ),
        )
    ),
    "a reduction is left out": _named("All-Reduce", None),
    "a gather is taken for free": _named("All-Gather", None),
    "a move between dimensions is taken for free": _named("All-to-All", None),
    "a fused group is in the wrong order": _steps(_reversed_group),
    "a gather leaves the axes in another order": _moved("All-Gather", _reversed_cuts),
    "an All-to-All appends in another order": _moved("All-to-All", _reversed_cuts),
    "a free slice lies in the wrong order": _moved(None, _reversed_cuts),
    "a fused reduction forgets an axis": _steps(_fewer_axes),
    "uneven slices are permuted": [(Space, "even", _always(True))],
    "uneven nested slices are gathered at once": [(Space, "in_one_piece", _always(True))],
    "a contraction is not partial": _needs(_without_partial),
    "the second operand is always whole": _needs(_whole_second),
    "a maximum is summed": [(rule, "REDUCTIONS", lambda right: dict.fromkeys(right, "sum"))],
    "maxima of addends are added": [
        (rule, "REDUCTIONS", lambda right: {**right, "sum": "max", "mean": "max"})
    ],
    "the last statistic is forgotten": _statistics(lambda found: found[:-1]),
    "the first statistic is forgotten": _statistics(lambda found: found[1:]),
    "statistics are all summed": _statistics(lambda found: tuple((n, "sum") for n, _ in found)),
    "every operator takes a partial": [(placement, "takes_partial", _always(True))],
    "functions follow the dimension they need whole": [
        (placement, "unfollowed_dims", _always(frozenset()))
    ],
    "axes of a dimension come in reverse": [
        (placement, "_in_order", lambda right: lambda *arguments: right(*arguments)[::-1])
    ],
    "a turn's moves are made once": [(serving, "_scope", _always(()))],
    "a carry settles after one turn": [(inference, "SETTLING_RUNS", lambda right: 1)],
    "a pipeline ends on its first stage": _course(
        lambda c: replace(c, ends=(c.ends[0], c.ends[0]))
    ),
    "a Send too few is priced": _course(lambda c: replace(c, crossings=c.crossings - 1)),
    "a group too few is priced": _price(_one_group_less),
    "all slices of a Permute are priced": _price(lambda priced: replace(priced, share=1)),
    "slices are rounded down": [(Space, "slice_of", _short_slices)],
    "statistics are priced in 16 bits": [(moves, "STATISTICS_BYTES", lambda right: 2)],
}

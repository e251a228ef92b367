"""Holes: `partition ? on tp` leaves the choice of a dimension to the tool.

Every choice is priced by analysing the whole plan with it. What fits the devices comes first, then
what keeps the spec's budgets of memory; then what counts is time where that is known of all
choices, else the bytes that devices send (it is told which of these choices repeat work, as nobody
knows what that costs beside bytes). Among equals it is the one that computes least, then the first
in order. Several holes are tried together while there are few, else one after another until none
changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from itertools import chain, product
from math import prod
from typing import TypeAlias

from parspec.grammar.syntax import BudgetExpect
from parspec.grammar.values import value
from parspec.interpreter.analysis.budgets import COMPARISONS
from parspec.interpreter.analysis.known import Known
from parspec.interpreter.analysis.outline import outline_of
from parspec.interpreter.analysis.result import Memory
from parspec.interpreter.diagnostics.findings import Datum, Edit, Finding, Fix, Site
from parspec.interpreter.spec.limits import HOLES
from parspec.interpreter.spec.model import Assignment, Expect, Item, Layer, Model, Part, Stack
from parspec.interpreter.theory.formulas import Amount, Number, generic, is_number, measured

TOGETHER = 256  # so many combinations of choices are tried; more are searched hole by hole
SWEEPS = 4  # times that each hole is looked at again in turn
NOTABLE = 20  # work is repeated where FLOPs are more than the least by one part of so many

Choices: TypeAlias = Mapping[Site, str | None]  # clause to dimension, None for `none`


@value
class Cost:
    """What a plan costs: whether it fits the devices and whether it keeps the budgets of memory, as
    far as that is known; seconds of all layers and moves, None where a link or the device is not
    known or a size is symbolic; bytes that a device sends; FLOPs of all layers on a device,
    repeated ones too."""

    fits: bool
    keeps: bool
    time: float | None
    sent: Amount
    flops: Amount


@value
class Hole:
    """One clause with `?`: where it stands, its axes, the first layer it is for, and the dimensions
    that it may take (None: not partitioned)."""

    site: Site
    axes: tuple[str, ...]
    layer: str
    options: tuple[str | None, ...]


@value
class Filled:
    """A model with its holes filled, and what is said about each of them."""

    model: Model
    findings: tuple[Finding, ...]


def keeps_memory(model: Model, busiest: Memory) -> bool:
    """Whether the busiest device keeps to what is expected of memory, as far as that is known."""
    return all(_keeps(expect, busiest) for expect in model.expects)


def _keeps(expect: Expect, busiest: Memory) -> bool:
    budget = expect.statement.condition
    if not isinstance(budget, BudgetExpect) or not is_number(expect.bound):
        return True
    figure = "total" if budget.figure.text == "memory" else budget.figure.text
    amount = dict(_held(busiest)).get(figure)
    return not is_number(amount) or COMPARISONS[budget.comparison](amount, expect.bound)


def _held(memory: Memory) -> Iterator[tuple[str, Amount | None]]:
    return ((kind.name, getattr(memory, kind.name)) for kind in fields(memory))


def fill(model: Model, price: Callable[[Model, Known], Cost], known: Known) -> Filled:
    """Fill every hole with its cheapest choice; `price` analyses a model without holes."""
    outlines = known.each(outline_of, model.parts)
    every = tuple(_holes(model, chain.from_iterable([one.holes for one in outlines])))
    if not every:
        return Filled(model, ())
    holes, beyond = every[:HOLES], every[HOLES:]
    rest = {hole.site: hole.options[0] for hole in beyond}
    open_parts = {
        part: tuple(dict.fromkeys(_sites(one.holes)))
        for part, one in zip(model.parts, outlines, strict=True)
        if one.holes
    }
    seen: dict[tuple[str | None, ...], Cost] = {}
    aside = known.fork()

    def cost(picked: tuple[str | None, ...]) -> Cost:
        if picked not in seen:
            choices = {**rest, **_choices(holes, picked)}
            seen[picked] = price(_with(model, open_parts, choices, aside), aside)
        return seen[picked]

    best = _search(holes, cost)
    findings = tuple(_finding(holes, place, best, cost) for place in range(len(holes)))
    filled = _with(model, open_parts, {**rest, **_choices(holes, best)}, known)
    return Filled(filled, (*findings, *_too_many(beyond)))


def _too_many(beyond: Sequence[Hole]) -> Iterator[Finding]:
    """`over_limit` at the first of those holes for which nothing is searched."""
    for hole in beyond[:1]:
        yield Finding("over_limit", hole.site, (("what", "clauses with `?`"), ("limit", HOLES)))


def _sites(layers: Iterable[Layer]) -> Iterator[Site]:
    """Where the holes of layers stand."""
    every = chain.from_iterable([layer.assignments for layer in layers])
    return (said.site for said in every if said.saying == "hole")


def _choices(holes: Sequence[Hole], picked: Sequence[str | None]) -> Choices:
    return {hole.site: dim for hole, dim in zip(holes, picked, strict=True)}


def _holes(model: Model, layers: Iterable[Layer]) -> Iterator[Hole]:
    """The clauses with a hole, in the order of the layers that they are for."""
    divides = {dim.name: dim.extent for dim in model.dims}
    sizes = {axis.name: axis.size for axis in model.mesh.axes}
    sizes |= {view.name: view.size for view in model.mesh.views}
    found: dict[Site, Hole] = {}
    for layer in layers:
        for said in layer.assignments:
            if said.saying != "hole":
                continue
            axes = said.sequence or (said.axis,)
            ways = prod(size for axis in axes if isinstance(size := sizes.get(axis), int))
            fits = tuple(
                dim
                for dim in layer.operator.dims
                if not isinstance(extent := divides[dim], int) or extent % ways == 0
            )
            known = found.get(said.site)
            options = dict.fromkeys((*(known.options if known else ()), *fits, None))
            first = known.layer if known else layer.name
            found[said.site] = Hole(said.site, axes, first, tuple(options))
    yield from found.values()


def _search(
    holes: Sequence[Hole], cost: Callable[[tuple[str | None, ...]], Cost]
) -> tuple[str | None, ...]:
    """The cheapest choices, the earlier ones among equals."""
    if prod(len(hole.options) for hole in holes) <= TOGETHER:
        return _cheapest(tuple(product(*(hole.options for hole in holes))), cost)
    best = tuple(hole.options[0] for hole in holes)
    for _ in range(SWEEPS):
        before = best
        for place, hole in enumerate(holes):
            tries = [(*best[:place], option, *best[place + 1 :]) for option in hole.options]
            best = _cheapest(tries, cost)
        if best == before:
            break
    return best


def _cheapest(
    tries: Sequence[tuple[str | None, ...]], cost: Callable[[tuple[str | None, ...]], Cost]
) -> tuple[str | None, ...]:
    """The choices of the least cost, of those that fit the devices and keep budgets if any do;
    symbolic sizes at a fixed point."""
    costs = {picked: cost(picked) for picked in tries}
    spent = _spent(costs.values())

    def rank(picked: tuple[str | None, ...]) -> tuple[bool, bool, Number, Number]:
        one = costs[picked]
        return not one.fits, not one.keeps, generic(spent(one)), generic(one.flops)

    return min(tries, key=rank)


def _repeats(costs: Iterable[Cost]) -> Callable[[Cost], bool]:
    """Whether a choice repeats notable work, beside the one that computes least; no choice does
    where time tells what that costs."""
    asked = tuple(costs)
    least = min(generic(cost.flops) for cost in asked)
    if _spent(asked) is _seconds:
        return lambda _: False
    return lambda cost: (generic(cost.flops) - least) * NOTABLE >= least > 0


def _spent(costs: Iterable[Cost]) -> Callable[[Cost], Amount]:
    """What choices are compared by: time where all have one, else bytes."""
    return _seconds if all(cost.time is not None for cost in costs) else _bytes


def _seconds(cost: Cost) -> Fraction:
    return Fraction(cost.time or 0)


def _bytes(cost: Cost) -> Amount:
    return cost.sent


def _with(
    model: Model, holes: Mapping[Part, Sequence[Site]], choices: Choices, known: Known
) -> Model:
    """The model with clauses in place of holes; parts that are filled as before are as before.
    `holes`: where they stand in each part that has some."""
    own = [tuple((site, choices[site]) for site in sites) for sites in holes.values()]
    filled = dict(zip(holes, known.each(_filled, tuple(holes), own), strict=True))
    return replace(model, parts=tuple([filled.get(part, part) for part in model.parts]))


def _filled(part: Part, choices: Sequence[tuple[Site, str | None]]) -> Part:
    by_site = dict(choices)
    return Part(tuple(_item(item, by_site) for item in part.items), part.tensors)


def _item(item: Item, choices: Choices) -> Item:
    if isinstance(item, Stack):
        return replace(item, items=tuple(_item(inner, choices) for inner in item.items))
    if all(said.saying != "hole" for said in item.assignments):
        return item
    return replace(item, assignments=tuple(_said(item, choices)))


def _said(layer: Layer, choices: Choices) -> Iterator[Assignment]:
    for said in layer.assignments:
        if said.saying != "hole":
            yield said
        elif (dim := choices[said.site]) is None:
            yield replace(said, saying="none")
        elif dim in layer.operator.dims:
            yield replace(said, saying="partition", dim=dim)


def _finding(
    holes: Sequence[Hole],
    place: int,
    best: tuple[str | None, ...],
    cost: Callable[[tuple[str | None, ...]], Cost],
) -> Finding:
    """What a hole is filled with, what each choice costs, and the edit that writes it."""
    hole = holes[place]
    axes = " * ".join(hole.axes)
    costs = {
        option or "none": cost((*best[:place], option, *best[place + 1 :]))
        for option in hole.options
    }
    spent, repeats = _spent(costs.values()), _repeats(costs.values())
    chosen = best[place] or "none"
    facts: dict[str, Datum] = {
        "layer": hole.layer,
        "axis": axes,
        "dim": chosen,
        "choices": tuple((name, _figure(spent(each))) for name, each in costs.items()),
        "unit": "s" if spent is _seconds else "B",
        "too_large": tuple(name for name, each in costs.items() if not each.fits),
        "over_budget": tuple(name for name, each in costs.items() if not each.keeps),
        "repeating": tuple(name for name, each in costs.items() if repeats(each)),
    }
    edit = Edit(hole.site, f"{chosen} on {axes}")
    fix = Fix(f"Replace `?` with `{chosen}`", (edit,))
    return Finding("hole", hole.site, tuple(facts.items()), (), (fix,))


def _figure(amount: Amount) -> int | float | None:
    """A price as a number; None where a size is symbolic."""
    return measured(amount) if is_number(amount) else None

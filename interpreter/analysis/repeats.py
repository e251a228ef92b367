"""Repeats: variables that are moved after a copy has made them larger.

A copy may repeat a variable along a new dimension (kv heads for the query heads that share them) or
widen its elements. Moving it first and copying it where it is read moves less: `hidden_comm`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from parspec.interpreter.analysis.communication import saving, site_of
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.moves import Pricing
from parspec.interpreter.analysis.serving import Delivery, Served
from parspec.interpreter.analysis.sizes import bytes_of
from parspec.interpreter.diagnostics.findings import Datum, Finding, Related, Site
from parspec.interpreter.spec.model import Layer, Tensor
from parspec.interpreter.spec.settings import DTYPES
from parspec.interpreter.theory.formulas import generic, is_number
from parspec.interpreter.theory.layouts import EVERYWHERE, Layout
from parspec.interpreter.theory.redistribution import moved, redistribute

COPIES = ("copy", "scale")


@dataclass(frozen=True, slots=True)
class Late:
    """A move of `tensor` that comes after `maker`, though `source` is less. now, best: bytes on a
    device for either; full: bytes of the variable that moves."""

    site: Site
    layer: str
    axes: tuple[str, ...]
    maker: Layer
    source: Tensor
    tensor: Tensor
    now: Fraction
    best: Fraction
    full: int | None


def repeat_findings(pricing: Pricing, delivery: Delivery) -> Iterator[Finding]:
    """A finding for each place and axes where enlarged copies are moved."""
    placed = {one.layer.name: one for one in pricing.inference.layers}
    makers = {one.layer.out: one.layer for one in pricing.inference.layers}
    together: dict[tuple[Site, tuple[str, ...]], list[Late]] = {}
    for served in delivery.served:
        late = _late(served, placed, makers, pricing, delivery)
        if late is not None:
            together.setdefault((late.site, late.axes), []).append(late)
    for lates in together.values():
        yield _finding(lates, pricing)


def _late(
    served: Served,
    placed: Mapping[str, Placed],
    makers: Mapping[str, Layer],
    pricing: Pricing,
    delivery: Delivery,
) -> Late | None:
    """What is wrong with a move, if it is of an enlarged copy and its source would move less."""
    tensor = pricing.tensors[served.need.tensor]
    pieces = tuple(a for step in served.steps if step.primitive is not None for a in step.axes)
    maker = makers.get(tensor.name)
    reader = placed.get(served.need.layer)
    if not pieces or maker is None or reader is None or served.need.operand < 0:
        return None
    now = _bytes_moved(served, tensor, pricing)
    best, source = now, tensor
    for one, where in _sources(maker, tensor, served.need.layout, makers, pricing):
        if _larger(tensor, one, pricing):
            start, item = delivery.origins[one.name], DTYPES[one.dtype]
            steps = redistribute(start, where, one.leaves, pricing.grid.space, item)
            spent = _bytes_moved(Served(served.need, steps, served.stacks), one, pricing)
            if spent < best:
                best, source = spent, one
    if source is tensor:
        return None
    return Late(
        _site(reader, pieces, pricing),
        reader.layer.name,
        pricing.grid.shown(dict.fromkeys(pieces)),
        maker,
        source,
        tensor,
        now,
        best,
        _whole_bytes(tensor, pricing),
    )


def _sources(
    maker: Layer, tensor: Tensor, wanted: Layout, makers: Mapping[str, Layer], pricing: Pricing
) -> Iterator[tuple[Tensor, Layout]]:
    """What a variable is copied from, nearest first, each with the layout that gives the wanted
    one without a further move."""
    step: Layer | None = maker
    while step is not None and step.operator.kind in COPIES:
        (operand,) = step.operands
        source = pricing.tensors[operand.tensor]
        if None in operand.leaves:
            return
        inside = dict(zip(tensor.leaves, step.operator.output, strict=True))
        back = {r: o for r, o in zip(operand.leaves, source.leaves, strict=True) if r is not None}
        wanted = wanted.renamed(inside).only(back).renamed(back)
        yield source, wanted
        tensor, step = source, makers.get(source.name)


def _whole_bytes(tensor: Tensor, pricing: Pricing) -> int | None:
    """Bytes of a variable; None where its size or that of an axis is symbolic."""
    size = bytes_of(tensor, EVERYWHERE, pricing.grid)
    known = all(isinstance(nodes, int) for nodes in pricing.grid.space.sizes.values())
    return int(size) if known and is_number(size) else None


def _larger(one: Tensor, other: Tensor, pricing: Pricing) -> bool:
    sizes = (generic(bytes_of(tensor, EVERYWHERE, pricing.grid)) for tensor in (one, other))
    return next(sizes) > next(sizes)


def _bytes_moved(served: Served, tensor: Tensor, pricing: Pricing) -> Fraction:
    """Bytes that the steps move on the busiest device, in all turns."""
    space, item = pricing.grid.space, DTYPES[tensor.dtype]
    once = sum((moved(step, tensor.leaves, space, item) for step in served.steps), Fraction(0))
    return once * generic(pricing.busiest_turns(served.stacks))


def _site(reader: Placed, pieces: tuple[str, ...], pricing: Pricing) -> Site:
    """The clause that has the layer's operands moved, else the layer."""
    for said in reader.layer.assignments:
        if not set(pieces).isdisjoint(pricing.grid.covers.get(said.axis, ())):
            return site_of(reader, said)
    return reader.layer.site


def _finding(lates: list[Late], pricing: Pricing) -> Finding:
    first = lates[0]
    sizes = [late.full for late in lates]
    known = [size for size in sizes if size is not None]
    now = sum((late.now for late in lates), Fraction(0))
    best = sum((late.best for late in lates), Fraction(0))
    ways = pricing.grid.space.group(
        piece for axis in first.axes for piece in pricing.grid.covers[axis]
    )
    figures = saving(now, best, sum(known), ways) if len(known) == len(sizes) else {"factor": None}
    facts: dict[str, Datum] = {
        "layer": first.layer,
        "tensor": tuple(dict.fromkeys(late.tensor.label for late in lates)),
        "axis": ",".join(first.axes),
        "before": tuple(dict.fromkeys(late.source.label for late in lates)),
        **figures,
    }
    related = tuple(
        Related(site, f"{late.source.label} becomes {late.tensor.label} here")
        for late in lates
        for site in [late.maker.site]
    )
    return Finding("hidden_comm", first.site, tuple(facts.items()), related)

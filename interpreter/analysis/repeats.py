"""Repeats: variables that are moved after a copy has made them larger.

A copy may repeat a variable along a new dimension (kv heads for the query heads that share them) or
widen its elements. Moving it first and copying it where it is read moves less: `hidden_comm`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from parspec.grammar.values import value
from parspec.interpreter.analysis.communication import saving, site_of
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.outline import Outline
from parspec.interpreter.analysis.sections import Inferred, Section
from parspec.interpreter.analysis.serving import Served
from parspec.interpreter.analysis.sizes import bytes_of, item_bytes
from parspec.interpreter.diagnostics.findings import Datum, Finding, Related, Site
from parspec.interpreter.spec.model import Layer, Tensor
from parspec.interpreter.theory.formulas import is_number, numeric
from parspec.interpreter.theory.layouts import EVERYWHERE, Layout
from parspec.interpreter.theory.redistribution import Step, moved, redistribute

COPIES = ("copy", "scale")


@value
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


def copies_in(outline: Outline) -> Mapping[str, Layer]:
    """The layers of a part that only copy, by the variables that they make."""
    return {layer.out: layer for layer in outline.layers if layer.operator.kind in COPIES}


def repeat_findings(inferred: Inferred, copies: Iterable[Mapping[str, Layer]]) -> Iterator[Finding]:
    """A finding for each place and axes where enlarged copies are moved; `copies`: the layers of
    all parts that only copy."""
    makers = {name: layer for found in copies for name, layer in found.items()}
    if not makers:
        return
    together: dict[tuple[Site, tuple[str, ...]], list[Late]] = {}
    for section in inferred.sections:
        for served in section.routed.served:
            if served.need.tensor in makers and served.need.operand >= 0:
                late = _late(served, section, makers, inferred)
                if late is not None:
                    together.setdefault((late.site, late.axes), []).append(late)
    for lates in together.values():
        yield _finding(lates, inferred.grid)


def _late(
    served: Served, section: Section, makers: Mapping[str, Layer], inferred: Inferred
) -> Late | None:
    """What is wrong with a move, if it is of an enlarged copy and its source would move less."""
    tensor, grid = section.tensors[served.need.tensor], inferred.grid
    pieces = tuple(a for step in served.steps if step.primitive is not None for a in step.axes)
    if not pieces:
        return None
    maker = makers[tensor.name]
    reader = section.inference.placed(served.need.layer)
    turns = numeric(section.busiest_turns(served.stacks))
    now = _bytes_moved(served.steps, tensor, grid) * turns
    best, source = now, tensor
    for one, where in _sources(maker, tensor, served.need.layout, makers, inferred):
        if _larger(tensor, one, grid):
            start, item = inferred.origin(one.name), item_bytes(one)
            steps = redistribute(start, where, one.leaves, grid.space, item)
            spent = _bytes_moved(steps, one, grid) * turns
            if spent < best:
                best, source = spent, one
    if source is tensor:
        return None
    return Late(
        _site(reader, pieces, grid),
        reader.layer.name,
        grid.shown(dict.fromkeys(pieces)),
        maker,
        source,
        tensor,
        now,
        best,
        _whole_bytes(tensor, grid),
    )


def _sources(
    maker: Layer, tensor: Tensor, wanted: Layout, makers: Mapping[str, Layer], inferred: Inferred
) -> Iterator[tuple[Tensor, Layout]]:
    """What a variable is copied from, nearest first, each with the layout that gives the wanted
    one without a further move."""
    step: Layer | None = maker
    while step is not None and step.operator.kind in COPIES:
        (operand,) = step.operands
        source = inferred.tensor(operand.tensor)
        if None in operand.leaves:
            return
        inside = dict(zip(tensor.leaves, step.operator.output, strict=True))
        back = {r: o for r, o in zip(operand.leaves, source.leaves, strict=True) if r is not None}
        wanted = wanted.renamed(inside).only(back).renamed(back)
        yield source, wanted
        tensor, step = source, makers.get(source.name)


def _whole_bytes(tensor: Tensor, grid: Grid) -> int | None:
    """Bytes of a variable; None where its size or that of an axis is symbolic."""
    size = bytes_of(tensor, EVERYWHERE, grid)
    known = all(isinstance(nodes, int) for nodes in grid.sizes.values())
    return int(size) if known and is_number(size) else None


def _larger(one: Tensor, other: Tensor, grid: Grid) -> bool:
    sizes = (numeric(bytes_of(tensor, EVERYWHERE, grid)) for tensor in (one, other))
    return next(sizes) > next(sizes)


def _bytes_moved(steps: Iterable[Step], tensor: Tensor, grid: Grid) -> Fraction:
    """Bytes that the steps move on the busiest device."""
    item = item_bytes(tensor)
    return sum((moved(step, tensor.leaves, grid.space, item) for step in steps), Fraction(0))


def _site(reader: Placed, pieces: tuple[str, ...], grid: Grid) -> Site:
    """The clause that has the layer's operands moved, else the layer."""
    for said in reader.layer.assignments:
        if not set(pieces).isdisjoint(grid.covers.get(said.axis, ())):
            return site_of(reader, said)
    return reader.layer.site


def _finding(lates: list[Late], grid: Grid) -> Finding:
    first = lates[0]
    sizes = [late.full for late in lates]
    known = [size for size in sizes if size is not None]
    now = sum((late.now for late in lates), Fraction(0))
    best = sum((late.best for late in lates), Fraction(0))
    ways = grid.space.group(piece for axis in first.axes for piece in grid.covers[axis])
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

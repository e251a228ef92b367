"""Hover on a dimension: its size, what it is made of, which layers and stacks split it on which
axes, which variables lie split along it, whose turns it is, and which variables it indexes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import partial
from typing import NamedTuple

from parspec.interpreter.analysis.pipeline import pipeline_of
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.output.wording.quantities import sized
from parspec.interpreter.spec.model import Dim, Stack
from parspec.interpreter.theory.formulas import Amount, ceil_divide, is_number, reader
from parspec.lsp.facts import Facts
from parspec.lsp.features.hovers.subject import Place, Subject, first_names, listed, paragraph
from parspec.lsp.features.prices import DOT
from parspec.lsp.features.prose import Block, Code, Table, code, note
from parspec.lsp.features.written import comment
from parspec.lsp.parts import grouped

_NAMES = 4  # layers or stacks that a row names


def dimension(name: str, place: Place) -> Subject | None:
    """A dimension by name."""
    dim = place.facts.dims.get(name)
    if dim is None:
        return None
    head: tuple[Block, ...] = (
        Code(f"dim {sized(dim.name, dim.size)}{_held(dim)}"),
        *paragraph(*_made_of(dim, place.facts)),
        note(comment(dim.name, dim.site, place.snapshot)),
    )
    return Subject(head, partial(_details, name), partial(_brief, name))


def _held(dim: Dim) -> str:
    """How it may be cut."""
    unit = f" unit {dim.unit}" if dim.unit != 1 else ""
    padded = f" padded to {reader(dim.extent)}" if dim.padded else ""
    return f"{unit}{padded}{' uneven' if dim.uneven else ''}"


def _made_of(dim: Dim, facts: Facts) -> Iterator[str]:
    if len(dim.factors) > 1:
        leaves = (facts.dims[leaf] for leaf in dim.factors)
        yield f"{' · '.join(code(sized(leaf.name, leaf.size)) for leaf in leaves)}, major first"
    if dim.positions != dim.name:
        yield f"the positions of {code(dim.positions)}"
    if turning := listed(stack.name for stack in _stacks(dim.name, facts)):
        yield f"the turns of {turning}"
    if dim.padded and is_number(dim.extent) and is_number(dim.size):
        yield f"{dim.extent - dim.size} of {dim.extent} are padding"


def _details(name: str, facts: Facts) -> Iterator[Block]:
    rows = _split(name, facts)
    if rows:
        shown = tuple((cut.on, reader(cut.ways), cut.slice, _first(cut.by)) for cut in rows)
        yield Table(("split on", "ways", "slice", "by"), shown)
    elif facts.model.mesh.axes:
        yield from paragraph("not split")
    indexed = first_names(facts.holding(name))
    if indexed:
        yield from paragraph(f"in {indexed}")


def _brief(name: str, facts: Facts) -> str:
    dim = facts.dims.get(name)
    if dim is None:
        return ""
    cuts = (
        f"{'' if cut.dim == name else f'{code(cut.dim)} '}on {code(cut.on)} by "
        f"{plural(len(cut.by), cut.kind)}"
        for cut in _split(name, facts)
    )
    return DOT.join((reader(dim.size), *cuts))


class _Split(NamedTuple):
    """How a dimension or a factor of it is split: on which axes together, how many ways, what a
    node has of it, by which layers, stacks or variables at rest."""

    dim: str
    on: str
    ways: Amount
    slice: str
    kind: str
    by: Sequence[str]


def _split(name: str, facts: Facts) -> list[_Split]:
    """How layers, stacks and variables at rest split a dimension or its factors."""
    computed = [*_by_layers(name, facts), *_by_stacks(name, facts)]
    return [*computed, *_at_rest(name, {(cut.dim, cut.on) for cut in computed}, facts)]


def _by_layers(name: str, facts: Facts) -> Iterator[_Split]:
    dim = facts.dims.get(name)
    for leaf in dict.fromkeys((name, *(dim.factors if dim else ()))):
        for axes, layers in facts.splitting(leaf).items():
            ways = facts.ways(axes)
            yield _Split(leaf, " * ".join(axes), ways, _slice(leaf, ways, facts), "layer", layers)


def _by_stacks(name: str, facts: Facts) -> Iterator[_Split]:
    """How the stages of pipelines have the turns of stacks along a dimension."""
    stacks = _stacks(name, facts)
    if not stacks:
        return
    courses = pipeline_of(facts.model, facts.grid, stacks).courses
    ways = {stack: (one.axes, one.stages, one.busiest) for stack, one in courses.items()}
    for (axes, stages, turns), names in grouped(ways, lambda stack: [ways[stack]]).items():
        by = [f"stack {stack}" for stack in names]
        yield _Split(name, " * ".join(axes), stages, f"{name} {reader(turns)}", "stack", by)


def _stacks(name: str, facts: Facts) -> list[Stack]:
    """The stacks whose turns a dimension counts."""
    return [stack for part in facts.model.parts for stack in part.stacks if stack.dim == name]


def _at_rest(name: str, computed: Set[tuple[str, str]], facts: Facts) -> Iterator[_Split]:
    """How variables lie split before layers read them: weights as they are stored, the others where
    no layer splits the dimension likewise."""
    dim = facts.dims.get(name)
    for leaf in dict.fromkeys((name, *(dim.factors if dim else ()))):
        for axes, tensors in facts.cut_at_rest(leaf).items():
            on, ways = " * ".join(axes), facts.ways(axes)
            for role, held in grouped(tensors, lambda tensor: [tensor.role]).items():
                if role == "weight" or (leaf, on) not in computed:
                    labels = dict.fromkeys(tensor.label for tensor in held)
                    by = [f"{role} {label}" for label in labels]
                    yield _Split(leaf, on, ways, _slice(leaf, ways, facts), role, by)


def _slice(dim: str, ways: Amount, facts: Facts) -> str:
    """What a node has of a dimension, the largest slice where they differ."""
    if dim not in facts.dims:
        return "-"
    return f"{dim} {reader(ceil_divide(facts.dims[dim].extent, ways))}"


def _first(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMES])
    return shown if len(names) <= _NAMES else f"{shown} and {len(names) - _NAMES} more"

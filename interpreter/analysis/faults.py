"""Faults: what is wrong in one part of a plan once states are known, as findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from parspec.interpreter.analysis.alike import Alike
from parspec.interpreter.analysis.division import (
    Clauses,
    Division,
    Written,
    clauses_in,
    division_in,
)
from parspec.interpreter.analysis.grid import Pieces
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.sections import Routed, Section
from parspec.interpreter.analysis.sizes import item_bytes
from parspec.interpreter.diagnostics.findings import Datum, Finding, Related, Site
from parspec.interpreter.spec.model import Assignment, Layer, Stage, Tensor
from parspec.interpreter.theory.formulas import ceil_divide, generic, is_number, product
from parspec.interpreter.theory.layouts import FLAT, TURN, layout
from parspec.interpreter.theory.redistribution import SEARCHED, moved, redistribute
from parspec.interpreter.theory.rule import whole_dims


class IdleStore(NamedTuple):
    """A clause that stores nothing of a weight: what is found of it, and whether it names the
    weight (`own`) or reaches it as one of several."""

    finding: Finding
    own: bool


class Faults(NamedTuple):
    """The faults of a part by what they are about: clauses that give nodes twice, operands that
    disagree, dimensions needed whole, carries that do not settle, stores that do not divide,
    weights that lie on other stages than use them, stages that do not exist (of layers, of
    variables), padding that is counted, ways between layouts that are too many to look at; clauses
    that store weights on axes that cut them already; where those stand that do store something; and
    what its clauses ask to be divided."""

    reused: tuple[Finding, ...]
    disputes: tuple[Finding, ...]
    whole: tuple[Finding, ...]
    unsettled: tuple[Finding, ...]
    stores: tuple[Finding, ...]
    off_stage: tuple[Finding, ...]
    layer_stages: tuple[Finding, ...]
    tensor_stages: tuple[Finding, ...]
    padding: tuple[Finding, ...]
    far: tuple[Finding, ...]
    idle_stores: tuple[IdleStore, ...]
    stored: frozenset[Site]
    division: Division

    @property
    def found(self) -> bool:
        """Whether there are findings."""
        return any(self[:-2])


class UnsizedFaults(NamedTuple):
    """Those of the faults of a part that no size changes, and the clauses that ask for divisions:
    see `Faults`."""

    reused: tuple[Finding, ...]
    whole: tuple[Finding, ...]
    unsettled: tuple[Finding, ...]
    layer_stages: tuple[Finding, ...]
    tensor_stages: tuple[Finding, ...]
    far: tuple[Finding, ...]
    idle_stores: tuple[IdleStore, ...]
    stored: frozenset[Site]
    clauses: Alike[Clauses]


def unsized_faults(routed: Routed) -> UnsizedFaults:
    """The faults of a part that no size changes."""
    layers, pieces = routed.layers, routed.pieces
    tensors = routed.outline.tensors.values()
    return UnsizedFaults(
        tuple(_reused(layers, pieces)),
        tuple(_whole(layers)),
        tuple(_unsettled(routed)),
        tuple(stages_out_of_range((placed.layer.stage for placed in layers), pieces)),
        tuple(stages_out_of_range((tensor.stage for tensor in tensors), pieces)),
        tuple(_far(routed)),
        tuple(_idle_stores(routed)),
        frozenset(_stored(routed)),
        clauses_in(layers),
    )


def faults_in(section: Section, unsized: UnsizedFaults, written: Written) -> Faults:
    """The faults of a part; `written`: the sizes of views that do not fit the mesh."""
    return Faults(
        unsized.reused,
        tuple(_disputes(section)),
        unsized.whole,
        unsized.unsettled,
        tuple(_stores(section)),
        tuple(_off_stage(section)),
        unsized.layer_stages,
        unsized.tensor_stages,
        tuple(_padding(section)),
        unsized.far,
        unsized.idle_stores,
        unsized.stored,
        division_in(section.layers, unsized.clauses, section.grid, written),
    )


def _facts(**data: Datum) -> tuple[tuple[str, Datum], ...]:
    return tuple(data.items())


def _reused(layers: Iterable[Placed], pieces: Pieces) -> Iterator[Finding]:
    """Clauses of one statement that give the same nodes of a layer to two dimensions, under two
    names of an axis (a view and what it covers)."""
    for placed in layers:
        cuts = [said for said in placed.layer.assignments if said.dim is not None]
        for place, said in enumerate(cuts):
            nodes = set(pieces.covers.get(said.axis, ()))
            for before in cuts[:place]:
                both = nodes.intersection(pieces.covers.get(before.axis, ()))
                if both and before.dim != said.dim and _said_together(before, said):
                    facts = _facts(
                        axis=",".join(pieces.shown(sorted(both, key=pieces.rank.__getitem__))),
                        dim=said.dim,
                        other=before.dim,
                        layer=placed.layer.parent,
                    )
                    related = Related(before.site, f"{before.axis} is given to {before.dim} here")
                    yield Finding("axis_reused", said.site, facts, (related,))


def _said_together(first: Assignment, second: Assignment) -> bool:
    """Whether two clauses stand in one statement."""
    return (first.site.file, first.site.chunk) == (second.site.file, second.site.chunk)


def _disputes(section: Section) -> Iterator[Finding]:
    """Operands that disagree on what a layer follows, with the price of each choice."""
    for placed in section.inference.disputed:
        layer = placed.layer
        for dispute in placed.placement.disputes:
            labels = [section.tensors[operand.tensor].label for operand in layer.operands]
            related = tuple(
                Related(operand.site, f"{tensor.label} arrives as {state}")
                for operand in layer.operands
                for tensor in [section.tensors[operand.tensor]]
                for state in [section.routed.origin(tensor.name).state(dispute.axis)]
                if tensor.role != "weight"
            )
            yield Finding(
                "operands_disagree",
                layer.site,
                _facts(
                    layer=layer.name,
                    axis=dispute.axis,
                    choices=tuple((labels[place], dim) for place, dim in dispute.choices),
                    prices=tuple(
                        _choice_price(placed, dispute.axis, dim, section)
                        for _, dim in dispute.choices
                    ),
                ),
                related,
            )


def _choice_price(placed: Placed, axis: str, dim: str, section: Section) -> int | None:
    """Bytes per device that the operands move when the layer is cut along a dimension."""
    if dim not in placed.layer.operator.dims:
        return None
    spent = 0
    for operand, where in zip(placed.layer.operands, placed.inputs, strict=True):
        tensor = section.tensors[operand.tensor]
        if tensor.role == "weight":
            continue
        own = {r: o for r, o in zip(operand.leaves, tensor.leaves, strict=True) if r is not None}
        left = where.without({axis})
        cuts = dict(left.cuts)
        if dim in operand.leaves:
            cuts[dim] = (*cuts.get(dim, ()), axis)
        wanted = layout(cuts, left.partial, left.central, left.zigzag).renamed(own)
        source, item = section.routed.origin(tensor.name), item_bytes(tensor)
        space = section.grid.space
        steps = redistribute(source, wanted, tensor.leaves, space, item)
        spent += int(sum(moved(step, tensor.leaves, space, item) for step in steps))
    return spent


def _whole(layers: Iterable[Placed]) -> Iterator[Finding]:
    """Clauses that cut a dimension which the function needs whole."""
    for placed in layers:
        whole = whole_dims(placed.layer.operator)
        for said in placed.layer.assignments if whole else ():
            if said.saying == "partition" and said.dim in whole:
                yield Finding(
                    "needs_whole",
                    said.site,
                    _facts(
                        layer=placed.layer.name,
                        function=placed.layer.operator.function,
                        dim=said.dim,
                        axis=said.axis,
                    ),
                )


def _unsettled(routed: Routed) -> Iterator[Finding]:
    for one in routed.inference.unsettled:
        carry = routed.tensors[one.stack.carry]
        yield Finding(
            "carry_unsettled",
            one.stack.site,
            _facts(
                stack=one.stack.name,
                carry=carry.label,
                states=tuple(
                    ", ".join(f"{a}: {state.state(a)}" for a in routed.pieces.sizes)
                    for state in one.states
                ),
            ),
        )


def _stores(section: Section) -> Iterator[Finding]:
    """Variables stored along a dimension that does not divide."""
    grid = section.grid
    for tensor in section.outline.said_of:
        for said in tensor.rest:
            if said.saying != "store" or said.dim is None or said.axis not in grid.covers:
                continue
            dim = grid.by_name[said.dim]
            ways = grid.space.group(grid.covers[said.axis])
            if not isinstance(dim.extent, int) or not isinstance(ways, int) or ways == 1:
                continue
            if dim.extent % (ways * dim.unit) and not (dim.uneven or dim.padded):
                yield Finding(
                    "uneven_split",
                    said.site,
                    _facts(dim=dim.name, axis=said.axis, sizes=_slices(dim.extent, dim.unit, ways)),
                    (Related(dim.site, f"{dim.name} is declared here"),),
                )


class _Store(NamedTuple):
    """A clause that stores a weight, with the pieces on which it does, and those that cut the
    weight along another dimension: (piece, dimension)."""

    tensor: Tensor
    said: Assignment
    taken: tuple[str, ...]
    others: tuple[tuple[str, str], ...]


def _weights_stored(routed: Routed) -> Iterator[_Store]:
    pieces = routed.pieces
    for tensor in routed.outline.said_of:
        for said in tensor.rest:
            if said.saying == "store" and said.axis in pieces.covers:
                along = (
                    {FLAT} if said.dim is None else {leaf for leaf, _ in pieces.leaves[said.dim]}
                )
                lies = routed.origin(tensor.name)
                every = ((piece, lies.state(piece).dim) for piece in pieces.covers[said.axis])
                cuts = tuple((piece, dim) for piece, dim in every if dim is not None)
                taken = tuple(piece for piece, dim in cuts if dim in along)
                others = tuple((piece, dim) for piece, dim in cuts if dim not in along)
                yield _Store(tensor, said, taken, others)


def _stored(routed: Routed) -> Iterator[Site]:
    """Where clauses stand that store something."""
    return (store.said.site for store in _weights_stored(routed) if store.taken)


def _idle_stores(routed: Routed) -> Iterator[IdleStore]:
    """Clauses that store weights on axes on which the layers that read them cut them already."""
    for tensor, said, _, others in _weights_stored(routed):
        for dim in dict.fromkeys(dim for _, dim in others):
            taken = tuple(piece for piece, other in others if other == dim)
            axis = ",".join(routed.pieces.shown(taken))
            facts = _facts(axis=axis, dim=said.dim, other=dim, layer=tensor.label)
            readers = (
                Related(placed.layer.site, f"{axis} is given to {dim} here")
                for placed in routed.layers
                if any(operand.tensor == tensor.name for operand in placed.layer.operands)
            )
            related = tuple(islice(readers, 1))
            yield IdleStore(Finding("axis_reused", said.site, facts, related), said.origin == "own")


def _slices(size: int, unit: int, ways: int) -> tuple[int, ...]:
    """Ceil-sized slices, the last short or empty; at most the first sixteen."""
    units = ceil_divide(size, unit)
    each = int(generic(ceil_divide(units, ways) * unit))
    return tuple(max(0, min(each, size - node * each)) for node in range(min(ways, 16)))


def _off_stage(section: Section) -> Iterator[Finding]:
    """Weights declared to lie on fewer stages than use them: weights do not travel."""
    axes = section.routed.pipeline.axes
    if not axes:
        return
    for need in section.inference.needs:
        tensor = section.tensors[need.tensor]
        for axis in axes if tensor.role == "weight" else ():
            lies, wants = section.routed.origin(tensor.name).state(axis), need.layout.state(axis)
            if (
                lies.letter == "C"
                and wants.letter == "C"
                and not set(wants.nodes) <= set(lies.nodes)
            ):
                extra = section.grid.space.local(tensor.leaves, need.layout) * item_bytes(tensor)
                yield Finding(
                    "weight_not_on_stage",
                    section.routed.site(need),
                    _facts(
                        tensor=tensor.label,
                        stage=_nodes(wants.nodes),
                        stages=_nodes(lies.nodes),
                        extra_bytes=int(extra) if is_number(extra) else None,
                    ),
                    (Related(tensor.site, f"{tensor.label} is declared here"),),
                )


def _nodes(nodes: tuple[object, ...]) -> str:
    return ", ".join("each" if node == TURN else str(node) for node in nodes)


def stages_out_of_range(stages: Iterable[Stage | None], pieces: Pieces) -> Iterator[Finding]:
    """`at pp[4]` on a pipeline of four stages, which count from 0."""
    for stage in stages:
        if stage is None:
            continue
        nodes = product(pieces.sizes[piece] for piece in pieces.covers.get(stage.axis, ()))
        if isinstance(nodes, int) and stage.index >= nodes:
            facts = _facts(axis=stage.axis, stage=stage.index, stages=nodes)
            yield Finding("stage_out_of_range", stage.site, facts)


def _padding(section: Section) -> Iterator[Finding]:
    """Padding that a sum or a function along a dimension would count."""
    grid = section.grid
    if not grid.padded:
        return
    for placed in section.layers:
        for name in _counted(placed.layer, section):
            dim = grid.by_name[name]
            if not dim.padded or not isinstance(dim.extent, int) or not isinstance(dim.size, int):
                continue
            pad = dim.extent - dim.size
            ways = grid.space.group(dict(placed.placement.cuts).get(name, ()))
            if pad:
                yield Finding(
                    "pad_reaches_reduction",
                    placed.layer.site,
                    _facts(
                        layer=placed.layer.name,
                        function=placed.layer.operator.function or "sum",
                        dim=name,
                        padded=dim.extent,
                        pad=pad,
                        remainder=dim.size % ways if isinstance(ways, int) else None,
                    ),
                    (Related(dim.site, f"{name} is declared here"),),
                )


def _counted(layer: Layer, section: Section) -> tuple[str, ...]:
    """The dimensions whose every element, padding too, goes into the layer's result."""
    operator = layer.operator
    if operator.kind == "along":
        return () if operator.masked else operator.over
    if operator.kind != "einsum":
        return ()
    weighted = {
        leaf
        for operand in layer.operands
        if section.tensors[operand.tensor].role == "weight"
        for leaf in operand.leaves
    }
    return tuple(dim for dim in operator.summed if dim not in weighted)


def _far(routed: Routed) -> Iterator[Finding]:
    """Variables that are brought to layers without a look at all ways, each where it is read."""
    for served in routed.served:
        if not routed.uses[served.need.tensor].thorough:
            tensor = routed.tensors[served.need.tensor]
            what = f"steps that may lead {tensor.label} to where it is needed"
            yield Finding("over_limit", routed.site(served.need), _facts(what=what, limit=SEARCHED))

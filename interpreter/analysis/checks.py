"""Checks: what is wrong with a plan once states are known, as findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from parspec.interpreter.analysis.batch import batch_findings, without_batch
from parspec.interpreter.analysis.communication import communication_findings
from parspec.interpreter.analysis.division import HIGHEST_DEGREE, division_findings
from parspec.interpreter.analysis.flops import executed_flops
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.moves import Pricing, output_layout
from parspec.interpreter.analysis.pipeline import Course, stacks_of
from parspec.interpreter.analysis.repeats import repeat_findings
from parspec.interpreter.analysis.serving import Delivery
from parspec.interpreter.analysis.topology import topology_findings
from parspec.interpreter.diagnostics.findings import Datum, Finding, Related, Site
from parspec.interpreter.spec.model import Layer, Model, Tensor
from parspec.interpreter.spec.settings import DTYPES
from parspec.interpreter.theory.formulas import Amount, ceil_divide, generic, is_number
from parspec.interpreter.theory.layouts import TURN, layout
from parspec.interpreter.theory.redistribution import moved, redistribute
from parspec.interpreter.theory.rule import whole_dims

REPEATED_SHARE = 0.05  # work repeated on nodes of an axis is a warning above this share of FLOPs


def check_all(
    model: Model, grid: Grid, pricing: Pricing, delivery: Delivery
) -> tuple[Finding, ...]:
    """Every finding of the analysis but those of `expect`s."""
    layers = pricing.inference.layers
    batch = tuple(batch_findings(model, grid, pricing.inference))
    return (
        *topology_findings(model),
        *without_batch(division_findings(layers, grid, model.mesh), batch),
        *_reused(layers, grid),
        *_disputes(pricing, delivery),
        *_whole(layers),
        *_unsettled(pricing),
        *_layers_lost(model, pricing),
        *_stores(model, grid),
        *_off_stage(pricing, delivery),
        *_stages_out_of_range(model, pricing),
        *_padding(layers, grid, pricing.tensors),
        *_partial_left(model, pricing, delivery),
        *batch,
        *(() if model.doubt else _avoidable(model, grid, pricing, delivery)),
    )


def _avoidable(model: Model, grid: Grid, pricing: Pricing, delivery: Delivery) -> Iterator[Finding]:
    """Communication that another clause or another order of layers makes less, repeated work."""
    yield from communication_findings(model, grid, pricing, delivery)
    yield from repeat_findings(pricing, delivery)
    yield from _repeated(pricing.inference.layers, grid)


def _facts(**data: Datum) -> tuple[tuple[str, Datum], ...]:
    return tuple(data.items())


def _reused(layers: Iterable[Placed], grid: Grid) -> Iterator[Finding]:
    """Clauses of one layer that give the same nodes to two dimensions, under two names of an axis
    (a view and what it covers)."""
    for placed in layers:
        own = [a for a in placed.layer.assignments if a.origin == "own" and a.dim is not None]
        for place, said in enumerate(own):
            pieces = set(grid.covers.get(said.axis, ()))
            for before in own[:place]:
                both = pieces.intersection(grid.covers.get(before.axis, ()))
                if both and before.axis != said.axis and before.dim != said.dim:
                    facts = _facts(
                        axis=",".join(grid.shown(sorted(both, key=grid.space.rank.__getitem__))),
                        dim=said.dim,
                        other=before.dim,
                        layer=placed.layer.parent,
                    )
                    related = Related(before.site, f"{before.axis} is given to {before.dim} here")
                    yield Finding("axis_reused", said.site, facts, (related,))


def _disputes(pricing: Pricing, delivery: Delivery) -> Iterator[Finding]:
    """Operands that disagree on what a layer follows, with the price of each choice."""
    for placed in pricing.inference.layers:
        for dispute in placed.placement.disputes:
            related = tuple(
                Related(operand.site, f"{tensor.label} arrives as {state}")
                for operand in placed.layer.operands
                for tensor in [pricing.tensors[operand.tensor]]
                for state in [delivery.origins[tensor.name].state(dispute.axis)]
                if tensor.role != "weight"
            )
            prices = tuple(
                _choice_price(placed, dispute.axis, dim, pricing, delivery)
                for _, dim in dispute.choices
            )
            yield Finding(
                "operands_disagree",
                placed.layer.site,
                _facts(
                    layer=placed.layer.name,
                    axis=dispute.axis,
                    choices=dispute.choices,
                    prices=prices,
                ),
                related,
            )


def _choice_price(
    placed: Placed, axis: str, dim: str, pricing: Pricing, delivery: Delivery
) -> int | None:
    """Bytes per device that the operands move when the layer is cut along a dimension."""
    if dim not in placed.layer.operator.dims:
        return None
    spent = 0
    for operand, where in zip(placed.layer.operands, placed.inputs, strict=True):
        tensor = pricing.tensors[operand.tensor]
        if tensor.role == "weight":
            continue
        own = {r: o for r, o in zip(operand.leaves, tensor.leaves, strict=True) if r is not None}
        left = where.without({axis})
        cuts = dict(left.cuts)
        if dim in operand.leaves:
            cuts[dim] = (*cuts.get(dim, ()), axis)
        wanted = layout(cuts, left.partial, left.central, left.zigzag).renamed(own)
        source, item = delivery.origins[tensor.name], DTYPES[tensor.dtype]
        space = pricing.grid.space
        steps = redistribute(source, wanted, tensor.leaves, space, item)
        spent += int(sum(moved(step, tensor.leaves, space, item) for step in steps))
    return spent


def _whole(layers: Iterable[Placed]) -> Iterator[Finding]:
    """Clauses that cut a dimension which the function needs whole."""
    for placed in layers:
        whole = whole_dims(placed.layer.operator)
        for said in placed.layer.assignments:
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


def _unsettled(pricing: Pricing) -> Iterator[Finding]:
    for one in pricing.inference.unsettled:
        carry = pricing.tensors[one.stack.carry]
        yield Finding(
            "carry_unsettled",
            one.stack.site,
            _facts(
                stack=one.stack.name,
                carry=carry.label,
                states=tuple(
                    ", ".join(f"{a}: {state.state(a)}" for a in pricing.grid.space.sizes)
                    for state in one.states
                ),
            ),
        )


def _layers_lost(model: Model, pricing: Pricing) -> Iterator[Finding]:
    """Stacks whose layers are not all dealt out to stages."""
    listed = {stages.axis: stages.site for stages in model.stages}
    for stack in stacks_of(model.items):
        course = pricing.inference.pipeline.courses.get(stack.name)
        if course is None or not course.chunks or not isinstance(course.layers, int):
            continue
        axis = ",".join(pricing.grid.shown(course.axes))
        built = _built(course, axis in listed)
        allowed = stack.uneven or pricing.grid.by_name[stack.dim].uneven
        if built != course.layers and (axis in listed or not allowed):
            stages = course.stages
            yield Finding(
                "layers_lost",
                listed.get(axis, stack.site),
                _facts(
                    stack=stack.name,
                    axis=axis,
                    layers=course.layers,
                    stages=stages if isinstance(stages, int) else None,
                    built=built,
                    lost=course.layers - built,
                    remainder=course.layers - built,
                    **_valid_chunks(course.layers, stages),
                ),
                (Related(pricing.grid.by_name[stack.dim].site, f"{stack.dim} is declared here"),),
            )


def _built(course: Course, explicit: bool) -> int:
    """The layers that stages build: as listed, else as many as divide into equal chunks."""
    if explicit:
        return sum(count for _, count in course.chunks)
    assert isinstance(course.layers, int)
    return course.layers // len(course.chunks) * len(course.chunks)


def _valid_chunks(layers: int, stages: Amount) -> dict[str, Datum]:
    """The sizes of equal chunks that deal out all layers, if the stages divide them."""
    if not isinstance(stages, int) or layers % stages:
        return {}
    each = layers // stages
    sizes = range(1, min(each, HIGHEST_DEGREE) + 1)
    return {"valid_chunk": tuple(size for size in sizes if each % size == 0)}


def _stores(model: Model, grid: Grid) -> Iterator[Finding]:
    """Variables stored along a dimension that does not divide."""
    for tensor in model.tensors:
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


def _slices(size: int, unit: int, ways: int) -> tuple[int, ...]:
    """Ceil-sized slices, the last short or empty; at most the first sixteen."""
    units = ceil_divide(size, unit)
    each = int(generic(ceil_divide(units, ways) * unit))
    return tuple(max(0, min(each, size - node * each)) for node in range(min(ways, 16)))


def _off_stage(pricing: Pricing, delivery: Delivery) -> Iterator[Finding]:
    """Weights declared to lie on fewer stages than use them: weights do not travel."""
    stage_axes = pricing.inference.pipeline.axes
    for need in pricing.inference.needs:
        tensor = pricing.tensors[need.tensor]
        if tensor.role != "weight":
            continue
        for axis in stage_axes:
            lies = delivery.origins[tensor.name].state(axis)
            wants = need.layout.state(axis)
            if (
                lies.letter == "C"
                and wants.letter == "C"
                and not set(wants.nodes) <= set(lies.nodes)
            ):
                extra = pricing.grid.space.local(tensor.leaves, need.layout) * DTYPES[tensor.dtype]
                yield Finding(
                    "weight_not_on_stage",
                    _operand_site(pricing, need.layer, need.operand),
                    _facts(
                        tensor=tensor.label,
                        stage=_nodes(wants.nodes),
                        stages=_nodes(lies.nodes),
                        extra_bytes=int(extra) if is_number(extra) else None,
                    ),
                    (Related(tensor.site, f"{tensor.label} is declared here"),),
                )


def _stages_out_of_range(model: Model, pricing: Pricing) -> Iterator[Finding]:
    """`at pp[4]` on a pipeline of four stages, which count from 0."""
    layers = (placed.layer.stage for placed in pricing.inference.layers)
    resting = (tensor.stage for tensor in model.tensors)
    outputs = (output.stage for output in model.outputs)
    seen: set[Site] = set()
    for stage in (*layers, *resting, *outputs):
        if stage is None or stage.site in seen:
            continue
        seen.add(stage.site)
        stages = pricing.grid.space.group(pricing.grid.covers.get(stage.axis, ()))
        if isinstance(stages, int) and stage.index >= stages:
            facts = _facts(axis=stage.axis, stage=stage.index, stages=stages)
            yield Finding("stage_out_of_range", stage.site, facts)


def _nodes(nodes: tuple[object, ...]) -> str:
    return ", ".join("each" if node == TURN else str(node) for node in nodes)


def _operand_site(pricing: Pricing, layer: str, operand: int) -> Site:
    placed = next(p for p in pricing.inference.layers if p.layer.name == layer)
    return placed.layer.operands[operand].site


def _padding(
    layers: Iterable[Placed], grid: Grid, tensors: Mapping[str, Tensor]
) -> Iterator[Finding]:
    """Padding that a sum or a function along a dimension would count."""
    for placed in layers:
        for name in _counted(placed.layer, tensors):
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


def _counted(layer: Layer, tensors: Mapping[str, Tensor]) -> tuple[str, ...]:
    """The dimensions whose every element, padding too, goes into the layer's result."""
    operator = layer.operator
    if operator.kind == "along":
        return () if operator.masked else operator.over
    if operator.kind != "einsum":
        return ()
    weighted = {
        leaf
        for operand in layer.operands
        if tensors[operand.tensor].role == "weight"
        for leaf in operand.leaves
    }
    return tuple(dim for dim in operator.summed if dim not in weighted)


def _partial_left(model: Model, pricing: Pricing, delivery: Delivery) -> Iterator[Finding]:
    """Outputs left partial without saying so."""
    for output in model.outputs:
        _, wanted = output_layout(pricing, delivery.origins, output)
        said = {piece for s in output.rest for piece in pricing.grid.covers.get(s.axis, ())}
        for axis, _ in wanted.partial:
            if axis not in said:
                yield Finding(
                    "partial_left",
                    output.site,
                    _facts(tensor=pricing.tensors[output.tensor].label, axis=axis),
                )


def _repeated(layers: tuple[Placed, ...], grid: Grid) -> Iterator[Finding]:
    """Work that nodes of an axis repeat, one finding an axis: the layers, and the share of all
    executed FLOPs that is done more than once."""
    flops = [generic(executed_flops(placed, grid)) for placed in layers]
    everything = sum(flops, start=generic(0))
    for axis, pieces in grid.axes:
        repeating = [
            (spent * (1 - 1 / generic(copies)), placed)
            for spent, placed in zip(flops, layers, strict=True)
            if (copies := _copies(placed, pieces, grid)) != 1
        ]
        if not repeating:
            continue
        worst = max(repeating, key=lambda one: one[0])[1]
        again = sum((spent for spent, _ in repeating), start=generic(0))
        if not again:
            continue
        yield Finding(
            "repeated_work",
            worst.layer.site,
            _facts(
                layer=worst.layer.name,
                axis=axis,
                share=float(again / everything),
                layers=tuple(dict.fromkeys(placed.layer.parent for _, placed in repeating)),
            ),
        )


def _copies(placed: Placed, pieces: tuple[str, ...], grid: Grid) -> Amount:
    """How many nodes of an axis compute the same slice of a layer."""
    central = dict(placed.placement.central)
    return grid.space.group(
        piece for piece in pieces if placed.placement.dim(piece) is None and piece not in central
    )

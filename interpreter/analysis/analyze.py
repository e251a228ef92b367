"""Analysis: the theory run over a model, put together into the one value that everyone reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from parspec.interpreter.analysis.checks import check_all
from parspec.interpreter.analysis.doubts import without_doubtful
from parspec.interpreter.analysis.expects import judge
from parspec.interpreter.analysis.figures import Figures
from parspec.interpreter.analysis.flops import Work, work_of
from parspec.interpreter.analysis.grid import Grid, build_grid
from parspec.interpreter.analysis.holes import Cost, fill
from parspec.interpreter.analysis.inference import Placed, infer
from parspec.interpreter.analysis.kinds import context_axes, kinds_of, strategies
from parspec.interpreter.analysis.liveness import fused_inside
from parspec.interpreter.analysis.memory import memory, over_memory
from parspec.interpreter.analysis.moves import Pricing, all_moves
from parspec.interpreter.analysis.pins import unpinned
from parspec.interpreter.analysis.pipeline import Pipeline
from parspec.interpreter.analysis.result import (
    Analysis,
    LayerResult,
    Memory,
    Move,
    StateOf,
    TensorResult,
    Totals,
    sum_known,
)
from parspec.interpreter.analysis.serving import deliver
from parspec.interpreter.analysis.sizes import bytes_of
from parspec.interpreter.spec.model import Device, Model, Tensor
from parspec.interpreter.theory.formulas import Amount, product, total
from parspec.interpreter.theory.layouts import EVERYWHERE, TURN, Layout, layout


def analyze(model: Model) -> Analysis:
    """The analysis of a model; holes are filled with their cheapest choice first."""
    filled = fill(model, _price)
    analysis = _analyze(filled.model)
    return replace(analysis, findings=(*analysis.findings, *filled.findings))


def _price(model: Model) -> Cost:
    """What a plan without holes costs."""
    grid = build_grid(model)
    inference = infer(model, grid)
    pricing = Pricing(model, grid, inference)
    moves = all_moves(model, grid, inference, deliver(model, grid, inference))
    device = _device(model)
    inside = fused_inside(inference.layers)
    work = [
        (work_of(placed, pricing, device, inside), placed.stacks) for placed in inference.layers
    ]
    return Cost(
        sum_known((*(done.time for done, _ in work), *(move.time for move in moves))),
        total(move.per_device for move in moves),
        total(done.flops * pricing.turns(stacks) for done, stacks in work),
    )


def _device(model: Model) -> Device | None:
    return next((one for one in model.devices if one.name == model.mesh.device), None)


def _analyze(model: Model) -> Analysis:
    """The analysis of a model without holes."""
    grid = build_grid(model)
    inference = infer(model, grid)
    delivery = deliver(model, grid, inference)
    pricing = Pricing(model, grid, inference)
    moves = all_moves(model, grid, inference, delivery)
    device = _device(model)
    kinds = kinds_of(model, pricing.tensors)
    context = context_axes(inference.layers, kinds, pricing.tensors)
    inside = fused_inside(inference.layers)
    layers = tuple(
        _layer(
            placed,
            work_of(placed, pricing, device, inside),
            strategies(placed, kinds, context, pricing.tensors, grid),
            pricing,
        )
        for placed in inference.layers
    )
    busiest, stages = memory(pricing, delivery.origins)
    tensors = tuple(_tensor(t, delivery.origins[t.name], pricing) for t in model.tensors)
    totals = _totals(model, grid, layers, moves, busiest, inference.pipeline)
    figures = Figures(model, grid, pricing.tensors, moves, layers, totals, delivery.origins)
    expects, judged = judge(model.expects, figures)
    checks = check_all(model, grid, pricing, delivery)
    fits = over_memory(model, busiest, device)
    own = without_doubtful((*checks, *fits, *judged, *unpinned(figures)), model)
    findings = (*model.findings, *own)
    return Analysis(model, layers, tensors, moves, totals, stages, expects, findings)


def _layer(
    placed: Placed, work: Work, named: tuple[tuple[str, str], ...], pricing: Pricing
) -> LayerResult:
    grid = pricing.grid
    partition = {name: dim for dim, axes in placed.placement.cuts for name in grid.shown(axes)}
    states = [
        StateOf(operand.tensor, "in", _shown(where, pricing.tensors[operand.tensor]))
        for operand, where in zip(placed.layer.operands, placed.inputs, strict=True)
    ]
    states.append(StateOf(placed.layer.out, "out", placed.output))
    return LayerResult(
        placed.layer.name,
        pricing.turns(placed.stacks),
        tuple(sorted(partition.items(), key=lambda cut: grid.place(cut[0]))),
        placed.placement.follows,
        named,
        tuple(states),
        work.bytes,
        work.flops,
        work.time,
    )


def _shown(where: Layout, tensor: Tensor) -> Layout:
    """A stacked weight of a pipelined stack lies in slices along the stack's dimension."""
    turns = {axis for axis, nodes in where.central if nodes == (TURN,)}
    if not turns or not tensor.stacked:
        return where
    left = where.without(turns)
    cuts = dict(left.cuts) | {tensor.stacked[0]: tuple(sorted(turns))}
    return layout(cuts, left.partial, left.central)


def _tensor(tensor: Tensor, where: Layout, pricing: Pricing) -> TensorResult:
    one = bytes_of(tensor, EVERYWHERE, pricing.grid)
    stacked = product(pricing.grid.by_name[dim].extent for dim in tensor.stacked)
    return TensorResult(
        tensor.name,
        tensor.label,
        tensor.role,
        tensor.dims,
        tensor.dtype,
        one * stacked,
        _shown(where, tensor),
        bytes_of(tensor, where, pricing.grid),
    )


def _totals(
    model: Model,
    grid: Grid,
    layers: Iterable[LayerResult],
    moves: Iterable[Move],
    busiest: Memory,
    pipeline: Pipeline,
) -> Totals:
    paid = [move for move in moves if move.primitive is not None]
    prices = [(move, dict(move.traffic)[model.cost]) for move in paid]
    compute = sum_known(layer.time for layer in layers)
    communication = sum_known(move.time for move in paid)
    staged = model.trains or bool(pipeline.courses)  # its time is that of a schedule
    step = None if staged else sum_known((compute, communication))
    return Totals(
        parameters(model, grid),
        (("forward", total(price for _, price in prices)), ("backward", None), ("update", None)),
        _grouped((",".join(move.axes), price) for move, price in prices),
        _grouped((move.primitive or "", price) for move, price in prices),
        busiest,
        compute,
        communication,
        None,
        step,
        None,
        None,
    )


def parameters(model: Model, grid: Grid) -> Amount:
    """How many parameters the weights have, padding left out, every turn of a stacked one."""
    sizes: Mapping[str, Amount] = {dim.name: dim.size for dim in model.dims}
    return total(
        product(sizes[dim] for dim in (*tensor.stacked, *tensor.leaves))
        for tensor in model.tensors
        if tensor.role == "weight"
    )


def _grouped(parts: Iterable[tuple[str, Amount]]) -> tuple[tuple[str, Amount], ...]:
    sums: dict[str, Amount] = {}
    for name, amount in parts:
        sums[name] = sums.get(name, 0) + amount
    return tuple(sums.items())

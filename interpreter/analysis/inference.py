"""Inference: every layer's placement and every variable's layout, in one walk over the model.

The walk follows what producers left, so it needs no prices: it ends with what each layer needs of
each variable. A stack's body is run until a turn leaves the state that it entered; all turns
are priced in that state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.pipeline import Pipeline, pipeline_of
from parspec.interpreter.analysis.placement import Arriving, Placement, place
from parspec.interpreter.analysis.rest import at_rest
from parspec.interpreter.spec.model import Item, Layer, Model, Operand, Stack, Tensor
from parspec.interpreter.theory.layouts import EVERYWHERE, TURN, Layout, Node, layout
from parspec.interpreter.theory.rule import Statistic, required

SETTLING_RUNS = 4  # a carry's state settles within so many turns or is refused


@dataclass(frozen=True, slots=True)
class Need:
    """A layer (or a stack's carry) needs a variable in a layout, given in the variable's own
    dimensions. `operand`: its place among the layer's operands, -1 for a carry."""

    tensor: str
    layout: Layout
    layer: str
    operand: int
    stacks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """A layer with its placement, the layouts it needs and leaves in its own dimensions, and the
    stacks that repeat it, outermost first."""

    layer: Layer
    placement: Placement
    inputs: tuple[Layout, ...]
    output: Layout
    statistics: tuple[Statistic, ...]
    stacks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A carry whose state does not settle: the states at the start of each turn."""

    stack: Stack
    states: tuple[Layout, ...]


@dataclass(frozen=True, slots=True)
class Inference:
    """The walk's result. `produced`: variables that layers leave, in their own dimensions;
    `pinned`: inputs, weights and caches as declared to lie; `stack_of`: produced variable to the
    stacks that repeat it, outermost first."""

    layers: tuple[Placed, ...]
    needs: tuple[Need, ...]
    produced: Mapping[str, Layout]
    pinned: Mapping[str, Layout]
    pipeline: Pipeline
    stack_of: Mapping[str, tuple[str, ...]]
    unsettled: tuple[Unsettled, ...]


@dataclass
class _Walk:
    """The walk's state: what has been produced so far, and what was noted on the way."""

    tensors: Mapping[str, Tensor]
    grid: Grid
    pipeline: Pipeline
    pinned: Mapping[str, Layout]
    produced: dict[str, Layout] = field(default_factory=dict)
    stack_of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    layers: list[Placed] = field(default_factory=list)
    needs: list[Need] = field(default_factory=list)
    unsettled: list[Unsettled] = field(default_factory=list)


def infer(model: Model, grid: Grid) -> Inference:
    """Walk a model."""
    tensors = {tensor.name: tensor for tensor in model.tensors}
    pipeline = pipeline_of(model, grid)
    pinned = {
        tensor.name: at_rest(tensor.rest, tensor.stage, tensor.leaves, grid, EVERYWHERE)
        for tensor in model.tensors
        if tensor.rest or tensor.stage
    }
    walk = _Walk(tensors, grid, pipeline, pinned)
    _walk_items(model.items, dict.fromkeys(pipeline.axes, 0), (), walk)
    return Inference(
        tuple(walk.layers),
        tuple(walk.needs),
        walk.produced,
        pinned,
        pipeline,
        walk.stack_of,
        tuple(walk.unsettled),
    )


def _walk_items(
    items: Iterable[Item],
    stages: Mapping[str, Node],
    stacks: tuple[str, ...],
    walk: _Walk,
) -> dict[str, Node]:
    """Walk layers and stacks in order; returns the stages that what follows runs on."""
    here = dict(stages)
    for item in items:
        if isinstance(item, Layer):
            _walk_layer(item, here, stacks, walk)
        else:
            _walk_stack(item, here, stacks, walk)
            here |= _ends(item.name, walk.pipeline)
    return here


def _ends(stack: str, pipeline: Pipeline) -> dict[str, Node]:
    """The stage axes of a stack with the stage of its last turn."""
    course = pipeline.courses.get(stack)
    return {} if course is None else dict.fromkeys(course.axes, course.ends[1])


def _walk_layer(
    layer: Layer, stages: Mapping[str, Node], stacks: tuple[str, ...], walk: _Walk
) -> None:
    """Place one layer, note what it needs and what it leaves."""
    tensors = [walk.tensors[operand.tensor] for operand in layer.operands]
    here = dict(stages)
    if layer.name in walk.pipeline.placed:
        here |= dict([walk.pipeline.placed[layer.name]])
    if layer.stage is not None:
        here |= dict.fromkeys(walk.grid.covers.get(layer.stage.axis, ()), layer.stage.index)
    arriving = [_arriving(o, t, walk) for o, t in zip(layer.operands, tensors, strict=True)]
    placement = place(layer, arriving, here, walk.grid)
    needs = required(layer.operator, dict(placement.cuts))
    inputs = tuple(_with(where, placement) for where in needs.inputs)
    output = _with(needs.output, placement)
    walk.layers.append(Placed(layer, placement, inputs, output, needs.statistics, stacks))
    for place_, (operand, tensor, where) in enumerate(
        zip(layer.operands, tensors, inputs, strict=True)
    ):
        own = where.renamed(_inverse(operand, tensor))
        if tensor.role == "cache":  # what lies in a cache is complete
            own = layout(dict(own.cuts), (), dict(own.central))
        walk.needs.append(Need(tensor.name, own, layer.name, place_, stacks))
    out = walk.tensors[layer.out]
    names = dict(zip(layer.operator.output, out.leaves, strict=True))
    walk.produced[out.name] = output.renamed(names)
    walk.stack_of[out.name] = stacks


def _arriving(operand: Operand, tensor: Tensor, walk: _Walk) -> Arriving:
    """An operand with the layout that its producer left, in the layer's dimensions."""
    known = walk.produced.get(tensor.name)
    declared = walk.pinned.get(tensor.name)
    weight = tensor.role == "weight"
    if known is None and not weight:
        known = declared
    stored = any(said.saying == "store" for said in tensor.rest)
    return Arriving(
        tensor.label,
        None if known is None else _read(known, operand, tensor),
        weight,
        None if declared is None or stored else _read(declared, operand, tensor),
    )


def _read(where: Layout, operand: Operand, tensor: Tensor) -> Layout:
    """A variable's layout in the dimensions that a layer reads it with; sliced ones drop out."""
    names = {own: read for own, read in zip(tensor.leaves, operand.leaves, strict=True) if read}
    return where.only(names).renamed(names)


def _inverse(operand: Operand, tensor: Tensor) -> dict[str, str]:
    return {read: own for own, read in zip(tensor.leaves, operand.leaves, strict=True) if read}


def _with(where: Layout, placement: Placement) -> Layout:
    """A layout of the dimension rule with the axes that one node computes, and those on which
    partial operands stay partial."""
    partial = dict(where.partial) | dict(placement.partial)
    return layout(dict(where.cuts), partial, dict(where.central) | dict(placement.central))


def _walk_stack(
    stack: Stack, stages: Mapping[str, Node], stacks: tuple[str, ...], walk: _Walk
) -> None:
    """Run a stack's body until the state of its carry settles, and note what comes out."""
    course = walk.pipeline.courses.get(stack.name)
    turn = {} if course is None else dict.fromkeys(course.axes, TURN)
    inside = {**stages, **turn}
    entry, carry, last = (walk.tensors[name] for name in (stack.entry, stack.carry, stack.last))
    arriving = walk.produced.get(entry.name, walk.pinned.get(entry.name, EVERYWHERE))
    state = _at_turn(layout(dict(arriving.cuts), (), dict(arriving.central)), turn)
    renamed = dict(zip(entry.leaves, carry.leaves, strict=True))
    back = dict(zip(last.leaves, carry.leaves, strict=True))
    state = state.renamed(renamed)
    states: list[Layout] = []
    inner = (*stacks, stack.name)
    while state not in states and len(states) < SETTLING_RUNS:
        states.append(state)
        body = _fork(walk)
        body.produced[carry.name] = state
        body.stack_of[carry.name] = inner
        _walk_items(stack.items, inside, inner, body)
        state = _at_turn(body.produced.get(last.name, state).renamed(back), turn)
    if state != states[-1]:
        walk.unsettled.append(Unsettled(stack, (*states, state)))
    walk.produced.update(body.produced)
    walk.stack_of.update(body.stack_of)
    walk.layers.extend(body.layers)
    wanted = states[-1].renamed({own: outer for outer, own in renamed.items()})
    first = _at_turn(wanted, {} if course is None else dict.fromkeys(course.axes, course.ends[0]))
    if entry.role in ("input", "weight"):
        first = layout(dict(first.cuts), (), dict(first.central))
    walk.needs.append(Need(entry.name, first, stack.name, -1, stacks))
    walk.needs.extend(body.needs)
    walk.unsettled.extend(body.unsettled)
    left = walk.produced.get(last.name, EVERYWHERE)
    walk.produced[last.name] = _at_turn(left, _ends(stack.name, walk.pipeline))


def _fork(walk: _Walk) -> _Walk:
    """A walk that continues from this one and notes what follows apart from it."""
    return replace(
        walk,
        produced=dict(walk.produced),
        stack_of=dict(walk.stack_of),
        layers=[],
        needs=[],
        unsettled=[],
    )


def _at_turn(where: Layout, nodes: Mapping[str, Node]) -> Layout:
    """The layout with the given stage axes on the given nodes."""
    if not nodes:
        return where
    cuts = {dim: tuple(a for a in axes if a not in nodes) for dim, axes in where.cuts}
    partial = {axis: kind for axis, kind in where.partial if axis not in nodes}
    central = dict(where.central) | {axis: (node,) for axis, node in nodes.items()}
    return layout(cuts, partial, central)

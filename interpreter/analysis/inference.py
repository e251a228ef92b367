"""Inference: every layer's placement and every variable's layout, in one walk over the model.

The walk follows what producers left, so it needs no prices: it ends with what each layer needs of
each variable. A stack's body is run until a turn leaves the state that it entered; all turns
are priced in that state.
"""

from __future__ import annotations

from collections import ChainMap
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
    """A layer with its placement, the layouts it needs and leaves, and the stacks that repeat it,
    outermost first. `inputs` and `output` are in the layer's dimensions, `read` and `made` are the
    same in the variables' own."""

    layer: Layer
    placement: Placement
    inputs: tuple[Layout, ...]
    output: Layout
    read: tuple[Layout, ...]
    made: Layout
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
    """The walk's state: what has been produced so far, and what was noted on the way. A stack's
    body has maps of its own in front of those of what stands around it."""

    tensors: Mapping[str, Tensor]
    grid: Grid
    pipeline: Pipeline
    pinned: Mapping[str, Layout]
    produced: ChainMap[str, Layout] = field(default_factory=ChainMap)
    stack_of: ChainMap[str, tuple[str, ...]] = field(default_factory=ChainMap)
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
        dict(walk.produced),
        pinned,
        pipeline,
        dict(walk.stack_of),
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
    read = tuple(map(_own, inputs, layer.operands, tensors))
    out = walk.tensors[layer.out]
    made = output.renamed(dict(zip(layer.operator.output, out.leaves, strict=True)))
    walk.layers.append(
        Placed(layer, placement, inputs, output, read, made, needs.statistics, stacks)
    )
    walk.needs.extend(
        Need(tensor.name, own, layer.name, operand, stacks)
        for operand, (tensor, own) in enumerate(zip(tensors, read, strict=True))
    )
    walk.produced[out.name] = made
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


def _own(where: Layout, operand: Operand, tensor: Tensor) -> Layout:
    """The layout that a layer reads a variable in, in the variable's own dimensions; what lies in a
    cache is complete."""
    names = {read: own for own, read in zip(tensor.leaves, operand.leaves, strict=True) if read}
    own = where.renamed(names)
    return own.complete() if tensor.role == "cache" else own


def _with(where: Layout, placement: Placement) -> Layout:
    """A layout of the dimension rule with the axes that one node computes, and those on which
    partial operands stay partial."""
    partial = dict(where.partial) | dict(placement.partial)
    central = dict(where.central) | dict(placement.central)
    return layout(dict(where.cuts), partial, central, placement.zigzag)


def _walk_stack(
    stack: Stack, stages: Mapping[str, Node], stacks: tuple[str, ...], walk: _Walk
) -> None:
    """Run a stack's body until the state of its carry settles, and note what comes out."""
    course = walk.pipeline.courses.get(stack.name)
    turn = {} if course is None else dict.fromkeys(course.axes, TURN)
    inside = {**stages, **turn}
    entry, carry, last = (walk.tensors[name] for name in (stack.entry, stack.carry, stack.last))
    arriving = walk.produced.get(entry.name, walk.pinned.get(entry.name, EVERYWHERE))
    inward = dict(zip(entry.leaves, carry.leaves, strict=True))
    outward = dict(zip(carry.leaves, entry.leaves, strict=True))
    onward = dict(zip(last.leaves, carry.leaves, strict=True))
    state = arriving.complete().at(turn).renamed(inward)
    states: list[Layout] = []
    inner = (*stacks, stack.name)
    while state not in states and len(states) < SETTLING_RUNS:
        states.append(state)
        body = _fork(walk)
        body.produced[carry.name] = state
        body.stack_of[carry.name] = inner
        _walk_items(stack.items, inside, inner, body)
        state = body.produced.get(last.name, state).renamed(onward).at(turn)
    if state != states[-1]:
        walk.unsettled.append(Unsettled(stack, (*states, state)))
    walk.produced.update(body.produced.maps[0])
    walk.stack_of.update(body.stack_of.maps[0])
    walk.layers.extend(body.layers)
    first = {} if course is None else dict.fromkeys(course.axes, course.ends[0])
    wanted = states[-1].renamed(outward).at(first)
    if entry.role in ("input", "weight"):
        wanted = wanted.complete()
    walk.needs.append(Need(entry.name, wanted, stack.name, -1, stacks))
    walk.needs.extend(body.needs)
    walk.unsettled.extend(body.unsettled)
    left = walk.produced.get(last.name, EVERYWHERE)
    walk.produced[last.name] = left.at(_ends(stack.name, walk.pipeline))


def _fork(walk: _Walk) -> _Walk:
    """A walk that continues from this one and notes what follows apart from it."""
    return replace(
        walk,
        produced=walk.produced.new_child(),
        stack_of=walk.stack_of.new_child(),
        layers=[],
        needs=[],
        unsettled=[],
    )

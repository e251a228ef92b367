"""Inference: every layer's placement and every variable's layout, in one walk over a part.

The walk follows what producers left, so it needs no prices and no sizes: it ends with what each
layer needs of each variable. A stack's body is run until a turn leaves the state that it entered;
all turns are priced in that state. Parts are walked one after the other, each with what arrives
from those before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from parspec.grammar.values import value
from parspec.interpreter.analysis.grid import Pieces
from parspec.interpreter.analysis.pipeline import Pipeline
from parspec.interpreter.analysis.placement import Placement
from parspec.interpreter.analysis.rest import at_rest
from parspec.interpreter.analysis.sharding import Reading, Sharding, sharded
from parspec.interpreter.spec.model import Item, Layer, Part, Stack, Tensor
from parspec.interpreter.theory.layouts import EVERYWHERE, TURN, Layout, Node
from parspec.interpreter.theory.rule import Statistic

SETTLING_RUNS = 4  # a carry's state settles within so many turns or is refused


@value
class Need:
    """A layer (or a stack's carry) needs a variable in a layout, given in the variable's own
    dimensions. `operand`: its place among the layer's operands, -1 for a carry."""

    tensor: str
    layout: Layout
    layer: str
    operand: int
    stacks: tuple[str, ...]


@value
class Placed:
    """A layer with its sharding, and the stacks that repeat it, outermost first."""

    layer: Layer
    sharding: Sharding
    stacks: tuple[str, ...]

    @property
    def placement(self) -> Placement:
        """How it is cut."""
        return self.sharding.placement

    @property
    def inputs(self) -> tuple[Layout, ...]:
        """The layouts that it needs, in its own dimensions."""
        return self.sharding.inputs

    @property
    def output(self) -> Layout:
        """The layout that it leaves, in its own dimensions."""
        return self.sharding.output

    @property
    def read(self) -> tuple[Layout, ...]:
        """The layouts that it needs, in the variables' dimensions."""
        return self.sharding.read

    @property
    def made(self) -> Layout:
        """The layout that it leaves, in the variable's dimensions."""
        return self.sharding.made

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """What it reduces on the way."""
        return self.sharding.statistics


@value
class Unsettled:
    """A carry whose state does not settle: the states at the start of each turn."""

    stack: Stack
    states: tuple[Layout, ...]


@dataclass(frozen=True, eq=False)
class Inference:
    """What a walk finds. `tensors`: the variables that the part knows; `entries`: what each stack
    needs as its first carry; `produced`: the variables that its layers leave, in their own
    dimensions; `declared`: its inputs, weights and caches as declared to lie; `stack_of`: produced
    variable to the stacks that repeat it, outermost first, where there are any. Of what other parts
    know, where it is `left` and where it is declared to be `resting`; `stages`: where what follows
    runs."""

    part: Part
    tensors: Mapping[str, Tensor]
    layers: tuple[Placed, ...]
    entries: Mapping[str, Need]
    produced: Mapping[str, Layout]
    declared: Mapping[str, Layout]
    stack_of: Mapping[str, tuple[str, ...]]
    unsettled: tuple[Unsettled, ...]
    left: Mapping[str, Layout]
    resting: Mapping[str, Layout]
    stages: tuple[tuple[str, Node], ...]

    @property
    def needs(self) -> Iterator[Need]:
        """What its layers need, and its stacks in front of their first ones."""
        entries = dict(self.entries)
        for placed in self.layers:
            for stack in placed.stacks:
                if stack in entries:
                    yield entries.pop(stack)
            name, stacks = placed.layer.name, placed.stacks
            reads = zip(placed.layer.operands, placed.sharding.read, strict=True)
            for place, (operand, where) in enumerate(reads):
                yield Need(operand.tensor, where, name, place, stacks)
        yield from entries.values()

    def wanted(self) -> Mapping[str, tuple[Need, ...]]:
        """The first need of each variable in each layout, by the stacks that it stands in."""
        found: dict[str, dict[tuple[Layout, tuple[str, ...]], Need]] = {}
        for need in self.needs:
            found.setdefault(need.tensor, {}).setdefault((need.layout, need.stacks), need)
        return {name: tuple(first.values()) for name, first in found.items()}

    @cached_property
    def order(self) -> Mapping[str, int]:
        """The places of layers, and those of the first ones of stacks."""
        places: dict[str, int] = {}
        for place, placed in enumerate(self.layers):
            for stack in placed.stacks:
                places.setdefault(stack, place)
            places[placed.layer.name] = place
        return places

    def placed(self, layer: str) -> Placed:
        """A layer by its name."""
        return self.layers[self.order[layer]]

    @property
    def settled(self) -> bool:
        """Whether every layer's placement and every carry's state is settled."""
        return not self.unsettled and not self.disputed

    @cached_property
    def disputed(self) -> tuple[Placed, ...]:
        """The layers whose operands disagree."""
        return tuple(one for one in self.layers if one.placement.disputes)


@dataclass
class _Walk:
    """The walk's state: what has been produced so far, and what was noted on the way."""

    tensors: Mapping[str, Tensor]
    pieces: Pieces
    pipeline: Pipeline
    arrived: Mapping[str, Layout | None]
    declared: Mapping[str, Layout | None]
    produced: dict[str, Layout] = field(default_factory=dict)
    stack_of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    layers: list[Placed] = field(default_factory=list)
    entries: dict[str, Need] = field(default_factory=dict)
    unsettled: list[Unsettled] = field(default_factory=list)

    def left(self, tensor: str) -> Layout | None:
        """Where a variable was left by who made it."""
        made = self.produced.get(tensor)
        return self.arrived.get(tensor) if made is None else made


def infer_part(
    part: Part,
    shared: tuple[str, ...],
    outside: tuple[Tensor, ...],
    left: tuple[Layout | None, ...],
    declared: tuple[Layout | None, ...],
    stages: tuple[tuple[str, Node], ...],
    pieces: Pieces,
    pipeline: Pipeline,
) -> Inference:
    """Walk a part, whose `shared` variables other parts know, and that knows these from outside,
    where they were left by who made them and as they are declared to lie; `stages`: the pipeline
    axes with the node that it starts on."""
    names = [tensor.name for tensor in outside]
    own = {
        tensor.name: at_rest(tensor.rest, tensor.stage, tensor.leaves, pieces, EVERYWHERE)
        for tensor in part.tensors
        if tensor.rest or tensor.stage
    }
    walk = _Walk(
        {tensor.name: tensor for tensor in (*outside, *part.tensors)},
        pieces,
        pipeline,
        dict(zip(names, left, strict=True)),
        dict(zip(names, declared, strict=True)) | own,
    )
    after = _walk_items(part.items, dict(stages), (), walk)
    return Inference(
        part,
        walk.tensors,
        tuple(walk.layers),
        walk.entries,
        walk.produced,
        own,
        walk.stack_of,
        tuple(walk.unsettled),
        {name: walk.produced[name] for name in (*shared, *names) if name in walk.produced},
        {name: own[name] for name in shared if name in own},
        tuple(after.items()),
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
    return {} if course is None else dict(course.ends[1])


def _walk_layer(
    layer: Layer, stages: Mapping[str, Node], stacks: tuple[str, ...], walk: _Walk
) -> None:
    """Place one layer, note what it needs and what it leaves."""
    out = walk.tensors[layer.out]
    sharding = sharded(
        layer.operator,
        layer.assignments,
        _readings(layer, walk),
        out.leaves,
        tuple(_stages_of(layer, stages, walk).items()),
        walk.pieces,
    )
    walk.layers.append(Placed(layer, sharding, stacks))
    walk.produced[out.name] = sharding.made
    if stacks:
        walk.stack_of[out.name] = stacks


def _stages_of(layer: Layer, stages: Mapping[str, Node], walk: _Walk) -> Mapping[str, Node]:
    """The pipeline axes with the node that computes a layer."""
    here = dict(stages)
    if layer.name in walk.pipeline.placed:
        here |= walk.pipeline.placed[layer.name][1]
    at = () if layer.stage is None else walk.pieces.covers.get(layer.stage.axis, ())
    if layer.stage is not None and at:
        here |= walk.pieces.nodes_at(at, layer.stage.index)
    return here


def _readings(layer: Layer, walk: _Walk) -> tuple[Reading, ...]:
    """A layer's operands as they arrive."""
    tensors = [walk.tensors[operand.tensor] for operand in layer.operands]
    labels = [tensor.label for tensor in tensors]
    readings = []
    for operand, tensor in zip(layer.operands, tensors, strict=True):
        left, declared = walk.left(tensor.name), walk.declared.get(tensor.name)
        if left is None and tensor.role != "weight":
            left = declared
        if declared is not None and any(said.saying == "store" for said in tensor.rest):
            declared = None
        place = labels.index(tensor.label)
        readings.append(Reading(place, tensor.leaves, operand.leaves, tensor.role, left, declared))
    return tuple(readings)


def _walk_stack(
    stack: Stack, stages: Mapping[str, Node], stacks: tuple[str, ...], walk: _Walk
) -> None:
    """Run a stack's body until the state of its carry settles, and note what comes out."""
    course = walk.pipeline.courses.get(stack.name)
    turn = {} if course is None else dict.fromkeys(course.axes, TURN)
    inside = {**stages, **turn}
    entry, carry, last = (walk.tensors[name] for name in (stack.entry, stack.carry, stack.last))
    arriving = walk.left(entry.name) or walk.declared.get(entry.name) or EVERYWHERE
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
        state = (body.left(last.name) or state).renamed(onward).at(turn)
    if state != states[-1]:
        walk.unsettled.append(Unsettled(stack, (*states, state)))
    walk.produced, walk.stack_of = body.produced, body.stack_of
    walk.layers.extend(body.layers)
    first = {} if course is None else course.ends[0]
    wanted = states[-1].renamed(outward).at(first)
    if entry.role in ("input", "weight"):
        wanted = wanted.complete()
    walk.entries[stack.name] = Need(entry.name, wanted, stack.name, -1, stacks)
    walk.entries.update(body.entries)
    walk.unsettled.extend(body.unsettled)
    left = walk.left(last.name) or EVERYWHERE
    walk.produced[last.name] = left.at(_ends(stack.name, walk.pipeline))


def _fork(walk: _Walk) -> _Walk:
    """A walk that continues from this one and notes what follows apart from it."""
    return replace(
        walk,
        produced=dict(walk.produced),
        stack_of=dict(walk.stack_of),
        layers=[],
        entries={},
        unsettled=[],
    )

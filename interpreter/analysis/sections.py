"""Sections: a model inferred part by part, each part with all that it receives from the others.

One fold walks the parts in order; then every variable is brought to who needs it: one that stays
inside its part by itself, one that crosses parts with the needs of all of them. What is routed so
is the same object as before unless its part, or something that it receives, has changed; where only
sizes have, it stands in another section.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeVar

from parspec.interpreter.analysis.grid import Asked, Grid, Pieces, grid_over
from parspec.interpreter.analysis.inference import Inference, Need, Placed, infer_part
from parspec.interpreter.analysis.known import Known
from parspec.interpreter.analysis.outline import Outline, outline_of
from parspec.interpreter.analysis.pipeline import Pipeline, pipeline_of
from parspec.interpreter.analysis.seats import Seating
from parspec.interpreter.analysis.serving import Lying, Seen, Served, Use, lying, use_of
from parspec.interpreter.analysis.sizes import Slice, slice_of
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.model import Model, Part, Tensor
from parspec.interpreter.theory.formulas import Amount
from parspec.interpreter.theory.layouts import Layout, Node
from parspec.interpreter.theory.space import Space

Value = TypeVar("Value")


class Met(NamedTuple):
    """A variable that several parts know, as one of them sees it: with what is brought to its own
    layers. `site`: where it is declared, as equal ones may be elsewhere."""

    tensor: Tensor
    site: Site
    use: Use


class Crossing(NamedTuple):
    """A variable that several parts know, and as each of them sees it."""

    tensor: Tensor
    use: Use
    seen: Mapping[Inference, Met]


class Meetings(NamedTuple):
    """Where variables that several parts know meet. `shared`: each part's own ones; `names`: these
    and those of others that it knows; `homes_around`: the places of the parts that make them;
    `knowing`: the places of all that know one of a part's own, in order."""

    shared: Sequence[tuple[str, ...]]
    names: Sequence[tuple[str, ...]]
    homes_around: Sequence[tuple[int, ...]]
    knowing: Sequence[tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Routed:
    """A part, inferred, with the variables that it knows and their uses in it: all that does not
    depend on sizes. `shared`: its own variables that other parts know."""

    outline: Outline
    inference: Inference
    tensors: Mapping[str, Tensor]
    uses: Mapping[str, Use]
    shared: frozenset[str]
    seating: Seating

    @property
    def pieces(self) -> Pieces:
        """The pieces of the mesh."""
        return self.seating.pieces

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline of the plan."""
        return self.seating.pipeline

    @property
    def layers(self) -> tuple[Placed, ...]:
        """Its layers, those inside stacks once."""
        return self.inference.layers

    @cached_property
    def served(self) -> tuple[Served, ...]:
        """What is brought to its layers, in their order."""
        order = self.inference.order
        found = [
            served
            for use in self.uses.values()
            for served in use.served
            if served.need.layer in order
        ]

        def standing(served: Served) -> tuple[int, int, int]:
            need = served.need
            return order[need.layer], need.operand, len(need.stacks)

        return tuple(sorted(found, key=standing))

    def origin(self, tensor: str) -> Layout:
        """Where a variable lies before anybody moves it."""
        return self.uses[tensor].origin

    def resting(self, tensor: Tensor) -> Slice:
        """What there is of a variable where it lies before anybody moves it, for one turn."""
        return slice_of(tensor, self.uses[tensor.name].origin)

    def site(self, need: Need) -> Site:
        """Where it is written that a layer or a stack reads a variable."""
        if need.operand < 0:
            return self.outline.stacks[need.layer].site
        return self.inference.placed(need.layer).layer.operands[need.operand].site


@dataclass(frozen=True, eq=False)
class Section:
    """A routed part with the sizes of a grid."""

    routed: Routed
    grid: Grid

    @property
    def part(self) -> Part:
        """The part that it is of."""
        return self.routed.inference.part

    @property
    def outline(self) -> Outline:
        """What the part says by itself."""
        return self.routed.outline

    @property
    def inference(self) -> Inference:
        """What is inferred of it."""
        return self.routed.inference

    @property
    def layers(self) -> tuple[Placed, ...]:
        """Its layers, those inside stacks once."""
        return self.routed.inference.layers

    @property
    def tensors(self) -> Mapping[str, Tensor]:
        """The variables that it knows."""
        return self.routed.tensors

    @property
    def uses(self) -> Mapping[str, Use]:
        """Where these lie and how they are brought to its layers."""
        return self.routed.uses

    def turns(self, stacks: Iterable[str]) -> Amount:
        """How often the body of nested stacks runs in a step."""
        turns: Amount = 1
        for name in stacks:
            turns *= self.grid.by_name[self.outline.stacks[name].dim].extent
        return turns

    def busiest_turns(self, stacks: Iterable[str]) -> Amount:
        """How often it runs on the stage that runs it most."""
        turns: Amount = 1
        for name in stacks:
            course = self.routed.pipeline.courses.get(name)
            turns *= self.turns([name]) if course is None else course.busiest
        return turns


@dataclass(frozen=True, eq=False)
class Inferred:
    """A whole model, inferred; `crossing`: the uses of variables that several parts know."""

    model: Model
    grid: Grid
    pipeline: Pipeline
    seating: Seating
    sections: tuple[Section, ...]
    crossing: Mapping[str, Crossing]

    @cached_property
    def layers(self) -> tuple[Placed, ...]:
        """All layers in order, those inside stacks once."""
        return tuple(chain.from_iterable([one.layers for one in self.sections]))

    @cached_property
    def by_name(self) -> Mapping[str, Placed]:
        """The layers by name."""
        return {placed.layer.name: placed for placed in self.layers}

    @cached_property
    def produced(self) -> Mapping[str, Layout]:
        """Variables that layers leave, as they leave them."""
        return _together(one.inference.produced for one in self.sections)

    @cached_property
    def uses(self) -> Mapping[str, Use]:
        """Where each variable lies at first, and how it is brought to who needs it."""
        crossing = {name: one.use for name, one in self.crossing.items()}
        return _together([*(one.uses for one in self.sections), crossing])

    @property
    def served(self) -> Iterator[Served]:
        """All that is brought to somebody, of each variable in the order in which it is."""
        return (served for use in self.uses.values() for served in use.served)

    def tensor(self, name: str) -> Tensor:
        """A variable."""
        known = self.crossing.get(name)
        return self._home(name).tensors[name] if known is None else known.tensor

    def origin(self, name: str) -> Layout:
        """Where a variable lies before anybody moves it."""
        known = self.crossing.get(name)
        return self._home(name).routed.origin(name) if known is None else known.use.origin

    def _home(self, name: str) -> Section:
        return next(one for one in self.sections if name in one.outline.tensors)

    @property
    def settled(self) -> bool:
        """Whether every layer's placement and every carry's state is settled."""
        return all(one.inference.settled for one in self.sections)


def _together(maps: Iterable[Mapping[str, Value]]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for one in maps:
        found.update(one)
    return found


def infer(model: Model, known: Known | None = None) -> Inferred:
    """Infer a model; what is `known` of it is not inferred again."""
    known = Known() if known is None else known
    outlines = known.each(outline_of, model.parts)
    asked = known.recall(_asked, tuple([outline.asked for outline in outlines]))
    return _inferred(known.same(grid_over(model, asked)), model, outlines, known)


def infer_on(grid: Grid, model: Model, known: Known) -> Inferred:
    """Infer a model on a grid that is broken at least where its clauses ask for it."""
    return _inferred(grid, model, known.each(outline_of, model.parts), known)


def _inferred(grid: Grid, model: Model, outlines: Sequence[Outline], known: Known) -> Inferred:
    stacks = [stack for outline in outlines for stack in outline.stacks.values()]
    pipeline = known.same(pipeline_of(model, grid, stacks))
    names = tuple([(outline.names, outline.outside) for outline in outlines])
    outputs = tuple([output.tensor for output in model.outputs])
    meetings = known.recall(_meetings, names, outputs)
    pieces = known.same(grid.pieces)
    inferences = _walk(model.parts, outlines, meetings, pieces, pipeline, known)
    crossings = _crossings(outlines, inferences, meetings, grid, pipeline, known)
    lies = known.each(
        _lies_in, inferences, outlines, meetings.shared, everywhere=(pieces, pipeline)
    )
    around = [tuple(map(crossings.__getitem__, homes)) for homes in meetings.homes_around]
    met = known.each(_met_in, inferences, meetings.names, around)
    uses = known.each(_uses_in, outlines, lies, met, everywhere=(grid.space,))
    seating = known.recall(Seating, pipeline, pieces)
    routed = known.each(_routed, inferences, outlines, uses, met, everywhere=(seating,))
    sections = known.each(Section, routed, everywhere=(grid,))
    return Inferred(model, grid, pipeline, seating, sections, _together(crossings))


def _asked(parts: Iterable[frozenset[Asked]]) -> frozenset[Asked]:
    return frozenset[Asked]().union(*parts)


def _meetings(
    parts: Sequence[tuple[tuple[str, ...], tuple[str, ...]]], outputs: Iterable[str]
) -> Meetings:
    """Where the variables of some parts meet. A part is given as its own variables and those that
    it knows of others."""
    known = set(outputs).union(*(outside for _, outside in parts))
    shared = tuple([tuple([name for name in own if name in known]) for own, _ in parts])
    names = [(*own, *outside) for own, (_, outside) in zip(shared, parts, strict=True)]
    homes = {name: place for place, own in enumerate(shared) for name in own}
    knowing: list[dict[int, None]] = [{} for _ in parts]
    for place, here in enumerate(names):
        for name in here:
            knowing[homes[name]][place] = None
    around = [tuple(dict.fromkeys(map(homes.__getitem__, here))) for here in names]
    return Meetings(shared, names, around, tuple(map(tuple, knowing)))


def _walk(
    parts: Sequence[Part],
    outlines: Sequence[Outline],
    meetings: Meetings,
    pieces: Pieces,
    pipeline: Pipeline,
    known: Known,
) -> list[Inference]:
    """Walk the parts in order, each with what it knows of those before it."""
    tensors = _together(known.each(_shared_tensors, outlines, meetings.shared))
    left: dict[str, Layout] = {}
    declared: dict[str, Layout] = {}
    stages: tuple[tuple[str, Node], ...] = tuple([(axis, 0) for axis in pipeline.axes])
    found = []
    infer_next = known.in_turn(infer_part, parts)
    for part, outline, shared in zip(parts, outlines, meetings.shared, strict=True):
        outside = outline.outside
        given = (
            tuple(map(tensors.__getitem__, outside)),
            tuple(map(left.get, outside)),
            tuple(map(declared.get, outside)),
        )
        one = infer_next(part, shared, *given, stages, pieces, pipeline)
        left.update(one.left)
        declared.update(one.resting)
        stages = one.stages
        found.append(one)
    return found


def _shared_tensors(outline: Outline, shared: Iterable[str]) -> Mapping[str, Tensor]:
    return {name: outline.tensors[name] for name in shared}


def _crossings(
    outlines: Sequence[Outline],
    inferences: Sequence[Inference],
    meetings: Meetings,
    grid: Grid,
    pipeline: Pipeline,
    known: Known,
) -> Sequence[Mapping[str, Crossing]]:
    """The variables that several parts know, by the parts that make them."""
    pieces, shared = known.same(grid.pieces), meetings.shared
    knowing = [tuple(map(inferences.__getitem__, places)) for places in meetings.knowing]
    lies = known.each(_lies_across, outlines, shared, knowing, everywhere=(pieces, pipeline))
    uses = known.each(_uses_across, outlines, lies, everywhere=(grid.space,))
    return known.each(_crosses, outlines, knowing, uses)


def _lies_across(
    outline: Outline,
    shared: tuple[str, ...],
    knowing: Iterable[Inference],
    pieces: Pieces,
    pipeline: Pipeline,
) -> Mapping[str, Lying]:
    """How the variables of a part lie that other parts know; `knowing`: who knows one of them."""
    seen = [Seen(one, one.wanted()) for one in knowing]
    return {
        name: lying(outline.tensors[name], _who(name, seen), pieces, pipeline) for name in shared
    }


def _who(name: str, knowing: Iterable[Seen]) -> Iterator[Seen]:
    """Those who know a variable."""
    return (one for one in knowing if name in one.inference.tensors)


def _uses_across(outline: Outline, lies: Mapping[str, Lying], space: Space) -> Mapping[str, Use]:
    """The uses of the variables of a part that other parts know."""
    return {name: use_of(outline.tensors[name], one, space) for name, one in lies.items()}


def _crosses(
    outline: Outline, knowing: Iterable[Inference], uses: Mapping[str, Use]
) -> Mapping[str, Crossing]:
    """The variables of a part that other parts know; `knowing`: who knows one of them."""
    found = {}
    for name, use in uses.items():
        tensor = outline.tensors[name]
        who = (one for one in knowing if name in one.tensors)
        seen = {one: Met(tensor, tensor.site, _here(use, one)) for one in who}
        found[name] = Crossing(tensor, use, seen)
    return found


def _met_in(
    inference: Inference, names: Iterable[str], around: Sequence[Mapping[str, Crossing]]
) -> tuple[Met, ...]:
    """What a part knows of the variables of these names, made in parts around it."""
    homes = ((name, next(one for one in around if name in one)) for name in names)
    return tuple(home[name].seen[inference] for name, home in homes)


def _here(use: Use, inference: Inference) -> Use:
    """A use with what is brought to the layers of one part."""
    if not use.served:
        return use
    return use._replace(served=tuple([s for s in use.served if s.need.layer in inference.order]))


class _Lies(NamedTuple):
    """How the variables of a part lie that no other part knows: their uses as they lie, and of
    those that are wanted otherwise, what is."""

    uses: Mapping[str, Use]
    wanted: Mapping[str, Lying]


def _lies_in(
    inference: Inference,
    outline: Outline,
    shared: tuple[str, ...],
    pieces: Pieces,
    pipeline: Pipeline,
) -> _Lies:
    """How the variables of a part lie that no other part knows."""
    alone = (Seen(inference, inference.wanted()),)
    each = {
        name: lying(tensor, alone, pieces, pipeline)
        for name, tensor in outline.tensors.items()
        if name not in shared
    }
    return _Lies(
        {name: one.use for name, one in each.items()},
        {name: one for name, one in each.items() if one.wanted},
    )


def _uses_in(outline: Outline, lies: _Lies, met: Iterable[Met], space: Space) -> Mapping[str, Use]:
    """The uses of the variables of a part that lie so, and of those that other parts know too."""
    uses = dict(lies.uses)
    for name, one in lies.wanted.items():
        uses[name] = use_of(outline.tensors[name], one, space)
    for known in met:
        uses[known.tensor.name] = known.use
    return uses


def _routed(
    inference: Inference,
    outline: Outline,
    uses: Mapping[str, Use],
    met: tuple[Met, ...],
    seating: Seating,
) -> Routed:
    """A part with these uses of variables, some of which it knows along with other parts."""
    seen = {one.tensor.name: one.tensor for one in met}
    shared = frozenset(outline.tensors.keys() & seen.keys())
    tensors: Mapping[str, Tensor] = {**seen, **outline.tensors}
    if all(tensor is inference.tensors.get(name) for name, tensor in tensors.items()):
        tensors = inference.tensors  # as a rule; equal ones may stand elsewhere since
    return Routed(outline, inference, tensors, uses, shared, seating)

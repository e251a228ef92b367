"""Facts: an analysis by name, for features that ask about one thing at a time.

Each table is made when it is first looked at. What a part of the model says is kept with the part,
which outlives edits elsewhere; what the analysis says, with the analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TypeAlias, TypeVar, cast
from weakref import WeakKeyDictionary

from parspec.interpreter.analysis.grid import Asked, Grid, asked_of, grid_over, layers_of
from parspec.interpreter.analysis.result import Analysis, LayerResult, Move, TensorResult
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.model import (
    Axis,
    Device,
    Dim,
    Layer,
    Link,
    Model,
    Part,
    Stack,
    Tensor,
    View,
)
from parspec.interpreter.theory.formulas import Amount, product

Chunk: TypeAlias = tuple[str, int]  # the file and the key of a statement
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class PartFacts:
    """A part of a model by name and by the statements that it comes from."""

    def __init__(self, part: Part) -> None:
        self._items = part.items
        self._stacks = part.stacks
        self._tensors = part.tensors

    @cached_property
    def layers(self) -> Mapping[str, Layer]:
        """Layers by name."""
        return {layer.name: layer for layer in layers_of(self._items)}

    @cached_property
    def stacks(self) -> Mapping[str, Stack]:
        """Stacks by name."""
        return {stack.name: stack for stack in self._stacks}

    @cached_property
    def tensors(self) -> Mapping[str, Tensor]:
        """Variables by name."""
        return {tensor.name: tensor for tensor in self._tensors}

    @cached_property
    def layers_at(self) -> Mapping[Chunk, list[Layer]]:
        """Layers by statement."""
        return grouped(self.layers.values(), lambda layer: [_chunk(layer.site)])

    @cached_property
    def stacks_at(self) -> Mapping[Chunk, list[Stack]]:
        """Stacks by statement."""
        return grouped(self._stacks, lambda stack: [_chunk(stack.site)])

    @cached_property
    def tensors_at(self) -> Mapping[Chunk, list[Tensor]]:
        """Variables by statement."""
        return grouped(self._tensors, lambda tensor: [_chunk(tensor.site)])

    @cached_property
    def asked(self) -> frozenset[Asked]:
        """The cuts that it asks for."""
        return asked_of(self._items, self._tensors)

    @cached_property
    def holding(self) -> Mapping[str, list[str]]:
        """What the variables are called that are indexed by a dimension."""
        found: dict[str, list[str]] = {}
        for tensor in self._tensors:
            for dim in {*tensor.dims, *tensor.leaves}:
                found.setdefault(dim, []).append(tensor.label)
        return found

    @cached_property
    def made_from(self) -> Mapping[str | None, list[Layer]]:
        """Layers by the block or op that they are written with."""
        return grouped(self.layers.values(), lambda layer: [layer.template])

    @cached_property
    def makers(self) -> Mapping[str, Layer]:
        """Layers by what they give."""
        return {layer.out: layer for layer in self.layers.values()}

    @cached_property
    def readers(self) -> Mapping[str, list[Layer]]:
        """Layers by what they read."""
        return grouped(
            self.layers.values(),
            lambda layer: dict.fromkeys(operand.tensor for operand in layer.operands),
        )


_PARTS: WeakKeyDictionary[Part, PartFacts] = WeakKeyDictionary()


def _facts_of(part: Part) -> PartFacts:
    known = _PARTS.get(part)
    if known is None:
        known = _PARTS[part] = PartFacts(part)
    return known


class Facts:
    """An analysis by name."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._holding: dict[str, tuple[str, ...]] = {}
        self._told: dict[tuple[object, str], object] = {}

    def once(self, tell: Callable[[str, Facts], V], name: str) -> V:
        """What is told of something by its name: found out once, as it takes long to sum up and is
        asked for again and again."""
        key = tell, name
        if key not in self._told:
            self._told[key] = tell(name, self)
        return cast(V, self._told[key])

    @property
    def model(self) -> Model:
        """The model."""
        return self.analysis.model

    @property
    def plan(self) -> str | None:
        """The plan that it is the analysis under."""
        return self.model.plan

    # -- declarations ----------------------------------------------------------------------------

    @cached_property
    def dims(self) -> Mapping[str, Dim]:
        """Dimensions by name."""
        return {dim.name: dim for dim in self.model.dims}

    @cached_property
    def axes(self) -> Mapping[str, Axis | View]:
        """Axes and views by name."""
        axes: tuple[Axis | View, ...] = (*self.model.mesh.axes, *self.model.mesh.views)
        return {axis.name: axis for axis in axes}

    @cached_property
    def links(self) -> Mapping[str, Link]:
        """Links by name."""
        return {link.name: link for link in self.model.links}

    @cached_property
    def devices(self) -> Mapping[str, Device]:
        """Devices by name."""
        return {device.name: device for device in self.model.devices}

    @cached_property
    def grid(self) -> Grid:
        """The pieces of axes and views that layouts speak of."""
        return grid_over(self.model, frozenset().union(*(part.asked for part in self.parts)))

    def ways(self, axes: Iterable[str]) -> Amount:
        """How many nodes axes have together."""
        sizes = self.grid.space.sizes
        return product(sizes[piece] for axis in axes for piece in self.grid.covers[axis])

    # -- layers and variables --------------------------------------------------------------------

    @cached_property
    def parts(self) -> tuple[PartFacts, ...]:
        """The parts of the model, in its order."""
        return tuple(map(_facts_of, self.model.parts))

    def layer(self, name: str) -> Layer | None:
        """The layer of a name."""
        return next((part.layers[name] for part in self.parts if name in part.layers), None)

    def stack(self, name: str) -> Stack | None:
        """The stack of a name."""
        return next((part.stacks[name] for part in self.parts if name in part.stacks), None)

    def tensor(self, name: str) -> Tensor | None:
        """The variable of a name."""
        return next((part.tensors[name] for part in self.parts if name in part.tensors), None)

    def layers_at(self, site: Site) -> tuple[Layer, ...]:
        """The layers that a statement makes: several for one in a block that is used several
        times, or with inner expressions."""
        return tuple(self._at(site, lambda part: part.layers_at))

    def stacks_at(self, site: Site) -> tuple[Stack, ...]:
        """The stacks that a statement makes."""
        return tuple(self._at(site, lambda part: part.stacks_at))

    def tensors_at(self, site: Site) -> tuple[Tensor, ...]:
        """The variables that a statement declares or makes."""
        return tuple(self._at(site, lambda part: part.tensors_at))

    def use_at(self, site: Site, name: str) -> str | None:
        """The path of the layers that a layer makes which uses a block; None for another layer."""
        for tensor in self.tensors_at(site):
            around = tensor.name.rpartition(".")[0]
            path = f"{around}.{name}" if around else name
            if path in self.layers_inside and self.layer(path) is None:
                return path
        return None

    def _at(self, site: Site, table: Callable[[PartFacts], Mapping[Chunk, list[V]]]) -> Iterator[V]:
        chunk = _chunk(site)
        for part in self.parts:
            yield from table(part).get(chunk, ())

    def maker(self, tensor: str) -> Layer | None:
        """The layer that gives a variable."""
        return next((part.makers[tensor] for part in self.parts if tensor in part.makers), None)

    def readers(self, tensor: str) -> tuple[Layer, ...]:
        """The layers that read a variable."""
        return tuple(layer for part in self.parts for layer in part.readers.get(tensor, ()))

    def label(self, tensor: str) -> str:
        """What the spec calls a variable; what an expression inside a layer gives has the layer's
        name."""
        if self.is_unnamed(tensor):
            return self.written(tensor).rpartition(".")[2]
        return self.called(tensor)

    def called(self, tensor: str) -> str:
        """A variable's own name, whatever gives it."""
        found = self.tensor(tensor)
        return tensor if found is None else found.label

    def is_unnamed(self, tensor: str) -> bool:
        """Is it what an expression inside a layer gives?"""
        maker = self.maker(tensor)
        return maker is not None and maker.name != maker.parent

    def written(self, layer: str) -> str:
        """The layer that is written where a layer comes from: that around an inner expression."""
        found = self.layer(layer)
        return layer if found is None else found.parent

    # -- what the analysis says ------------------------------------------------------------------

    @cached_property
    def spreads(self) -> bool:
        """Whether a layer does something else than repeat its work on every node."""
        layers = (layer for part in self.analysis.parts for layer in part.layers)
        return any(name != "repeated" for layer in layers for _, name in layer.strategy)

    def result(self, layer: str) -> LayerResult | None:
        """What the analysis says of a layer."""
        for part, listed in zip(self.parts, self.analysis.parts, strict=True):
            if layer in part.layers:
                return next(one for one in listed.layers if one.name == layer)
        return None

    def lying(self, tensor: str) -> TensorResult | None:
        """What the analysis says of a variable."""
        for part, listed in zip(self.parts, self.analysis.parts, strict=True):
            if tensor in part.tensors:
                return next(one for one in listed.tensors if one.name == tensor)
        return None

    def followed(self, layer: str) -> Iterator[tuple[str, str]]:
        """The axes on which a layer follows a variable, and that variable; in place of what an
        inner expression gives, what that follows."""
        result, written = self.result(layer), self.layer(layer)
        operands = [] if written is None else [operand.tensor for operand in written.operands]
        for axis, label in result.follows if result else ():
            inner = (name for name in operands if self.is_unnamed(name))
            unnamed = next((name for name in inner if self.called(name) == label), None)
            if unnamed is None:
                yield axis, label
            else:
                yield from (each for each in self.followed(unnamed) if each[0] == axis)

    @cached_property
    def splitting(self) -> Mapping[str, Mapping[tuple[str, ...], list[str]]]:
        """For each dimension: the layers that are partitioned along it, by the axes on which they
        are, outermost first."""
        found: dict[str, dict[tuple[str, ...], list[str]]] = {}
        into: dict[tuple[tuple[str, str], ...], list[list[str]]] = {}  # by what layers' clauses say
        for layer in self.analysis.layers:
            lists = into.get(layer.partition)
            if lists is None:
                cuts = grouped(layer.partition, lambda cut: [cut[1]])
                lists = into[layer.partition] = [
                    found.setdefault(dim, {}).setdefault(tuple(axis for axis, _ in on), [])
                    for dim, on in cuts.items()
                ]
            for names in lists:
                names.append(layer.name)
        return found

    def holding(self, dim: str) -> tuple[str, ...]:
        """What the variables are called that are indexed by a dimension or a product that it is a
        factor of, each once."""
        known = self._holding.get(dim)
        if known is None:
            labels = chain.from_iterable(part.holding.get(dim, ()) for part in self.parts)
            known = self._holding[dim] = tuple(dict.fromkeys(labels))
        return known

    @cached_property
    def at_work(self) -> tuple[Move, ...]:
        """The moves that have a primitive."""
        return tuple(move for move in self.analysis.moves if move.primitive is not None)

    @cached_property
    def moved_on(self) -> Mapping[tuple[str, ...], list[Move]]:
        """The moves at work by the axes that they are on."""
        return grouped(self.at_work, lambda move: [move.axes])

    @cached_property
    def in_front_of(self) -> Mapping[str, list[Move]]:
        """All moves, free ones too, by the layer or stack that they are in front of."""
        return grouped(self.analysis.moves, lambda move: [move.layer])

    @cached_property
    def of_tensor(self) -> Mapping[str, list[Move]]:
        """The moves at work by variable."""
        return grouped(self.at_work, lambda move: [move.tensor])

    @cached_property
    def inside(self) -> Mapping[str, list[Move]]:
        """The moves at work by the paths that hold them: those of `decoder.up` are in `decoder`."""
        return grouped(self.at_work, lambda move: _paths(move.layer))

    @cached_property
    def layers_inside(self) -> Mapping[str, list[LayerResult]]:
        """Layers by the paths that hold them, their own among these."""
        return grouped(self.analysis.layers, lambda layer: _paths(layer.name))

    def moved_at(self, site: Site) -> Sequence[Move]:
        """All moves, free ones too, at the statement of a site."""
        return self._moved_at.get(_chunk(site), ())

    @cached_property
    def _moved_at(self) -> Mapping[Chunk, list[Move]]:
        return grouped(self.analysis.moves, lambda move: [_chunk(move.site)])


def grouped(values: Iterable[V], keys: Callable[[V], Iterable[K]]) -> dict[K, list[V]]:
    """The values under each of their keys, in their order."""
    found: dict[K, list[V]] = {}
    for value in values:
        for key in keys(value):
            found.setdefault(key, []).append(value)
    return found


def _chunk(site: Site) -> Chunk:
    return site.file, site.chunk


def _paths(name: str) -> Iterator[str]:
    """`a`, `a.b` and `a.b.c` for `a.b.c`."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        yield ".".join(parts[:end])

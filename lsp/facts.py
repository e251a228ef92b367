"""Facts: an analysis by name, for features that ask about one thing at a time.

What is asked about one layer, variable or statement is looked up in the parts of the model that
have it, and made of no others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import TypeVar, cast

from parspec.interpreter.analysis.grid import Grid, grid_over
from parspec.interpreter.analysis.result import Analysis, LayerResult, Move, TensorResult
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.output.wording.errors import doubt_of, errors_of
from parspec.interpreter.output.wording.facts import at_work
from parspec.interpreter.spec.model import (
    Axis,
    Device,
    Dim,
    Layer,
    Link,
    Model,
    Stack,
    Tensor,
    View,
)
from parspec.interpreter.theory.formulas import Amount, product
from parspec.lsp.parts import (
    ListedFacts,
    PartFacts,
    StatementKey,
    facts_of,
    grouped,
    key_of,
    listed_facts,
)

V = TypeVar("V")


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

    @cached_property
    def errors(self) -> str:
        """`2 errors`; "" for none."""
        return errors_of(self.analysis)

    @cached_property
    def doubt(self) -> str:
        """The errors, where figures may be others without them; else ""."""
        return doubt_of(self.analysis)

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
        return tuple(map(facts_of, self.model.parts))

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
            if any(path in self.parts[place].around for place in self._places_of(site)):
                return path
        return None

    def _at(
        self, site: Site, table: Callable[[PartFacts], Mapping[StatementKey, tuple[V, ...]]]
    ) -> Iterator[V]:
        for place in self._places_of(site):
            yield from table(self.parts[place]).get(key_of(site), ())

    def _places_of(self, site: Site) -> tuple[int, ...]:
        """The places of the parts that come from the statement of a site."""
        return self._places.get(site.file, {}).get(site.chunk, ())

    @cached_property
    def _places(self) -> Mapping[str, Mapping[int, tuple[int, ...]]]:
        """The places of the parts that come from each statement; a block's are in each that uses
        it."""
        found: dict[str, dict[int, tuple[int, ...]]] = {}
        for place, part in enumerate(self.parts):
            for file, keys in part.keys.items():
                known = found.setdefault(file, {})
                if known.keys().isdisjoint(keys):
                    known.update(dict.fromkeys(keys, (place,)))
                else:
                    known.update({key: (*known.get(key, ()), place) for key in keys})
        return found

    def maker(self, tensor: str) -> Layer | None:
        """The layer that gives a variable."""
        makers = (part.makers.get(tensor) for part in self.parts if tensor in part.used)
        return next(filter(None, makers), None)

    def readers(self, tensor: str) -> tuple[Layer, ...]:
        """The layers that read a variable."""
        parts = (part for part in self.parts if tensor in part.used)
        return tuple(layer for part in parts for layer in part.readers.get(tensor, ()))

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

    @cached_property
    def _listed(self) -> tuple[tuple[PartFacts, ListedFacts], ...]:
        """The parts with what is listed of each."""
        return tuple(zip(self.parts, map(listed_facts, self.analysis.parts), strict=True))

    def result(self, layer: str) -> LayerResult | None:
        """What the analysis says of a layer."""
        found = (listed for part, listed in self._listed if layer in part.layers)
        return next((listed.layers[layer] for listed in found), None)

    def lying(self, tensor: str) -> TensorResult | None:
        """What the analysis says of a variable."""
        found = (listed for part, listed in self._listed if tensor in part.tensors)
        return next((listed.tensors[tensor] for listed in found), None)

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

    def splitting(self, dim: str) -> Mapping[tuple[str, ...], list[str]]:
        """The layers that are partitioned along a dimension, by the axes on which they are,
        outermost first."""
        found: dict[tuple[str, ...], list[str]] = {}
        for _, listed in self._listed:
            for axes, names in listed.splitting.get(dim, {}).items():
                found.setdefault(axes, []).extend(names)
        return found

    def cut_at_rest(self, dim: str) -> Mapping[tuple[str, ...], list[Tensor]]:
        """The variables that are said to lie partitioned along a dimension before layers read them,
        by the axes on which they are, outermost first."""
        found: dict[tuple[str, ...], list[Tensor]] = {}
        for part in self.parts:
            for axes, tensor in part.cut_at_rest.get(dim, ()):
                found.setdefault(axes, []).append(tensor)
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
    def moved_on(self) -> Mapping[tuple[str, ...], tuple[Move, ...]]:
        """The moves at work by the axes that they are on."""
        return grouped(self.at_work, lambda move: [move.axes])

    def in_front_of(self, name: str) -> list[Move]:
        """All moves, free ones too, in front of a layer or stack."""
        found = (on for part, on in self._listed if name in part.layers or name in part.stacks)
        return [move for listed in found for move in listed.in_front_of.get(name, ())]

    def of_tensor(self, tensor: str) -> list[Move]:
        """The moves at work of a variable."""
        found = (listed for part, listed in self._listed if tensor in part.used)
        moves = [move for listed in found for move in listed.of_tensor.get(tensor, ())]
        last = at_work(self.analysis.to_outputs)
        return [*moves, *(move for move in last if move.tensor == tensor)]

    def inside(self, path: str, site: Site | None = None) -> list[Move]:
        """The moves at work in a stack, a use of a block or a layer: those of `decoder.up` are in
        `decoder`, too. `site`: a statement that makes something of it, where one is known."""
        found = self._around(path, site)
        return [move for listed in found for move in listed.inside.get(path, ())]

    def layers_inside(self, path: str, site: Site | None = None) -> list[LayerResult]:
        """What the analysis says of a layer, or of those in a stack or in a use of a block; `site`
        as above."""
        found = self._around(path, site)
        return [layer for listed in found for layer in listed.layers_inside.get(path, ())]

    def _around(self, path: str, site: Site | None) -> Iterator[ListedFacts]:
        places = range(len(self.parts)) if site is None else self._places_of(site)
        for part, listed in map(self._listed.__getitem__, places):
            if path in part.layers or path in part.around:
                yield listed

    def moved_at(self, site: Site) -> list[Move]:
        """All moves, free ones too, at the statement of a site."""
        key = key_of(site)
        found = (self._listed[place][1] for place in self._places_of(site))
        moves = [move for listed in found for move in listed.moved_at.get(key, ())]
        return [*moves, *(m for m in self.analysis.to_outputs if key_of(m.site) == key)]

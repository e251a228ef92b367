"""One part of a model by name: what it is made of, and what an analysis lists of it.

Each table is made when it is first looked at, and kept with the part, which outlives edits
elsewhere. What can tell that a part has nothing to do with a question takes little room, so that
no more is made of parts that nobody asks about.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Set
from functools import cached_property
from typing import TypeAlias, TypeVar
from weakref import WeakKeyDictionary, ref

from parspec.interpreter.analysis.grid import Asked, asked_of
from parspec.interpreter.analysis.result import Cuts, LayerResult, Listed, Move, TensorResult
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.output.wording.facts import at_work
from parspec.interpreter.spec.model import Layer, Part, Stack, Tensor

StatementKey: TypeAlias = tuple[str, int]  # the file and the key of a statement
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
V = TypeVar("V")


class PartFacts:
    """What a part is made of, by name and by the statements that it comes from."""

    def __init__(self, part: Part) -> None:
        self._items = part.items
        self._layers = part.layers
        self._stacks = part.stacks
        self._tensors = part.tensors
        self.tensors = part.named
        """Variables by name."""
        self.used = part.used
        """The variables that layers and stacks read or give."""

    @cached_property
    def layers(self) -> Mapping[str, Layer]:
        """Layers by name."""
        return {layer.name: layer for layer in self._layers}

    @cached_property
    def stacks(self) -> Mapping[str, Stack]:
        """Stacks by name."""
        return {stack.name: stack for stack in self._stacks}

    @cached_property
    def around(self) -> Set[str]:
        """The paths that hold layers."""
        return {path for layer in self._layers for path in _paths(layer.name)[:-1]}

    @cached_property
    def keys(self) -> Mapping[str, tuple[int, ...]]:
        """The statements that it comes from: their keys by file."""
        found: dict[str, dict[int, None]] = {}
        made: Iterable[Layer | Stack | Tensor] = (*self._layers, *self._stacks, *self._tensors)
        for one in made:
            found.setdefault(one.site.file, {})[one.site.chunk] = None
        return {file: tuple(keys) for file, keys in found.items()}

    @cached_property
    def layers_at(self) -> Mapping[StatementKey, tuple[Layer, ...]]:
        """Layers by statement."""
        return grouped(self._layers, lambda layer: [key_of(layer.site)])

    @cached_property
    def stacks_at(self) -> Mapping[StatementKey, tuple[Stack, ...]]:
        """Stacks by statement."""
        return grouped(self._stacks, lambda stack: [key_of(stack.site)])

    @cached_property
    def tensors_at(self) -> Mapping[StatementKey, tuple[Tensor, ...]]:
        """Variables by statement."""
        return grouped(self._tensors, lambda tensor: [key_of(tensor.site)])

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
    def cut_at_rest(self) -> Mapping[str, list[tuple[tuple[str, ...], Tensor]]]:
        """For each dimension: the variables that are said to lie partitioned along it before layers
        read them, with the axes of each, outermost first."""
        found: dict[str, dict[tuple[tuple[str, ...], str], Tensor]] = {}
        for tensor in self._tensors:
            for said in tensor.rest:
                if said.dim is not None:
                    axes = said.sequence or (said.axis,)
                    found.setdefault(said.dim, {})[axes, tensor.name] = tensor
        return {
            dim: [(axes, tensor) for (axes, _), tensor in held.items()]
            for dim, held in found.items()
        }

    @cached_property
    def made_from(self) -> Mapping[str | None, tuple[Layer, ...]]:
        """Layers by the block or op that they are written with."""
        return grouped(self._layers, lambda layer: [layer.template])

    @cached_property
    def makers(self) -> Mapping[str, Layer]:
        """Layers by what they give."""
        return {layer.out: layer for layer in self._layers}

    @cached_property
    def readers(self) -> Mapping[str, tuple[Layer, ...]]:
        """Layers by what they read."""
        return grouped(
            self._layers,
            lambda layer: dict.fromkeys(operand.tensor for operand in layer.operands),
        )


class ListedFacts:
    """What is listed of a part, by name, for as long as that is kept elsewhere."""

    def __init__(self, listed: Listed) -> None:
        self._kept = ref(listed)

    @property
    def _listed(self) -> Listed:
        listed = self._kept()
        assert listed is not None
        return listed

    @cached_property
    def layers(self) -> Mapping[str, LayerResult]:
        """Layers by name."""
        return {layer.name: layer for layer in self._listed.layers}

    @cached_property
    def tensors(self) -> Mapping[str, TensorResult]:
        """Variables by name."""
        return {tensor.name: tensor for tensor in self._listed.tensors}

    @cached_property
    def layers_inside(self) -> Mapping[str, tuple[LayerResult, ...]]:
        """Layers by the paths that hold them, their own among these."""
        return grouped(self._listed.layers, lambda layer: _paths(layer.name))

    @cached_property
    def splitting(self) -> Mapping[str, Mapping[tuple[str, ...], list[str]]]:
        """For each dimension: the layers that are partitioned along it, by the axes on which they
        are, outermost first."""
        found: dict[str, dict[tuple[str, ...], list[str]]] = {}
        into: dict[Cuts, list[list[str]]] = {}  # most layers are cut like another one
        for name, cuts in self._listed.partitions:
            lists = into.get(cuts)
            if lists is None:
                lists = into[cuts] = [
                    found.setdefault(dim, {}).setdefault(tuple(axis for axis, _ in on), [])
                    for dim, on in grouped(cuts, lambda cut: [cut[1]]).items()
                ]
            for names in lists:
                names.append(name)
        return found

    @cached_property
    def in_front_of(self) -> Mapping[str, tuple[Move, ...]]:
        """All moves, free ones too, by the layer or stack that they are in front of."""
        return grouped(self._listed.moves, lambda move: [move.layer])

    @cached_property
    def of_tensor(self) -> Mapping[str, tuple[Move, ...]]:
        """The moves at work by variable."""
        return grouped(at_work(self._listed.moves), lambda move: [move.tensor])

    @cached_property
    def inside(self) -> Mapping[str, tuple[Move, ...]]:
        """The moves at work by the paths that hold them: those of `decoder.up` are in `decoder`."""
        return grouped(at_work(self._listed.moves), lambda move: _paths(move.layer))

    @cached_property
    def moved_at(self) -> Mapping[StatementKey, tuple[Move, ...]]:
        """All moves, free ones too, by statement."""
        return grouped(self._listed.moves, lambda move: [key_of(move.site)])


_PARTS: WeakKeyDictionary[Part, PartFacts] = WeakKeyDictionary()
_LISTED: WeakKeyDictionary[Listed, ListedFacts] = WeakKeyDictionary()


def facts_of(part: Part) -> PartFacts:
    """A part by name."""
    return _known(part, _PARTS, PartFacts)


def listed_facts(listed: Listed) -> ListedFacts:
    """What is listed of a part, by name."""
    return _known(listed, _LISTED, ListedFacts)


def _known(one: T, known: WeakKeyDictionary[T, V], made: Callable[[T], V]) -> V:
    found = known.get(one)
    if found is None:
        found = known[one] = made(one)
    return found


def grouped(values: Iterable[V], keys: Callable[[V], Iterable[K]]) -> dict[K, tuple[V, ...]]:
    """The values under each of their keys, in their order."""
    found: dict[K, list[V]] = {}
    for value in values:
        for key in keys(value):
            found.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in found.items()}


def key_of(site: Site) -> StatementKey:
    """The statement of a site."""
    return site.file, site.chunk


def _paths(name: str) -> list[str]:
    """`a`, `a.b` and `a.b.c` for `a.b.c`."""
    paths = [name]
    while dots := paths[-1].rpartition(".")[0]:
        paths.append(dots)
    return paths[::-1]

"""What dimensions index, found from how the model uses them, and the strategies' names.

No dimension is known by its name: a vocabulary is what a table is looked up by or a loss is taken
along, experts are batched with weights, heads are batched between activations and appear in
weights, positions come in pairs (queries and keys, also where a weight has one for each) or follow
a batch dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from parspec.interpreter.analysis.grid import Pieces
from parspec.interpreter.analysis.hints import Hints
from parspec.interpreter.analysis.sharding import Sharding
from parspec.interpreter.spec.model import Dim
from parspec.interpreter.theory.layouts import TURN
from parspec.interpreter.theory.strategies import Kind, strategy_name

Kinds: TypeAlias = Mapping[str, str]  # leaf to `position` or one of strategies.Kind


@dataclass(frozen=True)
class Naming:
    """What strategies' names depend on beside the states: the kinds of leaves, and the axes along
    which attention has to see positions of other nodes."""

    kinds: tuple[tuple[str, str], ...]
    context: frozenset[str]
    pieces: Pieces

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Computed once: every layer's names are looked up by it."""
        return hash((self.kinds, self.context, self.pieces))

    @cached_property
    def kind(self) -> Kinds:
        """The kind of every leaf that has one."""
        return dict(self.kinds)


def naming_of(dims: Iterable[Dim], hints: Sequence[Hints], pieces: Pieces) -> Naming:
    """The naming of a model, from the hints of all its parts."""
    kinds = kinds_of(dims, hints)
    seen = (pair for one in hints for pair in one.seen)
    context = frozenset(axis for dim, axis in seen if kinds.get(dim) == "position")
    return Naming(tuple(sorted(kinds.items())), context, pieces)


def kinds_of(dims: Iterable[Dim], hints: Sequence[Hints]) -> dict[str, str]:
    """The kind of every leaf that has one; later rules beat earlier ones."""
    weighted = frozenset[str]().union(*(one.weighted for one in hints))
    kept = frozenset[str]().union(*(one.kept for one in hints))
    summed = frozenset[str]().union(*(one.summed for one in hints))
    kinds: dict[str, str] = dict.fromkeys(weighted, "hidden")
    for one in hints:
        for leaves in one.inputs:
            kinds |= _input_kinds(leaves, weighted)
    attended = kept & summed
    pairs = [(dim.name, dim.positions) for dim in dims if dim.positions != dim.name]
    positions = {
        leaf
        for pair in pairs
        if pair[0] not in weighted or not attended.isdisjoint(pair)
        for leaf in pair
    }
    kinds |= dict.fromkeys(positions, "position")
    kinds |= dict.fromkeys((kept & weighted) - summed - positions, "head")
    for one in hints:
        kinds |= one.named
    return kinds | {dim: "layer" for one in hints for dim in one.turns}


def _input_kinds(leaves: Iterable[str], weighted: frozenset[str]) -> dict[str, str]:
    """An input's first dimension is its batch, further ones that no weight has its positions."""
    free = [leaf for leaf in leaves if leaf not in weighted]
    return {leaf: "position" if place else "batch" for place, leaf in enumerate(free)}


@lru_cache(maxsize=512)
def strategies(
    sharding: Sharding, weights: tuple[bool, ...], naming: Naming
) -> tuple[tuple[str, str], ...]:
    """The strategy of a layer on every axis of more than one node, on its pieces where they have
    different ones; `weights`: which of its operands are."""
    placement, pieces = sharding.placement, naming.pieces
    named: list[tuple[str, str]] = []
    for axis, parts in pieces.axes:
        if pieces.sizes.get(axis) == 1:
            continue
        cut = [piece for piece in parts if placement.dim(piece)] or parts[:1]
        names = [_strategy(piece, sharding, weights, naming) for piece in cut]
        if len(set(names)) == 1:
            named.append((axis, names[0]))
        else:
            named += zip(cut, names, strict=True)
    return tuple(named)


def _strategy(piece: str, sharding: Sharding, weights: tuple[bool, ...], naming: Naming) -> str:
    """The strategy of a layer on a piece of an axis."""
    dim = sharding.placement.dim(piece)
    letters = [where.state(piece).letter for where in sharding.inputs]
    return strategy_name(
        [letter for letter, weight in zip(letters, weights, strict=True) if not weight],
        [letter for letter, weight in zip(letters, weights, strict=True) if weight],
        sharding.output.state(piece).letter,
        dim,
        _kind(dim, piece, sharding, naming),
    )


def _kind(dim: str | None, axis: str, sharding: Sharding, naming: Naming) -> Kind | None:
    """The kind that names depend on: the stage of a pipelined stack is its layer's."""
    if sharding.output.state(axis).nodes == (TURN,):
        return "layer"
    match naming.kind.get(dim or ""):
        case "position":
            return "context" if axis in naming.context else "sequence"
        case "layer" | "batch" | "vocabulary" | "head" | "expert" | "hidden" as kind:
            return kind
    return None

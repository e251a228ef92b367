"""Settling: from clauses on layers, blocks, stacks, weights and patterns to one assignment an axis.

Axis by axis a layer's own clause beats a pattern, inner beats outer, later beats earlier. A clause
on a layer that calls a block, or on a stack, goes to every layer inside that has the dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.clauses import NOTHING
from parspec.interpreter.spec.drafts import DraftLayer, DraftStack, layers_of, own_name

if TYPE_CHECKING:
    from parspec.interpreter.spec.building import Building
    from parspec.interpreter.spec.clauses import Said
    from parspec.interpreter.spec.dims import Dims
    from parspec.interpreter.spec.drafts import DraftItem, Unit
    from parspec.interpreter.spec.model import Assignment, Item, Layer, Stack, Tensor
    from parspec.interpreter.spec.patterns import Rule

Rank: TypeAlias = tuple[int, int, int]
"""Own clauses over patterns, then the depth of what they stand on, then their order."""


@dataclass(frozen=True, slots=True)
class Voice:
    """What one statement says of a layer or a weight, and how much that counts."""

    said: Said
    rank: Rank
    origin: Literal["own", "pattern", "call"]
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """Layers and stacks, and variables by name, with their assignments; `hit` are the orders of the
    patterns that reached something."""

    items: tuple[Item, ...]
    tensors: tuple[Tensor, ...]
    hit: frozenset[int]


def settle(
    items: tuple[DraftItem, ...], building: Building, rules: tuple[Rule, ...], dims: Dims
) -> Settled:
    """Gives every layer, stack and variable what is said of it."""
    settling = _Settling(building, rules, dims)
    settled = tuple(settling.item(item) for item in items)
    readers = _readers(items)
    tensors = tuple(
        settling.tensor(tensor, readers.get(tensor.name, ()))
        for tensor in building.tensors.values()
    )
    return Settled(settled, tensors, frozenset(settling.hit))


def unmatched(rules: tuple[Rule, ...], settled: Settled, building: Building) -> Iterator[Finding]:
    """`unmatched_pattern` for every pattern that reaches nothing, unless something is wrong with
    its clauses or with a layer that it names."""
    broken = [unit for name, unit in building.units.items() if name in building.broken]
    for rule in rules:
        if rule.order in settled.hit or not rule.said.sound:
            continue
        if not any(rule.reaches(unit) for unit in broken):
            yield Finding("unmatched_pattern", rule.site, (("pattern", rule.text),))


def _readers(items: tuple[DraftItem, ...]) -> Mapping[str, tuple[DraftLayer, ...]]:
    """The layers that read each variable."""
    readers: dict[str, list[DraftLayer]] = {}
    for draft in layers_of(items):
        for name in dict.fromkeys(operand.tensor for operand in draft.layer.operands):
            readers.setdefault(name, []).append(draft)
    return {name: tuple(drafts) for name, drafts in readers.items()}


@dataclass(slots=True)
class _Settling:
    building: Building
    rules: tuple[Rule, ...]
    dims: Dims
    hit: set[int] = field(default_factory=set)
    by_unit: dict[tuple[str, ...], tuple[Rule, ...]] = field(default_factory=dict)
    by_first: dict[str, tuple[Rule, ...]] = field(default_factory=dict)

    def naming(self, unit: Unit) -> tuple[Rule, ...]:
        """The patterns that name a layer or a stack."""
        known = self.by_unit.get(unit.path)
        if known is None:
            candidates = self.starting(unit.path[0])
            known = tuple(rule for rule in candidates if rule.reaches(unit))
            self.by_unit[unit.path] = known
        return known

    def starting(self, first: str) -> tuple[Rule, ...]:
        """The patterns whose first part matches."""
        known = self.by_first.get(first)
        if known is None:
            known = tuple(r for r in self.rules if first in r.parts[0] or "*" in r.parts[0])
            self.by_first[first] = known
        return known

    def voices(self, chain: tuple[Unit, ...]) -> list[Voice]:
        """All that is said of what stands in a chain, in the order in which it counts."""
        found: list[Voice] = []
        named: set[int] = set()
        for depth, unit in enumerate(chain):
            own = depth == len(chain) - 1
            if unit.said is not NOTHING:
                found.append(Voice(unit.said, (1, depth, 0), "own" if own else "call"))
            for rule in self.naming(unit):
                if rule.order not in named:
                    named.add(rule.order)
                    found.append(Voice(rule.said, (0, depth, rule.order), "pattern", rule))
        return sorted(found, key=lambda voice: voice.rank)

    def note(self, voice: Voice) -> None:
        if voice.rule is not None:
            self.hit.add(voice.rule.order)

    # -- layers and stacks

    def item(self, item: DraftItem) -> Item:
        return self.stack(item) if isinstance(item, DraftStack) else self.layer(item)

    def layer(self, draft: DraftLayer) -> Layer:
        chosen: dict[str, Assignment] = {}
        stage = draft.layer.stage
        recompute = False
        for voice in self.voices(draft.chain):
            for part in voice.said.assignments:
                dim = None if part.dim is None else own_name(draft, part.dim, self.dims)
                if part.dim is None or dim is not None:
                    self.note(voice)
                    _say(chosen, _given(part, dim, voice))
            if voice.said.stage is not None:
                self.note(voice)
                stage = voice.said.stage
            if voice.said.recompute:
                self.note(voice)
                recompute = True
        return replace(draft.layer, assignments=_pruned(chosen), stage=stage, recompute=recompute)

    def stack(self, draft: DraftStack) -> Stack:
        """A stack takes what is said of the dimension that it repeats along."""
        chosen: dict[str, Assignment] = {}
        uneven = draft.stack.uneven
        unit = draft.chain[-1]
        for voice in self.voices((unit,)):
            for part in voice.said.assignments:
                if part.dim == draft.stack.dim or (part.saying in ("none", "hole") and chosen):
                    self.note(voice)
                    _say(chosen, _given(part, part.dim, voice))
            if voice.said.uneven:
                self.note(voice)
                uneven = True
        items = tuple(self.item(item) for item in draft.items)
        kept = tuple(part for part in _pruned(chosen) if part.saying in ("partition", "hole"))
        return replace(draft.stack, assignments=kept, uneven=uneven, items=items)

    # -- variables

    def tensor(self, tensor: Tensor, readers: tuple[DraftLayer, ...]) -> Tensor:
        own = self.building.said.get(tensor.name, NOTHING)
        chosen: dict[str, Assignment] = {}
        frozen = own.frozen
        if tensor.role == "weight":
            for voice in self.weight_voices(tensor, readers):
                for part in voice.said.stores:
                    if self.lies_along(tensor, part.dim):
                        self.note(voice)
                        _say(chosen, _given(part, part.dim, voice))
                if voice.said.frozen:
                    self.note(voice)
                    frozen = True
        for part in (*own.assignments, *own.stores):
            _say(chosen, part)
        return replace(tensor, rest=_pruned(chosen), stage=own.stage, frozen=frozen)

    def weight_voices(self, tensor: Tensor, readers: tuple[DraftLayer, ...]) -> list[Voice]:
        """What is said of a weight but at its declaration: by patterns that name it, or else by
        what is said of the layers that read it."""
        path = tuple(tensor.name.split("."))
        found = {
            rule.order: Voice(rule.said, (0, len(path), rule.order), "pattern", rule)
            for rule in self.starting(path[0])
            if rule.names(path)
        }
        clauses: list[Voice] = []
        for draft in readers:
            for voice in self.voices(draft.chain):
                if voice.rule is None:
                    clauses.append(voice)
                elif not self.names_a_weight(voice.rule, draft.chain):
                    found.setdefault(voice.rule.order, voice)
        return sorted((*found.values(), *clauses), key=lambda voice: (voice.rank[0], voice.rank[2]))

    def names_a_weight(self, rule: Rule, chain: tuple[Unit, ...]) -> bool:
        """Is every layer of a chain that a pattern names the name of a weight, too?"""
        named = [unit for unit in chain if rule.reaches(unit)]
        tensors = self.building.tensors
        return all(
            (known := tensors.get(unit.name)) is not None and known.role == "weight"
            for unit in named
        )

    def lies_along(self, tensor: Tensor, dim: str | None) -> bool:
        if dim is None or dim in tensor.stacked:
            return True
        return not set(self.dims.leaves(dim)).isdisjoint(tensor.leaves)


def _given(part: Assignment, dim: str | None, voice: Voice) -> Assignment:
    """What a voice says of an axis, under the listener's name for the dimension."""
    same = part.dim == dim and part.origin == voice.origin
    return part if same else replace(part, dim=dim, origin=voice.origin)


def _say(chosen: dict[str, Assignment], part: Assignment) -> None:
    """The newest word on an axis holds, and stands last."""
    chosen.pop(part.axis, None)
    chosen[part.axis] = part


def _pruned(chosen: Mapping[str, Assignment]) -> tuple[Assignment, ...]:
    """The assignments; axes that were written with one keep its order only while it holds."""

    def together(part: Assignment) -> Iterable[str]:
        for axis in part.sequence:
            other = chosen.get(axis)
            if other is not None and other.site == part.site and other.dim == part.dim:
                yield axis

    kept = ((part, tuple(together(part))) for part in chosen.values())
    return tuple(
        part if part.sequence == axes else replace(part, sequence=axes) for part, axes in kept
    )

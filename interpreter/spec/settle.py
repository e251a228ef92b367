"""Settling: from clauses on layers, blocks, stacks, weights and patterns to one assignment an axis.

Axis by axis a layer's own clause beats a pattern, inner beats outer, later beats earlier. A clause
on a layer that calls a block, or on a stack, goes to every layer inside that has the dimension.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, TypeAlias

from parspec.grammar.values import changed, value
from parspec.interpreter.spec.clauses import NOTHING
from parspec.interpreter.spec.drafts import DraftLayer, DraftStack, own_name
from parspec.interpreter.spec.ledger import Ledger
from parspec.interpreter.spec.model import Part
from parspec.interpreter.spec.patterns import ANY

if TYPE_CHECKING:
    from parspec.interpreter.spec.clauses import Said
    from parspec.interpreter.spec.dims import Dims
    from parspec.interpreter.spec.drafts import DraftItem, Unit
    from parspec.interpreter.spec.model import Assignment, Item, Layer, Stack, Tensor
    from parspec.interpreter.spec.patterns import Choice, Rule
    from parspec.interpreter.spec.walk import Walked
    from parspec.interpreter.spec.walks import Drafts

Rank: TypeAlias = tuple[int, int, int]
"""Own clauses over patterns, then the depth of what they stand on, then their order."""

Met: TypeAlias = tuple[int, int, str]
"""An alternative of a pattern: the pattern's order, the place of the part, the name."""


@value
class Voice:
    """What one statement says of a layer or a weight, and how much that counts."""

    said: Said
    rank: Rank
    origin: Literal["own", "pattern", "call"]
    rule: Rule | None = None


@dataclass(frozen=True, eq=False)
class _Portion:
    """One passage's drafts, settled: its part of the model, the orders of the patterns that reached
    something in it, and the alternatives that named something. `variables`: its variables before,
    `readers`: the layers elsewhere that read its weights, `asked`: the roles of variables, None of
    none, that were asked for."""

    part: Part
    hit: frozenset[int]
    met: frozenset[Met]
    variables: tuple[Tensor, ...]
    readers: tuple[DraftLayer, ...]
    asked: Mapping[str, str | None]


class Portions:
    """What earlier settling of the same spec gave, under one plan: the portions of drafts, by
    these."""

    def __init__(self) -> None:
        self.said: object = None
        self.known: Mapping[Drafts, _Portion] = {}

    def begin(self, said: object) -> None:
        """Begins anew; nothing holds any more where patterns say something else."""
        if said != self.said:
            self.known = {}
        self.said = said

    def touched(self, walked: Walked) -> Set[str] | None:
        """The variables that were made otherwise since the last settling, and the weights of whose
        readers in other passages something else is said; None where that cannot be told."""
        if walked.changed is None:
            return None
        before, now = self.known, dict.fromkeys(walked.drafts)
        gone, come = _heard(before, but=now), _heard(now, but=before)
        weights = (n for n in gone.keys() | come.keys() if gone.get(n) != come.get(n))
        return {*weights, *walked.changed.get("tensors", ())}


@value
class Settled:
    """The parts of the model; `hit` are the orders of the patterns that reached something, `met`
    the alternatives of patterns that name something, each pattern for all that say the same of the
    same: `last` is the one among these that holds."""

    parts: tuple[Part, ...]
    hit: frozenset[int]
    met: frozenset[Met]
    last: Mapping[int, Rule]

    def reached(self, rule: Rule) -> bool:
        """Did a pattern reach something?"""
        return self.last[rule.order].order in self.hit

    def named(self, rule: Rule, choice: Choice) -> bool:
        """Does an alternative of a pattern name something?"""
        return (self.last[rule.order].order, choice.place, choice.name) in self.met


def settle(walked: Walked, rules: tuple[Rule, ...], dims: Dims, portions: Portions) -> Settled:
    """Gives every layer, stack and variable what is said of it."""
    portions.begin((dims.products, tuple(map(_everything, rules))))
    touched = portions.touched(walked)
    last = _holding(rules)
    settling = _Settling(walked, tuple(dict.fromkeys(last.values())), dict(dims.products))
    settled = {}
    for drafts in walked.drafts:
        known = portions.known.get(drafts)
        if known is None or touched is None or not settling.apart(known, touched):
            known = settling.portion(drafts, known)
        settled[drafts] = known
    portions.known = settled
    hit: frozenset[int] = frozenset().union(*[portion.hit for portion in settled.values()])
    met: frozenset[Met] = frozenset().union(*[portion.met for portion in settled.values()])
    return Settled(tuple([portion.part for portion in settled.values()]), hit, met, last)


def _holding(rules: tuple[Rule, ...]) -> Mapping[int, Rule]:
    """For each pattern, by its order, the last one that says the same of the same: whatever the
    others say, it says again."""
    last: dict[object, Rule] = {}
    for rule in rules:
        last[rule.parts, rule.said] = rule
    return {rule.order: last[rule.parts, rule.said] for rule in rules}


def _everything(bearer: Rule | Unit) -> object:
    """What clauses stand on with where they stand, which comparisons leave out."""
    said = bearer.said
    sites = [part.site for part in (*said.assignments, *said.stores)]
    return bearer, tuple(sites), said.stage and said.stage.site


def _heard(every: Iterable[Drafts], but: Container[Drafts]) -> Mapping[str, list[object]]:
    """What is said of the layers that read each weight of another passage, but for some."""
    heard: dict[str, list[object]] = {}
    for drafts in every:
        if drafts not in but:
            for name, readers in drafts.weights_elsewhere.items():
                units = chain.from_iterable([reader.chain for reader in readers])
                heard.setdefault(name, []).extend(map(_everything, units))
    return heard


@dataclass
class _Settling:
    walked: Walked
    rules: tuple[Rule, ...]
    factors: Mapping[str, tuple[str, ...]]
    hit: set[int] = field(default_factory=set)
    met: set[Met] = field(default_factory=set)
    said: Mapping[str, Said] = field(default_factory=dict)
    asked: dict[str, str | None] = field(default_factory=dict)
    choices: dict[int, frozenset[tuple[int, str]]] = field(default_factory=dict)
    by_unit: dict[tuple[tuple[str, ...], int], tuple[Voice, ...]] = field(default_factory=dict)
    by_naming: dict[tuple[int, ...], tuple[Voice, ...]] = field(default_factory=dict)
    by_first: dict[str, tuple[tuple[Rule, ...], ...]] = field(default_factory=dict)

    def portion(self, drafts: Drafts, known: _Portion | None) -> _Portion:
        """One passage, settled; as before where nothing that it depends on has changed."""
        readers = self.readers
        elsewhere = tuple([r for name in drafts.tensors for r in readers.get(name, ())])
        variables = self.tensors.present(drafts.tensors)
        if (
            known is not None
            and _identical(known.variables, variables)
            and _identical(known.readers, elsewhere)
            and self.as_asked(known.asked, known.asked)
        ):
            return known
        self.hit, self.met, self.said, self.asked = set(), set(), drafts.said, {}
        items = tuple(self.item(item) for item in drafts.items)
        own = drafts.weight_readers
        tensors = tuple(
            self.tensor(tensor, (*own.get(tensor.name, ()), *readers.get(tensor.name, ())))
            for tensor in variables
        )
        hit, met = frozenset(self.hit), frozenset(self.met)
        return _Portion(Part(items, tensors), hit, met, variables, elsewhere, self.asked)

    def apart(self, known: _Portion, touched: Set[str]) -> bool:
        """Does nothing that was touched matter to a portion?"""
        if not touched:
            return True
        return known.part.named.keys().isdisjoint(touched) and (
            known.asked.keys().isdisjoint(touched)
            or self.as_asked(known.asked, known.asked.keys() & touched)
        )

    def as_asked(self, asked: Mapping[str, str | None], names: Iterable[str]) -> bool:
        """Have variables the roles that they had?"""
        return all(self.role(name) == asked[name] for name in names)

    def role(self, name: str) -> str | None:
        """The role of a variable, None where there is none."""
        found = self.tensors.present((name,))
        return found[0].role if found else None

    @property
    def tensors(self) -> Ledger[str, Tensor]:
        """The variables."""
        tensors = self.walked.building.tensors
        assert isinstance(tensors, Ledger)
        return tensors

    @cached_property
    def readers(self) -> Mapping[str, tuple[DraftLayer, ...]]:
        """The layers that read each weight in another passage than declares it."""
        found: dict[str, tuple[DraftLayer, ...]] = {}
        for drafts in self.walked.drafts:
            for name, some in drafts.weights_elsewhere.items():
                found[name] = (*found[name], *some) if name in found else some
        return found

    def naming(self, unit: Unit, depth: int) -> tuple[Voice, ...]:
        """What the patterns say that name a layer or a stack at a depth of a chain, in order; the
        very same value for all that are named by the same."""
        known = self.by_unit.get((unit.path, depth))
        if known is None:
            named = [rules for rules in self.starting(unit.path[0]) if rules[0].reaches(unit)]
            by = (depth, *(rules[0].order for rules in named))
            known = self.by_naming.get(by)
            if known is None:
                rules = sorted(chain.from_iterable(named), key=attrgetter("order"))
                heard = (Voice(r.said, (0, depth, r.order), "pattern", r) for r in rules)
                known = self.by_naming[by] = tuple(heard)
            self.by_unit[unit.path, depth] = known
        return known

    def starting(self, first: str) -> tuple[tuple[Rule, ...], ...]:
        """The patterns whose first part matches, those together that name the same."""
        known = self.by_first.get(first)
        if known is None:
            alike = (a for a in self.alike if first in a[0].parts[0] or ANY in a[0].parts[0])
            known = self.by_first[first] = tuple(alike)
        return known

    @cached_property
    def alike(self) -> tuple[tuple[Rule, ...], ...]:
        """All patterns, those together that name the same."""
        by_parts: dict[object, list[Rule]] = {}
        for rule in self.rules:
            by_parts.setdefault(rule.parts, []).append(rule)
        return tuple(map(tuple, by_parts.values()))

    def voices(self, chain: tuple[Unit, ...]) -> list[Voice]:
        """All that is said of what stands in a chain, in the order in which it counts."""
        found: list[Voice] = []
        named: set[int] = set()
        for depth, unit in enumerate(chain):
            own = depth == len(chain) - 1
            if unit.said is not NOTHING:
                found.append(Voice(unit.said, (1, depth, 0), "own" if own else "call"))
            heard = self.naming(unit, depth)
            if named:
                heard = tuple(voice for voice in heard if voice.rank[2] not in named)
            for voice in heard:
                self.meet(voice, unit.path)
            if not own:
                named.update(voice.rank[2] for voice in heard)
            found += heard
        return sorted(found, key=attrgetter("rank"))

    def meet(self, voice: Voice, path: tuple[str, ...]) -> None:
        """Notes the alternatives by which a pattern names a path."""
        if voice.rule is not None and voice.rule.choices:
            order = voice.rule.order
            known = self.choices.get(order)
            if known is None:
                known = frozenset((choice.place, choice.name) for choice in voice.rule.choices)
                self.choices[order] = known
            self.met.update((order, *named) for named in enumerate(path) if named in known)

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
        names: dict[str | None, str | None] = {None: None}
        for voice in self.voices(draft.chain):
            for part in voice.said.assignments:
                if part.dim is not None and part.dim not in names:
                    names[part.dim] = own_name(draft, part.dim, self.factors)
                dim = names[part.dim]
                if part.dim is None or dim is not None:
                    self.note(voice)
                    _say(chosen, _given(part, dim, voice))
            if voice.said.stage is not None:
                self.note(voice)
                stage = voice.said.stage
            if voice.said.recompute:
                self.note(voice)
                recompute = True
        if not chosen and stage is draft.layer.stage and not recompute:
            return draft.layer
        return changed(draft.layer, assignments=_pruned(chosen), stage=stage, recompute=recompute)

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
        return changed(draft.stack, assignments=kept, uneven=uneven, items=items)

    # -- variables

    def tensor(self, tensor: Tensor, readers: tuple[DraftLayer, ...]) -> Tensor:
        own = self.said.get(tensor.name, NOTHING)
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
        if not chosen and own.stage is None and not frozen:
            return tensor
        return changed(tensor, rest=_pruned(chosen), stage=own.stage, frozen=frozen)

    def weight_voices(self, tensor: Tensor, readers: tuple[DraftLayer, ...]) -> list[Voice]:
        """What is said of a weight but at its declaration: by patterns that name it, or else by
        what is said of the layers that read it."""
        path = tuple(tensor.name.split("."))
        found = {
            rule.order: Voice(rule.said, (0, len(path), rule.order), "pattern", rule)
            for rules in self.starting(path[0])
            if rules[0].names(path)
            for rule in rules
        }
        for voice in found.values():
            self.meet(voice, path)
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
        for unit in named:
            self.asked[unit.name] = self.role(unit.name)
        return all(self.asked[unit.name] == "weight" for unit in named)

    def lies_along(self, tensor: Tensor, dim: str | None) -> bool:
        if dim is None or dim in tensor.stacked:
            return True
        leaves = self.factors.get(dim, (dim,))
        return not set(leaves).isdisjoint(tensor.leaves)


def _identical(these: tuple[object, ...], those: tuple[object, ...]) -> bool:
    """Are they the very same values?"""
    return len(these) == len(those) and all(map(operator.is_, these, those))


def _given(part: Assignment, dim: str | None, voice: Voice) -> Assignment:
    """What a voice says of an axis, under the listener's name for the dimension."""
    same = part.dim == dim and part.origin == voice.origin
    return part if same else changed(part, dim=dim, origin=voice.origin)


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
        part if part.sequence == axes else changed(part, sequence=axes) for part, axes in kept
    )

"""Settling: from clauses on layers, blocks, stacks, weights and patterns to one assignment an axis.

Axis by axis a layer's own clause beats a pattern, inner beats outer, later beats earlier. A clause
on a layer that calls a block, or on a stack, goes to every layer inside that has the dimension.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from parspec.grammar.values import value
from parspec.interpreter.spec.assigning import Assigning, Met
from parspec.interpreter.spec.ledger import Ledger
from parspec.interpreter.spec.model import Part
from parspec.interpreter.spec.voices import Voices

if TYPE_CHECKING:
    from parspec.interpreter.spec.dims import Dims
    from parspec.interpreter.spec.drafts import DraftLayer, Unit
    from parspec.interpreter.spec.model import Tensor
    from parspec.interpreter.spec.patterns import Choice, Rule
    from parspec.interpreter.spec.walk import Walked
    from parspec.interpreter.spec.walks import Drafts


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
    settling = _Settling(walked, dict.fromkeys(last.values()), dims)
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


class _Settling:
    """Who settles passages: the walk, what patterns say, and the factors of dimensions."""

    def __init__(self, walked: Walked, rules: Iterable[Rule], dims: Dims) -> None:
        self._walked = walked
        self._voices = Voices(rules)
        self._factors = dict(dims.products)

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
        given = Assigning(self._voices, self._factors, self.role, drafts.said)
        items = tuple(map(given.item, drafts.items))
        own = drafts.weight_readers
        tensors = tuple(
            given.tensor(tensor, (*own.get(tensor.name, ()), *readers.get(tensor.name, ())))
            for tensor in variables
        )
        hit, met = frozenset(given.hit), frozenset(given.met)
        return _Portion(Part(items, tensors), hit, met, variables, elsewhere, given.asked)

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
        tensors = self._walked.building.tensors
        assert isinstance(tensors, Ledger)
        return tensors

    @cached_property
    def readers(self) -> Mapping[str, tuple[DraftLayer, ...]]:
        """The layers that read each weight in another passage than declares it."""
        found: dict[str, tuple[DraftLayer, ...]] = {}
        for drafts in self._walked.drafts:
            for name, some in drafts.weights_elsewhere.items():
                found[name] = (*found[name], *some) if name in found else some
        return found


def _identical(these: tuple[object, ...], those: tuple[object, ...]) -> bool:
    """Are they the very same values?"""
    return len(these) == len(those) and all(map(operator.is_, these, those))

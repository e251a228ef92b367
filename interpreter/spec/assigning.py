"""Assigning: the layers, stacks and variables of one passage are given what is said of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

from parspec.grammar.values import changed
from parspec.interpreter.spec.clauses import NOTHING
from parspec.interpreter.spec.drafts import DraftStack, own_name
from parspec.interpreter.spec.voices import Voice, Voices

if TYPE_CHECKING:
    from parspec.interpreter.spec.clauses import Said
    from parspec.interpreter.spec.drafts import DraftItem, DraftLayer, Unit
    from parspec.interpreter.spec.model import Assignment, Item, Layer, Stack, Tensor
    from parspec.interpreter.spec.patterns import Rule

Met: TypeAlias = tuple[int, int, str]
"""An alternative of a pattern: the pattern's order, the place of the part, the name."""


class Assigning:
    """What is given to one passage, and what was noted on the way: `hit`, the orders of the
    patterns that reached something; `met`, the alternatives that named something; `asked`, the
    roles of variables, None of none, that it depends on."""

    def __init__(
        self,
        voices: Voices,
        factors: Mapping[str, tuple[str, ...]],
        role: Callable[[str], str | None],
        said: Mapping[str, Said],
    ) -> None:
        """`factors`: those of products of dimensions; `role`: that of a variable; `said`: of its
        variables, where they are declared."""
        self._patterns = voices
        self._factors = factors
        self._role = role
        self._said = said
        self.hit: set[int] = set()
        self.met: set[Met] = set()
        self.asked: dict[str, str | None] = {}

    def item(self, item: DraftItem) -> Item:
        """A layer or a stack with what is said of it."""
        return self._stack(item) if isinstance(item, DraftStack) else self._layer(item)

    def _layer(self, draft: DraftLayer) -> Layer:
        chosen: dict[str, Assignment] = {}
        stage = draft.layer.stage
        recompute = False
        names: dict[str | None, str | None] = {None: None}
        for voice in self._voices(draft.chain):
            for part in voice.said.assignments:
                if part.dim is not None and part.dim not in names:
                    names[part.dim] = own_name(draft, part.dim, self._factors)
                dim = names[part.dim]
                if part.dim is None or dim is not None:
                    self._note(voice)
                    _say(chosen, _given(part, dim, voice))
            if voice.said.stage is not None:
                self._note(voice)
                stage = voice.said.stage
            if voice.said.recompute:
                self._note(voice)
                recompute = True
        if not chosen and stage is draft.layer.stage and not recompute:
            return draft.layer
        return changed(draft.layer, assignments=_pruned(chosen), stage=stage, recompute=recompute)

    def _stack(self, draft: DraftStack) -> Stack:
        """A stack takes what is said of the dimension that it repeats along."""
        chosen: dict[str, Assignment] = {}
        uneven = draft.stack.uneven
        unit = draft.chain[-1]
        for voice in self._voices((unit,)):
            for part in voice.said.assignments:
                if part.dim == draft.stack.dim or (part.saying in ("none", "hole") and chosen):
                    self._note(voice)
                    _say(chosen, _given(part, part.dim, voice))
            if voice.said.uneven:
                self._note(voice)
                uneven = True
        items = tuple(self.item(item) for item in draft.items)
        kept = tuple(part for part in _pruned(chosen) if part.saying in ("partition", "hole"))
        return changed(draft.stack, assignments=kept, uneven=uneven, items=items)

    def tensor(self, tensor: Tensor, readers: Iterable[DraftLayer]) -> Tensor:
        """A variable with what is said of it; `readers`: of a weight the layers that read it."""
        own = self._said.get(tensor.name, NOTHING)
        chosen: dict[str, Assignment] = {}
        frozen = own.frozen
        if tensor.role == "weight":
            for voice in self._weight_voices(tensor, readers):
                for part in voice.said.stores:
                    if self._lies_along(tensor, part.dim):
                        self._note(voice)
                        _say(chosen, _given(part, part.dim, voice))
                if voice.said.frozen:
                    self._note(voice)
                    frozen = True
        for part in (*own.assignments, *own.stores):
            _say(chosen, part)
        if not chosen and own.stage is None and not frozen:
            return tensor
        return changed(tensor, rest=_pruned(chosen), stage=own.stage, frozen=frozen)

    def _weight_voices(self, tensor: Tensor, readers: Iterable[DraftLayer]) -> list[Voice]:
        """What is said of a weight but at its declaration: by patterns that name it, or else by
        what is said of the layers that read it."""
        path = tuple(tensor.name.split("."))
        found = self._patterns.of_weight(path)
        for voice in found.values():
            self._meet(voice, path)
        clauses: list[Voice] = []
        for draft in readers:
            for voice in self._voices(draft.chain):
                if voice.rule is None:
                    clauses.append(voice)
                elif not self._names_a_weight(voice.rule, draft.chain):
                    found.setdefault(voice.rule.order, voice)
        return sorted((*found.values(), *clauses), key=lambda voice: (voice.rank[0], voice.rank[2]))

    def _names_a_weight(self, rule: Rule, chain: tuple[Unit, ...]) -> bool:
        """Is every layer of a chain that a pattern names the name of a weight, too?"""
        named = [unit for unit in chain if rule.reaches(unit)]
        for unit in named:
            self.asked[unit.name] = self._role(unit.name)
        return all(self.asked[unit.name] == "weight" for unit in named)

    def _lies_along(self, tensor: Tensor, dim: str | None) -> bool:
        if dim is None or dim in tensor.stacked:
            return True
        leaves = self._factors.get(dim, (dim,))
        return not set(leaves).isdisjoint(tensor.leaves)

    def _voices(self, chain: tuple[Unit, ...]) -> list[Voice]:
        """All that is said of what stands in a chain, in the order in which it counts."""
        found: list[Voice] = []
        named: set[int] = set()
        for depth, unit in enumerate(chain):
            own = depth == len(chain) - 1
            if unit.said is not NOTHING:
                found.append(Voice(unit.said, (1, depth, 0), "own" if own else "call"))
            heard = self._patterns.naming(unit, depth)
            if named:
                heard = tuple(voice for voice in heard if voice.rank[2] not in named)
            for voice in heard:
                self._meet(voice, unit.path)
            if not own:
                named.update(voice.rank[2] for voice in heard)
            found += heard
        return sorted(found, key=attrgetter("rank"))

    def _meet(self, voice: Voice, path: tuple[str, ...]) -> None:
        """Notes the alternatives by which a pattern names a path."""
        rule = voice.rule
        if rule is not None and rule.choices:
            known = self._patterns.choices_of(rule)
            self.met.update((rule.order, *named) for named in enumerate(path) if named in known)

    def _note(self, voice: Voice) -> None:
        if voice.rule is not None:
            self.hit.add(voice.rule.order)


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

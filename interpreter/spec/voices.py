"""Voices: what clauses and patterns say of what stands in a chain, and how much that counts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.spec.patterns import ANY

if TYPE_CHECKING:
    from parspec.interpreter.spec.clauses import Said
    from parspec.interpreter.spec.drafts import Unit
    from parspec.interpreter.spec.patterns import Rule

Rank: TypeAlias = tuple[int, int, int]
"""Own clauses over patterns, then the depth of what they stand on, then their order."""


@value
class Voice:
    """What one statement says of a layer or a weight, and how much that counts."""

    said: Said
    rank: Rank
    origin: Literal["own", "pattern", "call"]
    rule: Rule | None = None


class Voices:
    """What patterns say. It is asked again and again of the same names, so what is found is
    kept."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._by_unit: dict[tuple[tuple[str, ...], int], tuple[Voice, ...]] = {}
        self._by_naming: dict[tuple[int, ...], tuple[Voice, ...]] = {}
        self._by_first: dict[str, tuple[tuple[Rule, ...], ...]] = {}
        self._choices: dict[int, frozenset[tuple[int, str]]] = {}

    def naming(self, unit: Unit, depth: int) -> tuple[Voice, ...]:
        """What the patterns say that name a layer or a stack at a depth of a chain, in order; the
        very same value for all that are named by the same."""
        known = self._by_unit.get((unit.path, depth))
        if known is None:
            named = [rules for rules in self._starting(unit.path[0]) if rules[0].reaches(unit)]
            by = (depth, *(rules[0].order for rules in named))
            known = self._by_naming.get(by)
            if known is None:
                rules = sorted(chain.from_iterable(named), key=attrgetter("order"))
                heard = (Voice(r.said, (0, depth, r.order), "pattern", r) for r in rules)
                known = self._by_naming[by] = tuple(heard)
            self._by_unit[unit.path, depth] = known
        return known

    def _starting(self, first: str) -> tuple[tuple[Rule, ...], ...]:
        """The patterns whose first part matches, those together that name the same."""
        known = self._by_first.get(first)
        if known is None:
            alike = (a for a in self._alike if first in a[0].parts[0] or ANY in a[0].parts[0])
            known = self._by_first[first] = tuple(alike)
        return known

    @cached_property
    def _alike(self) -> tuple[tuple[Rule, ...], ...]:
        """All patterns, those together that name the same."""
        by_parts: dict[object, list[Rule]] = {}
        for rule in self._rules:
            by_parts.setdefault(rule.parts, []).append(rule)
        return tuple(map(tuple, by_parts.values()))

    def of_weight(self, path: tuple[str, ...]) -> dict[int, Voice]:
        """What the patterns say that name a weight, by their order."""
        return {
            rule.order: Voice(rule.said, (0, len(path), rule.order), "pattern", rule)
            for rules in self._starting(path[0])
            if rules[0].names(path)
            for rule in rules
        }

    def choices_of(self, rule: Rule) -> frozenset[tuple[int, str]]:
        """The alternatives of a pattern: the places of parts, and names."""
        known = self._choices.get(rule.order)
        if known is None:
            known = frozenset((choice.place, choice.name) for choice in rule.choices)
            self._choices[rule.order] = known
        return known

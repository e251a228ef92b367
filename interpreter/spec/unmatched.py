"""Unmatched: patterns that reach nothing, and alternatives in braces that name nothing.

An alternative that names a layer which lacks the dimension is no mistake: such layers are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from heapq import nsmallest
from typing import TYPE_CHECKING, TypeAlias

from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.names import near, replacing
from parspec.interpreter.spec.patterns import ANY

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Datum
    from parspec.interpreter.spec.drafts import Unit
    from parspec.interpreter.spec.patterns import Choice, Rule
    from parspec.interpreter.spec.settle import Settled
    from parspec.interpreter.spec.walk import Walked

    Parts: TypeAlias = tuple[frozenset[str], ...]
    Data: TypeAlias = tuple[tuple[str, Datum], ...]


_EVERY = frozenset(("all", "any", "each", "every", "everything"))  # what `*` is elsewhere
_MOST = 12  # names that are told where none is close


def unmatched(rules: tuple[Rule, ...], settled: Settled, walked: Walked) -> Iterator[Finding]:
    """`unmatched_pattern` for every pattern that reaches nothing, and for every alternative of one
    that names nothing; unless something is wrong with its clauses or with a layer that it
    names."""
    looking = _Looking(settled, walked)
    for rule in rules:
        if rule.said.sound:
            yield from looking.at(rule)


class _Looking:
    """Looks for what patterns do not reach, and for what they may mean."""

    def __init__(self, settled: Settled, walked: Walked) -> None:
        self.settled, self.walked = settled, walked
        self._at_place: dict[Parts, frozenset[str]] = {}
        self._beside: dict[tuple[Parts, int], tuple[str, ...]] = {}

    def at(self, rule: Rule) -> Iterator[Finding]:
        """What is wrong with one pattern: its alternatives, or else all of it."""
        missed = not self.settled.reached(rule)
        broken = [unit for unit in self.broken if rule.names(unit.path)] if rule.choices else ()
        met = {choice for unit in broken for choice in rule.chosen(unit.path)}
        lost = [c for c in rule.choices if not (self.settled.named(rule, c) or c in met)]
        if missed and any(rule.reaches(unit) or _inside(rule, unit) for unit in self.broken):
            return
        place = self.first_wrong(rule) if missed else None
        if place is not None:
            lost = [choice for choice in lost if choice.place == place]
        for choice in lost:
            yield self.alternative(rule, choice)
        if missed and not lost:
            yield self.whole(rule, place)

    def whole(self, rule: Rule, place: int | None) -> Finding:
        """The finding about a pattern: a name in it that nothing has, or no layer that it names has
        a dimension of its clauses."""
        data: Data
        if place is None:
            dims = tuple(dict.fromkeys(part.dim for part in rule.said.assignments if part.dim))
            close = tuple(".".join(path) for path, dim in self.stacks if dim in dims)
            data = (("pattern", rule.text), ("near", close), *((("lacks", dims),) if dims else ()))
        else:
            close = self.close(rule, place)
            data = (("pattern", rule.text), ("near", close), *self.there(rule, place, close))
        fixes = replacing(rule.text, rule.site, close)
        return Finding("unmatched_pattern", rule.site, data, fixes=fixes)

    def there(self, rule: Rule, place: int, close: tuple[str, ...]) -> Iterator[tuple[str, Datum]]:
        """The names that there are at a place of a pattern, where none is close."""
        names = () if close else self.at_place(rule, place)
        if names:
            few = _first(names)
            yield "there", (*few, "…") if len(few) < len(names) else few

    def alternative(self, rule: Rule, choice: Choice) -> Finding:
        """The finding about one alternative."""
        close = near(choice.name, self.beside(rule, choice.place))
        parts = [*map(_told, rule.parts)]
        parts[choice.place] = choice.name
        told = self.there(rule, choice.place, close)
        data: Data = (("pattern", ".".join(parts)), ("near", close), *told)
        fixes = replacing(choice.name, choice.site, close)
        return Finding("unmatched_pattern", choice.site, data, fixes=fixes)

    def close(self, rule: Rule, place: int) -> tuple[str, ...]:
        """The pattern with the names in place of one part that it may mean."""
        parts = [*map(_shown, rule.parts)]
        close = (ANY,) if parts[place] in _EVERY else near(parts[place], self.beside(rule, place))
        return tuple(".".join((*parts[:place], name, *parts[place + 1 :])) for name in close)

    def first_wrong(self, rule: Rule) -> int | None:
        """The place of the first part at which nothing matches any more."""
        for place, part in enumerate(rule.parts):
            names = self.at_place(rule, place)
            if not names or (ANY not in part and names.isdisjoint(part)):
                return place
        return None

    def beside(self, rule: Rule, place: int) -> tuple[str, ...]:
        """The names that could stand at a place of a pattern, but for those that do."""
        key = rule.parts, place
        if key not in self._beside:
            self._beside[key] = tuple(sorted(self.at_place(rule, place) - rule.parts[place]))
        return self._beside[key]

    def at_place(self, rule: Rule, place: int) -> frozenset[str]:
        """The names that could stand at a place of a pattern."""
        before = rule.parts[:place]
        if before not in self._at_place:
            self._at_place[before] = frozenset(
                path[place]
                for path in self.paths
                if len(path) > place
                and all(
                    ANY in part or each in part for part, each in zip(before, path, strict=False)
                )
            )
        return self._at_place[before]

    @cached_property
    def broken(self) -> list[Unit]:
        """The layers and stacks that were left out."""
        units = self.walked.building.units
        return [units[name] for name in self.walked.building.broken if name in units]

    @cached_property
    def units(self) -> list[Unit]:
        """All layers and stacks."""
        logs = (drafts.log("units") for drafts in self.walked.drafts)
        return [unit for log in logs for unit in log.written.values()]

    @cached_property
    def paths(self) -> list[tuple[str, ...]]:
        """The paths of all layers and stacks."""
        return [unit.path for unit in self.units]

    @cached_property
    def stacks(self) -> list[tuple[tuple[str, ...], str | None]]:
        """The paths of all stacks with what each repeats along."""
        return [(unit.path, unit.dim) for unit in self.units if unit.kind == "stack"]


def _inside(rule: Rule, unit: Unit) -> bool:
    """May it name something in a stack that is broken, of which nothing is known?"""
    pairs = zip(rule.parts, unit.path, strict=False)
    return (
        unit.kind == "stack"
        and len(rule.parts) > len(unit.path)
        and all(ANY in part or name in part for part, name in pairs)
    )


def _shown(part: frozenset[str]) -> str:
    """A part as it is written."""
    return next(iter(part)) if len(part) == 1 else f"{{{','.join(sorted(part))}}}"


def _told(part: frozenset[str]) -> str:
    """A part as messages show it: of very many alternatives only the first."""
    if len(part) <= _MOST:
        return _shown(part)
    few = _first(part)
    return f"{{{','.join(few)} and {len(part) - len(few):,} more}}"


@lru_cache(maxsize=16)  # many alternatives of one pattern may name nothing
def _first(names: frozenset[str]) -> tuple[str, ...]:
    """The names that are told: all, or of very many the first."""
    few = nsmallest(_MOST + 1, names)
    return tuple(few if len(few) <= _MOST else few[: _MOST - 1])

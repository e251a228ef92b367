"""Unmatched: patterns that reach nothing, and alternatives in braces that name nothing.

An alternative that names a layer which lacks the dimension is no mistake: such layers are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.names import near, replacing
from parspec.interpreter.spec.patterns import ANY
from parspec.interpreter.spec.walks import UNITS

if TYPE_CHECKING:
    from parspec.interpreter.spec.drafts import Unit
    from parspec.interpreter.spec.patterns import Choice, Rule
    from parspec.interpreter.spec.settle import Settled
    from parspec.interpreter.spec.walk import Walked


_EVERY = frozenset(("all", "any", "each", "every", "everything"))  # what `*` is elsewhere


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

    def at(self, rule: Rule) -> Iterator[Finding]:
        """What is wrong with one pattern: its alternatives, or else all of it."""
        missed = rule.order not in self.settled.hit
        lost = [choice for choice in rule.choices if not self.names(rule, choice)]
        if missed and any(rule.reaches(unit) or _inside(rule, unit) for unit in self.broken):
            return
        place = self.first_wrong(rule) if missed else None
        if place is not None:
            lost = [choice for choice in lost if choice.place == place]
        for choice in lost:
            yield self.alternative(rule, choice)
        if missed and not lost:
            close = () if place is None else self.close(rule, place)
            data = (("pattern", rule.text), ("near", close))
            yield Finding(
                "unmatched_pattern", rule.site, data, fixes=replacing(rule.text, rule.site, close)
            )

    def names(self, rule: Rule, choice: Choice) -> bool:
        """Does an alternative name something, if only what is broken?"""
        return choice in self.settled.met or any(
            rule.names(unit.path) and choice in rule.chosen(unit.path) for unit in self.broken
        )

    def alternative(self, rule: Rule, choice: Choice) -> Finding:
        """The finding about one alternative."""
        close = near(choice.name, self.beside(rule, choice.place))
        parts = [*map(_shown, rule.parts)]
        parts[choice.place] = choice.name
        data = (("pattern", ".".join(parts)), ("near", close))
        fixes = replacing(choice.name, choice.site, close)
        return Finding("unmatched_pattern", choice.site, data, fixes=fixes)

    def close(self, rule: Rule, place: int) -> tuple[str, ...]:
        """The pattern with the names in place of one part that it may mean."""
        parts = [*map(_shown, rule.parts)]
        close = (ANY,) if parts[place] in _EVERY else near(parts[place], self.beside(rule, place))
        return tuple(".".join((*parts[:place], name, *parts[place + 1 :])) for name in close)

    def first_wrong(self, rule: Rule) -> int | None:
        """The place of the first part at which nothing matches any more."""
        paths: Iterable[tuple[str, ...]] = self.paths
        for place, part in enumerate(rule.parts):
            paths = [p for p in paths if len(p) > place and (ANY in part or p[place] in part)]
            if not paths:
                return place
        return None

    def beside(self, rule: Rule, place: int) -> list[str]:
        """The names that could stand at a place of a pattern, but for those that do."""
        before = rule.parts[:place]
        found = {
            path[place]
            for path in self.paths
            if len(path) > place
            and all(ANY in part or name in part for part, name in zip(before, path, strict=False))
        }
        return sorted(found - rule.parts[place])

    @cached_property
    def broken(self) -> list[Unit]:
        """The layers and stacks that were left out."""
        units = self.walked.building.units
        return [units[name] for name in self.walked.building.broken if name in units]

    @cached_property
    def paths(self) -> list[tuple[str, ...]]:
        """The paths of all layers and stacks."""
        logs = (drafts.log(UNITS) for drafts in self.walked.drafts)
        return [unit.path for log in logs for unit in log.written.values()]


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

"""Patterns: which layers, stacks and weights a `for` statement names."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from parspec.grammar.syntax import ForStatement
from parspec.grammar.values import changed, value
from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.clauses import said
from parspec.interpreter.spec.limits import MATCHES
from parspec.interpreter.spec.scopes import Here, Notes, Scope, World
from parspec.interpreter.spec.sources import of_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from parspec.grammar.syntax import Pattern
    from parspec.interpreter.diagnostics.findings import Site
    from parspec.interpreter.spec.clauses import Said
    from parspec.interpreter.spec.drafts import Unit
    from parspec.interpreter.spec.sources import Statements

ANY = "*"


@value
class Choice:
    """One of several alternatives of a part of a pattern, by the part's place."""

    place: int
    name: str
    site: Site


@value
class Rule:
    """One pattern of a `for` statement with the statement's clauses; later ones have a larger
    `order`. `parts`: the alternatives of each part of a path; `choices`: those of the parts that
    have several."""

    parts: tuple[frozenset[str], ...]
    choices: tuple[Choice, ...]
    said: Said
    text: str
    site: Site
    order: int

    def names(self, path: tuple[str, ...]) -> bool:
        """Does it match a path? A last `*` is any depth, another `*` one level."""
        deep = ANY in self.parts[-1]
        if len(path) < len(self.parts) or (len(path) > len(self.parts) and not deep):
            return False
        return all(
            ANY in part or name in part for part, name in zip(self.parts, path, strict=False)
        )

    def chosen(self, path: tuple[str, ...]) -> Iterator[Choice]:
        """The alternatives by which it matches a path that it names."""
        return (choice for choice in self.choices if path[choice.place] == choice.name)

    def reaches(self, unit: Unit) -> bool:
        """Does it name a layer or, by its own name, a stack?"""
        by_name = unit.kind == "layer" or ANY not in self.parts[-1]
        return by_name and self.names(unit.path)


def rules(
    statements: Statements, world: World, notes: Notes, units: Mapping[str, Unit]
) -> tuple[Rule, ...]:
    """The patterns of all `for` statements, in order, with what their clauses say. `units`: the
    layers and stacks that they may name; where they are too many for so many patterns
    (`over_limit`), later patterns are left out."""
    found: list[Rule] = []
    for statement, placed in of_kind(statements, ForStatement):
        here = Here(world, Scope(), placed, notes)
        names = ", ".join(placed.text(pattern.span) for pattern in statement.patterns)
        own = _of_a_pattern(said(statement.clauses, "pattern", names, here))
        for pattern in statement.patterns:
            text = placed.text(pattern.span)
            choices = tuple(_choices(pattern, here))
            site = here.at(pattern.span)
            found.append(Rule(_parts(pattern), choices, own, text, site, len(found)))
    return _within_limit(found, units, notes)


def _within_limit(found: list[Rule], units: Mapping[str, Unit], notes: Notes) -> tuple[Rule, ...]:
    """The patterns before the one with which there is too much to match; those that say the same
    of the same count as one."""
    heard = sum(_said_by(rule) for rule in found)
    if heard * len(units) > MATCHES:
        by_first = Counter(unit.path[0] for unit in units.values())
        left, counted = MATCHES, set[object]()
        for place, rule in enumerate(found):
            if (rule.parts, rule.said) not in counted:
                first = by_first if ANY in rule.parts[0] else rule.parts[0]
                left -= _said_by(rule) * sum(by_first[name] for name in first)
            counted.add((rule.parts, rule.said))
            if left < 0:
                data = (("what", "layers to match with patterns"), ("limit", MATCHES))
                notes.found.append(Finding("over_limit", rule.site, data))
                return tuple(found[:place])
    return tuple(found)


def _said_by(rule: Rule) -> int:
    """How much a pattern says."""
    return max(1, len(rule.said.assignments) + len(rule.said.stores))


def _of_a_pattern(said: Said) -> Said:
    """What a pattern says, as those are told who hear it."""
    assignments = tuple(changed(part, origin="pattern") for part in said.assignments)
    stores = tuple(changed(part, origin="pattern") for part in said.stores)
    return changed(said, assignments=assignments, stores=stores)


def _choices(pattern: Pattern, here: Here) -> Iterator[Choice]:
    for place, part in enumerate(pattern.parts):
        if len(part) > 1 and all(name.text != ANY for name in part):
            yield from (Choice(place, name.text, here.at(name.span)) for name in part)


def _parts(pattern: Pattern) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(name.text for name in part) for part in pattern.parts)

"""From the parts of a rule to what its builder takes, with one call for a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, TypeAlias

from parspec.grammar.tables import BEGUN, LONGER, PASSED, Rule

Build: TypeAlias = Callable[..., Any]
"""Makes a rule's value of its parts."""


def shaped(rule: Rule, builders: Mapping[str, Build]) -> Build | None:
    """What makes a rule's value of all its parts; None where its one part is its value.

    `builders` are by the rules' names.
    """
    places, lists = rule.places, frozenset(rule.lists)
    if rule.builder == PASSED:
        return None
    if rule.builder == BEGUN:
        return _begun(*places)
    if rule.builder == LONGER:
        return _longer(*places)
    build = builders[rule.builder]
    if lists:
        return _spread(build, places, lists)
    return build if places == tuple(range(rule.size)) else _picked(build, places)


def _begun(*places: int) -> Build:
    """A repetition with its first round of items."""
    return lambda *parts: [parts[place] for place in places]


def _longer(first: int, *places: int) -> Build:
    """A repetition with one more round of items; its list is nobody else's."""

    def build(*parts: Any) -> Any:
        parts[first].extend([parts[place] for place in places])
        return parts[first]

    return build


def _picked(build: Build, places: tuple[int, ...]) -> Build:
    if len(places) < 2:
        return lambda *parts: build(*[(*parts, None)[place] for place in places])
    pick = itemgetter(*places)
    return lambda *parts: build(*pick((*parts, None)))


def _spread(build: Build, places: tuple[int, ...], lists: frozenset[int]) -> Build:
    def spread(*parts: Any) -> Any:
        filled = (*parts, None)
        given: list[Any] = []
        for place in places:
            if place in lists:
                given += filled[place]
            else:
                given.append(filled[place])
        return build(*given)

    return spread

"""From the parts of a rule to what its builder takes: the way of lark, with one call for a rule.

Tokens that say nothing (`,`) are left out, None stands for an optional part that is not there, and
the items of a repetition, which lark makes a rule of its own (`__dim_star_0`), are handed over one
by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, TypeAlias

from lark.grammar import Rule, Terminal

Build: TypeAlias = Callable[..., Any]
"""Makes a rule's value of its parts."""

_ABSENT = -1
"""The place of a part that is not there: behind the parts stands None."""


def shaped(rule: Rule, builders: Mapping[str, Build]) -> Build | None:
    """What makes a rule's value of all its parts; None where its one part is its value.

    `builders` are by the rules' names; a repetition needs none, its value is a list.
    """
    if rule.options.expand1 and not rule.alias:
        return None
    places = _places(rule)
    lists = frozenset(p for p in places if p != _ABSENT and _is_repetition(rule.expansion[p]))
    if _is_repetition(rule.origin):
        return _longer(*places) if lists else _begun(*places)
    build = builders[rule.alias or rule.options.template_source or rule.origin.name]
    if lists:
        return _spread(build, places, lists)
    return build if places == tuple(range(len(rule.expansion))) else _picked(build, places)


def _is_repetition(symbol: Any) -> bool:
    return not isinstance(symbol, Terminal) and symbol.name.startswith("_")


def _places(rule: Rule) -> tuple[int, ...]:
    """The places of the parts that are handed over."""
    here = iter(enumerate(rule.expansion))
    places = []
    for absent in rule.options.empty_indices or (False,) * len(rule.expansion):
        place, symbol = (_ABSENT, None) if absent else next(here)
        if not (isinstance(symbol, Terminal) and symbol.filter_out):
            places.append(place)
    return tuple(places)


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

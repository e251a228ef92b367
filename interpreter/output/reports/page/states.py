"""States on the page: each of the four in a colour of its own, everywhere the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from parspec.interpreter.output.reports.page.markup import Html, element


class Kind(NamedTuple):
    """A state with the class that colours it, an example, and what it means."""

    css: str
    example: str
    meaning: str


PARTITIONED = Kind("p", "P(d)", "a slice of dimension d")
REPLICATED = Kind("r", "R", "a whole copy")
PARTIAL = Kind("a", "R(partial)", "a full-sized addend")
CENTRALIZED = Kind("c", "C(k)", "whole, on node k alone")
KINDS = (PARTITIONED, REPLICATED, PARTIAL, CENTRALIZED)


def kind_of(state: str) -> Kind:
    """The kind of a state by how it is written."""
    if state.startswith("R("):
        return PARTIAL
    letters = {"P": PARTITIONED, "C": CENTRALIZED}
    return letters.get(state[:1], REPLICATED)


def chip(state: str) -> Html:
    """A state on its colour."""
    return element("span", {"class": f"state {kind_of(state).css}"}, state)


def legend(more: Iterable[Html]) -> Html:
    """The four states with what they mean, and more to be explained."""
    states = (element("li", {}, chip(kind.example), f" {kind.meaning}") for kind in KINDS)
    return element("ul", {"class": "legend"}, *states, *more)

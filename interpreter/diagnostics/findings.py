"""A finding: what is wrong, where, what else is involved and how to mend it, as data.

A finding names an entry of the catalogue and carries the names and numbers of its message; it
becomes a sentence only when it is rendered. Positions are sites: a chunk of a file and a span
inside that chunk, so a finding survives when its chunk merely moves.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from parspec.grammar.span import Span
from parspec.grammar.values import value

Datum: TypeAlias = "str | int | float | bool | None | tuple[Datum, ...]"


class Site(NamedTuple):
    """Where something is written: a file (as named by the loader), the key of a chunk of it, and a
    span relative to that chunk."""

    file: str
    chunk: int
    span: Span


NOWHERE = Site("", 0, Span(0, 0))  # of values that are made, not written


@value
class Edit:
    """Put `text` in place of what stands at `site`."""

    site: Site
    text: str


@value
class Fix:
    """One way to mend a finding; its title begins with a verb."""

    title: str
    edits: tuple[Edit, ...]


@value
class Related:
    """Another place that is involved, and what it has to do with it."""

    site: Site
    message: str


@value
class Finding:
    """One diagnostic as data. `name` is a name of the catalogue; `data` what its message and its
    JSON carry (sizes are exact integers where known); `plan` the plan that it was found under."""

    name: str
    site: Site
    data: tuple[tuple[str, Datum], ...] = ()
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    plan: str | None = None

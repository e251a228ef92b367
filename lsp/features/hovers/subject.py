"""A subject: what a hover is about, said at length under one plan and in a line under each of
several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from parspec.grammar.values import value
from parspec.interpreter.output.wording.errors import understood
from parspec.lsp.facts import Facts
from parspec.lsp.features.prices import doubted
from parspec.lsp.features.prose import Block, Items, Lines, code, lines
from parspec.lsp.parts import grouped
from parspec.lsp.ranges import Range
from parspec.lsp.snapshot import Snapshot

_MOST = 8  # names in a line
_MOST_ITEMS = 12  # in a list


def _no_details(_: Facts) -> Iterable[Block]:
    return ()


def _nothing_brief(_: Facts) -> str:
    return ""


@value
class Subject:
    """`head`: what it is under any plan. `details`: what there is to say under one; `brief`: that
    in a line, "" for nothing."""

    head: tuple[Block, ...]
    details: Callable[[Facts], Iterable[Block]] = _no_details
    brief: Callable[[Facts], str] = _nothing_brief


@value
class Place:
    """Where a hover is asked for: what stands there in the text, and the analyses that it is
    about."""

    snapshot: Snapshot
    offset: int
    range: Range
    focus: tuple[Facts, ...]

    @property
    def facts(self) -> Facts:
        """The analysis that names are looked up in."""
        return self.focus[0]


def told(
    subject: Subject, focus: Sequence[Facts], besides: Iterable[Facts] = ()
) -> tuple[Block, ...]:
    """All that there is to say of a subject, and under which plan; then a line for each of further
    plans that say something else of it."""
    if len(focus) > 1:
        items = _under_plans(subject, focus)
        return (*subject.head, first_of(items)) if items else subject.head
    (facts,) = focus
    said = tuple(subject.details(facts))
    plan = f"under plan {code(facts.plan)}" if said and facts.plan else ""
    doubt = understood(facts.doubt) if said else ""
    otherwise = _under_plans(subject, besides, subject.brief(facts))
    shown = (lines("otherwise under plans:"), first_of(otherwise)) if otherwise else ()
    return (*subject.head, *said, *paragraph(plan, doubt), *shown)


def _under_plans(subject: Subject, plans: Iterable[Facts], known: str = "") -> list[str]:
    """What there is to say of it under plans that is not known: an item for all that agree."""
    briefs = {facts.plan or "": in_brief(subject, facts) for facts in plans}
    alike = grouped(briefs, lambda plan: [briefs[plan]])
    return [
        f"{', '.join(map(code, names))}: {brief}"
        for brief, names in alike.items()
        if brief and brief != known
    ]


def in_brief(subject: Subject, facts: Facts) -> str:
    """What there is to say of it in a line, and whether that is in doubt."""
    brief = subject.brief(facts)
    return doubted(brief, facts) if brief else ""


def listed(names: Iterable[str], most: int = _MOST) -> str:
    """Names in code, the first ones of many."""
    return first_names(tuple(dict.fromkeys(names)), most)


def first_names(known: Sequence[str], most: int = _MOST) -> str:
    """The same of names that are told apart."""
    shown = " ".join(map(code, known[:most]))
    return f"{shown} and {len(known) - most} more" if len(known) > most else shown


def first_of(items: Sequence[str]) -> Items:
    """A list of the first ones of many."""
    more = (f"and {len(items) - _MOST_ITEMS} more",) if len(items) > _MOST_ITEMS else ()
    return Items((*items[:_MOST_ITEMS], *more))


def paragraph(*texts: str) -> tuple[Lines, ...]:
    """A paragraph, where there is something to say."""
    said = lines(*texts)
    return (said,) if said.lines else ()

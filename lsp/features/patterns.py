"""Patterns: what a `for` statement matches, and what it gives to layers, stacks and weights.

A pattern reaches all whose path it is the beginning of: a stack and what is in it by the stack's
name, everything by `*`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from parspec.grammar.document import Chunk
from parspec.grammar.span import Span
from parspec.grammar.syntax import FlagClause, ForStatement, Pattern, StoreClause
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.model import Assignment, Layer, Stack, Tensor
from parspec.lsp.facts import Facts
from parspec.lsp.features.written import chunk_at
from parspec.lsp.parts import grouped
from parspec.lsp.ranges import Location, Range
from parspec.lsp.snapshot import Placed, Snapshot

_ANY = "*"


class Given(NamedTuple):
    """What a pattern that stands at `location` gives something, one clause for each dimension."""

    pattern: str
    location: Location
    cuts: tuple[str, ...]


class Asked(NamedTuple):
    """A pattern in which something is asked about, in its statement: what is at `range`, and the
    alternatives of each of its parts; of the part asked about only the one asked about."""

    statement: ForStatement
    range: Range
    parts: tuple[tuple[str, ...], ...]


# -- what patterns give --------------------------------------------------------------------------


class Giving:
    """What the patterns of a snapshot give; each `for` statement is looked for once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._statements: dict[tuple[str, int], Chunk | None] = {}

    def to(self, items: Sequence[Layer | Stack]) -> tuple[Given, ...]:
        """What patterns give layers and stacks, pattern by pattern."""
        found: dict[Site, Given] = {}
        for item in items:
            for site, together in grouped(_by_patterns(item.assignments), _where).items():
                if site not in found and (one := self._given(item, site, together)):
                    found[site] = one
        by_pattern = grouped(found.values(), lambda one: [(one.pattern, one.location)])
        return tuple(
            Given(*where, tuple(cut for one in alike for cut in one.cuts))
            for where, alike in by_pattern.items()
        )

    def _given(
        self, item: Layer | Stack, site: Site, together: Sequence[Assignment]
    ) -> Given | None:
        chunk = self._chunk(site)
        if chunk is None or not isinstance(chunk.statement, ForStatement):
            return None
        named = path_of(item)
        written = reversed(chunk.statement.patterns)
        pattern = next(one for one in written if reaches(parts_of(one), named))
        location = self.snapshot.location(Site(site.file, site.chunk, pattern.span))
        if location is None:
            return None
        return Given(shown(parts_of(pattern)), location, (_cut(together),))

    def _chunk(self, site: Site) -> Chunk | None:
        key = site.file, site.chunk
        if key not in self._statements:
            self._statements[key] = chunk_at(site, self.snapshot)
        return self._statements[key]


def _by_patterns(assignments: Iterable[Assignment]) -> Iterator[Assignment]:
    return (one for one in assignments if one.origin == "pattern")


def _where(assignment: Assignment) -> tuple[Site]:
    return (assignment.site,)


def _cut(together: Sequence[Assignment]) -> str:
    """`B on pod * dp`, `S on cp zigzag`, `none on tp`: what is said of axes in one place."""
    first = together[0]
    said = {"partition": first.dim or "", "hole": "?"}.get(first.saying, first.saying)
    dealt = f" {first.dealt}" if first.dealt else ""
    return f"{said} on {' * '.join(one.axis for one in together)}{dealt}"


# -- what patterns match -------------------------------------------------------------------------


def path_of(item: Layer | Stack) -> tuple[str, ...]:
    """The path of a stack, or of the layer that is written where a layer comes from."""
    name = item.parent if isinstance(item, Layer) else item.name
    return tuple(name.split("."))


def parts_of(pattern: Pattern) -> tuple[tuple[str, ...], ...]:
    """The alternatives of each part of a pattern."""
    return tuple(tuple(name.text for name in part) for part in pattern.parts)


def shown(parts: Sequence[Sequence[str]]) -> str:
    """`decoder.{q,k}`."""
    alternatives = (part[0] if len(part) == 1 else f"{{{','.join(part)}}}" for part in parts)
    return ".".join(alternatives)


def reaches(parts: Sequence[Sequence[str]], named: Sequence[str]) -> bool:
    """Whether a pattern is the beginning of a path."""
    return len(named) >= len(parts) and all(
        _ANY in part or name in part for part, name in zip(parts, named, strict=False)
    )


def is_of_weights(statement: ForStatement) -> bool:
    """Whether a statement says something of weights, so that its patterns may name them."""
    return any(
        isinstance(clause, StoreClause)
        or (isinstance(clause, FlagClause) and clause.flag == "frozen")
        for clause in statement.clauses
    )


def asked(placed: Placed, offset: int) -> Asked | None:
    """The pattern in which an offset stands; None elsewhere."""
    statement = placed.chunk.statement
    if not isinstance(statement, ForStatement):
        return None
    local = offset - placed.start
    for pattern in statement.patterns:
        if _touches(pattern.span, local):
            chosen = [
                [name for name in part if _touches(name.span, local)] for part in pattern.parts
            ]
            here = next((name.span for names in chosen for name in names), pattern.span)
            parts = zip(chosen, pattern.parts, strict=True)
            alternatives = (tuple(name.text for name in one or every) for one, every in parts)
            return Asked(statement, placed.range_of(here), tuple(alternatives))
    return None


def _touches(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end


class Matched(NamedTuple):
    """What a pattern matches: all layers that it reaches (those of inner expressions too), the
    stacks and the weights that it names."""

    layers: tuple[Layer, ...]
    stacks: tuple[Stack, ...]
    weights: tuple[Tensor, ...]

    @property
    def is_empty(self) -> bool:
        """Whether it matches nothing."""
        return not (self.layers or self.stacks or self.weights)


def matched(parts: Sequence[Sequence[str]], facts: Facts) -> Matched:
    """What a pattern matches in a model."""
    deep = _ANY in parts[-1]
    layers = (layer for part in facts.parts for layer in part.layers.values())
    stacks = (stack for part in facts.parts for stack in part.stacks.values())
    tensors = (tensor for part in facts.parts for tensor in part.tensors.values())

    def names(path: Sequence[str]) -> bool:
        return (deep or len(path) == len(parts)) and reaches(parts, path)

    return Matched(
        tuple(layer for layer in layers if reaches(parts, path_of(layer))),
        tuple(stack for stack in stacks if not deep and names(path_of(stack))),
        tuple(each for each in tensors if each.role == "weight" and names(each.name.split("."))),
    )

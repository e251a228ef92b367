"""Occurrences: where a name is declared and where else it is written, here and in other files.

A file may be seen from several others: by itself, and by each file that imports it. Every one of
them is a *view* of the same name; what a name is in one of them it is in all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from parspec.grammar.syntax import ImportStatement, PlanStatement
from parspec.grammar.values import value
from parspec.interpreter.spec.sources import imported_file
from parspec.lsp.names import Names, Symbol
from parspec.lsp.ranges import Location, Range
from parspec.lsp.regions import Entry
from parspec.lsp.snapshot import Snapshot

How: TypeAlias = Literal["declared", "used"]


@value
class Occurrences:
    """Every place where a name is written, with what it does there; one that means something else
    beside is in `shared`, too."""

    places: Mapping[Location, How]
    shared: tuple[Location, ...]

    @property
    def declarations(self) -> tuple[Location, ...]:
        """Where it is declared."""
        return tuple(place for place, how in self.places.items() if how == "declared")


class Highlight(NamedTuple):
    """A place of the name at the cursor in its own file."""

    range: Range
    how: How


def occurrences(snapshots: Sequence[Snapshot], offset: int) -> Occurrences:
    """Where the name at an offset of the first snapshot is written, in all that the snapshots see.
    The others are of files that may import it."""
    snapshot = snapshots[0]
    names = snapshot.names
    entry = names.at(snapshot.file, offset)
    if entry is None:
        return Occurrences({}, ())
    pending = {names.location(entry)}
    seen: set[Location] = set()
    views = [names, *(each.names for each in snapshots[1:])]
    places: dict[Location, How] = {}
    shared: dict[Location, None] = {}
    met: set[tuple[int, Symbol]] = set()
    while pending:
        seen |= pending
        for view, symbol in _symbols_at(views, pending):
            if (id(view), symbol) in met:
                continue
            met.add((id(view), symbol))
            declared = set(map(id, view.declarations(symbol)))
            for other, meant in view.occurrences(symbol):
                location = view.location(other)
                places[location] = "declared" if id(other) in declared else "used"
                if len(meant) > 1:
                    shared[location] = None
        pending = {place for place, how in places.items() if how == "declared"} - seen
    return Occurrences(dict(sorted(places.items())), tuple(sorted(shared)))


def _symbols_at(views: list[Names], places: set[Location]) -> Iterator[tuple[Names, Symbol]]:
    """What the names at some places are, in each view that has their files."""
    for view in views:
        for file, where in places:
            entry = view.at(file, where.start)
            if entry is not None and view.location(entry).range == where:
                for symbol in view.symbols(entry):
                    yield view, symbol


def definitions(snapshot: Snapshot, offset: int) -> tuple[Location, ...]:
    """Where the name at an offset is declared: in the plan that it stands in, if that is one place;
    of an import the file."""
    placed = snapshot.chunk_at(offset)
    if placed is not None and isinstance(statement := placed.chunk.statement, ImportStatement):
        target = placed.range_of(statement.span)
        file = imported_file(statement, snapshot.file)
        at_target = target.start <= offset <= target.end and file in snapshot.sources
        return (Location(file, Range(0, 0)),) if at_target else ()
    names = snapshot.names
    entry = names.at(snapshot.file, offset)
    if entry is None:
        return ()
    declared = [each for symbol in names.symbols(entry) for each in names.declarations(symbol)]
    plan = _plan(entry)
    own = [each for each in declared if plan is not None and _plan(each) is plan]
    return tuple(map(names.location, own or declared))


def _plan(entry: Entry) -> object:
    """The plan in whose body an entry stands."""
    region = entry.region
    while region.outer is not None:
        if region.owner and isinstance(region.owner.statement, PlanStatement):
            return region.owner
        region = region.outer
    return None


def highlights(snapshot: Snapshot, offset: int) -> tuple[Highlight, ...]:
    """Where the name at an offset is written in its own file."""
    found = occurrences((snapshot,), offset).places
    return tuple(Highlight(at, how) for (file, at), how in found.items() if file == snapshot.file)

"""Calls: who uses a block or an op, and which of them it uses itself.

As written: a use inside another block is that block's, one elsewhere is that of its layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parspec.grammar.document import Chunk
from parspec.grammar.syntax import BlockStatement, LayerStatement, OpStatement, StackStatement
from parspec.lsp.features.dataflow import Flow, Step
from parspec.lsp.features.meaning import at, meaning
from parspec.lsp.features.written import statement
from parspec.lsp.names import Names
from parspec.lsp.ranges import Location, Range
from parspec.lsp.regions import Entry, mentions_of
from parspec.lsp.snapshot import Snapshot

KINDS = ("block", "op")


def called_at(snapshot: Snapshot, offset: int) -> tuple[Step, ...]:
    """The block or op of the name at an offset; none where it is something else."""
    here = at(snapshot, offset)
    if here is None or here.kind not in KINDS:
        return ()
    return tuple(_step(entry, snapshot.names) for entry in _declared(here.name, snapshot.names))


def callers(snapshot: Snapshot, name: str) -> tuple[Flow, ...]:
    """The layers and blocks that use a block or an op, and where."""
    names = snapshot.names
    meant = {symbol for entry in _declared(name, names) for symbol in names.symbols(entry)}
    uses = (
        entry
        for entry in names.named(name)
        if not entry.declares and not meant.isdisjoint(names.symbols(entry))
    )
    return _flows((user, names.location(use)) for use in uses for user in _user(use, names))


def callees(snapshot: Snapshot, name: str) -> tuple[Flow, ...]:
    """The blocks and ops that the body of a block uses, and where."""
    names = snapshot.names
    return _flows(
        (_step(declared, names), names.location(use))
        for header in _declared(name, names)
        for use in _used_in(header, names)
        for symbol in names.symbols(use)
        for declared in names.declarations(symbol)
        if declared.mention.kind in KINDS
    )


def _declared(name: str, names: Names) -> Iterator[Entry]:
    """The headers of blocks and ops of a name."""
    for entry in names.named(name):
        if entry.declares and meaning(names, entry).kind in KINDS:
            yield entry


def _used_in(header: Entry, names: Names) -> Iterator[Entry]:
    """What the layers in a body call."""
    called = {
        mention.name
        for chunk in _inside(header.chunk)
        for mention in mentions_of(chunk)
        if mention.space == "function"
    }
    for name in called:
        for entry in names.named(name):
            owners = (region.owner for region in entry.region.around())
            if not entry.declares and any(owner is header.chunk for owner in owners):
                yield entry


def _inside(header: Chunk) -> Iterator[Chunk]:
    for chunk in header.body:
        yield chunk
        yield from _inside(chunk)


def _user(use: Entry, names: Names) -> Iterator[Step]:
    """The innermost block or op in which a use stands, else its layer by its path; none where the
    layer is broken."""
    owners = [region.owner for region in use.region.around() if region.owner is not None]
    for owner in owners:
        if isinstance(owner.statement, (BlockStatement, OpStatement)):
            headers = _declared(owner.statement.name.text, names)
            yield from (_step(header, names) for header in headers if header.chunk is owner)
            return
    written = use.chunk.statement
    if isinstance(written, LayerStatement):
        around = (owner.statement for owner in reversed(owners))
        stacks = [one.name.text for one in around if isinstance(one, StackStatement)]
        path = ".".join((*stacks, written.name.text))
        file, (start, _) = names.location(use)
        base, (first, end) = start - use.mention.span.start, written.name.span
        where = Location(file, Range(base + first, base + end))
        yield Step(path, "layer", path, statement(use.chunk), where, None)


def _step(header: Entry, names: Names) -> Step:
    name = header.mention.name
    return Step(
        name, header.mention.kind, name, statement(header.chunk), names.location(header), None
    )


def _flows(found: Iterable[tuple[Step, Location]]) -> tuple[Flow, ...]:
    """Each step once, with all places, in the order of these."""
    places: dict[Step, list[Location]] = {}
    for step, place in sorted(found, key=lambda one: one[1]):
        places.setdefault(step, []).append(place)
    return tuple(Flow(step, tuple(each)) for step, each in places.items())

"""Regions: the bodies in which names are looked for, and the names of a run of statements in them.

What a run mentions is worked out once and kept for as long as the run is, which is until an edit
touches it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from parspec.grammar.document import Chunk, Run
from parspec.grammar.syntax import (
    AxisStatement,
    BlockStatement,
    DeviceStatement,
    DimStatement,
    LayerStatement,
    LinkStatement,
    MeshStatement,
    OpStatement,
    PlanStatement,
    PointwiseStatement,
    StackStatement,
    TensorStatement,
)
from parspec.lsp.broken import loose_mentions
from parspec.lsp.mentions import Mention, Space, mentions

T = TypeVar("T")
Key: TypeAlias = tuple[Space, str]

EVERYWHERE: frozenset[Space] = frozenset(("dim", "axis", "link", "device", "plan"))
"""Spaces whose names mean the same in every body."""

_DECLARED: Mapping[type, tuple[Space, ...]] = {
    DimStatement: ("dim",),
    MeshStatement: ("axis",),
    AxisStatement: ("axis",),
    LinkStatement: ("link",),
    DeviceStatement: ("device",),
    PlanStatement: ("plan",),
    TensorStatement: ("tensor",),
    LayerStatement: ("layer", "tensor"),
    StackStatement: ("layer",),
    OpStatement: ("function",),
    BlockStatement: ("function",),
    PointwiseStatement: ("function",),
}


@dataclass(slots=True, eq=False, repr=False)
class Region:
    """A stack's body, a block's or an op's with its parameters, a plan's, or (without an owner) the
    outermost statements of a run, which share the names of all runs. `declared`: what stands in it
    that declares a name."""

    owner: Chunk | None
    outer: Region | None
    declared: dict[Key, list[Entry]] = field(default_factory=dict)

    @property
    def entered(self) -> str | None:
        """The tensor that comes into a stack from around it."""
        header = self.owner.statement if self.owner else None
        return header.carry_in.text if isinstance(header, StackStatement) else None

    @property
    def left(self) -> str | None:
        """The tensor that a stack leaves to what is around it."""
        header = self.owner.statement if self.owner else None
        return header.carry_out.text if isinstance(header, StackStatement) else None

    def around(self) -> Iterator[Region]:
        """The region and those around it, innermost first; the outermost is not among them."""
        region = self
        while region.outer is not None:
            yield region
            region = region.outer


@dataclass(slots=True, eq=False, repr=False)
class Entry:
    """A mention in its chunk, which starts `offset` characters into its `listing`'s run, and the
    region in which it is looked for. `order`: the chunk's place in the run."""

    mention: Mention
    chunk: Chunk
    region: Region
    listing: Listing
    offset: int
    order: int

    @property
    def declares(self) -> bool:
        """May it be a declaration?"""
        return self.mention.act != "uses"


@dataclass(slots=True, eq=False, repr=False)
class Listing:
    """The names of the run with this `id`: by chunk, by name, and the regions of its bodies by the
    chunks that own them, and by those that stand in them."""

    run: int
    top: Region = field(default_factory=lambda: Region(None, None))
    by_chunk: dict[int, tuple[Entry, ...]] = field(default_factory=dict)
    by_name: dict[str, list[Entry]] = field(default_factory=dict)
    bodies: dict[int, Region] = field(default_factory=dict)
    around: dict[int, Region] = field(default_factory=dict)

    def region_of(self, chunk: Chunk) -> Region | None:
        """The region of a chunk's body."""
        return self.bodies.get(chunk.key)


def _kept(function: Callable[[Run], T]) -> Callable[[Run], T]:
    """The function, which works out what it says of a run once."""
    known: dict[int, tuple[weakref.ref[Run], T]] = {}

    def told(run: Run) -> T:
        key = id(run)
        kept = known.get(key)
        if kept is None:
            kept = known[key] = (weakref.ref(run, lambda _: known.pop(key, None)), function(run))
        return kept[1]

    return told


@_kept
def spaces_of(run: Run) -> frozenset[Space]:
    """The spaces in which statements of a run may declare names outside of bodies."""
    return frozenset(
        space for chunk in run.every for space in _DECLARED.get(type(chunk.statement), ())
    )


@_kept
def listing_of(run: Run) -> Listing:
    """The names of a run."""
    listing = Listing(id(run))
    places = zip(run.every, run.offsets, strict=True)
    for order, (chunk, offset) in enumerate(places):
        region = listing.around.get(chunk.key, listing.top)
        inside = region
        opens = isinstance(chunk.statement, (BlockStatement, StackStatement, OpStatement))
        if opens or chunk.body:
            inside = listing.bodies[chunk.key] = Region(chunk, region)
            listing.around.update((inner.key, inside) for inner in chunk.body)
        entries = tuple(
            Entry(
                mention,
                chunk,
                inside if mention.look == "body" else region,
                listing,
                offset,
                order,
            )
            for mention in mentions_of(chunk)
        )
        listing.by_chunk[chunk.key] = entries
        for entry in entries:
            listing.by_name.setdefault(entry.mention.name, []).append(entry)
            _declare(entry, listing)
    return listing


def mentions_of(chunk: Chunk) -> tuple[Mention, ...]:
    """The mentions of a chunk in order; of one that is broken also those in what was not
    understood."""
    found = () if chunk.statement is None else mentions(chunk.statement)
    if not chunk.parsed.faults:
        return found
    known = {mention.span.start for mention in found}
    loose = loose_mentions(chunk.text, known)
    return tuple(sorted((*found, *loose), key=_start))


def _start(mention: Mention) -> int:
    return mention.span.start


def _declare(entry: Entry, listing: Listing) -> None:
    """Enters what an entry declares into its region, or where it is known from."""
    mention, region = entry.mention, entry.region
    if not entry.declares:
        op_dim = mention.space == "dim" and mention.look == "body"
        if op_dim and region.owner and isinstance(region.owner.statement, OpStatement):
            region.declared.setdefault(("dim", mention.name), [entry])
        return
    if mention.space in EVERYWHERE:
        region = listing.top
    while region.outer is not None and mention.space == "tensor" and region.left == mention.name:
        region = region.outer
    region.declared.setdefault((mention.space, mention.name), []).append(entry)

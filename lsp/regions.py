"""Regions: the bodies in which names are looked for, and the names of a run of statements in them.

What a run mentions is worked out once and kept for as long as the run is, which is until an edit
touches it.
"""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from parspec.lsp.mentions import Look, Mention, Space, mentions
from parspec.lsp.shapes import declared_dims

T = TypeVar("T")
Key: TypeAlias = tuple[Space, str]

EVERYWHERE: frozenset[Space] = frozenset(("dim", "axis", "link", "device", "plan"))
"""Spaces whose names mean the same in every body."""

_FAR: frozenset[Look] = frozenset(("path", "pattern", "weight", "pin"))
_BODIED = (BlockStatement, StackStatement, OpStatement)
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
    outermost statements of a run, which share the names of all runs."""

    owner: Chunk | None
    outer: Region | None
    listing: Listing
    own: dict[Key, list[Entry]] = field(default_factory=dict)

    @property
    def declared(self) -> Mapping[Key, Sequence[Entry]]:
        """What stands in it that declares a name."""
        self.listing.complete()
        return self.own

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

    @property
    def key(self) -> Key:
        """What it is a declaration of, if it is one."""
        return self.mention.space, self.mention.name

    @property
    def home(self) -> Region | None:
        """The region that it declares its name in; None for one that declares nothing. The
        dimensions of an op are declared by being written there."""
        mention, region = self.mention, self.region
        if not self.declares:
            of_op = mention.space == "dim" and mention.look == "body" and is_op(region)
            return region if of_op else None
        if mention.space in EVERYWHERE:
            return self.listing.top
        while region.outer is not None and self.key == ("tensor", region.left):
            region = region.outer
        return region


class Listing:
    """The names of a run, chunk by chunk as they are asked for. `run`: its id; `bodies`: the
    regions by the chunks that own them; `around`: by those that stand in them, without the
    outermost."""

    __slots__ = (
        "_chunks",
        "_complete",
        "_entries",
        "_nameable",
        "_offsets",
        "around",
        "bodies",
        "run",
        "top",
    )

    def __init__(self, run: Run) -> None:
        self.run = id(run)
        self._chunks = run.every
        self._offsets = run.offsets
        self._entries: dict[int, tuple[Entry, ...]] = {}
        self._complete = False
        self._nameable: tuple[object, ...] | None = None
        self.top = Region(None, None, self)
        self.bodies: dict[int, Region] = {}
        self.around: dict[int, Region] = {}
        for chunk in run.every:
            if chunk.body or isinstance(chunk.statement, _BODIED):
                region = self.around.get(chunk.key, self.top)
                inside = self.bodies[chunk.key] = Region(chunk, region, self)
                self.around.update((inner.key, inside) for inner in chunk.body)

    def region_of(self, chunk: Chunk) -> Region | None:
        """The region of a chunk's body."""
        return self.bodies.get(chunk.key)

    def entries(self, order: int) -> tuple[Entry, ...]:
        """The entries of a chunk by its place in the run."""
        found = self._entries.get(order)
        if found is None:
            chunk, offset = self._chunks[order], self._offsets[order]
            region = self.around.get(chunk.key, self.top)
            inside = self.bodies.get(chunk.key, region)
            found = self._entries[order] = tuple(
                Entry(each, chunk, inside if each.look == "body" else region, self, offset, order)
                for each in mentions_of(chunk)
            )
        return found

    def order_at(self, offset: int) -> int:
        """The place of the chunk at an offset of the run; -1 in front of all."""
        return bisect_right(self._offsets, offset) - 1

    def at(self, offset: int) -> Entry | None:
        """The entry at an offset of the run, else the one that ends there."""
        behind = (self.entries(order) for order in range(self.order_at(offset), -1, -1))
        touching = None
        for entry in next(filter(None, behind), ()):
            start, end = (entry.offset + edge for edge in entry.mention.span)
            if start <= offset < end:
                return entry
            if offset == end:
                touching = entry
        return touching

    @property
    def orders(self) -> range:
        """The places of its chunks."""
        return range(len(self._chunks))

    def every(self) -> Iterator[Entry]:
        """All entries in order."""
        return (entry for order in self.orders for entry in self.entries(order))

    @property
    def nameable(self) -> tuple[object, ...]:
        """What the outermost statements of the run declare, as far as the meaning of names in
        others depends on it: of ops all that is written."""
        if self._nameable is None:
            declared = self.top.declared.items()
            self._nameable = tuple(_told(key, entry) for key, each in declared for entry in each)
        return self._nameable

    @property
    def leads_far(self) -> bool:
        """Is there a path or a pattern, which may lead into the bodies of other runs?"""
        return any(entry.mention.before or entry.mention.look in _FAR for entry in self.every())

    def complete(self) -> None:
        """Enters all that the run declares into its regions."""
        if self._complete:
            return
        self._complete = True
        for entry in self.every():
            home = entry.home
            if home is None:
                continue
            known = home.own.setdefault(entry.key, [])
            if entry.declares or not known:
                known.append(entry)


def _told(key: Key, entry: Entry) -> tuple[object, ...]:
    mention, chunk = entry.mention, entry.chunk
    written = chunk.text if isinstance(chunk.statement, OpStatement) else ""
    in_plan = entry.region.owner is not None
    return key, mention.kind, in_plan, declared_dims(chunk.statement, mention.name), written


def is_op(region: Region) -> bool:
    """Is it the region of an op, which has dimensions of its own?"""
    return region.owner is not None and isinstance(region.owner.statement, OpStatement)


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
    return Listing(run)


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

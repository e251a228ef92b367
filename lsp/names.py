"""Names: which declaration a name means, and where else it is written.

Works on the syntax of a file with all that it imports, so that it answers for a spec that is half
typed; where a spec is sound it agrees with the model. What a name means is a *symbol*: a space, a
name and the body that it belongs to. `dim B` in one file and `dim B = 8` in a file that imports it
are one symbol, and so is a stack's carry inside and outside of the stack.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias
from unicodedata import is_normalized

from parspec.grammar.document import Chunk, Document, Run
from parspec.grammar.expressions import Expression, Name, calls
from parspec.grammar.syntax import (
    BlockStatement,
    ExpectStatement,
    LayerStatement,
    StackStatement,
    Statement,
)
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.frames import tensor_uses
from parspec.lsp.mentions import Space
from parspec.lsp.ranges import Location, Range
from parspec.lsp.regions import Entry, Key, Listing, Region, is_op, listing_of, spaces_of
from parspec.lsp.shapes import declared_dims

Body: TypeAlias = Region | None
"""A body; None is the whole spec."""
Parts: TypeAlias = Sequence[tuple[str, ...]]
"""The alternatives of each part of a path."""

_LAST = 1 << 60  # the order of what is looked for behind all statements of a body
_ANY = "*"
_FEW = 100  # names that are looked for in all runs before it pays to list what all runs declare
_GLOBAL: tuple[Space, ...] = ("dim", "axis", "link", "device", "plan")


class Symbol(NamedTuple):
    """What a name means."""

    space: Space
    name: str
    body: Body


class Names:
    """The names of a file and of all that it imports: `documents`, the file itself first.

    Runs are listed when something is asked that they may have to do with."""

    def __init__(self, documents: Iterable[tuple[str, Document]]) -> None:
        self._documents = dict(documents)
        self._declared: dict[Key, tuple[Entry, ...]] = {}

    @cached_property
    def listings(self) -> Sequence[Listing]:
        """The names of all runs, in order."""
        return [listing_of(run) for each in self._documents.values() for run in each.runs]

    @cached_property
    def nameable(self) -> tuple[object, ...]:
        """What is declared outside of bodies, file by file and run by run: as long as it is equal,
        the names in a run that leads nowhere far mean the same."""
        return tuple(
            (file, tuple([listing_of(run).nameable for run in document.runs]))
            for file, document in self._documents.items()
        )

    @cached_property
    def _places(self) -> Mapping[int, tuple[str, int]]:
        """The file and the start of each run, by its id."""
        return {
            id(run): (file, start)
            for file, document in self._documents.items()
            for run, start in zip(document.runs, document.starts, strict=True)
        }

    # -- places ----------------------------------------------------------------------------------

    def file(self, entry: Entry) -> str:
        """The file in which an entry is written."""
        return self._places[entry.listing.run][0]

    def location(self, entry: Entry) -> Location:
        """Where an entry is written."""
        file, start = self._places[entry.listing.run]
        at = start + entry.offset
        span = entry.mention.span
        return Location(file, Range(at + span.start, at + span.end))

    def site(self, entry: Entry) -> Site:
        """The same as the model and the analysis name it."""
        return Site(self.file(entry), entry.chunk.key, entry.mention.span)

    def at(self, file: str, offset: int) -> Entry | None:
        """The entry at an offset of a file, else the one that ends there."""
        listing = self.listing_at(file, offset)
        return None if listing is None else listing.at(offset - self._places[listing.run][1])

    def listing_at(self, file: str, offset: int) -> Listing | None:
        """The names of the run in which an offset of a file is."""
        document = self._documents.get(file)
        place = bisect_right(document.starts, offset) - 1 if document else -1
        return listing_of(document.runs[place]) if document and place >= 0 else None

    def region_around(self, file: str, chunk: Chunk, start: int) -> Region | None:
        """The region in which a chunk stands that starts at an offset of a file."""
        listing = self.listing_at(file, start)
        return None if listing is None else listing.around.get(chunk.key, listing.top)

    def region_inside(self, file: str, chunk: Chunk, start: int) -> Region | None:
        """The region of the body of a chunk."""
        listing = self.listing_at(file, start)
        return None if listing is None else listing.region_of(chunk)

    def visible(self, space: Space, region: Region | None) -> Iterator[Symbol]:
        """The symbols of a space that a name can mean in a region, inner ones first."""
        names: set[str] = set()
        for body in (*(region.around() if region else ()), None):
            for symbol in self.declared(space, body):
                if symbol.name not in names:
                    names.add(symbol.name)
                    yield symbol

    # -- symbols ---------------------------------------------------------------------------------

    def declarations(self, symbol: Symbol) -> tuple[Entry, ...]:
        """What declares a symbol: what stands outside of plans first, else file by file."""
        key = (symbol.space, symbol.name)
        if symbol.body is not None:
            return tuple(symbol.body.declared.get(key, ()))
        known = self._declared.get(key)
        if known is None:
            known = tuple(sorted(self._declarations_of(key), key=_depth))
            self._declared[key] = known
        return known

    def _declarations_of(self, key: Key) -> Iterable[Entry]:
        """What declares a name outside of bodies, looked up; for the few names that most questions
        are about, looked for."""
        if len(self._declared) >= _FEW:
            return self._by_key.get(key, ())
        space, name = key
        return (
            entry
            for listing, order in self._writing(name, lambda run: space in spaces_of(run))
            for entry in listing.entries(order)
            if entry.key == key and entry.home is listing.top
        )

    def _writing(
        self, name: str, asked: Callable[[Run], bool] = lambda _: True
    ) -> Iterator[tuple[Listing, int]]:
        """The chunks of the runs asked about in which a name may be written, and few others."""
        if not name:
            return
        text = re.escape(name)
        word = re.compile(rf"{text}(?<!\w{text})(?!\w)")  # one that begins with text is quick
        for document in self._documents.values():
            starts, runs, length = document.starts, document.runs, len(document.text)
            if not is_normalized("NFC", document.text):
                listings = map(listing_of, filter(asked, runs))
                yield from ((each, order) for each in listings for order in each.orders)
                continue
            found = word.search(document.text)
            while found:
                place = bisect_right(starts, found.start())
                end = starts[place] if place < len(starts) else length
                if place and asked(runs[place - 1]):
                    listing, start = listing_of(runs[place - 1]), starts[place - 1]
                    at = (
                        each.start() - start
                        for each in word.finditer(document.text, found.start(), end)
                    )
                    orders = dict.fromkeys(map(listing.order_at, at))
                    yield from ((listing, order) for order in orders if order >= 0)
                found = word.search(document.text, end)

    @cached_property
    def _by_key(self) -> Mapping[Key, Sequence[Entry]]:
        """What declares each name outside of bodies."""
        found: dict[Key, list[Entry]] = {}
        for listing in self.listings:
            for key, entries in listing.top.declared.items():
                found.setdefault(key, []).extend(entries)
        return found

    def occurrences(self, symbol: Symbol) -> Iterator[tuple[Entry, tuple[Symbol, ...]]]:
        """Every entry that means a symbol, with all that it means, file by file in the order in
        which they stand."""
        for entry in self.named(symbol.name):
            meant = self.symbols(entry)
            if symbol in meant:
                yield entry, meant

    def named(self, name: str) -> Iterator[Entry]:
        """Every entry that is a name, whatever it means."""
        for listing, order in self._writing(name):
            yield from (entry for entry in listing.entries(order) if entry.mention.name == name)

    def declared(self, space: Space, body: Body) -> Iterator[Symbol]:
        """The symbols of a space that belong to a body."""
        regions = [each.top for each in self.listings] if body is None else [body]
        found = (key for region in regions for key in region.declared if key[0] == space)
        return (Symbol(space, name, body) for _, name in dict.fromkeys(found))

    def symbols(self, entry: Entry) -> tuple[Symbol, ...]:
        """What an entry means: one symbol, several where it stands for more than one thing (in a
        pattern), none for a word of the language or a path that leads nowhere."""
        mention, name, region = entry.mention, entry.mention.name, entry.region
        match mention.space:
            case "word":
                return ()
            case "any":
                return self._whatever(name, region)
            case "size":
                either = (Symbol("dim", name, None), Symbol("axis", name, None))
                return (next(filter(self.declarations, either), either[0]),)
            case "dim":
                return self._dim(entry)
            case "function":
                return (self.function(name, region),)
            case "tensor" | "layer" as space if mention.act == "declares":
                return (self.own(space, name, _body(region)),)
            case "tensor" if mention.look in ("here", "body") and not mention.before:
                return (self.tensor(name, region, _order(entry)),)
            case "tensor" | "layer":
                return self._by_path(entry)
            case space:
                return (Symbol(space, name, None),)

    def _whatever(self, name: str, region: Region) -> tuple[Symbol, ...]:
        """What a name in text that is not understood means, if that can be one thing only."""
        meant = (
            *(Symbol(space, name, None) for space in _GLOBAL),
            *(Symbol("layer", name, body) for body in (*region.around(), None)),
            self.tensor(name, region),
            self.function(name, region),
        )
        found = [symbol for symbol in meant if self.declarations(symbol)]
        return tuple(found) if len(found) == 1 else ()

    # -- dimensions ------------------------------------------------------------------------------

    def _dim(self, entry: Entry) -> tuple[Symbol, ...]:
        name = entry.mention.name
        for region in entry.region.around():
            if ("dim", name) in region.declared:
                return (Symbol("dim", name, region),)
        whole = Symbol("dim", name, None)
        if entry.mention.look != "clause":
            return (whole,)
        own = tuple(
            op
            for op in self.ops_called(entry.chunk.statement, entry.region)
            if ("dim", name) in op.declared
        )
        layer = self.dims_of_layer(entry.chunk.statement, entry.region)
        if own and not (name in layer and self.declarations(whole)):
            return tuple(Symbol("dim", name, op) for op in own)
        if self.declarations(whole):
            return (whole,)
        return self._every_op(name) or (whole,)

    def ops_called(self, statement: Statement | None, region: Region) -> tuple[Region, ...]:
        """The ops that the layer of a statement calls; () of another statement."""
        if not isinstance(statement, LayerStatement) or statement.expression is None:
            return ()
        called = self._called(statement.expression, region)
        return tuple(each for each in called if is_op(each))

    def _called(self, expression: Expression, region: Region) -> tuple[Region, ...]:
        """The bodies of the ops and blocks that an expression calls."""
        names = dict.fromkeys(call.function.text for call in calls(expression))
        found = (
            declared.listing.region_of(declared.chunk)
            for name in names
            for declared in self.declarations(self.function(name, region))
        )
        return tuple(body for body in found if body is not None)

    def _every_op(self, name: str) -> tuple[Symbol, ...]:
        """The dimension of that name of every op that has one."""
        found = dict.fromkeys(entry.region for entry in self.named(name))
        return tuple(
            Symbol("dim", name, region)
            for region in found
            if is_op(region) and ("dim", name) in region.declared
        )

    def dims_of_layer(self, statement: Statement | None, region: Region | None) -> tuple[str, ...]:
        """The dimensions of a layer that stands in a region, as they are written in its statement
        or where its tensors are declared; () of another statement."""
        if not isinstance(statement, LayerStatement) or region is None:
            return ()
        found = [dim.text for dim in statement.out_dims or ()]
        if statement.out_dims is None:
            found += self.dims_of(self.tensor(statement.out.text, region))
        for use in tensor_uses(statement.expression) if statement.expression else ():
            if use.indices is None:
                found += self.dims_of(self.tensor(use.path.parts[-1].text, region))
            else:
                named = (index.name for index in use.indices)
                found += (name.text for name in named if isinstance(name, Name))
        return tuple(dict.fromkeys(found))

    def dims_of(self, tensor: Symbol) -> tuple[str, ...]:
        """The dimensions of a tensor as it is declared."""
        shapes = (declared_dims(e.chunk.statement, tensor.name) for e in self.declarations(tensor))
        return next(filter(None, shapes), ())

    # -- bodies around ---------------------------------------------------------------------------

    def tensor(self, name: str, region: Region, order: int = _LAST) -> Symbol:
        """What a tensor's name means in a body, behind the statements up to an `order`."""
        found = self._tensor(name, region, order)
        if order < _LAST and not self.declarations(found):
            return self._tensor(name, region, _LAST)
        return found

    def _tensor(self, name: str, region: Region, order: int) -> Symbol:
        for each in region.around():
            if each.left == name:
                order = _LAST
                continue
            own = each.declared.get(("tensor", name), ())
            if not any(entry.order < order for entry in own):
                continue
            symbol = Symbol("tensor", name, each)
            if any(entry.mention.act == "declares" for entry in own) or each.outer is None:
                return symbol
            outside = self._tensor(name, each.outer, _LAST)
            cached = any(e.mention.kind == "cache" for e in self.declarations(outside))
            return outside if cached else symbol
        return Symbol("tensor", name, None)

    def function(self, name: str, region: Region) -> Symbol:
        """What the name of an op, a block or a function means in a body."""
        inner = (each for each in region.around() if ("function", name) in each.declared)
        return Symbol("function", name, next(inner, None))

    def own(self, space: Space, name: str, body: Body) -> Symbol:
        """What is called so in a body itself. What a stack takes in and leaves is the same there as
        around it."""
        while body is not None and space == "tensor" and name in (body.left, body.entered):
            assert body.outer is not None
            if name == body.entered:
                return self.tensor(name, body.outer)
            body = _body(body.outer)
        return Symbol(space, name, body)

    # -- paths -----------------------------------------------------------------------------------

    def _by_path(self, entry: Entry) -> tuple[Symbol, ...]:
        """What the last part of a path means, or all that the last part of a pattern does."""
        mention, name, before = entry.mention, entry.mention.name, entry.mention.before
        match mention.look:
            case "pattern":
                return self._in("layer", name, self._inside((None,), before))
            case "weight":
                bodies = self._inside((None,), before)
                weights = self._in("tensor", name, bodies)
                kinds = {e.mention.kind for w in weights for e in self.declarations(w)}
                return weights if "weight" in kinds else self._in("layer", name, bodies)
            case "pin":
                starts = self._pinned(entry)
            case "path":
                starts = iter(((None,),))
            case _:
                starts = ((body,) for body in (*entry.region.around(), None))
        for start in starts:
            if found := self._in(mention.space, name, self._inside(start, before)):
                return _outermost(found)
        if mention.look in ("here", "body"):
            return ()
        return _outermost(self._anywhere(mention.space, name, before))

    def _pinned(self, entry: Entry) -> Iterator[tuple[Body, ...]]:
        """Where the tensor of an `expect` is looked for, one after the other: in the places that it
        is narrowed to, at any depth in them, around them, in the whole spec."""
        statement = entry.chunk.statement
        within = statement.condition.scope.within if isinstance(statement, ExpectStatement) else ()
        paths = [tuple((part.text,) for part in path.parts) for path in within]
        places = tuple(body for path in paths for body in self.bodies_at(path))
        yield places
        yield self._below(places)
        for path in paths:
            for length in range(len(path) - 1, 0, -1):
                yield self.bodies_at(path[:length])
        yield (None,)

    def bodies_at(self, path: Parts) -> tuple[Body, ...]:
        """The bodies that a path leads to, at any depth where it begins nowhere else."""
        found = self._inside((None,), path)
        if found or not path:
            return found
        layers = [s for name in path[0] for s in self._anywhere("layer", name, ())]
        first = (body for layer in layers for body in self._bodies_of(layer))
        return self._inside(tuple(dict.fromkeys(first)), path[1:])

    def _inside(self, bodies: tuple[Body, ...], path: Parts) -> tuple[Body, ...]:
        """The bodies that a path leads to from others."""
        for part in path:
            if all(name.isdecimal() for name in part):  # a call inside an expression
                continue
            layers = (
                symbol
                for body in bodies
                for symbol in (
                    self.declared("layer", body)
                    if _ANY in part
                    else (Symbol("layer", name, body) for name in part)
                )
            )
            found = (body for layer in layers for body in self._bodies_of(layer))
            bodies = tuple(dict.fromkeys(found))
        return bodies

    def _bodies_of(self, layer: Symbol) -> Iterator[Body]:
        """The body of a stack, or of each block that a layer calls."""
        for entry in self.declarations(layer):
            match entry.chunk.statement:
                case StackStatement():
                    body = entry.listing.region_of(entry.chunk)
                    if body is not None:
                        yield body
                case LayerStatement(expression=expression) if expression is not None:
                    called = self._called(expression, entry.region)
                    yield from (each for each in called if not is_op(each))

    def _below(self, bodies: tuple[Body, ...]) -> tuple[Body, ...]:
        """All bodies inside these."""
        found: dict[Body, None] = {}
        pending = list(bodies)
        while pending:
            inner = self._inside((pending.pop(),), ((_ANY,),))
            pending += (body for body in inner if body not in found)
            found |= dict.fromkeys(inner)
        return tuple(found)

    def _in(self, space: Space, name: str, bodies: Iterable[Body]) -> tuple[Symbol, ...]:
        """What is called so in some bodies."""
        own = dict.fromkeys(self.own(space, name, body) for body in bodies)
        return tuple(symbol for symbol in own if self.declarations(symbol))

    def _anywhere(self, space: Space, name: str, before: Parts) -> tuple[Symbol, ...]:
        """Everything that a path leads to, wherever it begins."""
        if not before:
            entries = (e for e in self.named(name) if e.declares and e.mention.space == space)
            found = dict.fromkeys(symbol for e in entries for symbol in self.symbols(e))
            return tuple(found)
        every = (None, *(body for each in self.listings for body in each.bodies.values()))
        return self._in(space, name, self._inside(every, before))


def _body(region: Region) -> Body:
    """A region as a body: the outermost ones of all runs are the whole spec."""
    return None if region.outer is None else region


def _outermost(found: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """Without the results of blocks that a layer outside of them gives under the same name."""
    outer = tuple(symbol for symbol in found if not _is_result(symbol))
    return outer or found


def _is_result(symbol: Symbol) -> bool:
    owner = symbol.body.owner if symbol.body else None
    header = owner.statement if owner else None
    return isinstance(header, BlockStatement) and header.out.text == symbol.name


def _order(entry: Entry) -> int:
    """Behind which statements of its body a tensor's name is looked for."""
    return entry.order if entry.mention.act == "uses" and entry.mention.look == "here" else _LAST


def _depth(entry: Entry) -> int:
    return 0 if entry.region.outer is None else 1

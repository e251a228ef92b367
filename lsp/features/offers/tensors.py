"""Tensors: those that may be read, given, carried or named at a cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from operator import itemgetter

from parspec.grammar.document import Chunk
from parspec.grammar.syntax import LayerStatement, OutputStatement, StackStatement
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion
from parspec.lsp.names import Body, Symbol
from parspec.lsp.regions import mentions_of

_PATH = re.compile(r"[\w.]+")


def tensors(scene: Scene) -> Iterator[Suggestion]:
    """The tensors that may stand at the cursor; none where a new one is declared."""
    match scene.verb:
        case "output":
            yield from _outputs(scene)
        case "expect":
            yield from scene.all(scene.names.declared("tensor", None), 3)
            inner = (s for body in _bodies(scene) for s in scene.names.declared("tensor", body))
            yield from scene.all(inner, 5)
        case "stack" | "block" if "->" in scene.before:
            yield from _left(scene)
        case "stack":
            yield from _activations(scene, filter(partial(_is_readable, scene), _seen(scene)), 2)
        case "op" if "=" in scene.before:
            yield from _parameters(scene)
        case "layer" if "=" in scene.before:
            yield from _operands(scene)
        case "layer":
            given = (s for s in _seen(scene) if scene.role(s) in ("cache", "var"))
            yield from scene.all(given, 2)


def _bodies(scene: Scene) -> Iterator[Body]:
    """The bodies of all stacks and called blocks, outer ones first."""
    found: dict[Body, None] = {}
    path: tuple[tuple[str, ...], ...] = (("*",),)
    while new := [body for body in scene.names.bodies_at(path) if body not in found]:
        found |= dict.fromkeys(new)
        path = (*path, ("*",))
    yield from found


def nearest(scene: Scene) -> Symbol | None:
    """What the last layer above the cursor makes, else the last input above it: the likeliest
    operand of the next."""
    return scene.once(_nearest)


def _nearest(scene: Scene) -> Symbol | None:
    seen = (s for s in _seen(scene) if not scene.declares(s) and _is_readable(scene, s))
    found = [s for s in seen if scene.role(s) != "weight"]
    made = [s for s in found if scene.role(s) == "activation"]
    inside = [s for s in made if s.body is not None] or made or found
    return max(inside, key=partial(_place, scene), default=None)


def unread(scene: Scene) -> tuple[Symbol, ...]:
    """The weights above the cursor that nothing reads, in the body of the cursor if it has any."""
    read = _read(scene)
    found = (s for s in _seen(scene) if scene.role(s) == "weight" and _is_readable(scene, s))
    every = [symbol for symbol in found if symbol.name not in read]
    inner = [symbol for symbol in every if symbol.body is not None]
    return tuple(sorted(inner or every, key=partial(_place, scene)))


def _seen(scene: Scene) -> Iterator[Symbol]:
    yield from scene.names.visible("tensor", scene.region)


def _operands(scene: Scene) -> Iterator[Suggestion]:
    """What a layer may read: first what the layer above makes and the weights that nothing reads
    yet, then what there is in the same body."""
    last = nearest(scene)
    first = {each.name for each in (*((last,) if last else ()), *unread(scene))}
    written = set(_PATH.findall(scene.before.partition("=")[2]))
    ranked: dict[int, list[Symbol]] = {1: [], 2: [], 3: []}
    for symbol in filter(partial(_is_readable, scene), _seen(scene)):
        likely = symbol.name in first and symbol.name not in written
        ranked[1 if likely else 2 if symbol.body is not None else 3].append(symbol)
    for rank, symbols in ranked.items():
        yield from scene.all(symbols, rank)


def _read(scene: Scene) -> frozenset[str]:
    """The tensors that statements read in what the cursor's names are of, but for its own."""
    inner = scene.region is not None and scene.region.outer is not None
    listings = [scene.region.listing] if scene.region and inner else scene.names.listings
    own = scene.cursor.placed.chunk if scene.cursor.placed else None
    return frozenset(
        entry.mention.name
        for listing in listings
        for entry in listing.every()
        if entry.mention.space == "tensor"
        and entry.mention.act == "uses"
        and isinstance(entry.chunk.statement, LayerStatement)
        and entry.chunk is not own
    )


def _place(scene: Scene, symbol: Symbol) -> tuple[bool, int]:
    """How near above the cursor a tensor is made."""
    locations = map(scene.names.location, scene.names.declarations(symbol))
    own = [at.range.start for at in locations if at.file == scene.snapshot.file]
    above = [start for start in own if start < scene.cursor.typed.start]
    return bool(above), max(above, default=0)


def _outputs(scene: Scene) -> Iterator[Suggestion]:
    """What layers make, at last what comes from outside: nothing that is an output already."""
    taken = set(_PATH.findall(scene.before)) | _given(scene)
    outer = filter(partial(_is_readable, scene), scene.names.declared("tensor", None))
    last = nearest(scene)
    for each in (*_activations(scene, outer, 2), *_inner(scene)):
        if each.label not in taken:
            yield replace(each, rank=1) if last and each.label == last.name else each


def _given(scene: Scene) -> set[str]:
    """What other statements of the file give out."""
    document, placed = scene.snapshot.document, scene.cursor.placed
    own = placed.chunk if placed else None
    paths = (document.paths[key] for key in document.by_type.get(OutputStatement, ()))
    others = (path[0].statement for path in paths if len(path) == 1 and path[0] is not own)
    given = (each.tensors for each in others if isinstance(each, OutputStatement))
    return {tensor.text for tensors in given for tensor in tensors}


def _inner(scene: Scene) -> Iterator[Suggestion]:
    """What layers make inside stacks and called blocks, by its path."""
    made = [
        (f"{layer.name}.{symbol.name}", symbol)
        for layer in scene.names.declared("layer", None)
        for body in scene.names.bodies_at(((layer.name,),))
        for symbol in scene.names.declared("tensor", body)
        if symbol.body is body
        and scene.role(symbol) == "activation"
        and _is_readable(scene, symbol)
    ]
    for path, symbol in scene.few(made, itemgetter(0)):
        yield replace(scene.one(symbol, 5), label=path)


def _parameters(scene: Scene) -> Iterator[Suggestion]:
    """What an op is given, also while it is half typed."""
    given = scene.before.partition("->")[0]
    named = mentions_of(scene.cursor.placed.chunk) if scene.cursor.placed else ()
    for each in named:
        if each.space == "tensor" and each.span.end <= len(given):
            yield Suggestion(each.name, "parameter", "", 2)


def _left(scene: Scene) -> Iterator[Suggestion]:
    """What the body of a stack or a block makes, the last first; of a stack what its next turn can
    take in."""
    placed = scene.cursor.placed
    if placed is None:
        return
    inside = scene.names.region_inside(scene.snapshot.file, placed.chunk, placed.start)
    if inside is None:
        return
    made = dict.fromkeys(filter(None, map(_made, placed.chunk.body)))
    symbols = [scene.names.own("tensor", name, inside) for name in made]
    carried = inside.entered and scene.names.tensor(inside.entered, inside)
    entered = scene.names.dims_of(carried) if carried else ()
    fitting = [s for s in symbols if not entered or scene.names.dims_of(s) in (entered, ())]
    for symbol in fitting:
        yield scene.one(symbol, 1 if symbol is fitting[-1] else 2)


def _made(chunk: Chunk) -> str | None:
    """The tensor that a layer or a stack makes."""
    match chunk.statement:
        case LayerStatement(out=name) | StackStatement(carry_out=name):
            return name.text
    return None


def _activations(scene: Scene, every: Iterable[Symbol], rank: int) -> Iterator[Suggestion]:
    """What layers make first, then what comes from outside; no weights."""
    found = [symbol for symbol in every if scene.role(symbol) != "weight"]
    made = [symbol for symbol in found if scene.role(symbol) == "activation"]
    yield from scene.all(made, rank)
    yield from scene.all(
        (symbol for symbol in found if scene.role(symbol) != "activation"), rank + 2
    )


def _is_readable(scene: Scene, tensor: Symbol) -> bool:
    """Whether a tensor is made above the cursor, or in another file."""
    places = map(scene.names.location, scene.names.declarations(tensor))
    file, end = scene.snapshot.file, scene.cursor.typed.start
    return any(place.file != file or place.range.start < end for place in places)

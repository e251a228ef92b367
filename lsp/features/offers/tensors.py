"""Tensors: those that may be read, given, carried or named at a cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from parspec.grammar.syntax import LayerStatement, OutputStatement
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion
from parspec.lsp.names import Symbol
from parspec.lsp.regions import mentions_of

_PATH = re.compile(r"[\w.]+")


def tensors(scene: Scene) -> Iterator[Suggestion]:
    """The tensors that may stand at the cursor; none where a new one is declared."""
    match scene.verb:
        case "output":
            yield from _outputs(scene)
        case "expect":
            yield from scene.all(scene.names.declared("tensor", None), 3)
            for body in scene.names.bodies_at((("*",),)):
                yield from scene.all(scene.names.declared("tensor", body), 5)
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


def nearest(scene: Scene) -> Symbol | None:
    """What the last layer above the cursor makes, else the last input above it: the likeliest
    operand of the next."""
    found = [s for s in _seen(scene) if scene.role(s) != "weight" and _is_readable(scene, s)]
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
    for symbol in filter(partial(_is_readable, scene), _seen(scene)):
        likely = symbol.name in first and symbol.name not in written
        rank = 1 if likely else 2 if symbol.body is not None else 3
        yield from scene.all((symbol,), rank)


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
        and (entry.chunk is not own or scene.cursor.place != "file")
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
    taken = {name for name in _PATH.findall(scene.before)} | _given(scene)
    outer = filter(partial(_is_readable, scene), scene.names.declared("tensor", None))
    last = nearest(scene)
    for each in (*_activations(scene, outer, 2), *_inner(scene)):
        if each.label not in taken:
            yield replace(each, rank=1) if last and each.label == last.name else each


def _given(scene: Scene) -> set[str]:
    """What other statements of the file give out."""
    document, placed = scene.snapshot.document, scene.cursor.placed
    found: set[str] = set()
    for key in document.by_type.get(OutputStatement, ()):
        chunk, *around = document.paths[key]
        statement = chunk.statement
        if isinstance(statement, OutputStatement) and not around and chunk != (placed and placed.chunk):
            found.update(path.text for path in statement.tensors)
    return found


def _inner(scene: Scene) -> Iterator[Suggestion]:
    """What layers make inside stacks and called blocks, by its path."""
    for layer in scene.names.declared("layer", None):
        for body in scene.names.bodies_at(((layer.name,),)):
            own = (s for s in scene.names.declared("tensor", body) if s.body is body)
            made = (s for s in own if scene.role(s) == "activation" and _is_readable(scene, s))
            for each in scene.all(made, 5):
                yield replace(each, label=f"{layer.name}.{each.label}")


def _parameters(scene: Scene) -> Iterator[Suggestion]:
    """What an op is given, also while it is half typed."""
    given = scene.before.partition("->")[0]
    named = mentions_of(scene.cursor.placed.chunk) if scene.cursor.placed else ()
    for each in named:
        if each.space == "tensor" and each.span.end <= len(given):
            yield Suggestion(each.name, "parameter", "", 2)


def _left(scene: Scene) -> Iterator[Suggestion]:
    """What the body of a stack or a block makes."""
    placed = scene.cursor.placed
    if placed is not None:
        inside = scene.names.region_inside(scene.snapshot.file, placed.chunk, placed.start)
        if inside is not None:
            made = scene.names.declared("tensor", inside)
            yield from scene.all((s for s in made if scene.role(s) == "activation"), 2)


def _activations(scene: Scene, every: Iterable[Symbol], rank: int) -> Iterator[Suggestion]:
    """What layers make first, then what comes from outside; no weights."""
    for symbol in every:
        role = scene.role(symbol)
        if role != "weight":
            yield from scene.all((symbol,), rank if role == "activation" else rank + 2)


def _is_readable(scene: Scene, tensor: Symbol) -> bool:
    """Whether a tensor is made above the cursor, or in another file."""
    places = map(scene.names.location, scene.names.declarations(tensor))
    file, end = scene.snapshot.file, scene.cursor.typed.start
    return any(place.file != file or place.range.start < end for place in places)

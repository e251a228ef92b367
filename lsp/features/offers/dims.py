"""Dimensions: those that may be declared, split, summed over or indexed at a cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from parspec.grammar.syntax import DimStatement
from parspec.lsp.features import expected
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion
from parspec.lsp.names import Symbol
from parspec.lsp.regions import is_op

_BRACKET = re.compile(r"([\w.]*)\s*\[([^\[\]]*)\Z")
_CLAUSE = re.compile(r"\b(?:partition|store)\b")
_STORED = re.compile(r"\bstore\s+\Z")
_CLOSING = re.compile(r"[\[\](=]|\Z")
_LISTED = re.compile(r"\w+")


def dims(scene: Scene) -> Iterator[Suggestion]:
    """The dimensions that may stand at the cursor."""
    bracket = _BRACKET.search(scene.before)
    if scene.verb == "dim":
        yield from _resized(scene)
    elif scene.verb == "op" or (scene.region is not None and is_op(scene.region)):
        yield from _of_op(scene)
    elif bracket is not None:
        yield from _in_bracket(scene, bracket[1], bracket[2])
    elif _CLAUSE.search(scene.before):
        yield from _split(scene)
    else:
        yield from _first(scene.subject.dims or (), scene)


def every_dim(scene: Scene, rank: int) -> Iterator[Suggestion]:
    """All dimensions of the spec."""
    yield from scene.all(scene.names.declared("dim", None), rank)


def state_arguments(scene: Scene) -> Iterator[Suggestion]:
    """What may stand in the parentheses of a state."""
    words = expected.state_arguments(scene.before, scene.facts)
    if words is None:
        yield from every_dim(scene, 4)
        return
    known = {each.label: each for each in every_dim(scene, 4)}
    for rank, word in enumerate(words, 1):
        yield replace(known.get(word, Suggestion(word, "partial")), rank=min(rank, 3))


def split_dims(scene: Scene) -> tuple[str, ...] | None:
    """The names of the dimensions of what the statement is about, of a layer also those of the ops
    that it calls; None where they are not known."""
    own = scene.subject.dims
    if own is None or scene.region is None:
        return own
    ops = scene.names.ops_called(scene.statement, scene.region)
    named = (symbol.name for op in ops for symbol in scene.names.declared("dim", op))
    return tuple(dict.fromkeys((*own, *named)))


def _resized(scene: Scene) -> Iterator[Suggestion]:
    """What a `dim` may size again: in a plan all dimensions, elsewhere those that have no size."""
    if "dimension" not in scene.cursor.rules:
        return
    written = set(_LISTED.findall(scene.before))
    for each in every_dim(scene, 2):
        symbol = Symbol("dim", each.label, None)
        free = scene.cursor.place == "plan" or not _is_settled(symbol, scene)
        if free and each.label not in written:
            yield each


def _is_settled(symbol: Symbol, scene: Scene) -> bool:
    """Whether a dimension has a size, or is declared in the file itself."""
    for entry in scene.names.declarations(symbol):
        statement = entry.chunk.statement
        if not isinstance(statement, DimStatement):
            return True
        sized = (i.size is not None for i in statement.items if i.name.text == symbol.name)
        if any(sized) or scene.names.file(entry) == scene.snapshot.file:
            return True
    return False


def _of_op(scene: Scene) -> Iterator[Suggestion]:
    """The dimensions of an op, which are its own: those written so far."""
    bracket = _BRACKET.search(scene.before)
    here = set(_LISTED.findall(bracket[2])) if bracket else set()
    written = re.findall(r"\[([^\[\]]*)\]", scene.before)
    known = dict.fromkeys(name for part in written for name in _LISTED.findall(part))
    yield from (Suggestion(name, "dim", "", 1) for name in known if name not in here)


def _in_bracket(scene: Scene, tensor: str, written: str) -> Iterator[Suggestion]:
    """The dimensions of a tensor that is declared or read, each once; of one that is read first
    those that it has."""
    there = {*_LISTED.findall(written), *_LISTED.findall(_CLOSING.split(scene.behind)[0])}
    own: Iterable[str] = ()
    if "index" in scene.cursor.rules or "=" in scene.before:
        named = scene.region and scene.names.tensor(tensor.rpartition(".")[2], scene.region)
        own = scene.names.dims_of(named) if named else ()
    own = own or (scene.subject.dims or () if scene.verb in ("layer", "stack") else ())
    yield from (each for each in _first(own, scene) if each.label not in there)


def _first(own: Iterable[str], scene: Scene) -> Iterator[Suggestion]:
    """All dimensions, some first."""
    names = frozenset(own)
    for each in every_dim(scene, 4):
        yield replace(each, rank=1) if each.label in names else each


def _split(scene: Scene) -> Iterator[Suggestion]:
    """Those that a clause may split: the subject's own, then products that they are factors of and
    factors of them, and what is inside; all where nothing is known."""
    subject = scene.subject
    own = subject.stored if _STORED.search(scene.before) else split_dims(scene)
    if own is None:
        yield from every_dim(scene, 3)
        return
    for region in scene.names.ops_called(scene.statement, scene.region) if scene.region else ():
        yield from scene.all(scene.names.declared("dim", region), 2)
    near = frozenset((*own, *subject.inner, *_related(own, scene)))
    for each in every_dim(scene, 3):
        if each.label in own:
            yield replace(each, rank=1)
        elif each.label in near:
            yield each


def _related(own: Iterable[str], scene: Scene) -> Iterator[str]:
    """Products of which some dimensions are factors, and their factors."""
    known = scene.facts.dims
    leaves = {leaf for name in own if name in known for leaf in known[name].factors}
    for dim in known.values():
        if not leaves.isdisjoint(dim.factors):
            yield dim.name

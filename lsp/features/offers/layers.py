"""Layers: the layers, stacks and weights that patterns, `stages` and paths may name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from parspec.grammar.syntax import ImportStatement, StackStatement
from parspec.lsp.features.libraries import fits, libraries
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion
from parspec.lsp.names import Body, Symbol

_PATH = re.compile(r"((?:(?:[\w*]+|\{[^{}]*\})\s*\.\s*)+)(\{[^{}]*)?\Z")
_COUNTED = re.compile(r"\d\s+\Z")
_WORD = re.compile(r"\w+")

Parts: TypeAlias = tuple[tuple[str, ...], ...]


def layers(scene: Scene) -> Iterator[Suggestion]:
    """The layers and stacks that may stand at the cursor; in a pattern weights too, and `*`."""
    before = _parts_before(scene)
    if scene.verb == "stages":
        yield from _portions(scene)
        return
    written = _listed(scene)
    bodies: tuple[Body, ...] = scene.names.bodies_at(before) if before else (None,)
    for body in bodies:
        for each in scene.all(scene.names.declared("layer", body), 2):
            if each.label not in written:
                yield each
        if scene.verb == "for":
            weights = scene.names.declared("tensor", body)
            for each in scene.all((w for w in weights if scene.role(w) == "weight"), 5):
                if each.label not in written:
                    yield each


def path_parts(scene: Scene) -> Iterator[Suggestion]:
    """What may stand behind the dot of a path."""
    before = _parts_before(scene)
    if scene.verb == "import":
        if before == (("std",),):
            yield from _library_files(scene)
        return
    bodies = scene.names.bodies_at(before)
    for body in bodies:
        yield from scene.all(scene.names.declared("layer", body), 3)
        if scene.verb in ("expect", "output") and "(" not in scene.before.partition("is")[0]:
            yield from scene.all(scene.names.declared("tensor", body), 2)


def _parts_before(scene: Scene) -> Parts:
    """The parts of the path in front of the cursor."""
    match = _PATH.search(scene.before)
    if match is None:
        return ()
    parts = re.findall(r"[\w*]+|\{[^{}]*\}", match[1])
    return tuple(tuple(re.findall(r"[\w*]+", part)) for part in parts)


def _listed(scene: Scene) -> frozenset[str]:
    """What is written between the braces around the cursor, or as whole patterns before it."""
    opened = scene.before.rpartition("{")[2]
    if "{" in scene.before and "}" not in opened:
        return frozenset(_WORD.findall(opened))
    items = re.sub(r"\{[^{}]*\}", "", scene.before).partition(" ")[2].split(",")
    return frozenset(each.strip() for each in items if "." not in each)


def _portions(scene: Scene) -> Iterator[Suggestion]:
    """What chunks of `stages` may hold: of a stack a number, of a layer none, and each once."""
    counted = _COUNTED.search(scene.before) is not None
    written = frozenset(_WORD.findall(scene.before.partition(":")[2]))
    for symbol in scene.names.declared("layer", None):
        stack = _is_stack(symbol, scene)
        for each in scene.all((symbol,), 2):
            if stack and counted:
                yield replace(each, rank=1)
            elif stack:
                yield replace(each, insert=f"1 {each.label}", snippet=f"${{1:1}} {each.label}")
            elif not counted and each.label not in written:
                yield each


def _is_stack(symbol: Symbol, scene: Scene) -> bool:
    declared = scene.names.declarations(symbol)
    return any(isinstance(entry.chunk.statement, StackStatement) for entry in declared)


def _library_files(scene: Scene) -> Iterator[Suggestion]:
    """The files of the library that are not imported yet and do not clash with the spec."""
    document, placed = scene.snapshot.document, scene.cursor.placed
    imported = {
        statement.target
        for key in document.by_type.get(ImportStatement, ())
        if isinstance(statement := document.paths[key][0].statement, ImportStatement)
        and not (placed and document.paths[key][0] is placed.chunk)
    }
    for library in libraries():
        if library.name not in imported and fits(library, scene.names):
            name = library.name.removeprefix("std.")
            yield Suggestion(name, "library", library.summary, 2, library=library.name)

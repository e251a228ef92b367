"""Axes: those that may still be named at a cursor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion
from parspec.lsp.features.snippets import is_pipeline
from parspec.lsp.regions import mentions_of

_ON = re.compile(r"\bon\b((?:\s*[\w.]+(?:\s+(?:zigzag|ring)\b)?\s*[*,]?)*)")
_PATH = re.compile(r"[\w.]+")
_OF = re.compile(r"\bof\b")


def axes(scene: Scene) -> Iterator[Suggestion]:
    """The axes that a clause, an expectation, a view or `stages` may name; each once."""
    if scene.verb == "mesh":
        if scene.cursor.place == "plan":
            yield from _without(frozenset(_PATH.findall(scene.before)), scene)
    elif scene.verb != "axis":
        yield from _without(used(scene), scene)
    elif _OF.search(scene.before):
        yield from _without(frozenset(_PATH.findall(_OF.split(scene.before)[-1])), scene)


def free_axes(scene: Scene) -> tuple[str, ...]:
    """The names of the axes of the spec that the statement has said nothing of."""
    taken = used(scene)
    return tuple(s.name for s in scene.names.declared("axis", None) if s.name not in taken)


def used(scene: Scene) -> frozenset[str]:
    """The axes that the clauses in front of the cursor speak of."""
    return frozenset(name for on in _ON.findall(scene.before) for name in _PATH.findall(on))


def in_sizes(scene: Scene, rank: int) -> Iterator[Suggestion]:
    """The axes that may stand in a size: in a mesh those of the same one, in a view those that it
    is not yet a product of, in a dimension all."""
    match scene.verb:
        case "mesh":
            declared = scene.cursor.placed
            every = mentions_of(declared.chunk) if declared else ()
            own = [each.name for each in every if each.space == "axis" and each.act == "declares"]
            item = scene.before.rpartition(",")[2]
            names = (name for name in own if not re.search(rf"\b{re.escape(name)}\b", item))
            yield from (Suggestion(name, "axis", "", rank) for name in names)
        case "axis":
            item = scene.before.rpartition(",")[2]
            yield from _without(frozenset(_PATH.findall(item)), scene)
        case "dim":
            yield from scene.space("axis", rank)


def _without(taken: frozenset[str], scene: Scene) -> Iterator[Suggestion]:
    staged = scene.verb == "stages" or scene.before.rstrip().endswith(" at")
    for each in scene.space("axis", 1):
        if each.label not in taken:
            likely = not staged or is_pipeline(each.label)
            yield each if likely else replace(each, rank=2)

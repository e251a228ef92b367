"""Hardware: the links and devices that may be named at a cursor, those of the library with their
import."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from parspec.lsp.features.libraries import Library, fits, import_of, libraries
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion

Kind: TypeAlias = Literal["link", "device"]

_ON = re.compile(r"\bon\s+(?:[^#\n]*\s)?([^\W\d]\w*)\s*(?:#|\n|\Z)")


def hardware(kind: Kind, scene: Scene) -> Iterator[Suggestion]:
    """The links or devices of the spec, then those that imports of the library would bring, each
    once: of a link that several files declare, that of the device which the mesh is on, else one
    for each file, called after it."""
    yield from scene.space(kind, 2)
    known = scene.known(kind)
    files = [each for each in libraries() if each.hardware and fits(each, scene.names)]
    meant = _ON.search(scene.cursor.placed.chunk.text) if scene.cursor.placed else None
    of_mesh = [each for each in files if meant and ("device", meant[1]) in each.hardware]
    for library in files:
        adds = import_of(library.name, scene.snapshot)
        for name in _named(kind, library) if adds else ():
            if name in known:
                continue
            alike = [each for each in files if name in _named(kind, each)]
            fitting = [each for each in alike if each in of_mesh]
            if fitting and library not in fitting:
                continue
            single = len(fitting or alike) == 1
            yield Suggestion(
                name if single else f"{name} ({library.name})",
                kind,
                f"import {library.name}",
                4 if fitting else 5,
                insert=None if single else name,
                library=library.name,
                adds=adds,
            )


def _named(kind: Kind, library: Library) -> tuple[str, ...]:
    return tuple(name for each, name in library.hardware if each == kind)

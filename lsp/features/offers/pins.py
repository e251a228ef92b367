"""Pins: what an `expect` about a primitive can be about, what is moved now first.

Behind `no` what is not moved comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from parspec.grammar.keywords import PRIMITIVES
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.output.wording.facts import labels_of
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion

_NO = re.compile(r"\bexpect\s+no\b")
_PIN = re.compile(rf"\bexpect\s+({'|'.join(PRIMITIVES)})(?![\w-])(?:\s+of\s+([\w.]+))?")


def primitives(scene: Scene) -> Iterator[Suggestion]:
    """The primitives; those that the spec has before the others."""
    there = {move.primitive for move in scene.facts.at_work}
    refused = _NO.search(scene.before) is not None
    for name in PRIMITIVES:
        yield Suggestion(name, "primitive", "", 3 if (name in there) != refused else 4)


def moved_first(found: Iterable[Suggestion], scene: Scene) -> Iterator[Suggestion]:
    """Tensors; in a pin those that its primitive moves first."""
    labels = labels_of(scene.facts.analysis)
    names = {labels.get(move.tensor, "").rpartition(".")[2] for move in _pinned(scene)}
    for each in found:
        yield replace(each, rank=1) if each.label in names else each


def travelled_first(found: Iterable[Suggestion], scene: Scene) -> Iterator[Suggestion]:
    """Axes; in a pin those on which its primitive moves its tensor first."""
    names = {axis for move in _pinned(scene) for axis in move.axes}
    for each in found:
        yield each if not names or each.label in names else replace(each, rank=each.rank + 1)


def _pinned(scene: Scene) -> Iterator[Move]:
    """What is moved by the primitive in front of the cursor, of the tensor if one is named."""
    pin = _PIN.search(scene.before)
    labels = labels_of(scene.facts.analysis) if pin else {}
    for move in scene.facts.at_work if pin else ():
        label = labels.get(move.tensor, "")
        meant = pin and (pin[2] is None or f".{label}".endswith(f".{pin[2]}"))
        if pin and move.primitive == pin[1] and meant:
            yield move

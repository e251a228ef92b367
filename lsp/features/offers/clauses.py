"""Clauses: those that a statement takes and that say something of what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast, get_args

from parspec.interpreter.spec.clauses import TAKES, Bearer
from parspec.interpreter.spec.functions import FUNCTIONS
from parspec.lsp.features import snippets
from parspec.lsp.features.offers.axes import free_axes
from parspec.lsp.features.offers.dims import split_dims
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion

_WORDS: Mapping[str, str] = {
    "PARTITION": "partition",
    "REPLICATED": "state",
    "CENTRALIZED": "state",
    "PARTIAL": "state",
    "STORE": "store",
    "AT": "at",
    "FROZEN": "frozen",
    "RECOMPUTE": "recompute",
    "UNEVEN": "uneven",
}
"""The terminals that begin a clause, with what `TAKES` calls it."""
_ONCE = frozenset({"frozen", "recompute", "uneven", "at"})
_LIKELY = frozenset({"PARTITION", "REPLICATED"})
_RARE = frozenset({"CENTRALIZED", "PARTIAL", "AT"})
_LAST_CLAUSE = re.compile(r"\b(partition|replicated|centralized|partial|store|at)\b")
_CALLED = re.compile(r"[=(*+,\-]\s*([^\W\d]\w*)\s*\Z")


def clauses(terminals: frozenset[str], scene: Scene) -> Iterator[Suggestion]:
    """The clauses, of the terminals that the parser takes, that may follow."""
    bearer = _bearer(scene)
    if bearer is None or is_called(scene):
        return
    said = frozenset(re.findall(r"\w+", scene.before))
    axes = free_axes(scene)
    lacking = not axes and bool(scene.known("axis"))
    for terminal in sorted(terminals & _WORDS.keys()):
        word = _WORDS[terminal]
        fits = word in TAKES[bearer] and not (word in _ONCE and word in said)
        if not fits or (lacking and word in ("partition", "state", "store")):
            continue
        if _means_something(word, scene):
            rank = 2 if terminal in _LIKELY else 4 if terminal in _RARE else 3
            text = terminal.lower()
            yield Suggestion(text, "keyword", "", rank, _snippet(text, axes, scene))


def continuing(terminals: frozenset[str], scene: Scene) -> frozenset[str]:
    """The terminals without clauses, and without words that go on with a call or with an axis which
    is none that they can follow."""
    out = terminals - _WORDS.keys() if _bearer(scene) else terminals
    if "OVER" in out and scene.verb in ("layer", "op"):
        function = FUNCTIONS.get(_called(scene))
        if is_called(scene):
            return out & {"OVER"} if function and function.along else frozenset()
        out -= {"OVER", "MASKED"}
    last = _LAST_CLAUSE.findall(scene.before)
    return out if last and last[-1] == "partition" else out - {"ZIGZAG", "RING"}


def is_called(scene: Scene) -> bool:
    """Whether a function that is no tensor's name stands in front of the cursor."""
    name = _called(scene)
    if not name:
        return False
    known = name in FUNCTIONS or name in scene.known("function")
    return known and name not in scene.known("tensor")


def _called(scene: Scene) -> str:
    """The name in front of the cursor that a call may begin with; "" where none is."""
    called = _CALLED.search(scene.before) if scene.verb in ("layer", "op") else None
    return called[1] if called and "=" in scene.before else ""


def _bearer(scene: Scene) -> Bearer | None:
    """What the statement gives its clauses to."""
    name = "pattern" if scene.verb == "for" else scene.verb
    return cast(Bearer, name) if name in get_args(Bearer) else None


def _means_something(word: str, scene: Scene) -> bool:
    """Whether a clause says anything of what the statement is about."""
    subject = scene.subject
    match word:
        case "uneven":
            return subject.stacks
        case "store" | "frozen" if scene.verb in ("layer", "for", "stack"):
            return subject.stored is None or bool(subject.stored)
        case "recompute" | "partition" if scene.verb == "for":
            return subject.dims is None or bool(subject.dims)
    return True


def _snippet(word: str, axes: tuple[str, ...], scene: Scene) -> str | None:
    """A clause with the likeliest dimension and axis filled in."""
    own = split_dims(scene)
    if own is None:
        own = tuple(symbol.name for symbol in scene.names.declared("dim", None))
    return snippets.clause(word, own, axes)

"""Settings: the keys and values that may stand in braces, and other words of few choices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from parspec.interpreter.spec.clauses import PARTIAL_KINDS
from parspec.interpreter.spec.expects import FIGURES, STATES
from parspec.interpreter.spec.settings import DTYPES, OPTIMIZERS, PRICE_LISTS
from parspec.interpreter.spec.sizes import CAPACITY_ARGUMENTS
from parspec.lsp.features.braces import keys_of, rules_of
from parspec.lsp.features.offers.dims import every_dim
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion

_REST = re.compile(r"\A\w+\s*=")  # of the key that the cursor is in
_KEY = re.compile(r"(\w+)\s*=")
_USUAL = frozenset({"bf16", "fp32", "fp16", "fp8", "fp4", "mxfp4", "mxfp8", "nvfp4", "i32", "i64"})
"""The types that are mostly meant; the others are further names of theirs, or rare."""


def keys(scene: Scene) -> Iterator[Suggestion]:
    """The keys of a statement in braces that are not written elsewhere in them."""
    placed, end = scene.cursor.placed, scene.cursor.typed.end
    behind = "" if placed is None else placed.chunk.text[end - placed.start :]
    there = {*_KEY.findall(scene.before), *_KEY.findall(_REST.sub("", behind))}
    for key, detail in keys_of(scene.verb).items():
        if key not in there:
            yield Suggestion(key, "setting", detail, 2, insert=f"{key} = ")


def values(scene: Scene) -> Iterator[Suggestion]:
    """What the key in front of the cursor may be."""
    rule = rules_of(scene.verb).get(scene.key)
    if rule is None:
        return
    yield from (Suggestion(word, "value", rule.meaning, 2) for word in rule.words)
    match rule.takes:
        case "dtype":
            yield from dtypes()
        case "batch" | "count":
            yield from every_dim(scene, 3)
        case "axes":
            yield from scene.space("axis", 3)


def dtypes() -> Iterator[Suggestion]:
    """The element types."""
    yield from (Suggestion(name, "dtype", "", 3 if name in _USUAL else 5) for name in DTYPES)


def words(rule: str, scene: Scene) -> Iterator[Suggestion]:
    """The words that a rule of par.lark may be."""
    if rule == "dtype_name":
        yield from dtypes()
    elif rule == "optimizer":
        for each in OPTIMIZERS:
            snippet = None if "{" in scene.behind else f"{each} {{ $0 }}"
            yield Suggestion(each, "optimizer", "", 3, snippet)
    elif rule == "argument_name":
        opened = scene.before.rpartition("(")[2]
        free = (each for each in CAPACITY_ARGUMENTS if each not in _KEY.findall(opened))
        yield from (Suggestion(e, "argument", "", 3, insert=f"{e} = ") for e in free)
    else:
        kind, known = _WORDS.get(rule, ("", ()))
        found = (Suggestion(word, kind, "", 3) for word in known)
        yield from (replace(e, rank=2) if e.label in _FIRST else e for e in found)


_FIRST = frozenset({"traffic", "memory"})
_WORDS: Mapping[str, tuple[str, Iterable[str]]] = {
    "kind": ("partial", PARTIAL_KINDS),
    "price_list": ("price list", PRICE_LISTS),
    "mode": ("mode", ("explicit",)),
    "figure": ("figure", FIGURES),
    "state_name": ("state", STATES),
}
"""The words that a rule of par.lark may be, with their kind."""

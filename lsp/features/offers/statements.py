"""Statements: those that may begin at a cursor, with what is likely in them filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from parspec.grammar.keywords import STARTERS
from parspec.grammar.syntax import (
    CommunicationStatement,
    CostStatement,
    DtypeStatement,
    InferStatement,
    MeshStatement,
    Statement,
    TrainStatement,
)
from parspec.interpreter.spec.places import IN_BODIES, NOT_IN_PLANS
from parspec.lsp.features.libraries import fits, libraries
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion
from parspec.lsp.features.offers.tensors import nearest, unread
from parspec.lsp.features.snippets import place, staged
from parspec.lsp.mentions import Space

_ONCE: Mapping[str, tuple[type[Statement], ...]] = {
    "mesh": (MeshStatement,),
    "dtype": (DtypeStatement,),
    "cost": (CostStatement,),
    "communication": (CommunicationStatement,),
    "train": (TrainStatement, InferStatement),
    "infer": (TrainStatement, InferStatement),
}
"""Statements that stand once in a file or a plan, by word, with those that they exclude."""
_COMMON = "std.h100"  # the library's file that is imported where nothing says which
_LIKELY = frozenset(
    {
        *("dim", "mesh", "input", "weight", "layer", "stack", "output"),
        *("for", "train", "plan", "expect", "import"),
    }
)


def statements(scene: Scene, rank: int) -> Iterator[Suggestion]:
    """The statements that may begin."""
    place = scene.cursor.place
    for word in STARTERS:
        if place in ("stack", "block") and word not in IN_BODIES:
            continue
        if place == "plan" and (word in NOT_IN_PLANS or word == "import"):
            continue
        if _is_there(_ONCE.get(word, ()), scene):
            continue
        likely = rank if word in _LIKELY else rank + 1
        yield Suggestion(word, "statement", "", likely, f"{word} {_filled(word, scene)}")


def _is_there(kinds: Iterable[type[Statement]], scene: Scene) -> bool:
    """Whether a statement of some kinds stands in the file, or in the plan of the cursor."""
    document, owner = scene.snapshot.document, scene.cursor.owner
    around = owner.chunk.key if owner else None
    at = scene.snapshot.chunk_at(scene.cursor.typed.end)
    keys = chain.from_iterable(document.by_type.get(kind, ()) for kind in kinds)
    for key in keys:
        chunk, *outer = document.paths[key]
        typed = at is not None and at.chunk is chunk and at.start == scene.cursor.typed.start
        if not typed and (outer[0].key if outer else None) == around:
            return True
    return False


def _filled(word: str, scene: Scene) -> str:
    """What follows the word of a statement: new names that are free, known ones that are likely,
    and empty places where there are none."""
    match word:
        case "dim" if scene.cursor.place == "plan":
            return f"{place(1, next(iter(_names('dim', scene)), 'B'))} = ${{2:4096}}"
        case "dim":
            return f"${{1:{_free('dim', 'BSDFHKEVMN', scene)}}} = ${{2:4096}}"
        case "mesh":
            return "${1:dp} = ${2:8}"
        case "axis":
            axes = (*_names("axis", scene), "", "")[:2]
            made = f"{place(2, axes[0])} * {place(3, axes[1])}" if axes[1] else place(2, axes[0])
            return f"${{1:{_free('axis', ('ep', 'cp', 'edp', 'dcp'), scene)}}} = {made}"
        case "input":
            return f"${{1:{_free('tensor', ('x', 'tokens', 'z'), scene)}}}[{_dims(2, scene)}]"
        case "weight":
            return f"${{1:{_free('tensor', ('w', 'v', 'u'), scene)}}}[{_dims(2, scene)}]"
        case "cache" | "var":
            return f"${{1:{_free('tensor', ('k', 'h', 'c'), scene)}}}[{_dims(2, scene)}]"
        case "output":
            last = nearest(scene)
            return place(1, last.name if last else "")
        case "layer":
            return _layer(scene)
        case "block":
            return f"${{1:mlp}}(${{2:x}}[{_dims(3, scene)}]) -> ${{4:y}} {{\n  $0\n}}"
        case "stack":
            last = nearest(scene)
            dim = "L" if "L" in _names("dim", scene) else ""
            carried = place(3, last.name if last else "")
            return f"${{1:decoder}}[{place(2, dim)}]: {carried} -> ${{4:y}} {{\n  $0\n}}"
        case "for":
            dims, axes = _names("dim", scene), _names("axis", scene)
            dim, axis = next(iter(dims), ""), next(iter(axes), "")
            return f"${{1:*}}: partition {place(2, dim)} on {place(3, axis)}"
        case "stages":
            return f"{place(1, staged(_names('axis', scene)))}: $0"
        case "train":
            batch = next((dim for dim in _names("dim", scene) if dim == "B"), "64")
            return f"${{1:adam}} {{ global_batch = ${{2:{batch}}}  microbatches = ${{3:1}} }}"
        case "import":
            return place(1, _library(scene))
    return _GIVEN[word]


_GIVEN: Mapping[str, str] = {
    "link": "${1:wire} { bandwidth = ${2:50 GB/s}  latency = ${3:5 us} }",
    "device": "${1:box} { memory = ${2:80 GiB}  flops = ${3:989 Tflop/s}  hbm = ${4:3.35 TB/s} }",
    "dtype": "${1:bf16}",
    "op": "${1:linear}(${2:X[B, I]}, ${3:W[I, O]}) -> ${4:Y[B, O]} = ${5:X * W}",
    "infer": "{ phase = ${1:decode}  context = ${2:8192} }",
    "cost": "${1:composed}",
    "plan": "${1:name} {\n  $0\n}",
    "expect": "${1:traffic} <= ${2:1 GB}",
    "communication": "explicit",
}


def _layer(scene: Scene) -> str:
    """A layer that reads what the last one makes, with the next weight that fits it, if any."""
    name = _free("layer", ("up", "down", "act", "out", "proj"), scene)
    out = _free("tensor", "hyzabc", scene)
    last = nearest(scene)
    if last is None:
        return f"${{1:{name}}}: ${{2:{out}}}[$3] = $4"
    own = scene.names.dims_of(last)
    for weight in unread(scene):
        others = scene.names.dims_of(weight)
        if not set(own).isdisjoint(others):
            kept = [dim for dim in own if dim not in others]
            dims = (*kept, *(dim for dim in others if dim not in own))
            read = f"{last.name} * {weight.name}"
            return f"${{1:{name}}}: ${{2:{out}}}[${{3:{', '.join(dims)}}}] = ${{4:{read}}}"
    return f"${{1:{name}}}: ${{2:{out}}}[${{3:{', '.join(own)}}}] = ${{4:{last.name}}}"


def _library(scene: Scene) -> str:
    """A file of hardware that may be imported; "" where there is none or the spec has a device."""
    if _names("device", scene):
        return ""
    free = [each.name for each in libraries() if each.hardware and fits(each, scene.names)]
    return next((name for name in free if name == _COMMON), next(iter(free), ""))


def _dims(number: int, scene: Scene) -> str:
    """The first two dimensions of the spec."""
    return place(number, ", ".join(_names("dim", scene)[:2]))


def _names(space: Space, scene: Scene) -> tuple[str, ...]:
    return tuple(symbol.name for symbol in scene.names.declared(space, None))


def _free(space: Space, likely: Iterable[str], scene: Scene) -> str:
    """The first of some names that nothing is called, else the first with a number behind it."""
    known = frozenset(symbol.name for symbol in scene.names.visible(space, scene.region))
    first, *others = likely
    numbered = (f"{first}{number}" for number in range(2, len(known) + 3))
    return next(name for name in (first, *others, *numbered) if name not in known)

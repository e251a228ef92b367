"""Completion: what may be typed at an offset: statements, words, names in scope.

The parser says which kinds of things may follow; the offers say which of these there are, and leave
out what the statement would refuse. What fits best comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from parspec.grammar.keywords import FIGURES
from parspec.grammar.lexer import END
from parspec.grammar.messages import TERMINALS
from parspec.interpreter.analysis.budgets import COMPARISONS
from parspec.lsp.cursor import cursor_at
from parspec.lsp.features import expected, snippets
from parspec.lsp.features.import_paths import SUFFIX, import_paths
from parspec.lsp.features.offers import axes, clauses, dims, layers, pins, quantities, settings
from parspec.lsp.features.offers.functions import functions
from parspec.lsp.features.offers.hardware import hardware
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.statements import statements
from parspec.lsp.features.offers.suggestion import Completion, Suggestion
from parspec.lsp.features.offers.tensors import tensors
from parspec.lsp.ranges import Range
from parspec.lsp.snapshot import Snapshot

_STRING = re.compile(r'import\s*"([^"\r\n]*)\Z')
_AFTER_OF = re.compile(r"\bof\s*\Z")
_FREE = re.compile(r"\Z|[)}\],|+*/-]|(?:partition|replicated|store|frozen|recompute|at)\b")
_OF_A_SIZE = frozenset({"padded", "uneven", "unit"})
_RANKS = {"no": 3, "rest": 3, "none": 4, "zigzag": 4, "ring": 4}  # of words that are less likely


def completion(snapshot: Snapshot, offset: int, files: Iterable[str] = ()) -> Completion | None:
    """What may be typed at an offset; None in a comment. `files`: those that may be imported."""
    cursor = cursor_at(snapshot, offset)
    if cursor is None:
        return None
    if typed := _typed_path(snapshot, offset):
        paths = import_paths(snapshot.file, snapshot.text[slice(*typed)], files)
        named = tuple(Suggestion(each, _kind_of(each), rank=_rank_of(each)) for each in paths)
        return Completion(typed, named, False)
    scene = Scene(snapshot, cursor, files)
    found = _suggestions(scene)
    every: dict[str, Suggestion] = {}
    for each in map(_plain, found) if _is_followed(scene) else found:
        known = every.setdefault(each.label, each)
        if each.rank < known.rank:
            every[each.label] = each
    return Completion(cursor.typed, tuple(every.values()), scene.partial)


def expects_name(snapshot: Snapshot, offset: int) -> bool:
    """Whether something must follow at an offset, so that suggestions are welcome unasked."""
    cursor = cursor_at(snapshot, offset)
    return cursor is not None and bool(cursor.before) and END not in cursor.accepted


def expects_path(snapshot: Snapshot, offset: int) -> bool:
    """Whether an offset is in the path of an import."""
    return _typed_path(snapshot, offset) is not None


def _typed_path(snapshot: Snapshot, offset: int) -> Range | None:
    """Where the path of an import is written, up to an offset in it; None elsewhere."""
    line = snapshot.lines.line_span(snapshot.lines.line_of(offset))[0]
    string = _STRING.search(snapshot.text, line, offset)
    return None if string is None else Range(string.start(1), offset)


def _is_followed(scene: Scene) -> bool:
    """Whether what goes on with the word at the cursor stands there already."""
    return _FREE.match(scene.behind) is None


def _plain(suggestion: Suggestion) -> Suggestion:
    """A suggestion without what goes on with it."""
    begun = suggestion.insert is not None and suggestion.insert.endswith("= ")
    return replace(suggestion, snippet=None, insert=None if begun else suggestion.insert)


def _kind_of(path: str) -> str:
    return "folder" if path.endswith("/") else "file"


def _rank_of(path: str) -> int:
    """Files before folders, what lies below before what lies above."""
    return 5 + path.endswith("/") + 2 * path.endswith("../")


def _suggestions(scene: Scene) -> Iterator[Suggestion]:
    """Everything, in no order."""
    cursor = scene.cursor
    if cursor.before and not cursor.accepted:
        yield from _anything(scene)
    if cursor.before:
        yield from _words(scene)
        yield from _named(scene)
    if cursor.fresh or not cursor.before:
        yield from statements(scene, 1)
    elif cursor.begins and not (clauses.is_called(scene) or quantities.lacks_unit(scene)):
        yield from statements(scene, 5)


def _words(scene: Scene) -> Iterator[Suggestion]:
    """The words of the language that may follow."""
    accepted = scene.cursor.accepted - {END}
    if scene.verb == "expect":
        accepted = expected.fitting(scene.before, accepted)
    rank = 3 if scene.cursor.fresh else 2
    yield from clauses.clauses(accepted, scene)
    for terminal in sorted(clauses.continuing(accepted, scene)):
        match terminal:
            case "PRIMITIVE":
                if not _AFTER_OF.search(scene.before):
                    yield from pins.primitives(scene)
            case "NUMBER":
                yield from quantities.quantities(scene)
            case "UNIT":
                yield from quantities.units(scene)
            case "COMPARISON":
                yield from (Suggestion(sign, "comparison", "", 1) for sign in COMPARISONS)
            case "CAPACITY" if scene.verb != "axis":
                yield Suggestion("capacity", "keyword", "", 6, snippets.CAPACITY)
            case "GRAD":
                yield Suggestion("grad", "keyword", "grad(w)", 6, "grad($1)")
            case "PER":
                yield Suggestion("per device", "keyword", "", rank)
            case "HOLE":
                yield Suggestion("?", "keyword", "the cheapest", 6)
            case "KEY":
                if not quantities.lacks_unit(scene):
                    yield from settings.keys(scene)
            case "WORD":
                yield from settings.values(scene)
            case word if word not in TERMINALS or word == "UNIT_WORD":
                yield from _word(word.removesuffix("_WORD").lower(), rank, scene)


def _word(word: str, rank: int, scene: Scene) -> Iterator[Suggestion]:
    """A word that goes on with what is in front of it."""
    rules = scene.cursor.rules
    among_names = ("figure" in rules and word in FIGURES) or (
        "state_argument" in rules and word == "partial"
    )
    nobody = word == "none" and _AFTER_OF.search(scene.before) is not None
    item = scene.before.rpartition(",")[2]
    again = scene.verb == "dim" and word in _OF_A_SIZE and word in item.split()
    if not (among_names or nobody or again):
        snippet = snippets.PADDED if word == "padded" else None
        yield Suggestion(word, "keyword", "", _RANKS.get(word, rank), snippet)


def _named(scene: Scene) -> Iterator[Suggestion]:
    """The names that may follow."""
    for rule in sorted(scene.cursor.rules):
        match rule:
            case "dimension":
                yield from dims.dims(scene)
            case "state_argument":
                yield from dims.state_arguments(scene)
            case "size_name":
                yield from _sizes(scene)
            case "axis":
                yield from pins.travelled_first(axes.axes(scene), scene)
            case "link_name" if scene.verb != "link":
                yield from hardware("link", scene)
            case "device_name" if scene.verb != "device":
                yield from hardware("device", scene)
            case "tensor":
                yield from pins.moved_first(tensors(scene), scene)
            case "function":
                yield from functions(scene)
            case "scope_name" | "one_of" | "pattern_name":
                yield from layers.layers(scene)
                if rule == "one_of":
                    yield Suggestion("*", "layer", "all of them", 4)
            case "path_part":
                yield from layers.path_parts(scene)
            case "library_name":
                for path in import_paths(scene.snapshot.file, "", scene.files):
                    if path.endswith(SUFFIX):
                        yield Suggestion(f'"{path}"', "file", rank=_rank_of(path))
                yield Suggestion("std", "library", "the built-in library", 2)
            case _:
                yield from settings.words(rule, scene)


def _sizes(scene: Scene) -> Iterator[Suggestion]:
    """The names that a size or a bound may be made of."""
    if scene.verb == "expect":
        yield from quantities.bounds(scene)
        if not {"share", "s"}.intersection(quantities.kinds(scene)):
            yield from dims.every_dim(scene, 7)
        return
    if scene.verb == "dim":
        yield from dims.every_dim(scene, 4)
    yield from axes.in_sizes(scene, 7 if scene.verb == "dim" else 2)


def _anything(scene: Scene) -> Iterator[Suggestion]:
    """What there is, where the parser has lost track."""
    yield from dims.every_dim(scene, 5)
    yield from scene.space("axis", 5)
    yield from scene.space("tensor", 5)
    yield from scene.all(scene.names.declared("layer", None), 5)

"""Completion: what may be typed at an offset: statements, words, names in scope.

The parser says which kinds of things may follow; the names say which of these there are. Names
that fit best come first: the dimensions of the layer, what is declared nearby.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from parspec.grammar import syntax
from parspec.grammar.keywords import PRIMITIVES, STARTERS, UNITS
from parspec.grammar.lexer import END
from parspec.grammar.messages import TERMINALS
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.clauses import PARTIAL_KINDS
from parspec.interpreter.spec.expects import FIGURES, STATES
from parspec.interpreter.spec.functions import FUNCTIONS
from parspec.interpreter.spec.places import IN_BODIES, NOT_IN_PLANS
from parspec.interpreter.spec.settings import DTYPES, OPTIMIZERS, PRICE_LISTS
from parspec.interpreter.spec.sizes import CAPACITY_ARGUMENTS
from parspec.interpreter.spec.sizes import UNITS as KINDS_OF_UNITS
from parspec.lsp.cursor import Cursor, cursor_at
from parspec.lsp.features import expected, snippets
from parspec.lsp.features.braces import keys_of, rules_of
from parspec.lsp.features.fitting import own_dims
from parspec.lsp.features.import_paths import import_paths
from parspec.lsp.features.libraries import import_of, libraries
from parspec.lsp.features.signature import operands, parameters_of
from parspec.lsp.features.written import declared_as
from parspec.lsp.mentions import Space
from parspec.lsp.names import Body, Names, Symbol
from parspec.lsp.ranges import Edit, Range
from parspec.lsp.regions import Region, is_op, mentions_of
from parspec.lsp.snapshot import Snapshot

COMPARISONS = ("<=", ">=", "<", ">", "==")
_MOST = 400  # names of one kind; of more only those that begin as typed
_PATH = re.compile(r"((?:(?:[\w*]+|\{[^{}]*\})\s*\.\s*)+)(\{[^{}]*)?\Z")
_STRING = re.compile(r'import\s*"([^"\r\n]*)\Z')
_SETTING = re.compile(r"([^\W\d]\w*)\s*=[^={}]*?\Z")
_OF = re.compile(r"\bof\b")
_AFTER_OF = re.compile(r"\bof\s*\Z")
_ON = re.compile(r"\bon\s+\S+\s+(\w+)")
_CLAUSE = re.compile(r"\b(?:partition|store)\b")


@value
class Suggestion:
    """Something that may be typed. `kind`: `statement`, `keyword`, or the kind of a name or word;
    `rank`: lower ones come first. `snippet` has places to fill in. What it means is the explanation
    of `label`, or stands at `site`, or in a file of the `library`; `adds` are edits elsewhere that
    it needs."""

    label: str
    kind: str
    detail: str = ""
    rank: int = 5
    snippet: str | None = None
    insert: str | None = None
    site: Site | None = None
    library: str = ""
    adds: tuple[Edit, ...] = ()


class Completion(NamedTuple):
    """What may be typed in place of a range of the text. `partial`: there is more, and more is
    known with more letters."""

    replaces: Range
    suggestions: tuple[Suggestion, ...]
    partial: bool


def completion(snapshot: Snapshot, offset: int, files: Iterable[str] = ()) -> Completion | None:
    """What may be typed at an offset; None in a comment. `files`: those that may be imported."""
    cursor = cursor_at(snapshot, offset)
    if cursor is None:
        return None
    line = snapshot.lines.line_span(snapshot.lines.line_of(offset))[0]
    if string := _STRING.search(snapshot.text, line, offset):
        paths = dict.fromkeys(import_paths(snapshot.file, string[1], files))
        found = tuple(Suggestion(each, _kind_of(each), rank=_rank_of(each)) for each in paths)
        return Completion(Range(string.start(1), offset), found, False)
    completing = _Completing(snapshot, cursor)
    every: dict[tuple[str, bool, str], Suggestion] = {}
    for each in completing.suggestions():
        key = each.label, bool(each.adds), each.library if each.adds else ""
        known = every.setdefault(key, each)
        if each.rank < known.rank:
            every[key] = each
    return Completion(cursor.typed, tuple(every.values()), completing.partial)


def expects_name(snapshot: Snapshot, offset: int) -> bool:
    """Whether something must follow at an offset, so that suggestions are welcome unasked."""
    cursor = cursor_at(snapshot, offset)
    return cursor is not None and bool(cursor.before) and END not in cursor.accepted


def expects_path(snapshot: Snapshot, offset: int) -> bool:
    """Whether an offset is in the path of an import."""
    line = snapshot.lines.line_span(snapshot.lines.line_of(offset))[0]
    return _STRING.search(snapshot.text, line, offset) is not None


def _kind_of(path: str) -> str:
    return "folder" if path.endswith("/") else "file"


def _rank_of(path: str) -> int:
    """Files before folders, what lies below before what lies above."""
    return 5 + path.endswith("/") + 2 * path.endswith("../")


class _Completing:
    """What may be typed at one cursor."""

    def __init__(self, snapshot: Snapshot, cursor: Cursor) -> None:
        self.snapshot = snapshot
        self.cursor = cursor
        self.names: Names = snapshot.names
        self.partial = False
        self.region = self._region()

    def _region(self) -> Region | None:
        file, cursor = self.snapshot.file, self.cursor
        if cursor.before and cursor.placed is not None:
            placed = cursor.placed
            inside = self.names.region_inside(file, placed.chunk, placed.start)
            around = self.names.region_around(file, placed.chunk, placed.start)
            return inside if inside is not None and is_op(inside) else around
        owner = cursor.owner
        return None if owner is None else self.names.region_inside(file, owner.chunk, owner.start)

    # -- what may follow -------------------------------------------------------------------------

    def suggestions(self) -> Iterator[Suggestion]:
        """Everything, in no order."""
        cursor = self.cursor
        if cursor.before and not cursor.accepted:
            yield from self._anything()
        if cursor.before:
            yield from self._words()
            yield from self._named()
        if cursor.begins or cursor.fresh:
            yield from self._statements()

    def _statements(self) -> Iterator[Suggestion]:
        place = self.cursor.place
        rank = 4 if self.cursor.before and not self.cursor.fresh else 1
        for word in STARTERS:
            if place in ("stack", "block") and word not in IN_BODIES:
                continue
            if place == "plan" and (word in NOT_IN_PLANS or word == "import"):
                continue
            snippet = snippets.STATEMENTS.get(word)
            yield Suggestion(word, "statement", "", rank, snippet)

    def _words(self) -> Iterator[Suggestion]:
        """The words of the language that may follow."""
        rank = 3 if self.cursor.fresh else 2
        accepted = expected.fitting(self.cursor.before, self.cursor.accepted - {END})
        for terminal in sorted(accepted):
            match terminal:
                case "PRIMITIVE" if not _AFTER_OF.search(self.cursor.before):
                    yield from (Suggestion(name, "primitive", "", 3) for name in PRIMITIVES)
                case "UNIT":
                    yield from self._units()
                case "COMPARISON":
                    yield from (Suggestion(sign, "comparison", "", 1) for sign in COMPARISONS)
                case "PARTIAL" if "state_argument" in self.cursor.rules:
                    pass  # among the arguments of the state
                case "CAPACITY":
                    yield Suggestion("capacity", "keyword", "", 6, snippets.CAPACITY)
                case "GRAD":
                    yield Suggestion("grad", "keyword", "grad(w)", 6, "grad(${1:w})")
                case "UNIT_WORD":
                    yield Suggestion("unit", "keyword", "", rank)
                case "PER":
                    yield Suggestion("per device", "keyword", "", rank)
                case "HOLE":
                    yield Suggestion("?", "keyword", "the cheapest", 6)
                case "KEY":
                    yield from self._settings()
                case "WORD":
                    yield from self._values()
                case word if word not in TERMINALS and self.cursor.before:
                    text = word.lower()
                    yield Suggestion(text, "keyword", "", rank, snippets.CLAUSES.get(text))

    def _named(self) -> Iterator[Suggestion]:
        """The names that may follow."""
        for rule in sorted(self.cursor.rules):
            match rule:
                case "dimension":
                    yield from self._dims()
                case "state_argument":
                    yield from self._state_arguments()
                case "size_name":
                    yield from self._dims()
                    yield from self._space("axis", 1 if self._verb() == "axis" else 6)
                case "axis":
                    yield from self._axes()
                case "link_name" if self._verb() != "link":
                    yield from self._space("link", 2)
                    yield from self._hardware("link")
                case "device_name" if self._verb() != "device":
                    yield from self._space("device", 2)
                    yield from self._hardware("device")
                case "tensor":
                    yield from self._tensors()
                case "function":
                    yield from self._functions()
                case "scope_name" | "one_of" | "pattern_name":
                    yield from self._layers(self._before())
                    if rule == "one_of":
                        yield Suggestion("*", "layer", "all of them", 4)
                case "path_part":
                    yield from self._parts()
                case "library_name":
                    yield Suggestion("std", "library", "the built-in library", 2)
                case _:
                    kind, words = _WORDS.get(rule, ("", ()))
                    yield from (Suggestion(word, kind, "", 3) for word in words)

    def _anything(self) -> Iterator[Suggestion]:
        """What there is, where the parser has lost track."""
        yield from self._dims()
        yield from self._space("axis", 5)
        yield from self._space("tensor", 5)
        yield from self._layers(())

    # -- names -----------------------------------------------------------------------------------

    def _space(self, space: Space, rank: int) -> Iterator[Suggestion]:
        yield from self._all(self.names.visible(space, self.region), rank)

    def _all(self, symbols: Iterable[Symbol], rank: int) -> Iterator[Suggestion]:
        """Suggestions for symbols; inner ones before outer ones."""
        every = [symbol for symbol in symbols if not self._declares(symbol)]
        if len(every) > _MOST:
            typed = self.snapshot.text[slice(*self.cursor.typed)]
            every = [symbol for symbol in every if symbol.name.startswith(typed)]
            self.partial = True
        for symbol in every[:_MOST]:
            declared = self.names.declarations(symbol)
            near = rank if symbol.body is not None else rank + 1
            kind: str = symbol.space
            site, detail = None, ""
            if declared:
                site = self.names.site(declared[0])
                kind = declared[0].mention.kind
                detail = declared_as(declared[0].chunk, symbol.name)
            yield Suggestion(symbol.name, kind, detail, near, site=site)

    def _hardware(self, kind: Space) -> Iterator[Suggestion]:
        """The links or devices that imports of the library would bring, without those of which the
        spec has something of the same name."""
        spaces: tuple[Space, ...] = ("link", "device")
        known = {(each.space, each.name) for s in spaces for each in self.names.declared(s, None)}
        meant = _ON.search(self.cursor.placed.chunk.text) if self.cursor.placed else None
        for library in libraries():
            if not known.isdisjoint(library.hardware):
                continue
            rank = 4 if meant and ("device", meant[1]) in library.hardware else 5
            adds = import_of(library.name, self.snapshot)
            for each, name in library.hardware:
                if each == kind and adds:
                    detail = f"import {library.name}"
                    yield Suggestion(name, kind, detail, rank, library=library.name, adds=adds)

    def _declares(self, symbol: Symbol) -> bool:
        """Whether it is declared by the statement itself that is being typed, for what is around
        it, and nowhere else."""
        placed = self.cursor.placed
        if placed is None or not self.cursor.before:
            return False
        declared = self.names.declarations(symbol)
        own = (e.chunk is placed.chunk and e.mention.look != "body" for e in declared)
        return all(own)

    def _dims(self) -> Iterator[Suggestion]:
        cursor = self.cursor
        if self._verb() == "dim" and "dimension" in cursor.rules:
            return
        own = self._own_dims()
        for each in self._every_dim():
            yield replace(each, rank=1) if each.label in own else each

    def _every_dim(self) -> Iterator[Suggestion]:
        if self.region is not None and is_op(self.region):
            yield from self._all(self.names.declared("dim", self.region), 1)
        yield from self._all(self.names.declared("dim", None), 3)
        if self.region is not None and _CLAUSE.search(self.cursor.before):
            for op in self.names.ops_called(self._statement(), self.region):
                yield from self._all(self.names.declared("dim", op), 4)

    def _state_arguments(self) -> Iterator[Suggestion]:
        words = expected.state_arguments(self.cursor.before, self.snapshot.facts[0])
        if words is None:
            yield from self._dims()
            return
        dims = {each.label: each for each in self._dims()}
        for rank, word in enumerate(words, 1):
            yield replace(dims.get(word, Suggestion(word, "partial")), rank=min(rank, 3))

    def _units(self) -> Iterator[Suggestion]:
        """Units, those in which the figure may be bounded first."""
        kinds = expected.bound_kinds(self.cursor.before)
        for unit in UNITS:
            fits = unit in KINDS_OF_UNITS and KINDS_OF_UNITS[unit][0] in kinds
            yield Suggestion(unit, "unit", "", 1 if fits else 6)

    def _statement(self) -> syntax.Statement | None:
        return self.cursor.placed.chunk.statement if self.cursor.placed else None

    def _own_dims(self) -> set[str]:
        """The dimensions of what the statement is about."""
        cursor = self.cursor
        chunk = cursor.placed.chunk if cursor.placed else None
        return own_dims(chunk, cursor.before, self.region, self.names)

    def _axes(self) -> Iterator[Suggestion]:
        declares = self._verb() in ("mesh", "axis") and not _OF.search(self.cursor.before)
        if not declares:
            yield from self._space("axis", 1)

    def _tensors(self) -> Iterator[Suggestion]:
        before, first = self.cursor.before, self._verb()
        if first in ("input", "weight", "cache", "var"):
            return
        if first in ("op", "block") and "=" not in before:
            return
        if first == "layer" and "=" not in before:
            given = self.names.visible("tensor", self.region)
            roles = (s for s in given if self._role(s) in ("cache", "var"))
            yield from self._all(roles, 2)
            return
        if first in ("output", "expect"):
            outer = self.names.declared("tensor", None)
            if first == "output":
                yield from self._activations(filter(self._is_readable, outer), 2)
                yield from self._inner()
            else:
                yield from self._all(outer, 2)
                for body in self.names.bodies_at((("*",),)):
                    yield from self._all(self.names.declared("tensor", body), 5)
            return
        if first == "stack":
            yield from self._carries()
            return
        if first == "op":
            yield from self._parameters()
            return
        given = self.names.visible("tensor", self.region)
        yield from self._all(filter(self._is_readable, given), 2)

    def _inner(self) -> Iterator[Suggestion]:
        """What layers make inside stacks and called blocks, by its path."""
        for layer in self.names.declared("layer", None):
            for body in self.names.bodies_at(((layer.name,),)):
                own = (s for s in self.names.declared("tensor", body) if s.body is body)
                made = (s for s in own if self._role(s) == "activation" and self._is_readable(s))
                for each in self._all(made, 5):
                    yield replace(each, label=f"{layer.name}.{each.label}")

    def _parameters(self) -> Iterator[Suggestion]:
        """What an op is given, also while it is half typed."""
        given = self.cursor.before.partition("->")[0]
        named = mentions_of(self.cursor.placed.chunk) if self.cursor.placed else ()
        for each in named:
            if each.space == "tensor" and each.span.end <= len(given):
                yield Suggestion(each.name, "parameter", "", 2)

    def _carries(self) -> Iterator[Suggestion]:
        """What a stack can take in, or behind the arrow what its body makes."""
        if "->" not in self.cursor.before:
            given = self.names.visible("tensor", self.region)
            yield from self._activations(filter(self._is_readable, given), 2)
        elif self.cursor.placed is not None:
            placed = self.cursor.placed
            inside = self.names.region_inside(self.snapshot.file, placed.chunk, placed.start)
            if inside is not None:
                made = self.names.declared("tensor", inside)
                yield from self._all((s for s in made if self._role(s) == "activation"), 2)

    def _activations(self, tensors: Iterable[Symbol], rank: int) -> Iterator[Suggestion]:
        """What layers make first, then what comes from outside; no weights."""
        every = [tensor for tensor in tensors if self._role(tensor) != "weight"]
        yield from self._all((s for s in every if self._role(s) == "activation"), rank)
        yield from self._all((s for s in every if self._role(s) != "activation"), rank + 2)

    def _is_readable(self, tensor: Symbol) -> bool:
        """Whether a tensor is made above the cursor."""
        places = map(self.names.location, self.names.declarations(tensor))
        file, end = self.snapshot.file, self.cursor.typed.start
        return any(place.file != file or place.range.start < end for place in places)

    def _role(self, symbol: Symbol) -> str:
        declared = self.names.declarations(symbol)
        return declared[0].mention.kind if declared else ""

    def _functions(self) -> Iterator[Suggestion]:
        over = next(iter(self.names.dims_of_layer(self._statement(), self.region)), "D")
        for each in self._all(self.names.visible("function", self.region), 3):
            given = parameters_of(self.names, Symbol("function", each.label, None))
            yield replace(each, snippet=snippets.call(each.label, given or ("x",), over=None))
        for name, function in FUNCTIONS.items():
            along = over if function.along else None
            snippet = snippets.call(name, operands(name), over=along)
            yield Suggestion(name, "function", "", 5, snippet)

    # -- paths -----------------------------------------------------------------------------------

    def _before(self) -> tuple[tuple[str, ...], ...]:
        """The parts of the path in front of the cursor."""
        match = _PATH.search(self.cursor.before)
        if match is None:
            return ()
        parts = re.findall(r"[\w*]+|\{[^{}]*\}", match[1])
        return tuple(tuple(re.findall(r"[\w*]+", part)) for part in parts)

    def _layers(self, before: tuple[tuple[str, ...], ...]) -> Iterator[Suggestion]:
        bodies: tuple[Body, ...] = self.names.bodies_at(before) if before else (None,)
        for body in bodies:
            yield from self._all(self.names.declared("layer", body), 2)
            if before and "one_of" in self.cursor.rules:
                weights = self.names.declared("tensor", body)
                yield from self._all((w for w in weights if self._role(w) == "weight"), 5)

    def _parts(self) -> Iterator[Suggestion]:
        before = self._before()
        first = self._verb()
        if first == "import":
            if before == (("std",),):
                for library in libraries():
                    name = library.name.removeprefix("std.")
                    yield Suggestion(name, "library", library.summary, 2, library=library.name)
            return
        for body in self.names.bodies_at(before):
            yield from self._all(self.names.declared("layer", body), 3)
            if first != "stages":
                yield from self._all(self.names.declared("tensor", body), 2)

    # -- settings --------------------------------------------------------------------------------

    def _verb(self) -> str:
        """The word that the statement begins with."""
        return self.cursor.before.split(None, 1)[0] if self.cursor.before else ""

    def _settings(self) -> Iterator[Suggestion]:
        """The keys of a statement in braces that are not written yet."""
        there = set(
            re.findall(r"(\w+)\s*=", self.cursor.placed.chunk.text if self.cursor.placed else "")
        )
        for key, detail in keys_of(self._verb()).items():
            if key not in there:
                yield Suggestion(key, "setting", detail, 2, insert=f"{key} = ")

    def _values(self) -> Iterator[Suggestion]:
        """What the key in front of the cursor may be."""
        match = _SETTING.search(self.cursor.before)
        rule = rules_of(self._verb()).get(match[1]) if match else None
        if rule is None:
            return
        yield from (Suggestion(word, "value", rule.meaning, 2) for word in rule.words)
        match rule.takes:
            case "dtype":
                yield from (Suggestion(name, "dtype", "", 3) for name in DTYPES)
            case "batch" | "count":
                yield from self._all(self.names.declared("dim", None), 3)
            case "axes":
                yield from self._space("axis", 3)


_WORDS: Mapping[str, tuple[str, Iterable[str]]] = {
    "dtype_name": ("dtype", DTYPES),
    "optimizer": ("optimizer", OPTIMIZERS),
    "kind": ("partial", PARTIAL_KINDS),
    "price_list": ("price list", PRICE_LISTS),
    "mode": ("mode", ("explicit",)),
    "figure": ("figure", FIGURES),
    "state_name": ("state", STATES),
    "argument_name": ("argument", CAPACITY_ARGUMENTS),
}
"""The words that a rule of par.lark may be, with their kind."""

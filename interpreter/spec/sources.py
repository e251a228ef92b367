"""From files to statements: reads a spec with everything that it imports.

What `gather` promises: every file is read once, imported statements stand where the import
stands, and whatever is wrong with a file, an import or a text is a finding; nothing is raised.
`import std.NAME` is the built-in library, shown as `std/NAME.par`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby, islice
from pathlib import Path
from typing import TypeAlias, TypeVar

from parspec.grammar.document import TOP, Chunk, Document, Run
from parspec.grammar.span import Span
from parspec.grammar.syntax import (
    ImportStatement,
    LayerStatement,
    OpStatement,
    PlanStatement,
    StackStatement,
    Statement,
    TensorStatement,
)
from parspec.grammar.values import the_one, value
from parspec.interpreter.diagnostics.findings import Datum, Edit, Finding, Fix, Site
from parspec.interpreter.spec.faults import syntax_errors
from parspec.interpreter.spec.library_files import library_file, library_name, library_names
from parspec.interpreter.spec.limits import PLANNED
from parspec.interpreter.spec.memo import Memo, Row
from parspec.interpreter.spec.names import in_force, unknown
from parspec.interpreter.spec.readers import SIZE_LIMIT, Reader, Unread

_FEW_PLANS = 64  # are looked at however large a spec is
_PLAN_ALONE = 25  # statements that cost as much as a plan by itself
DEPTH_LIMIT = 32  # files that import one another in a row
HERE = (Path(),)  # the working folder


@value
class Placed:
    """A statement's chunk in its file; `plan` names the plan in whose body it stands, if any."""

    file: str
    chunk: Chunk
    imported: bool
    plan: str | None = None

    def at(self, span: Span) -> Site:
        """The site of a span of this chunk."""
        return Site(self.file, self.chunk.key, span)

    def text(self, span: Span) -> str:
        """What is written there."""
        return self.chunk.text[span.start : span.end]

    def note(self, name: str) -> str:
        """The comment that documents an item of this statement, or the statement's own."""
        return next((n for item, n in self.chunk.parsed.notes if item == name), self.chunk.note)


@dataclass(frozen=True, eq=False)
class Passage:
    """Some consecutive statements, in effective order: the very same value for as long as none of
    them changes, so that what is worked out from it need not be worked out again."""

    statements: tuple[Placed, ...]

    @cached_property
    def kinds(self) -> Mapping[type, tuple[Placed, ...]]:
        """The statements of each kind; those that were not understood are of `NoneType`."""
        kinds: dict[type, list[Placed]] = {}
        for placed in self.statements:
            kinds.setdefault(type(placed.chunk.statement), []).append(placed)
        return {kind: tuple(some) for kind, some in kinds.items()}

    @cached_property
    def walked(self) -> tuple[Placed, ...]:
        """The statements that declare variables, layers and stacks of the model; a plan has none
        of its own."""
        kinds = (TensorStatement, LayerStatement, StackStatement)
        return tuple(
            placed
            for placed in self.statements
            if placed.plan is None and isinstance(placed.chunk.statement, kinds)
        )

    @cached_property
    def size(self) -> int:
        """How many statements it has, with those in bodies but for plans."""
        plans = self.kinds.get(PlanStatement, ())
        every = sum(1 for placed in self.statements for _ in placed.chunk.preorder())
        return every - sum(1 for placed in plans for _ in placed.chunk.preorder())

    @cached_property
    def headers(self) -> tuple[Chunk, ...]:
        """The chunks that have a body, also those inside others."""
        every = (each for placed in self.statements for each in placed.chunk.preorder())
        return tuple(each for each in every if each.body)

    @cached_property
    def stack_dims(self) -> frozenset[str]:
        """The dimensions that stacks repeat along, however deep they stand; a plan has none."""
        outer = (
            p.chunk for p in self.statements if not isinstance(p.chunk.statement, PlanStatement)
        )
        inside = (each.statement for chunk in outer for each in chunk.preorder())
        stacks = (statement for statement in inside if isinstance(statement, StackStatement))
        return the_one(frozenset(stack.dim.text for stack in stacks))

    @cached_property
    def template_dims(self) -> frozenset[str]:
        """The dimensions that ops call their own, however deep they stand."""
        every = (each.statement for p in self.statements for each in p.chunk.preorder())
        ops = (op for op in every if isinstance(op, OpStatement))
        dims = frozenset(dim.text for op in ops for item in op.parameters for dim in item.dims)
        return the_one(dims)

    @property
    def places(self) -> set[tuple[str, int]]:
        """The files and keys of all chunks, also of those inside others."""
        return {(placed.file, c.key) for placed in self.statements for c in placed.chunk.preorder()}

    def has(self, keys: Iterable[int]) -> bool:
        """Is one of these the key of a chunk, also of one inside another?"""
        least, most = self._edges
        near = {key for key in keys if least <= key <= most}
        return bool(near) and not near.isdisjoint(self._keys())

    @cached_property
    def _edges(self) -> tuple[int, int]:
        """The least and the greatest key."""
        keys = tuple(self._keys())
        return min(keys, default=0), max(keys, default=-1)

    def _keys(self) -> Iterator[int]:
        return (c.key for placed in self.statements for c in placed.chunk.preorder())

    @property
    def file(self) -> str:
        """The file in which they stand."""
        return self.statements[0].file

    @cached_property
    def misplaced_imports(self) -> tuple[Finding, ...]:
        """`misplaced` for every import inside a statement's body."""
        return tuple(
            Finding(
                "misplaced",
                Site(self.file, chunk.key, chunk.statement.span),
                (
                    ("statement", "import"),
                    ("place", f"inside a {outer.text.split(None, 1)[0]}"),
                ),
            )
            for outer in self.headers
            for chunk in outer.body
            if isinstance(chunk.statement, ImportStatement)
        )


@dataclass(frozen=True, eq=False)
class Statements:
    """All statements of a spec in effective order, in passages."""

    passages: tuple[Passage, ...]

    @cached_property
    def holding(self) -> Mapping[type, Sequence[int]]:
        """The places of the passages that hold statements of each kind."""
        places: dict[type, list[int]] = {}
        for place, passage in enumerate(self.passages):
            for kind in passage.kinds:
                places.setdefault(kind, []).append(place)
        return places

    def __iter__(self) -> Iterator[Placed]:
        return (placed for passage in self.passages for placed in passage.statements)

    def of(self, *kinds: type) -> Iterator[Placed]:
        """Those of some kinds."""
        if len(kinds) == 1:
            for place in self.holding.get(kinds[0], ()):
                yield from self.passages[place].kinds[kinds[0]]
            return
        for place in sorted({place for kind in kinds for place in self.holding.get(kind, ())}):
            statements = self.passages[place].statements
            yield from (each for each in statements if type(each.chunk.statement) in kinds)


@value
class Gathered:
    """A spec's text with all that it imports.

    documents: every file once, the given one first. statements: the outermost chunks in effective
    order, without imports; a plan's own chunk is among them, its body only at the end and only
    when that plan was asked for. skipped: the words that the parser could not place. plans: the
    names of the plans that are looked at: all, unless they are too many (`over_limit`).
    """

    documents: tuple[tuple[str, Document], ...]
    statements: Statements
    skipped: frozenset[str]
    findings: tuple[Finding, ...]
    plans: tuple[str, ...] = ()
    aside: frozenset[tuple[str, int]] = frozenset()


S = TypeVar("S", bound=Statement)


def of_kind(statements: Statements, kind: type[S]) -> Iterator[tuple[S, Placed]]:
    """The statements of one kind, each with its place."""
    for placed in statements.of(kind):
        if isinstance(statement := placed.chunk.statement, kind):
            yield statement, placed


Plans: TypeAlias = tuple[dict[str, tuple[PlanStatement, Placed]], tuple[Finding, ...]]
"""Plans by name, each with where it stands; the findings about names that stand twice."""


class Texts:
    """What was read when a spec was looked at last: its documents, and their statements."""

    def __init__(self) -> None:
        self.documents: Mapping[str, Document] = {}
        self.portions: dict[tuple[str, bool], Row[Run, tuple[Passage | Placed, ...]]] = {}
        self.bodies: Memo[Passage] = Memo()
        self.plans: Memo[Plans] = Memo()

    def turn(self, documents: Mapping[str, Document]) -> None:
        """Keeps what was read; what is in none of these documents is forgotten."""
        before, self.documents = self.documents, documents
        if documents.keys() != before.keys() or any(documents[f] is not before[f] for f in before):
            self.portions = {key: row for key, row in self.portions.items() if key[0] in documents}
            self.bodies.turn()
            self.plans.turn()

    def portions_of(
        self, document: Document, file: str, *, imported: bool
    ) -> Iterator[Passage | Placed]:
        """The passages of a file, with the imports between them."""
        row = self.portions.setdefault((file, imported), Row())
        made = row.of(lambda run: tuple(_portions(run, file, imported)), document.runs)
        return chain.from_iterable(made)


def gather(
    file: str,
    text: str,
    reader: Reader,
    plan: str | None = None,
    texts: Texts | None = None,
    folders: Sequence[Path] = HERE,
) -> Gathered:
    """Parses a file and all that it imports, as of the named plan.

    Imports stay in the file's folder and in the given ones, with what is below these: a spec of
    somebody else cannot have other files shown. Findings: `syntax_error` in any of the files, but
    for the bodies of other plans, what is wrong with an import at that import, `misplaced` for an
    import inside another statement, `duplicate_name` and `unknown_name` for plans (an unknown one
    at the start of the file).
    """
    texts = texts or Texts()
    gathering = _Gathering(reader, texts, folders)
    gathering.add(file, text, (os.path.normpath(file),))
    texts.turn(gathering.documents)
    statements = Statements(tuple(gathering.passages))
    passages = statements.passages
    plans, repeated = texts.plans.known(*passages) or texts.plans.keep(
        _plans(statements), *passages
    )
    aside = frozenset(_broken_in_others(gathering.documents, plan))
    kept = (f for f in gathering.findings if (f.site.file, f.site.chunk) not in aside)
    looked_at = tuple(plans)[: _room_for_plans(statements)]
    findings = [*kept, *repeated, *_too_many_plans(plans, looked_at)]
    if plan is not None and plan in plans:
        header = plans[plan][1]
        body = texts.bodies.of(lambda header: _body(header, plan), header, sys.intern(plan))
        statements = Statements((*statements.passages, body))
        looked_at = tuple(dict.fromkeys((*looked_at, plan)))
    elif plan is not None:
        findings.append(unknown("plan", plan, Site(file, TOP, Span(0, 0)), plans))
    return Gathered(
        tuple(gathering.documents.items()),
        statements,
        _skipped(gathering.documents, aside),
        tuple(findings),
        looked_at,
        aside,
    )


def _broken_in_others(
    documents: Mapping[str, Document], plan: str | None
) -> Iterator[tuple[str, int]]:
    """The chunks with a syntax error in the bodies of all plans but one."""
    for file, document in documents.items():
        for header in document.chunks if document.faulty else ():
            statement = header.statement
            if isinstance(statement, PlanStatement) and statement.name.text != plan:
                inside = (chunk for one in header.body for chunk in one.preorder())
                yield from ((file, chunk.key) for chunk in inside if chunk.parsed.faults)


def _plans(statements: Statements) -> Plans:
    """The plans by name, and what is wrong with their names."""
    headers = of_kind(statements, PlanStatement)
    return in_force("plan", ((header.name, header, at) for header, at in headers))


def _skipped(
    documents: Mapping[str, Document], aside: frozenset[tuple[str, int]]
) -> frozenset[str]:
    """The words that could not be placed, but for chunks that are set aside."""
    return frozenset(
        word
        for file, document in documents.items()
        for chunk in document.faulty
        if (file, chunk.key) not in aside
        for word in chunk.parsed.skipped
    )


def _room_for_plans(statements: Statements) -> int:
    """How many plans are looked at over so many statements; each costs something by itself."""
    once = _PLAN_ALONE + sum(passage.size for passage in statements.passages)
    return max(_FEW_PLANS, PLANNED // once)


def _too_many_plans(
    plans: Mapping[str, tuple[PlanStatement, Placed]], looked_at: tuple[str, ...]
) -> Iterator[Finding]:
    """`over_limit` at the first plan that is not looked at."""
    for header, placed in islice(plans.values(), len(looked_at), len(looked_at) + 1):
        data: tuple[tuple[str, Datum], ...] = (
            ("what", f"plans of a spec of this size ({header.name.text} is not looked at)"),
            ("limit", len(looked_at)),
        )
        yield Finding("over_limit", placed.at(header.name.span), data)


def _body(header: Placed, plan: str) -> Passage:
    """The statements of a plan."""
    return Passage(
        tuple(
            Placed(header.file, chunk, header.imported, plan)
            for chunk in header.chunk.body
            if not isinstance(chunk.statement, ImportStatement)
        )
    )


def _portions(run: Run, file: str, imported: bool) -> Iterator[Passage | Placed]:
    """A run in passages, with the imports between them."""
    placed = (Placed(file, chunk, imported) for chunk in run.chunks)
    for imports, some in groupby(
        placed, lambda each: isinstance(each.chunk.statement, ImportStatement)
    ):
        if imports:
            yield from some
        else:
            yield Passage(tuple(some))


@dataclass(slots=True)
class _Gathering:
    """The files read so far, and what was found in them."""

    reader: Reader
    texts: Texts
    folders: Sequence[Path]
    documents: dict[str, Document] = field(default_factory=dict)
    passages: list[Passage] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    entered: Site | None = None  # the import of the first file that is being followed

    def add(self, file: str, text: str, trail: tuple[str, ...]) -> None:
        """Adds a file's statements; `trail` are the files that led to it, itself last."""
        from parspec.grammar.parser import parse  # only where something is read

        document = parse(text, self.texts.documents.get(file))
        self.documents[file] = document
        self.seen.add(trail[-1])
        self.findings.extend(syntax_errors(file, document))
        for portion in self.texts.portions_of(document, file, imported=len(trail) > 1):
            if isinstance(portion, Passage):
                self.passages.append(portion)
                self.findings.extend(portion.misplaced_imports)
            elif isinstance(statement := portion.chunk.statement, ImportStatement):
                self.follow(statement, portion, trail)

    def follow(self, statement: ImportStatement, placed: Placed, trail: tuple[str, ...]) -> None:
        """Adds what an import brings, once."""
        site = placed.at(statement.span)
        self.entered = site if len(trail) == 1 else self.entered
        if not statement.quoted:
            self.follow_library(statement.target, site, trail)
            return
        file = imported_file(statement, placed.file)
        if not statement.target.strip():
            empty = Unread("unreadable", (("reason", "the name is empty"),))
            self.findings.append(unread(empty, '""', site))
        elif not self.may_read(file, trail[0]):
            self.findings.append(Finding("import_outside", site, (("file", statement.target),)))
        elif file in trail:
            self.findings.append(self.cycle(file, site, trail))
        elif file not in self.seen:
            if len(trail) > DEPTH_LIMIT:
                data = (("depth", len(trail)), ("limit", DEPTH_LIMIT))
                self.findings.append(Finding("import_depth", site, data))
                return
            text = self.reader.read(file)
            if isinstance(text, Unread):
                found = unread(text, statement.target, site)
                self.findings.append(replace(found, fixes=_unquoted(statement.target, site)))
            else:
                self.add(file, text, (*trail, file))

    def cycle(self, file: str, site: Site, trail: tuple[str, ...]) -> Finding:
        """`import_cycle`, as it is found from the file in which it is shown: the first one, if it
        is among those that import each other."""
        around = trail[trail.index(file) :]
        if file == trail[0]:
            return Finding("import_cycle", self.entered or site, (("cycle", (*around, file)),))
        return Finding("import_cycle", site, (("cycle", (trail[-1], *around)),))

    def may_read(self, file: str, first: str) -> bool:
        """Does a file lie in the folder of the first one, in one of the given ones, or below,
        wherever links lead?"""
        folders = map(self.reader.real, map(str, (Path(first).parent, *self.folders)))
        place = self.reader.real(file)
        return place is not None and any(
            folder is not None and Path(place).is_relative_to(folder) for folder in folders
        )

    def follow_library(self, target: str, site: Site, trail: tuple[str, ...]) -> None:
        """Adds a built-in file, once."""
        file, text = library_name(target), library_file(target)
        if text is None:
            names = (f"std.{name}" for name in library_names())
            self.findings.append(unknown("library file", target, site, names))
        elif file not in self.seen:
            self.add(file, text, (*trail, file))


def _unquoted(target: str, site: Site) -> tuple[Fix, ...]:
    """The fix of a library file that was taken for one of the user's: `"std.h100"`."""
    name = target.removesuffix(".par").replace("/", ".")
    if library_file(name) is None:
        return ()
    return (Fix(f"Write `{name}`, a file of the library", (Edit(site, name),)),)


def imported_file(statement: ImportStatement, importer: str) -> str:
    """The name of the file that an import in the file `importer` means, whether it exists or
    not."""
    if not statement.quoted:
        return library_name(statement.target)
    return os.path.normpath(Path(importer).parent / statement.target)


_UNREAD: Mapping[str, tuple[str, tuple[tuple[str, Datum], ...]]] = {
    "missing": ("file_not_found", (("near", ()),)),
    "unreadable": ("unreadable_file", (("reason", "unreadable"),)),
    "not_utf8": ("not_utf8", (("offset", 0), ("byte", ""))),
    "too_large": ("file_too_large", (("size", 0), ("limit", SIZE_LIMIT))),
}


def unread(problem: Unread, shown: str, site: Site) -> Finding:
    """A file that could not be read, as the finding that an import (or a command) shows."""
    name, defaults = _UNREAD[problem.reason]
    data = dict(defaults) | dict(problem.detail)
    return Finding(name, site, (("file", shown), *data.items()))

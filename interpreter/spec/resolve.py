"""From text to the model: the one way in.

Reads a spec with everything that it imports, sizes what has sizes, writes out layers, and gives
every clause to its axis. Whatever the user wrote, a model comes back: mistakes are findings in
it, and what depends on a mistake is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.dims import Dims, resolve_dims
from parspec.interpreter.spec.doubt import broken_kinds, without_consequences
from parspec.interpreter.spec.expects import resolve_expects
from parspec.interpreter.spec.forward import with_forward
from parspec.interpreter.spec.hardware import (
    axis_sizes,
    resolve_devices,
    resolve_links,
    resolve_mesh,
)
from parspec.interpreter.spec.memo import Row
from parspec.interpreter.spec.mistyped import with_mistyped
from parspec.interpreter.spec.model import Dim, Model, Output, Part
from parspec.interpreter.spec.paths import Names, Shelves
from parspec.interpreter.spec.patterns import rules
from parspec.interpreter.spec.places import in_plans, planned
from parspec.interpreter.spec.readers import Reader
from parspec.interpreter.spec.scopes import Notes, World, facts
from parspec.interpreter.spec.settings import (
    resolve_communication,
    resolve_cost,
    resolve_dtype,
    resolve_settings,
    served_with,
)
from parspec.interpreter.spec.settle import Portions, settle
from parspec.interpreter.spec.sides import with_sides
from parspec.interpreter.spec.sources import HERE, Gathered, Passage, Texts, gather
from parspec.interpreter.spec.stages import (
    resolve_outputs,
    resolve_stages,
    with_short_pipelines,
)
from parspec.interpreter.spec.unmatched import unmatched
from parspec.interpreter.spec.usage import unused
from parspec.interpreter.spec.walk import walk
from parspec.interpreter.spec.walks import Walks
from parspec.interpreter.theory.formulas import symbol

NO_OVERRIDES: Mapping[str, int] = {}


class UnderPlan:
    """What was found when a spec was looked at under one plan."""

    def __init__(self) -> None:
        self.walks = Walks()
        self.portions = Portions()
        self.shelves = Shelves()


class Known:
    """What was found when a spec was looked at before; whoever looks at it again and again keeps
    one."""

    def __init__(self) -> None:
        self.texts = Texts()
        self.dims_read: Row[Passage, frozenset[str]] = Row()
        self.planned: Row[Passage, frozenset[tuple[str, str]]] = Row()
        self.misplaced: Row[Passage, tuple[Finding, ...]] = Row()
        self._plans: dict[str | None, UnderPlan] = {}

    def of(self, plan: str | None) -> UnderPlan:
        """What was found under a plan."""
        return self._plans.setdefault(plan, UnderPlan())


def resolve(
    file: str,
    text: str,
    reader: Reader,
    *,
    plan: str | None = None,
    overrides: Mapping[str, int] = NO_OVERRIDES,
    known: Known | None = None,
    folders: Sequence[Path] = HERE,
) -> Model:
    """The model of a spec under one of its plans, or under none.

    `reader` reads what it imports, from its own folder and from `folders`; `overrides` are sizes of
    dims and axes that take the place of written ones. Nothing is raised on what a user wrote:
    findings are in the model.
    `known` is what was found when the spec was looked at before: only what has changed since is
    worked out again, and the parts of the model that have not are the very same values.
    """
    known = known or Known()
    before = known.of(plan)
    gathered = gather(file, text, reader, plan, known.texts, folders)
    statements = gathered.statements
    passages = statements.passages
    later = frozenset[tuple[str, str]]().union(*known.planned.of(planned, passages))
    skipped = gathered.skipped.union(name for _, name in later)
    found = list(gathered.findings)
    links, more = resolve_links(statements, skipped)
    found += more
    devices, more = resolve_devices(statements, skipped)
    found += more
    mesh, more = resolve_mesh(statements, links, devices, overrides, skipped)
    found += more
    dims, more = resolve_dims(statements, axis_sizes(mesh), overrides, skipped)
    found += more
    settings, more = resolve_settings(statements, dims, mesh, skipped)
    found += more
    dtype, more = resolve_dtype(statements, skipped)
    found += more
    cost, more = resolve_cost(statements, skipped)
    found += more
    explicit, more = resolve_communication(statements, skipped)
    found += more
    notes = Notes([*found, *chain.from_iterable(known.misplaced.of(in_plans, passages))])
    axes = axis_sizes(mesh)
    poisoned = mesh.poisoned - axes.keys()
    skipped |= poisoned
    world = World(
        dims,
        facts(dims, gathered.skipped | poisoned, later),
        dims.products,
        tuple(axes),
        frozenset[str]().union(*(passage.stack_dims for passage in passages)),
        frozenset[str]().union(*(passage.template_dims for passage in passages)),
        dtype,
        *served_with(settings),
    )
    walked = walk(statements, world, notes, before.walks)
    notes.found[:] = with_forward(notes.found, walked.scope, notes.read)
    notes.found[:] = with_sides(notes.found, dims, settings)
    patterns = rules(statements, world, notes, walked.building.units)
    settled = settle(walked, patterns, dims, before.portions)
    notes.found.extend(unmatched(patterns, settled, walked))
    outputs = resolve_outputs(statements, walked.scope, walked.building.tensors, world, notes)
    parts = tuple(with_short_pipelines(settled.parts, mesh, settings, notes))
    idle = _idle(parts, outputs)
    parts = tuple(part if idle.isdisjoint(part.idle) else _without(part, idle) for part in parts)
    names = Names(walked, idle, before.shelves)
    stages = resolve_stages(statements, names, mesh, world, notes)
    expects = resolve_expects(statements, names, world, notes)
    notes.found.extend(unused(file, gathered, dims, walked, notes, skipped, known.dims_read))
    return Model(
        file,
        plan,
        gathered.plans,
        (*dims.items, *_unknown_turns(parts, dims)),
        mesh,
        links,
        devices,
        parts,
        outputs,
        walked.templates,
        expects,
        stages,
        settings,
        cost,
        explicit is not None,
        explicit,
        gathered.documents,
        _ordered(notes.found, gathered, axes),
        broken_kinds(notes.found, statements),
    )


def _idle(parts: tuple[Part, ...], outputs: Iterable[Output]) -> frozenset[str]:
    """The variables that are not declared and that no layer or stack reads or gives: what was made
    on the way to a layer that is wrong."""
    candidates = frozenset(name for part in parts for name in part.idle)
    if candidates:
        candidates -= {output.tensor for output in outputs}
        candidates = candidates.difference(*(part.used for part in parts))
    return candidates


def _without(part: Part, idle: frozenset[str]) -> Part:
    """A part without idle variables."""
    kept = tuple(tensor for tensor in part.tensors if tensor.name not in idle)
    return Part(part.items, kept)


def _unknown_turns(parts: Iterable[Part], dims: Dims) -> Iterator[Dim]:
    """A dimension of unknown size for each stack whose own is not declared."""
    for name in sorted(frozenset[str]().union(*(part.turns for part in parts))):
        if dims.find(name) is None:
            yield Dim(name, symbol(name), symbol(name), (name,), 1, False, False, name)


def _ordered(
    findings: Iterable[Finding], gathered: Gathered, axes: Collection[str]
) -> tuple[Finding, ...]:
    """Each finding once, in the order of the text: the file itself first. Left out are those that
    may only follow from others."""
    documents = gathered.documents
    places = {file: place for place, (file, _) in enumerate(documents)}
    parsed = dict(documents)
    every = tuple(dict.fromkeys(findings))
    caused = without_consequences(every, documents, gathered.aside)
    told = with_mistyped(caused, every, parsed, axes)

    def position(finding: Finding) -> tuple[int, int, int, int]:
        site = finding.site
        start = parsed[site.file].start_of(site.chunk) if site.file in parsed else 0
        return places.get(site.file, len(places)), start, site.span.start, site.span.end

    return tuple(sorted(told, key=position))

"""From text to the model: the one way in.

Reads a spec with everything that it imports, sizes what has sizes, writes out layers, and gives
every clause to its axis. Whatever the user wrote, a model comes back: mistakes are findings in
it, and what depends on a mistake is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from parspec.grammar.syntax import Document
from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.dims import Dims, resolve_dims
from parspec.interpreter.spec.doubt import broken_kinds, without_consequences
from parspec.interpreter.spec.expects import resolve_expects
from parspec.interpreter.spec.hardware import (
    axis_sizes,
    resolve_devices,
    resolve_links,
    resolve_mesh,
)
from parspec.interpreter.spec.model import Dim, Item, Layer, Model, Output, Stack, Tensor
from parspec.interpreter.spec.paths import names_of
from parspec.interpreter.spec.patterns import rules
from parspec.interpreter.spec.places import in_plans, planned, stack_dims, template_dims
from parspec.interpreter.spec.scopes import Notes, World
from parspec.interpreter.spec.settings import (
    resolve_communication,
    resolve_cost,
    resolve_dtype,
    resolve_settings,
)
from parspec.interpreter.spec.settle import settle, unmatched
from parspec.interpreter.spec.sources import Reader, gather
from parspec.interpreter.spec.stages import (
    resolve_outputs,
    resolve_stages,
    with_short_pipelines,
)
from parspec.interpreter.spec.usage import unused
from parspec.interpreter.spec.walk import walk
from parspec.interpreter.theory.formulas import symbol

NO_OVERRIDES: Mapping[str, int] = {}


def resolve(
    file: str,
    text: str,
    reader: Reader,
    *,
    plan: str | None = None,
    overrides: Mapping[str, int] = NO_OVERRIDES,
) -> Model:
    """The model of a spec under one of its plans, or under none.

    `reader` reads what it imports; `overrides` are sizes of dims and axes that take the place of
    written ones. Nothing is raised on what a user wrote: findings are in the model.
    """
    gathered = gather(file, text, reader, plan)
    statements = gathered.statements
    skipped = gathered.skipped | planned(statements)
    before = list(gathered.findings)
    links, found = resolve_links(statements, skipped)
    before += found
    devices, found = resolve_devices(statements, skipped)
    before += found
    mesh, found = resolve_mesh(statements, links, devices, overrides, skipped)
    before += found
    dims, found = resolve_dims(statements, axis_sizes(mesh).get, overrides, skipped)
    before += found
    settings, found = resolve_settings(statements, dims, mesh, skipped)
    before += found
    dtype, found = resolve_dtype(statements, skipped)
    before += found
    cost, found = resolve_cost(statements, skipped)
    before += found
    explicit, found = resolve_communication(statements, skipped)
    before += found
    notes = Notes([*before, *in_plans(statements)])
    axes = axis_sizes(mesh)
    skipped |= mesh.poisoned - axes.keys()
    world = World(
        dims,
        tuple(axes),
        stack_dims(statements),
        template_dims(statements),
        dtype,
        skipped,
    )
    walked = walk(statements, world, notes)
    patterns = rules(statements, world, notes)
    settled = settle(walked.items, walked.building, patterns, dims)
    notes.found.extend(unmatched(patterns, settled, walked.building))
    outputs = resolve_outputs(statements, walked.scope, settled.tensors, world, notes)
    items = tuple(with_short_pipelines(settled.items, mesh, settings, notes))
    tensors = _used(settled.tensors, items, outputs)
    kept = (tensor.name for tensor in tensors)
    names = names_of(walked.items, walked.building, walked.scope, kept)
    stages = resolve_stages(statements, names, world, notes)
    expects = resolve_expects(statements, names, world, notes)
    notes.found.extend(unused(file, gathered.documents, dims, walked, notes, skipped))
    return Model(
        file,
        plan,
        gathered.plans,
        (*dims.items, *_unknown_turns(items, tensors, dims)),
        mesh,
        links,
        devices,
        tensors,
        items,
        outputs,
        walked.templates,
        expects,
        stages,
        settings,
        cost,
        explicit is not None,
        explicit,
        gathered.documents,
        _ordered(notes.found, gathered.documents),
        broken_kinds(notes.found, statements),
    )


def _used(
    tensors: Iterable[Tensor], items: Iterable[Item], outputs: Iterable[Output]
) -> tuple[Tensor, ...]:
    """The declared variables, and those that a layer or a stack reads or gives: what else was made
    on the way to a layer that is wrong is left out."""
    names = {output.tensor for output in outputs}
    names.update(name for item in items for name in _names_in(item))
    declared = ("input", "weight", "cache")
    return tuple(t for t in tensors if t.role in declared or t.name in names)


def _names_in(item: Item) -> Iterator[str]:
    match item:
        case Layer(operands=operands, out=out):
            yield from (operand.tensor for operand in operands)
            yield out
        case Stack(entry=entry, carry=carry, last=last, items=items):
            yield from (entry, carry, last)
            for inner in items:
                yield from _names_in(inner)


def _unknown_turns(items: Iterable[Item], tensors: Iterable[Tensor], dims: Dims) -> Iterator[Dim]:
    """A dimension of unknown size for each stack whose own is not declared."""
    names = {stack.dim for item in items for stack in _stacks(item)}
    names |= {dim for tensor in tensors for dim in tensor.stacked}
    for name in sorted(names):
        if dims.find(name) is None:
            yield Dim(name, symbol(name), symbol(name), (name,), 1, False, False, name)


def _stacks(item: Item) -> Iterator[Stack]:
    if isinstance(item, Stack):
        yield item
        for inner in item.items:
            yield from _stacks(inner)


def _ordered(
    findings: Iterable[Finding], documents: tuple[tuple[str, Document], ...]
) -> tuple[Finding, ...]:
    """Each finding once, in the order of the text: the file itself first. Left out are those that
    may only follow from others."""
    places = {file: place for place, (file, _) in enumerate(documents)}
    parsed = dict(documents)
    caused = without_consequences(dict.fromkeys(findings), documents)

    def position(finding: Finding) -> tuple[int, int, int, int]:
        site = finding.site
        start = parsed[site.file].start_of(site.chunk) if site.file in parsed else 0
        return places.get(site.file, len(places)), start, site.span.start, site.span.end

    return tuple(sorted(caused, key=position))

"""Stages and outputs: what lies where at the ends of a model and along a pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from parspec.grammar.expressions import Name
from parspec.grammar.span import Span
from parspec.grammar.syntax import OutputStatement, StagesStatement
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Finding, Site
from parspec.interpreter.spec.clauses import said
from parspec.interpreter.spec.hardware import axis_sizes
from parspec.interpreter.spec.limits import STAGES
from parspec.interpreter.spec.model import Layer, Output, Part, Stages
from parspec.interpreter.spec.names import duplicate, near
from parspec.interpreter.spec.paths import one
from parspec.interpreter.spec.scopes import Broken, Here, Notes, Scope
from parspec.interpreter.spec.sources import of_kind

if TYPE_CHECKING:
    from parspec.grammar.expressions import Number, Path
    from parspec.grammar.syntax import Chunks, Portion
    from parspec.interpreter.spec.model import Assignment, Item, Mesh, Settings, Stack, Tensor
    from parspec.interpreter.spec.paths import Names
    from parspec.interpreter.spec.scopes import World
    from parspec.interpreter.spec.sources import Placed, Statements

Chunk: TypeAlias = tuple[tuple[str, int], ...]


def resolve_stages(
    statements: Statements, names: Names, mesh: Mesh, world: World, notes: Notes
) -> tuple[Stages, ...]:
    """The explicit layouts, one for an axis: a later statement takes the place of an earlier one.

    Findings: `unknown_name`, `bad_size` for counts, `over_limit` for an axis of too many stages.
    """
    sizes = axis_sizes(mesh)
    found: dict[str, Stages] = {}
    for statement, placed in of_kind(statements, StagesStatement):
        layout = _Layout(names, Here(world, Scope(), placed, notes))
        stages = layout.stages(statement)
        if stages is not None and _is_long([sizes.get(stages.axis)]):
            notes.found.append(_too_long(stages.site))
        elif stages is not None:
            found[stages.axis] = stages
    return tuple(found.values())


@value
class _Layout:
    """One `stages` statement."""

    names: Names
    here: Here

    def stages(self, statement: StagesStatement) -> Stages | None:
        axis = statement.axis
        sound = self.here.world.has_axis(axis.text)
        if not sound:
            self.here.report_unknown("axis", Name(axis.text, axis.span), self.here.world.axes)
        chunks: list[Chunk] = []
        for part in statement.chunks:
            made = self.chunks(part, STAGES - len(chunks))
            sound = sound and made is not None
            chunks += made or ()
        first, last = statement.chunks[0].span, statement.chunks[-1].span
        site = self.here.at(Span(first.start, last.end))
        return Stages(axis.text, tuple(chunks), site) if sound else None

    def chunks(self, part: Chunks, room: int) -> tuple[Chunk, ...] | None:
        portions = [self.portion(portion) for portion in part.portions]
        repeat = 1
        if part.repeat is not None:
            reason = f"a pipeline has 1 to {STAGES:_} chunks".replace("_", " ")
            counted = self.count(part.repeat, "chunks", room, reason)
            if counted is None:
                return None
            repeat = counted
        chunk: list[tuple[str, int]] = []
        for portion in portions:
            if portion is None:
                return None
            chunk += portion
        return (tuple(chunk),) * repeat

    def portion(self, portion: Portion) -> Chunk | None:
        """So many layers of a stack, or the layers that a layer's name stands for."""
        fits = one(self.names.layers, "layer", portion.path, (), self.here)
        if fits is None:
            return None
        name, meant = fits
        if self.names.is_broken(name):
            return None
        if self.names.is_stack(name):
            return self.of_stack(name, portion)
        if portion.count is not None:
            reason = f"`{name}` is a layer: only of a stack there are several"
            self.bad(name, portion.count.span, str(portion.count.value), reason)
            return None
        return tuple((layer, 1) for layer in meant) if meant else None

    def of_stack(self, name: str, portion: Portion) -> Chunk | None:
        if portion.count is None:
            reason = f"how many layers of `{name}`? write `4 {name}`"
            self.bad(name, portion.path.span, portion.path.text, reason)
            return None
        count = self.count(portion.count, name, 10**30, "a whole number of layers, from 1")
        return None if count is None else ((name, count),)

    def count(self, number: Number, name: str, most: int, reason: str) -> int | None:
        value = number.value
        if value.denominator == 1 and 1 <= value <= most:
            return value.numerator
        self.bad(name, number.span, str(value), reason)
        return None

    def bad(self, name: str, span: Span, text: str, reason: str) -> None:
        self.here.report("bad_size", span, name=name, text=text, reason=reason)


def with_short_pipelines(
    parts: Iterable[Part], mesh: Mesh, settings: Settings | None, notes: Notes
) -> Iterator[Part]:
    """The parts; a stack that is cut into more stages and chunks than a pipeline can have is not
    cut at all (`over_limit`)."""
    sizes = axis_sizes(mesh)
    chunks = dict(settings.values).get("chunks", 1) if settings else 1

    def cuts(stack: Stack) -> list[Assignment]:
        return [part for part in stack.assignments if part.saying == "partition"]

    def is_long(stack: Stack) -> bool:
        ways = [sizes.get(cut.axis) for cut in cuts(stack)] + [chunks if cuts(stack) else 1]
        return _is_long(ways)

    for part in parts:
        long = [stack for stack in part.stacks if is_long(stack)]
        for stack in long:
            notes.found.append(_too_long(cuts(stack)[0].site))
        names = {stack.name for stack in long}
        yield replace(part, items=tuple(_uncut(part.items, names))) if long else part


def _is_long(ways: Iterable[object]) -> bool:
    """Are these more stages and chunks than a pipeline can have? Symbolic ones count once."""
    return prod(size for size in ways if isinstance(size, int)) > STAGES


def _too_long(site: Site) -> Finding:
    what = "stages of a pipeline, times the chunks of each"
    return Finding("over_limit", site, (("what", what), ("limit", STAGES)))


def _uncut(items: Iterable[Item], names: set[str]) -> Iterator[Item]:
    """The items, the stacks of these names without a cut."""
    for item in items:
        if isinstance(item, Layer):
            yield item
        else:
            kept = () if item.name in names else item.assignments
            yield replace(item, assignments=kept, items=tuple(_uncut(item.items, names)))


def resolve_outputs(
    statements: Statements,
    scope: Scope,
    tensors: Mapping[str, Tensor],
    world: World,
    notes: Notes,
) -> tuple[Output, ...]:
    """The outputs, one for a variable: a plan's takes the place of the model's, an importing file's
    that of an imported one's.

    Findings: `unknown_name`, `duplicate_name`, `dim_not_in_layer`, those of the clauses.
    """
    found: dict[str, tuple[Output, Placed]] = {}
    for statement, placed in of_kind(statements, OutputStatement):
        here = Here(world, scope, placed, notes)
        names = ", ".join(path.text for path in statement.tensors)
        own = said(statement.clauses, "output", names, here)
        seen = [(path, name) for path in statement.tensors if (name := _named(path, here))]
        held = [(path, tensors[name]) for path, name in seen if name in tensors]
        for part in own.assignments:
            if part.dim and held and not any(_has(t, part.dim, here) for _, t in held):
                first = held[0][1]
                here.report(
                    "dim_not_in_layer",
                    part.site.span,
                    kind="output",
                    name=first.label,
                    dim=part.dim,
                    dims=first.dims,
                )
        for path, tensor in held:
            rest = tuple(part for part in own.assignments if _has(tensor, part.dim, here))
            output = Output(tensor.name, rest, own.stage, here.at(path.span))
            before = found.get(tensor.name)
            if before is not None and _weight(placed) == _weight(before[1]):
                notes.found.append(duplicate("output", path.text, output.site, before[0].site))
            elif before is None or _weight(placed) > _weight(before[1]):
                found[tensor.name] = (output, placed)
    return tuple(output for output, _ in found.values())


def _weight(placed: Placed) -> tuple[bool, bool]:
    """How much a statement counts beside one about the same."""
    return placed.plan is not None, not placed.imported


def _named(path: Path, here: Here) -> str | None:
    """The unique name of the variable that an output names."""
    entry = here.scope.tensor(tuple(part.text for part in path.parts))
    if entry is None:
        close = near(path.text, here.scope.tensor_names())
        inner = here.scope.paths_to(path.text)
        here.report_meant("tensor", Name(path.text, path.span), (*inner, *close)[:3])
        return None
    here.notes.read.add(entry.site)
    return None if isinstance(entry, Broken) else entry.tensor


def _has(tensor: Tensor, dim: str | None, here: Here) -> bool:
    return dim is None or not set(here.leaves(dim) or ()).isdisjoint(tensor.leaves)

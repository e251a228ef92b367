"""Checks: what is wrong with a whole plan once states are known, as findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from parspec.interpreter.analysis.batch import batch_findings, without_batch
from parspec.interpreter.analysis.communication import communication_findings
from parspec.interpreter.analysis.division import HIGHEST_DEGREE, division_findings
from parspec.interpreter.analysis.faults import Faults, stages_out_of_range
from parspec.interpreter.analysis.known import Known
from parspec.interpreter.analysis.moves import output_layout
from parspec.interpreter.analysis.part_result import PartResult
from parspec.interpreter.analysis.pipeline import Course
from parspec.interpreter.analysis.repeats import repeat_findings
from parspec.interpreter.analysis.repetition import repeated_work
from parspec.interpreter.analysis.sections import Inferred
from parspec.interpreter.analysis.topology import topology_findings
from parspec.interpreter.diagnostics.findings import Datum, Finding, Related, Site
from parspec.interpreter.spec.model import Model
from parspec.interpreter.theory.formulas import Amount


def check_all(inferred: Inferred, parts: Sequence[PartResult], known: Known) -> tuple[Finding, ...]:
    """Every finding of the analysis but those of `expect`s."""
    model, grid = inferred.model, inferred.grid
    batch = tuple(batch_findings(inferred))
    division = division_findings([part.faults.division for part in parts], grid)
    faults = [part.faults for part in parts if part.faults.found]
    stored = frozenset[Site]().union(*[part.faults.stored for part in parts])
    far = tuple(_each(faults, lambda one: one.far))
    return (
        *topology_findings(model),
        *without_batch(division, batch),
        *_reused(faults),
        *_each(faults, lambda one: one.disputes),
        *_each(faults, lambda one: one.whole),
        *_each(faults, lambda one: one.unsettled),
        *_layers_lost(inferred),
        *_idle_stages(inferred),
        *_each(faults, lambda one: one.stores),
        *_idle_stores(faults, stored),
        *_each(faults, lambda one: one.off_stage),
        *_stages_out_of_range(inferred, faults),
        *_each(faults, lambda one: one.padding),
        *far,
        *_partial_left(inferred),
        *batch,
        *(() if model.doubt or far else _avoidable(inferred, parts, known)),
    )


def _each(
    faults: Sequence[Faults], kind: Callable[[Faults], tuple[Finding, ...]]
) -> Iterator[Finding]:
    return chain.from_iterable(map(kind, faults))


def _avoidable(inferred: Inferred, parts: Sequence[PartResult], known: Known) -> Iterator[Finding]:
    """Communication that another clause or another order of layers makes less, repeated work."""
    suspects = [suspect for part in parts for suspect in part.unsized.suspects]
    costs = {one: part.costs for one, part in zip(inferred.sections, parts, strict=True)}
    yield from communication_findings(inferred, suspects, costs, known)
    yield from repeat_findings(inferred, [part.unsized.copies for part in parts])
    if not _left_to_plans(inferred.model, parts):
        yield from repeated_work([part.repetition for part in parts], inferred.grid)


def _left_to_plans(model: Model, parts: Sequence[PartResult]) -> bool:
    """Whether a file leaves it to its plans to spread its layers."""
    if model.plan is not None or not model.plans:
        return False
    tasks = chain.from_iterable([part.unsized.workload.tasks.different for part in parts])
    return not any(task.sharding.placement.cuts for task in tasks)


def _facts(**data: Datum) -> tuple[tuple[str, Datum], ...]:
    return tuple(data.items())


def _reused(faults: Sequence[Faults]) -> Iterator[Finding]:
    """Axes that one statement uses twice, each for the first layer that it reaches."""
    first: dict[tuple[Site, object], Finding] = {}
    for one in _each(faults, lambda one: one.reused):
        first.setdefault((one.site, dict(one.data)["axis"]), one)
    yield from first.values()


def _idle_stores(faults: Sequence[Faults], stored: frozenset[Site]) -> Iterator[Finding]:
    """Clauses that store nothing, for the first weight that they reach; one that names several
    layers or all may have nothing to store in some."""
    first: dict[Site, Finding] = {}
    for one in chain.from_iterable(one.idle_stores for one in faults):
        wanted = dict(one.finding.data)["dim"] is not None
        if one.own or (wanted and one.finding.site not in stored):
            first.setdefault(one.finding.site, one.finding)
    yield from first.values()


def _stages_out_of_range(inferred: Inferred, faults: Sequence[Faults]) -> Iterator[Finding]:
    """Stages that do not exist, each where it is written once: of layers, variables, outputs."""
    outputs = (output.stage for output in inferred.model.outputs)
    found = (
        *_each(faults, lambda one: one.layer_stages),
        *_each(faults, lambda one: one.tensor_stages),
        *stages_out_of_range(outputs, inferred.grid),
    )
    first: dict[Site, Finding] = {}
    for one in found:
        first.setdefault(one.site, one)
    yield from first.values()


def _layers_lost(inferred: Inferred) -> Iterator[Finding]:
    """Stacks whose layers are not all dealt out to stages."""
    grid = inferred.grid
    listed = {stages.axis: stages.site for stages in inferred.model.stages}
    for stack in (s for section in inferred.sections for s in section.outline.stacks.values()):
        course = inferred.pipeline.courses.get(stack.name)
        if course is None or not course.chunks or not isinstance(course.layers, int):
            continue
        axis = ",".join(grid.shown(course.axes))
        built = _built(course, axis in listed)
        allowed = stack.uneven or grid.by_name[stack.dim].uneven
        if built != course.layers and (axis in listed or not allowed):
            stages = course.stages
            yield Finding(
                "layers_lost",
                listed.get(axis, stack.site),
                _facts(
                    stack=stack.name,
                    axis=axis,
                    layers=course.layers,
                    stages=stages if isinstance(stages, int) else None,
                    built=built,
                    lost=course.layers - built,
                    remainder=course.layers - built,
                    **_valid_chunks(course.layers, stages),
                    **({"dealt": tuple(n for _, n in course.chunks)} if axis in listed else {}),
                ),
                (Related(grid.by_name[stack.dim].site, f"{stack.dim} is declared here"),),
            )


def _idle_stages(inferred: Inferred) -> Iterator[Finding]:
    """Stages that a layout of fewer chunks says nothing of."""
    for listed in inferred.model.stages:
        axes = inferred.grid.covers.get(listed.axis, ())
        stages, chunks = inferred.grid.space.group(axes), len(listed.chunks)
        if isinstance(stages, int) and chunks < stages:
            yield Finding(
                "idle_stages",
                listed.site,
                _facts(axis=listed.axis, stages=stages, chunks=chunks, idle=stages - chunks),
            )


def _built(course: Course, explicit: bool) -> int:
    """The layers that stages build: as listed, else as many as divide into equal chunks."""
    if explicit:
        return sum(count for _, count in course.chunks)
    assert isinstance(course.layers, int)
    return course.layers // len(course.chunks) * len(course.chunks)


def _valid_chunks(layers: int, stages: Amount) -> dict[str, Datum]:
    """The sizes of equal chunks that deal out all layers, if the stages divide them."""
    if not isinstance(stages, int) or layers % stages:
        return {}
    each = layers // stages
    sizes = range(1, min(each, HIGHEST_DEGREE) + 1)
    return {"valid_chunk": tuple(size for size in sizes if each % size == 0)}


def _partial_left(inferred: Inferred) -> Iterator[Finding]:
    """Outputs left partial without saying so."""
    for output in inferred.model.outputs:
        _, wanted = output_layout(inferred, output)
        said = {piece for s in output.rest for piece in inferred.grid.covers.get(s.axis, ())}
        for axis, _ in wanted.partial:
            if axis not in said:
                yield Finding(
                    "partial_left",
                    output.site,
                    _facts(tensor=inferred.tensor(output.tensor).label, axis=axis),
                )

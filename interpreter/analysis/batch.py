"""The batch of a step: global_batch = dp · microbatch · microbatches, and the rounds that an
interleaved schedule makes of the microbatches.

dp is the product of the axes that split the dimension that counts the samples, in the layer that
first reads it: the dimension that `train` names; where it gives a number, the one dimension of that
size that all inputs have (of several the one that leads them). A batch that does not come out even
is reported here, at `train`, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parspec.grammar.values import value
from parspec.interpreter.analysis.division import HIGHEST_DEGREE
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.pipeline import Pipeline
from parspec.interpreter.analysis.sections import Inferred
from parspec.interpreter.diagnostics.findings import Datum, Edit, Finding, Fix, Related, Site
from parspec.interpreter.spec.model import Dim, Model, Settings
from parspec.interpreter.theory.formulas import Amount

DIVISION = ("indivisible", "too_many_nodes")  # what a mismatch of the batch takes the place of


@value
class Batch:
    """The batch equation of a spec, as far as it is in numbers. name: what `train` calls the batch,
    its dimension or `global_batch`; dim: the dimension that counts the samples; first: the layer
    that first reads it; axes: those that split it there, as shown; dp: their product; microbatch,
    microbatches: as written, None where not."""

    name: str
    size: int
    dim: Dim
    first: Placed
    axes: tuple[str, ...]
    dp: int
    microbatch: int | None
    microbatches: int | None
    settings: Settings

    @property
    def quantum(self) -> int:
        """What the batch has to be a multiple of; settings that follow from it are left out."""
        if self.microbatch is not None:
            return self.dp * self.microbatch
        return self.dp * (self.microbatches or 1)

    @property
    def steps(self) -> int | None:
        """The microbatches of a step, as written or as they follow; None where neither."""
        if self.microbatches is None and self.microbatch is not None:
            return self.size // self.quantum
        return self.microbatches

    @property
    def even(self) -> bool:
        """Whether it comes out even. Slices of an uneven dimension need not be equal, so long as
        nothing is said of microbatches."""
        unsaid = self.microbatch is None and self.microbatches is None
        return self.size % self.quantum == 0 or (unsaid and self.dim.uneven)


def batch_of(inferred: Inferred) -> Batch | None:
    """The batch equation; None where it is not known which dimension counts the samples, or where a
    size is symbolic or in doubt."""
    model, grid = inferred.model, inferred.grid
    settings = model.settings
    values = dict(settings.values) if settings is not None else {}
    said = values.get("global_batch")
    dim = _counting(model, said) if isinstance(said, int) else grid.by_name.get(str(said))
    if settings is None or dim is None or not isinstance(dim.extent, int):
        return None
    leaves = set(dim.factors)
    readers = (
        placed
        for section in inferred.sections
        if not leaves.isdisjoint(section.outline.dims)
        for placed in section.layers
        if not leaves.isdisjoint(placed.layer.operator.dims)
    )
    first = next(readers, None)
    if first is None:
        return None
    pieces = [axis for leaf, axes in first.placement.cuts if leaf in leaves for axis in axes]
    dp = grid.space.group(pieces)
    if not isinstance(dp, int) or not model.mesh.poisoned.isdisjoint(grid.shown(pieces)):
        return None
    name = "global_batch" if isinstance(said, int) else dim.name
    size = said if isinstance(said, int) else dim.extent
    microbatch, microbatches = (_count(values.get(k)) for k in ("microbatch", "microbatches"))
    axes = grid.shown(pieces)
    return Batch(name, size, dim, first, axes, dp, microbatch, microbatches, settings)


def _of_all_inputs(model: Model) -> tuple[Dim, ...]:
    """The dimensions that all inputs have, as the first one has them."""
    inputs = [tensor.dims for tensor in model.tensors if tensor.role == "input" and tensor.dims]
    shared = [name for name in inputs[0] if all(name in dims for dims in inputs)] if inputs else []
    by_name = {dim.name: dim for dim in model.dims}
    return tuple(by_name[name] for name in shared)


def _counting(model: Model, samples: int) -> Dim | None:
    """The dimension that counts so many samples; None where that cannot be told."""
    fitting = [dim for dim in _of_all_inputs(model) if dim.extent == samples]
    leading = [tensor.dims[:1] for tensor in model.tensors if tensor.role == "input"]
    if len(fitting) > 1:
        fitting = [dim for dim in fitting if all(dims in ((), (dim.name,)) for dims in leading)]
    return fitting[0] if len(fitting) == 1 else None


def _uncounted(model: Model) -> Iterator[Finding]:
    """A number of samples that no dimension of the inputs counts: one of tokens may hold several
    for each, one that is no multiple of it cannot."""
    settings = model.settings
    values = dict(settings.values) if settings is not None else {}
    samples = values.get("global_batch")
    if settings is None or not isinstance(samples, int) or _counting(model, samples) is not None:
        return
    shared = _of_all_inputs(model)
    sizes = [dim.extent for dim in shared if isinstance(dim.extent, int)]
    related = tuple(Related(dim.site, f"{dim.name} is declared here") for dim in shared)
    if shared and len(sizes) == len(shared) and all(size % samples for size in sizes):
        held = " and ".join(f"{dim.name} = {dim.extent}" for dim in shared)
        yield Finding(
            "conflicting_settings",
            settings.site,
            (
                ("settings", ("global_batch", *(dim.name for dim in shared))),
                ("reason", f"the inputs hold {held}, and global_batch = {samples}"),
                ("batch", samples),
            ),
            related,
        )
    elif not values.keys().isdisjoint(("microbatch", "microbatches")):
        reason = "no dimension of the inputs is known to count the samples; name the one that does"
        text = f"global_batch = {samples}"
        yield Finding("not_evaluated", settings.site, (("text", text), ("reason", (reason,))))


def _count(value: Amount | str | tuple[str, ...] | None) -> int | None:
    return value if isinstance(value, int) else None


def batch_findings(inferred: Inferred) -> Iterator[Finding]:
    """`batch_mismatch`, `conflicting_settings` and `schedule_constraint`."""
    batch = batch_of(inferred)
    yield from _uncounted(inferred.model)
    if batch is not None and not batch.even:
        yield _mismatch(batch)
    elif batch is not None and batch.microbatch is not None and batch.microbatches is not None:
        yield from _overdetermined(batch, batch.microbatch, batch.microbatches)
    yield from _chunks(inferred.model, inferred.pipeline)
    yield from _rounds(inferred.model, batch, inferred.pipeline)


def without_batch(findings: Iterable[Finding], batch: Iterable[Finding]) -> list[Finding]:
    """Findings of division without those that a mismatch of the batch takes the place of."""
    named = {dict(one.data).get("dim") for one in batch if one.name == "batch_mismatch"}
    return [
        one
        for one in findings
        if one.name not in DIVISION or dict(one.data).get("dim") not in named
    ]


def _mismatch(batch: Batch) -> Finding:
    below = batch.size // batch.quantum * batch.quantum
    data: dict[str, Datum] = {
        **_equation(batch),
        "remainder": batch.size % batch.quantum,
        "below": below or None,
        "above": below + batch.quantum,
    }
    if batch.microbatch is not None:
        data["acc"] = batch.size // batch.quantum
    return Finding(
        "batch_mismatch",
        batch.settings.site,
        tuple(data.items()),
        _involved(batch),
        tuple(_nearest_microbatches(batch)),
    )


def _equation(batch: Batch) -> dict[str, Datum]:
    return {
        "dim": batch.dim.name,
        **({} if batch.name == batch.dim.name else {"called": batch.name}),
        "batch": batch.size,
        "axis": ",".join(batch.axes) or None,
        "dp": batch.dp,
        "microbatch": batch.microbatch,
        "microbatches": batch.microbatches,
    }


def _involved(batch: Batch) -> tuple[Related, ...]:
    name = batch.dim.name
    declared = Related(batch.dim.site, f"{name} is declared here")
    if not batch.axes:
        return (declared,)
    split = f"{name} is split {batch.dp} ways here, on {' * '.join(batch.axes)}"
    return declared, Related(batch.first.layer.site, split)


def _nearest_microbatches(batch: Batch) -> Iterator[Fix]:
    """The number of microbatches nearest to what is written that comes out even."""
    site = _site(batch.settings, "microbatches")
    written = batch.microbatches
    if written is None or batch.microbatch is not None or site is None or batch.size % batch.dp:
        return
    each = batch.size // batch.dp
    nearest = min(
        (count for count in range(1, min(each, HIGHEST_DEGREE) + 1) if each % count == 0),
        key=lambda count: (abs(count - written), count),
    )
    yield _write(site, f"microbatches = {nearest}")


def _overdetermined(batch: Batch, microbatch: int, microbatches: int) -> Iterator[Finding]:
    """Both are written though either follows from the other, and they do not agree."""
    product = batch.dp * microbatch * microbatches
    if product == batch.size:
        return
    counted = f"{batch.dp} x {microbatch} x {microbatches} = {product}"
    data: dict[str, Datum] = {
        "settings": ("global_batch", "microbatch", "microbatches"),
        "reason": f"{counted}, and {batch.name} = {batch.size}",
        **_equation(batch),
        "product": product,
        "remainder": batch.size - product,
    }
    site = _site(batch.settings, "microbatches")
    fixes = () if site is None else (_write(site, f"microbatches = {batch.size // batch.quantum}"),)
    yield Finding(
        "conflicting_settings", batch.settings.site, tuple(data.items()), _involved(batch), fixes
    )


def _chunks(model: Model, pipeline: Pipeline) -> Iterator[Finding]:
    """`chunks` a stage against the chunks that `stages` lists."""
    settings = model.settings
    chunks = _count(dict(settings.values).get("chunks")) if settings is not None else None
    if settings is None or chunks is None:
        return
    for stages in model.stages:
        nodes = _stages(pipeline)
        listed = len(stages.chunks)
        if nodes is not None and listed != nodes * chunks:
            data: dict[str, Datum] = {
                "settings": ("chunks", "stages"),
                "reason": f"{nodes} stages of {chunks} are {nodes * chunks}, and {listed} listed",
                "listed": listed,
                "stages": nodes,
                "chunks": chunks,
                "remainder": listed - nodes * chunks,
            }
            related = (Related(stages.site, f"{listed} chunks are listed here"),)
            yield Finding("conflicting_settings", settings.site, tuple(data.items()), related)


def _stages(pipeline: Pipeline) -> int | None:
    """The stages of the pipeline; None where there is none or their number is symbolic."""
    sizes = (course.stages for course in pipeline.courses.values())
    return next((size for size in sizes if isinstance(size, int)), None)


def _rounds(model: Model, batch: Batch | None, pipeline: Pipeline) -> Iterator[Finding]:
    """An interleaved schedule with a round of fewer microbatches than stages: a stage would wait
    for a microbatch that never comes."""
    settings, stages = model.settings, _stages(pipeline)
    values = dict(settings.values) if settings is not None else {}
    written = _count(values.get("microbatches"))
    microbatches = written if written is not None or batch is None else batch.steps
    if settings is None or values.get("schedule") != "interleaved":
        return
    if stages is None or stages == 1 or microbatches is None:
        return
    group = _count(values.get("group")) or stages
    remainder = microbatches % group
    if group >= stages and (remainder == 0 or remainder >= stages):
        return
    below = microbatches // group * group
    data: dict[str, Datum] = {
        "stages": stages,
        "group": group,
        "microbatches": microbatches,
        "remainder": remainder,
        "below": below or None,
        "above": below + group,
    }
    fixes = _whole_rounds(settings, batch, (below, below + group)) if group >= stages else ()
    yield Finding("schedule_constraint", settings.site, tuple(data.items()), fixes=tuple(fixes))


def _whole_rounds(
    settings: Settings, batch: Batch | None, counts: tuple[int, ...]
) -> Iterator[Fix]:
    """Numbers of microbatches that make whole rounds and that the batch divides into."""
    site = _site(settings, "microbatches")
    if site is None or (batch is not None and batch.microbatch is not None):
        return
    for count in counts:
        if count and (batch is None or batch.size % (batch.dp * count) == 0):
            yield _write(site, f"microbatches = {count}")


def _site(settings: Settings, key: str) -> Site | None:
    return dict(settings.sites).get(key)


def _write(site: Site, text: str) -> Fix:
    return Fix(f"Write `{text}`", (Edit(site, text),))

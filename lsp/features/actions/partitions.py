"""Repartition: cheaper choices for a layer's clause, each priced by the plan with it.

Other layers follow what a layer does, so the whole spec is analysed with every choice: those are
offered that save something and leave the spec checking as it does. Of a plan that an error leaves
open nobody knows what it costs: it has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parspec.grammar.span import Span
from parspec.grammar.syntax import Cut, ForStatement, LayerStatement, PartitionClause
from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics.findings import Edit as FoundEdit
from parspec.interpreter.diagnostics.findings import Fix, Site
from parspec.interpreter.fixes.spots import Spot, spot
from parspec.interpreter.output.wording.errors import is_in_doubt
from parspec.interpreter.spec.model import Dim, Layer, Model, Stack, layers_of
from parspec.lsp.features.actions.action import Action
from parspec.lsp.features.actions.cost import Cost, cost, saving
from parspec.lsp.features.actions.trial import Bench, news
from parspec.lsp.features.edits import placed
from parspec.lsp.snapshot import Snapshot

MOST = 3  # choices that are offered


@value
class _Choice:
    """A clause that a layer or a pattern may have, and the edit that writes it."""

    title: str
    edit: FoundEdit


def repartitions(bench: Bench, offset: int) -> Iterator[Action]:
    """The cheaper choices for the layer or the pattern at an offset, the cheapest first."""
    found = _bearer(bench.snapshot, offset)
    if found is None or is_in_doubt(found[1]):
        return
    place, analysis = found
    choices = list(_choices(place, analysis))
    now = cost(analysis)
    if now is None or not bench.affords(len(choices)):
        return
    cheaper = [each for choice in choices for each in _tried(choice, now, analysis, bench)]
    for _, action in sorted(cheaper, key=lambda each: _order(each[0]))[:MOST]:
        yield action


def _order(then: Cost) -> tuple[bool, float, float, float, float]:
    """The least time first, where it is known."""
    return (
        then.time is None,
        then.time or 0,
        float(then.sent),
        float(then.traffic),
        float(then.flops or 0),
    )


def _bearer(snapshot: Snapshot, offset: int) -> tuple[Spot, Analysis] | None:
    """The layer or pattern at an offset, and the plan in which it is looked at: the one that it
    stands in, else the first that has a mesh."""
    at = snapshot.chunk_at(offset)
    if at is None or offset > at.range.end:
        return None
    if not isinstance(at.chunk.statement, (LayerStatement, ForStatement)):
        return None
    here = snapshot.analysis_at(offset)
    analysis = next((each for each in (here, *snapshot.plans) if each.model.mesh.axes), None)
    if analysis is None:
        return None
    place = spot(Site(snapshot.file, at.chunk.key, Span(0, 0)), analysis.model)
    return None if place is None else (place, analysis)


# -- choices -------------------------------------------------------------------------------------


def _choices(place: Spot, analysis: Analysis) -> Iterator[_Choice]:
    """Every dimension of the layers on every axis on which they move something or repeat work, but
    for what is there."""
    model = analysis.model
    layers = list(_told(place, analysis))
    dims = _dims(layers, model.dims)
    cuts = [dict(one.partition) for one in analysis.layers if one.name in {x.name for x in layers}]
    busy = _busy(layers, analysis)
    stages = set(_pipelines(model))
    for axis in model.mesh.axes:
        there = {cut.get(axis.name) for cut in cuts}
        idle = axis.size == 1 or axis.name in stages
        if idle or not (axis.name in busy or None in there):
            continue
        for dim in dims:
            if there != {dim.name} and _divides(dim, axis.size):
                instead = "" if None in there else " instead"
                title = f"Partition {dim.name} on {axis.name}{instead}"
                yield _Choice(title, _written(place, dim.name, axis.name))


def _pipelines(model: Model) -> Iterator[str]:
    """The axes of pipelines: layers lie on them as their stacks do."""
    yield from (stages.axis for stages in model.stages)
    pending = list(model.items)
    while pending:
        item = pending.pop()
        if isinstance(item, Stack):
            yield from (said.axis for said in item.assignments)
            pending += item.items


def _told(place: Spot, analysis: Analysis) -> Iterator[Layer]:
    """The layers that a statement makes or that its patterns name."""
    here = place.file, place.chunk.key
    for layer in layers_of(analysis.model.items):
        sites = [layer.site]
        if isinstance(place.chunk.statement, ForStatement):
            sites = [said.site for said in layer.assignments]
        if here in {(site.file, site.chunk) for site in sites}:
            yield layer


def _dims(layers: Sequence[Layer], dims: Sequence[Dim]) -> list[Dim]:
    """The dimensions that the layers have, products of them too."""
    have = {leaf for layer in layers for leaf in layer.operator.dims}
    return [dim for dim in dims if not have.isdisjoint(dim.factors)]


def _divides(dim: Dim, nodes: object) -> bool:
    if not isinstance(dim.extent, int) or not isinstance(nodes, int) or dim.uneven:
        return True
    return dim.extent % nodes == 0


def _busy(layers: Sequence[Layer], analysis: Analysis) -> set[str]:
    """The axes on which something is moved for the layers, or of what they make."""
    names = {layer.name for layer in layers}
    made = {layer.out for layer in layers}
    return {
        axis.partition(".")[0]
        for move in analysis.moves
        if move.primitive is not None and (move.layer in names or move.tensor in made)
        for axis in move.axes
    }


def _written(place: Spot, dim: str, axis: str) -> FoundEdit:
    """The edit that puts a dimension on an axis, in place of what the statement says there."""
    cut = f"{dim} on {axis}"
    for old in _cuts(place):
        left = [place.text(use.span) for use in old.axes if use.path.text != axis]
        if len(left) < len(old.axes):
            kept = old.dim if isinstance(old.dim, str) else old.dim.text
            both = [f"{kept} on {' * '.join(left)}", cut] if left else [cut]
            return place.replace(old.span, ", ".join(both))
    return place.with_cut(cut)


def _cuts(place: Spot) -> Iterator[Cut]:
    for clause in place.clauses:
        if isinstance(clause, PartitionClause):
            yield from clause.cuts


# -- trials --------------------------------------------------------------------------------------


def _tried(
    choice: _Choice, now: Cost, analysis: Analysis, bench: Bench
) -> Iterator[tuple[Cost, Action]]:
    """A choice as an action with what it would cost, if that is less and the spec checks."""
    edits = placed(Fix(choice.title, (choice.edit,)), bench.snapshot)
    after = bench.tried(edits)
    model = analysis.model
    then = next((cost(each) for each in after.analyses if each.model.plan == model.plan), None)
    saved = None if then is None else saving(now, then, model)
    if then is None or saved is None or news(bench.snapshot, after):
        return
    under = f" (plan {model.plan})" if model.plan else ""
    yield then, Action(f"{choice.title}: {saved}{under}", "refactor.rewrite", edits)

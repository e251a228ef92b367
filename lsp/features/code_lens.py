"""Code lenses: what layers, stacks, plans and the file cost, above them.

A layer has one where something moves in front of it, unless a hint beside it says the same; a click
on any opens the report.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from parspec.grammar.expressions import Call, Name
from parspec.grammar.syntax import LayerStatement, PlanStatement, StackStatement, Statement
from parspec.grammar.values import value
from parspec.interpreter.analysis.result import sum_known
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.output.wording.quantities import in_seconds
from parspec.interpreter.spec.functions import FUNCTIONS
from parspec.lsp.facts import Facts
from parspec.lsp.features.focus import of_file
from parspec.lsp.features.hovers.plan import brief
from parspec.lsp.features.inlay_hints import Hint
from parspec.lsp.features.prices import DOT, Cost, cost, doubted, short
from parspec.lsp.ranges import Range
from parspec.lsp.snapshot import Placed, Snapshot

_MOST_PLANS = 3  # whose figures stand beside one another


@value
class Lens:
    """Figures above `range`; the report that a click opens is that of a plan, or of the file."""

    range: Range
    title: str
    plan: str | None


def code_lenses(snapshot: Snapshot, hints: Sequence[Hint] = ()) -> Iterator[Lens]:
    """All lenses of a file, in its order, beside the hints that are shown."""
    about = of_file(snapshot)[:_MOST_PLANS]
    if snapshot.facts[0] in about:
        yield from _of_file(snapshot.facts[0])
    yield from _of_statements(snapshot, about, hints)


def _of_file(own: Facts) -> Iterator[Lens]:
    """On the first line, what the file itself costs."""
    title = brief(own)
    if own.model.mesh.axes and own.analysis.layers and title:
        yield Lens(Range(0, 0), title, None)


def _of_statements(
    snapshot: Snapshot, about: tuple[Facts, ...], hints: Sequence[Hint]
) -> Iterator[Lens]:
    offsets = [hint.offset for hint in hints]
    for start, chunk in snapshot.document.placed():
        placed = Placed(chunk, start)
        match chunk.statement:
            case PlanStatement(name):
                yield from _of_plan(placed, name, snapshot)
            case LayerStatement(name) | StackStatement(name):
                first = bisect_left(offsets, placed.range.start)
                beside = hints[first : bisect_right(offsets, placed.range.end)]
                yield from _of_layers(placed, name, snapshot, about, beside)


def _of_plan(placed: Placed, name: Name, snapshot: Snapshot) -> Iterator[Lens]:
    for facts in snapshot.facts[1:]:
        title = brief(facts)
        if facts.plan == name.text and title:
            yield Lens(placed.range_of(name.span), title, facts.plan)


def _of_layers(
    placed: Placed,
    name: Name,
    snapshot: Snapshot,
    about: tuple[Facts, ...],
    hints: Sequence[Hint],
) -> Iterator[Lens]:
    site = Site(snapshot.file, placed.chunk.key, name.span)
    for facts in about:
        if not facts.moved_at(site) and not _holds_layers(placed.chunk.statement):
            continue
        paths = tuple(_paths(site, name.text, facts))
        moves = [move for path in paths for move in facts.inside(path, site)]
        if not moves:
            continue
        price = cost(moves, facts)
        title = doubted(_figures(paths, site, price, facts), facts)
        told = doubted(price.told(), facts)
        said = f"{DOT}{told}", f"inside: {told}"
        if not any(hint.text.endswith(said) for hint in hints):
            prefix = f"{facts.plan}: " if len(about) > 1 else ""
            yield Lens(placed.range_of(name.span), prefix + title, facts.plan)


def _holds_layers(statement: Statement | None) -> bool:
    """Whether something may move inside of it: in a stack, or in a block that it uses."""
    match statement:
        case StackStatement():
            return True
        case LayerStatement(expression=Call(function)):
            return function.text not in FUNCTIONS
    return False


def _figures(paths: Iterable[str], site: Site, price: Cost, facts: Facts) -> str:
    """What a statement's layers move, and how long they compute; of a single layer also what it
    holds."""
    traffic, per_device, time = price.figures()
    told = [f"traffic {traffic}", f"{per_device}/device"]
    if price.time is not None:
        told.append(f"communication {time}")
    layers = [layer for path in paths for layer in facts.layers_inside(path, site)]
    if len(layers) == 1 and layers[0].bytes_per_device is not None:
        turn = " a turn" if layers[0].turns != 1 else ""
        told.append(f"memory {short(layers[0].bytes_per_device)}/device{turn}")
    compute = sum_known(layer.time for layer in layers)
    if compute:
        told.append(f"compute {in_seconds(compute)}")
    return DOT.join(told)


def _paths(site: Site, name: str, facts: Facts) -> Iterable[str]:
    """The paths of what a statement makes: its layers, its stack or what a block makes there."""
    layers = [layer.name for layer in facts.layers_at(site) if layer.name == layer.parent]
    if layers:
        return layers
    use = facts.use_at(site, name)
    return [use] if use else [stack.name for stack in facts.stacks_at(site)]

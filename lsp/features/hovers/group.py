"""Hover on what holds layers: a stack, a block, a use of one; and on an operator template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from parspec.grammar.document import Chunk
from parspec.grammar.span import Span
from parspec.interpreter.analysis.result import sum_known
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.output.wording.quantities import how_many, in_seconds
from parspec.lsp.facts import Facts
from parspec.lsp.features.hovers.moves import by_primitive
from parspec.lsp.features.hovers.subject import Place, Subject, first_of, listed, paragraph
from parspec.lsp.features.prices import DOT, cost
from parspec.lsp.features.prose import Block, Code, code, note
from parspec.lsp.features.written import chunk_at, comment, comment_in, statement


def stack(name: str, place: Place) -> Subject | None:
    """A stack by its unique name."""
    found = place.facts.stack(name)
    if found is None:
        return None
    return Subject(_head(found.site, name, place), partial(_details, name), partial(_brief, name))


def use(path: str, site: Site, place: Place) -> Subject:
    """A use of a block by its path, and where it is written."""
    return Subject(_head(site, path, place), partial(_details, path), partial(_brief, path))


def block(header: Chunk, file: str, name: str) -> Subject:
    """A block by its header: what its uses cost."""
    head = (Code(statement(header)), note(comment_in(header, name)))
    sites = [Site(file, chunk.key, Span(0, 0)) for chunk in header.body]
    return Subject(head, partial(_uses, sites), partial(_uses_brief, sites))


def template(header: Chunk, name: str) -> Subject:
    """An operator template by its header: the layers made from it."""
    head = (Code(statement(header)), note(comment_in(header, name)))
    return Subject(head, partial(_made, name))


def _head(site: Site, name: str, place: Place) -> tuple[Block, ...]:
    chunk = chunk_at(site, place.snapshot)
    shown = Code(statement(chunk) if chunk else name)
    return shown, note(comment(name.rpartition(".")[2], site, place.snapshot))


def _brief(path: str, facts: Facts) -> str:
    layers = facts.layers_inside(path)
    if not layers:
        return ""
    moves = facts.inside(path)
    price = f"**{cost(moves, facts).told()}**" if moves else ""
    return DOT.join(filter(None, (price, plural(len(layers), "layer"), _turns(path, facts))))


def _turns(path: str, facts: Facts) -> str:
    found = facts.stack(path)
    if found is None or found.dim not in facts.dims:
        return ""
    return f"{how_many(facts.dims[found.dim].size)} turns"


def _details(path: str, facts: Facts) -> Iterator[Block]:
    yield from paragraph(_brief(path, facts))
    moves = facts.inside(path)
    if moves:
        yield by_primitive(moves, facts)
    layers = facts.layers_inside(path)
    time = sum_known(layer.time for layer in layers)
    yield from paragraph(f"compute {in_seconds(time)}" if layers and time is not None else "")


def _paths(sites: Sequence[Site], facts: Facts) -> list[str]:
    """The uses of a block, by the layers that its body makes."""
    layers = (layer for site in sites for layer in facts.layers_at(site))
    return list(dict.fromkeys(layer.parent.rpartition(".")[0] for layer in layers))


def _uses(sites: Sequence[Site], facts: Facts) -> Iterator[Block]:
    paths = _paths(sites, facts)
    if not paths:
        yield from paragraph("not used")
    elif len(paths) == 1:
        yield from paragraph(f"used once: {code(paths[0])}")
        yield from _details(paths[0], facts)
    else:
        yield from paragraph(f"used {len(paths)} times:")
        yield first_of([f"{code(path)}: {_brief(path, facts)}" for path in paths])


def _uses_brief(sites: Sequence[Site], facts: Facts) -> str:
    paths = _paths(sites, facts)
    moves = [move for path in paths for move in facts.inside(path)]
    price = f"**{cost(moves, facts).told()}**" if moves else ""
    return DOT.join(filter(None, (price, plural(len(paths), "use"))))


def _made(name: str, facts: Facts) -> Iterator[Block]:
    layers = [layer.parent for part in facts.parts for layer in part.made_from.get(name, ())]
    yield from paragraph(f"in {listed(layers)}" if layers else "not used")

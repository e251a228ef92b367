"""Hover on a plan, a mesh or a file: what it costs, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator

from parspec.grammar.document import Chunk
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.output.wording.axes import mesh_of
from parspec.interpreter.output.wording.facts import (
    at_work,
    kept,
    per_device_of,
    step_of,
    times_of,
    traffic_of,
)
from parspec.interpreter.output.wording.quantities import how_many, in_bytes, in_seconds
from parspec.lsp.facts import Facts
from parspec.lsp.features.hovers.moves import by_primitive
from parspec.lsp.features.hovers.subject import Place, Subject, paragraph
from parspec.lsp.features.prices import DOT, short
from parspec.lsp.features.prose import Block, Code, code, note
from parspec.lsp.features.written import comment_in, statement


def plan(chunk: Chunk, name: str, place: Place) -> Subject:
    """A plan by its header."""
    facts = next((one for one in place.snapshot.facts if one.plan == name), None)
    head: tuple[Block, ...] = (Code(statement(chunk)), note(comment_in(chunk, name)))
    return Subject(head if facts is None else (*head, *figures(facts)))


def figures(facts: Facts) -> Iterator[Block]:
    """What a plan costs in all."""
    analysis = facts.analysis
    total = DOT.join(_totals(analysis))
    yield from paragraph(f"**{total}**" if total else "")
    yield from paragraph(
        DOT.join(map(code, mesh_of(analysis.model))),
        _memory(analysis),
        DOT.join(f"{name} {in_seconds(time)}" for name, time in times_of(analysis)),
        f"{how_many(analysis.totals.parameters)} parameters",
        f"figures of {step_of(analysis.model)}, {analysis.model.cost} prices",
    )
    if facts.at_work:
        yield by_primitive(facts.at_work, facts)


def brief(facts: Facts) -> str:
    """`traffic 3 GB · 295 MB/device · communication 5.16 ms · memory 30 GB/device · step 21 ms`,
    and how many errors there are; these alone where they leave the figures open."""
    return facts.doubt or DOT.join(filter(None, (*_totals(facts.analysis), facts.errors)))


def _totals(analysis: Analysis) -> list[str]:
    """The figures that are known of a plan."""
    parts = []
    times = dict(times_of(analysis))
    if at_work(analysis.moves):
        device = short(per_device_of(analysis))
        parts += [f"traffic {short(traffic_of(analysis))}", f"{device}/device"]
        if "communication" in times:
            parts.append(f"communication {in_seconds(times['communication'])}")
    elif analysis.model.mesh.axes:
        parts.append("no traffic forward" if analysis.model.trains else "no traffic")
    if analysis.totals.memory.total is not None:
        parts.append(f"memory {short(analysis.totals.memory.total)}/device")
    if "step" in times:
        parts.append(f"step {in_seconds(times['step'])}")
    return parts


def _memory(analysis: Analysis) -> str:
    parts = DOT.join(f"{name} {in_bytes(amount)}" for name, amount in kept(analysis.totals.memory))
    return f"memory: {parts}" if parts else ""

"""Pins: the primitives that a plan has, written down as `expect`s, so that none comes or goes
unseen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from parspec.grammar.span import Span
from parspec.grammar.syntax import ExpectStatement, PlanStatement
from parspec.interpreter.analysis.figures import Scope
from parspec.interpreter.analysis.pins import forward_pins
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.diagnostics.findings import Fix, Site
from parspec.interpreter.fixes.spots import Spot, every, inside, spot
from parspec.lsp.facts import Facts
from parspec.lsp.features.actions.trial import Bench
from parspec.lsp.features.edits import placed
from parspec.lsp.parts import grouped
from parspec.lsp.ranges import Edit
from parspec.lsp.snapshot import Snapshot


def missing_here(snapshot: Snapshot, offset: int) -> tuple[str, ...]:
    """The pins that the statement at an offset lacks for what is moved at it."""
    at = snapshot.chunk_at(offset)
    if at is None or offset > at.range.end:
        return ()
    facts = _facts_at(snapshot, offset)
    return _missing(facts.moved_at(Site(snapshot.file, at.chunk.key, Span(0, 0))), facts)


def missing(snapshot: Snapshot, offset: int) -> tuple[str, ...]:
    """The pins that the file lacks, or the plan at an offset."""
    facts = _facts_at(snapshot, offset)
    return _missing(facts.analysis.moves, facts)


def _facts_at(snapshot: Snapshot, offset: int) -> Facts:
    analysis = snapshot.analysis_at(offset)
    return next(facts for facts in snapshot.facts if facts.analysis is analysis)


def pinned(bench: Bench, offset: int, pins: Iterable[str]) -> tuple[Edit, ...]:
    """The edit that writes pins, below the last `expect` of the file or of the plan at an offset.
    Those that would not hold are left out."""
    wanted = list(pins)
    edits = _written(bench.snapshot, offset, wanted)
    if not edits:
        return ()
    plan = bench.snapshot.analysis_at(offset).model.plan
    after = next(each for each in bench.tried(edits).analyses if each.model.plan == plan)
    held = {expect.text for expect in after.expects if expect.holds}
    if all(pin in held for pin in wanted):
        return edits
    return _written(bench.snapshot, offset, [pin for pin in wanted if pin in held])


def _missing(moves: Iterable[Move], facts: Facts) -> tuple[str, ...]:
    """The pins of moves that no `expect` pins, each once."""
    said = grouped(forward_pins(facts.model.expects, facts.grid), lambda pin: [pin.tensor])
    lacking = [
        move
        for move in moves
        if move.primitive is not None
        and move.group != 1
        and move.direction == "forward"
        and not _is_pinned(move, said, facts)
    ]
    labels = Counter(each.label for each in facts.model.tensors) if lacking else Counter()
    return tuple(dict.fromkeys(_pin(move, facts, labels) for move in lacking))


def _is_pinned(move: Move, said: Mapping[str | None, Iterable[Scope]], facts: Facts) -> bool:
    """Whether one of the pins, by the variables that they name, takes a move."""
    tensor = facts.tensor(move.tensor) if said else None
    return tensor is not None and any(
        pin.takes(move, tensor, facts.grid)
        for name in (None, tensor.name, *tensor.aliases)
        for pin in said.get(name, ())
    )


def _pin(move: Move, facts: Facts, labels: Mapping[str, int]) -> str:
    """The pin of a move; a variable goes by its own name where no other has it, else by its
    path."""
    label = facts.called(move.tensor)
    name = label if labels[label] == 1 else move.tensor
    return f"expect {move.primitive} of {name} on {', '.join(move.axes)}"


# -- writing -------------------------------------------------------------------------------------


def _written(snapshot: Snapshot, offset: int, pins: list[str]) -> tuple[Edit, ...]:
    if not pins:
        return ()
    statements = list(_around(snapshot, offset))
    expects = [one for one in statements if isinstance(one.chunk.statement, ExpectStatement)]
    last = (expects or statements)[-1]
    edit = last.below(pins[0])
    lines = [edit.text, *(last.below(pin).text for pin in pins[1:])]
    return placed(Fix("", (last.insert(edit.site.span.start, "".join(lines)),)), snapshot)


def _around(snapshot: Snapshot, offset: int) -> Iterator[Spot]:
    """The statements of the plan at an offset, else those of the file that stand in no body."""
    model = snapshot.analysis_at(offset).model
    for at in snapshot.around(offset):
        if isinstance(at.chunk.statement, PlanStatement):
            header = spot(Site(snapshot.file, at.chunk.key, at.chunk.statement.name.span), model)
            if header is not None:
                yield from inside(header)
                return
    yield from (one for one in every(snapshot.file, model) if not one.around)

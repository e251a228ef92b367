"""Inlay hints: what happens at a line, where it happens.

Behind a variable the primitives that bring it to another state, with their price, or that state
alone where nothing moves; behind a statement what patterns give it, what it follows and the other
primitives that it makes necessary; behind a clause of a `for` those that it brings to a model which
is imported. Only what stands in the range asked for is looked at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from parspec.grammar.expressions import TensorUse, parts
from parspec.grammar.span import Span
from parspec.grammar.syntax import (
    ForStatement,
    LayerStatement,
    OutputStatement,
    StackStatement,
    Statement,
)
from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.diagnostics.entry import enumeration
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.output.wording.axes import said_on
from parspec.interpreter.output.wording.facts import at_work, heaviest
from parspec.interpreter.spec.library_files import is_library
from parspec.interpreter.spec.model import Layer
from parspec.interpreter.theory.formulas import is_number
from parspec.lsp.analysing import Checkpoint, go_on
from parspec.lsp.facts import Facts
from parspec.lsp.features.causes import caused
from parspec.lsp.features.focus import focus, of_file
from parspec.lsp.features.hovers.moves import by_primitive, told_moves
from parspec.lsp.features.patterns import Giving
from parspec.lsp.features.prices import DOT, Cost, cost, doubted
from parspec.lsp.features.prose import Block, code, lines
from parspec.lsp.parts import grouped
from parspec.lsp.ranges import Location, Range
from parspec.lsp.snapshot import Placed, Snapshot

Kind: TypeAlias = Literal["state", "pattern", "follows", "primitive"]
KINDS: tuple[Kind, ...] = ("state", "pattern", "follows", "primitive")
_MOST_PLANS = 3  # whose primitives stand beside one another
_MOST = 3  # primitives behind a clause, and variables in one of these


@value
class Part:
    """A part of a hint's text, and where a click on it leads."""

    text: str
    target: Location | None = None


@value
class Hint:
    """A hint in front of the character at `offset`; `why` explains it."""

    offset: int
    kind: Kind
    parts: tuple[Part, ...]
    why: tuple[Block, ...] = ()

    @property
    def text(self) -> str:
        """What is shown."""
        return "".join(part.text for part in self.parts)


def inlay_hints(
    snapshot: Snapshot,
    within: Range,
    kinds: Collection[Kind] = KINDS,
    least: int = 0,
    checkpoint: Checkpoint = go_on,
) -> tuple[Hint, ...]:
    """The hints of these kinds in a range, by offset; primitives that move fewer bytes than
    `least` have none. Where several plans spread the model only primitives are shown, each with
    the plan. There is a checkpoint in front of each statement."""
    about = of_file(snapshot)[:_MOST_PLANS]
    shown = frozenset(kinds) if len(about) == 1 else frozenset(kinds) & {"primitive"}
    found: list[Hint] = []
    giving = Giving(snapshot)
    imports = _imports_a_model(snapshot)
    for placed in _chunks(snapshot, within):
        checkpoint()
        if imports and "primitive" in kinds and isinstance(placed.chunk.statement, ForStatement):
            found += _brought_by(placed, snapshot, least)
        if not isinstance(
            placed.chunk.statement, (LayerStatement, StackStatement, OutputStatement)
        ):
            continue
        for facts in about:
            prefix = f"{facts.plan}: " if len(about) > 1 else ""
            found += _at(placed, snapshot, facts, shown, least, prefix)
            if "pattern" in shown:
                found += _patterns(placed, giving, facts)
    inside = (hint for hint in found if within.start <= hint.offset <= within.end)
    return tuple(_apart(sorted(inside, key=lambda hint: hint.offset)))


def _apart(hints: Sequence[Hint]) -> Iterator[Hint]:
    """Hints by offset, what patterns give set apart from another hint in front of it."""
    before = None
    for hint in hints:
        beside = hint.kind == "pattern" and before is not None and before.offset == hint.offset
        yield replace(hint, parts=(Part("· "), *hint.parts)) if beside else hint
        before = hint


def _chunks(snapshot: Snapshot, within: Range) -> Iterator[Placed]:
    """The statements of which something stands in a range."""
    document = snapshot.document
    first = max(bisect_right(document.starts, within.start) - 1, 0)
    for place in range(first, bisect_right(document.starts, within.end)):
        run, start = document.runs[place], document.starts[place]
        begin = max(bisect_right(run.offsets, within.start - start) - 1, 0)
        end = bisect_left(run.offsets, within.end - start + 1)
        for chunk, offset in zip(run.every[begin:end], run.offsets[begin:end], strict=True):
            yield Placed(chunk, start + offset)


def _at(
    placed: Placed,
    snapshot: Snapshot,
    facts: Facts,
    kinds: Collection[Kind],
    least: int,
    prefix: str,
) -> Iterator[Hint]:
    """The hints of some kinds at one statement."""
    statement = placed.chunk.statement
    end = placed.start + _end(statement)
    site = Site(snapshot.file, placed.chunk.key, Span(0, 0))
    moves = facts.moved_at(site)
    priced = _priced(moves, facts, least) if "primitive" in kinds else ()
    if "state" in kinds:
        told = {id(move) for together in priced for move in together}
        yield from _states(placed, [move for move in moves if id(move) not in told], facts)
    if isinstance(statement, LayerStatement):
        layers = facts.layers_at(site)
        text = _follows(layers, facts) if "follows" in kinds else ""
        if text:
            yield Hint(end, "follows", (Part(text),), (lines(_FOLLOWS),))
        if not layers and "primitive" in kinds:
            yield from _inside(end, statement.name.text, site, facts, least, prefix)
    for together in priced:
        yield _primitive(placed, end, together, snapshot, facts, prefix)


_FOLLOWS = "A layer without a partition takes that of its operands."


def _end(statement: Statement | None) -> int:
    """Where a statement ends, from its start, without comments and without its body."""
    match statement:
        case LayerStatement(clauses=(*_, last)) | StackStatement(clauses=(*_, last)):
            return last.span.end
        case OutputStatement(clauses=(*_, last)):
            return last.span.end
        case LayerStatement(expression=expression) if expression is not None:
            return expression.span.end
        case LayerStatement(out=out):
            return out.span.end
        case StackStatement(carry_out=carry):
            return carry.span.end
        case OutputStatement(tensors=(*_, tensor)):
            return tensor.span.end
    return 0


# -- states --------------------------------------------------------------------------------------


def _states(placed: Placed, moves: Sequence[Move], facts: Facts) -> Iterator[Hint]:
    """Behind each variable that is brought to another state: that state."""
    for span, of_one in grouped(_brought(moves), lambda move: [move.site.span]).items():
        why = (lines(*_changes(of_one, facts)),)
        yield Hint(_behind(placed, span), "state", (Part(_reached(of_one)),), why)


def _brought(moves: Iterable[Move]) -> list[Move]:
    """The moves that bring a variable, where it is read, to the state in which it is needed."""
    return [move for move in moves if move.cause in ("operand", "output")]


def _reached(moves: Iterable[Move]) -> str:
    """`→ R on tp, P(B) on dp`: the states in which moves leave a variable."""
    last = {axis: move.after for move in moves for axis in move.axes}
    return f"→ {', '.join(map(_on, grouped(last, lambda axis: [last[axis]]).items()))}"


def _behind(placed: Placed, span: Span) -> int:
    """The offset behind the variable whose name is at a span, with its indices."""
    ends = {use.path.span: use.span.end for use in _uses(placed.chunk.statement)}
    return placed.start + ends.get(span, span.end)


def _changes(moves: Iterable[Move], facts: Facts) -> Iterator[str]:
    for move in moves:
        on = " ".join(map(code, move.axes))
        how = move.primitive or "nothing moves"
        label = code(facts.label(move.tensor))
        yield f"{label} {code(move.before)} → {code(move.after)} on {on}: {how}"


def _uses(statement: Statement | None) -> Iterator[TensorUse]:
    if isinstance(statement, LayerStatement) and statement.expression is not None:
        yield from (each for each in parts(statement.expression) if isinstance(each, TensorUse))


# -- patterns ------------------------------------------------------------------------------------


def _patterns(placed: Placed, giving: Giving, facts: Facts) -> Iterator[Hint]:
    """`for decoder.q: H on tp, S on cp; for decoder.*: B on dp`: what patterns give a statement's
    layers or its stack; what `for *` gives to all is not said again at each."""
    site = Site(giving.snapshot.file, placed.chunk.key, Span(0, 0))
    parts: list[Part] = []
    for one in giving.to((*facts.layers_at(site), *facts.stacks_at(site))):
        if one.pattern == _EVERYTHING:
            continue
        parts += (
            Part(f"{'; ' if parts else ''}for "),
            Part(one.pattern, one.location),
            Part(f": {', '.join(one.cuts)}"),
        )
    if parts:
        end = placed.start + _end(placed.chunk.statement)
        yield Hint(end, "pattern", tuple(parts), (lines(_PATTERNS),))


_EVERYTHING = "*"
_PATTERNS = "Partitioned by a `for` statement, as if that stood here."


# -- follows -------------------------------------------------------------------------------------


def _follows(layers: Sequence[Layer], facts: Facts) -> str:
    """`follows h: F on tp, B on dp`: what a statement's layers take from their operands."""
    followed: dict[str, dict[str, list[str]]] = {}
    for layer in layers:
        result = facts.result(layer.name)
        if result is None:
            continue
        for axis, tensor in facts.followed(layer.name):
            what = said_on(result.partition, axis) or str(result.states[-1].layout.state(axis))
            axes = followed.setdefault(facts.label(tensor), {}).setdefault(what, [])
            axes += [axis] if axis not in axes else []
    told = {label: ", ".join(map(_on, dims.items())) for label, dims in followed.items()}
    alike = grouped(told, lambda label: [told[label]])
    return "; ".join(
        f"follows {enumeration(tuple(labels))}: {what}" for what, labels in alike.items()
    )


def _on(cut: tuple[str, Sequence[str]]) -> str:
    """`F on tp, cp`."""
    return f"{cut[0]} on {', '.join(cut[1])}"


# -- primitives ----------------------------------------------------------------------------------


def _priced(moves: Sequence[Move], facts: Facts, least: int) -> list[tuple[Move, ...]]:
    """The moves at work by primitive and variable, that of all uses of a block
    together, without those of little traffic."""
    alike = grouped(
        at_work(moves),
        lambda move: [(move.primitive, facts.label(move.tensor), move.statistic is None)],
    )
    return [together for together in alike.values() if not _is_little(cost(together, facts), least)]


def _is_little(price: Cost, least: int) -> bool:
    return is_number(price.traffic) and price.traffic < least


def _primitive(
    placed: Placed,
    end: int,
    together: Sequence[Move],
    snapshot: Snapshot,
    facts: Facts,
    prefix: str,
) -> Hint:
    """A primitive: behind the variable that it brings to another state, or behind the statement
    that makes it necessary."""
    first = together[0]
    brought = _brought(together)
    known = facts.tensor(first.tensor)
    state = f" {_reached(brought)}" if brought else ""
    parts = (
        Part(f"{prefix}{first.primitive} {_statistics(together)}"),
        Part(facts.label(first.tensor), None if known is None else snapshot.location(known.site)),
        Part(f"{state}{DOT}{doubted(cost(together, facts).told(), facts)}"),
    )
    offset = _behind(placed, brought[0].site.span) if brought else end
    return Hint(offset, "primitive", parts, tuple(told_moves("", together, facts)))


def _statistics(together: Iterable[Move]) -> str:
    """`max, sum of `: what is moved where it is not the variable itself."""
    statistics = ", ".join(dict.fromkeys(move.statistic or "" for move in together))
    return f"{statistics} of " if statistics else ""


def _imports_a_model(snapshot: Snapshot) -> bool:
    """Whether layers may stand in another file."""
    return any(file != snapshot.file and not is_library(file) for file in snapshot.sources)


def _brought_by(placed: Placed, snapshot: Snapshot, least: int) -> Iterator[Hint]:
    """Behind each clause of a `for` the primitives that it brings to layers of other files, those
    of a kind together, those that move most first; under each of the plans that it is about."""
    about = focus(snapshot, placed.start)[:_MOST_PLANS]
    for facts in about:
        prefix = f"{facts.plan}: " if len(about) > 1 else ""
        for span, moves in facts.once(caused, snapshot.file).get(placed.chunk.key, {}).items():
            alike = grouped(
                heaviest(moves, facts.model.cost),
                lambda move: [(move.primitive, move.axes, move.statistic is None)],
            )
            kinds = [one for one in alike.values() if not _is_little(cost(one, facts), least)]
            offset = placed.start + span.end
            yield from (_of_kind(offset, one, snapshot, facts, prefix) for one in kinds[:_MOST])
            rest = [move for one in kinds[_MOST:] for move in one]
            if rest:
                price = doubted(cost(rest, facts).told(), facts)
                text = f"{prefix}{len(kinds) - _MOST} more{DOT}{price}"
                yield Hint(offset, "primitive", (Part(text),), (by_primitive(rest, facts),))


def _of_kind(
    offset: int, alike: Sequence[Move], snapshot: Snapshot, facts: Facts, prefix: str
) -> Hint:
    """`All-Reduce o, d on tp · 344 GB · 5.4 GB/device`: each variable leads to who reads it."""
    first = alike[0]
    where = {facts.label(move.tensor): snapshot.location(move.site) for move in reversed(alike)}
    labels = list(dict.fromkeys(facts.label(move.tensor) for move in alike))
    parts = [Part(f"{prefix}{first.primitive} {_statistics(alike)}")]
    for place, label in enumerate(labels[:_MOST]):
        parts += (*([Part(", ")] if place else []), Part(label, where[label]))
    more = f" and {len(labels) - _MOST} more" if len(labels) > _MOST else ""
    price = doubted(cost(alike, facts).told(), facts)
    parts.append(Part(f"{more} on {', '.join(first.axes)}{DOT}{price}"))
    return Hint(offset, "primitive", tuple(parts), tuple(told_moves("", alike, facts)))


def _inside(
    end: int, name: str, site: Site, facts: Facts, least: int, prefix: str
) -> Iterator[Hint]:
    """Behind the use of a block what moves inside."""
    moves = facts.inside(facts.use_at(site, name) or "")
    price = cost(moves, facts)
    if moves and not _is_little(price, least):
        text = f"{prefix}inside: {doubted(price.told(), facts)}"
        yield Hint(end, "primitive", (Part(text),), (by_primitive(moves, facts),))

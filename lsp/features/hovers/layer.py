"""Hover on a layer: its strategy on each axis, what moves in front of it and at its output, the
states of operands and result, and what it costs itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from parspec.interpreter.analysis.result import LayerResult, Move
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.diagnostics.readable import flops_text
from parspec.interpreter.output.wording.quantities import how_many, in_seconds
from parspec.interpreter.spec.model import Layer
from parspec.interpreter.theory.formulas import Amount, is_number, reader
from parspec.lsp.facts import Facts, grouped
from parspec.lsp.features.hovers.moves import told_moves
from parspec.lsp.features.hovers.subject import Place, Subject, first_of, paragraph
from parspec.lsp.features.layouts import columns
from parspec.lsp.features.prices import DOT, cost, short
from parspec.lsp.features.prose import Block, Code, Table, code, note
from parspec.lsp.features.written import chunk_at, comment, statement


def layer(names: Sequence[str], place: Place) -> Subject | None:
    """A layer by its unique name; several where a block that is used several times has it."""
    found = [known for name in names if (known := place.facts.layer(name))]
    if not found:
        return None
    first = found[0]
    chunk = chunk_at(first.site, place.snapshot)
    head = (
        Code(statement(chunk) if chunk else f"layer {first.name}"),
        note(comment(_own_name(first), first.site, place.snapshot)),
    )
    if len(found) > 1:
        return Subject(head, partial(_instances, found), partial(_sum, found))
    return Subject(head, partial(_details, first.name), partial(_brief, first.name))


def _own_name(found: Layer) -> str:
    return found.parent.rpartition(".")[2]


def _instances(found: Sequence[Layer], facts: Facts) -> Iterator[Block]:
    """A line for each use."""
    yield from paragraph(f"used {len(found)} times:")
    yield first_of([f"{code(one.name)}: {_brief(one.name, facts)}" for one in found])


def _sum(found: Sequence[Layer], facts: Facts) -> str:
    moves = [move for one in found for move in _in_front(one.name, facts)]
    uses = plural(len(found), "use")
    return f"{uses}{DOT}{cost(moves, facts.model.cost).told()}" if moves else uses


def _in_front(name: str, facts: Facts) -> list[Move]:
    return [move for move in facts.in_front_of.get(name, ()) if move.primitive is not None]


def _behind(found: Layer, facts: Facts) -> list[Move]:
    return [move for move in facts.of_tensor.get(found.out, ()) if move.layer != found.name]


def _brief(name: str, facts: Facts) -> str:
    result, found = facts.results.get(name), facts.layer(name)
    if result is None or found is None:
        return ""
    told = [_strategy(result, facts)]
    for where, moves in (
        ("in front", _in_front(name, facts)),
        ("at its output", _behind(found, facts)),
    ):
        if moves:
            told.append(f"{where} **{cost(moves, facts.model.cost).told()}**")
    return DOT.join(filter(None, told))


def _details(name: str, facts: Facts) -> Iterator[Block]:
    result, found = facts.results.get(name), facts.layer(name)
    if result is None or found is None:
        return
    yield from paragraph(_strategy(result, facts))
    yield from told_moves("in front", _in_front(name, facts), facts)
    yield from told_moves("at its output", _behind(found, facts), facts)
    yield from _states(result, found, facts)
    yield from paragraph(_work(result))


def _strategy(result: LayerResult, facts: Facts) -> str:
    """**tensor, row** on `tp` (F) · **data** on `dp` (B, follows `x`)."""
    partition, follows = dict(result.partition), dict(facts.followed(result.name))
    alike = grouped(
        result.strategy, lambda named: [(named[1], *_why(named[0], partition, follows, facts))]
    )
    return DOT.join(
        f"**{strategy}** on {' '.join(code(axis) for axis, _ in on)}{_reasons(why)}"
        for (strategy, *why), on in alike.items()
    )


def _why(
    axis: str, partition: Mapping[str, str], follows: Mapping[str, str], facts: Facts
) -> Iterator[str]:
    if axis in partition:
        yield partition[axis]
    if axis in follows:
        yield f"follows {code(facts.label(follows[axis]))}"


def _reasons(why: Sequence[str]) -> str:
    return f" ({', '.join(why)})" if why else ""


def _states(result: LayerResult, found: Layer, facts: Facts) -> Iterator[Block]:
    """A row for each operand and the result, with the dimensions that it is read by."""
    states = [state for state in result.states if state.direction == "forward"]
    axes = columns((state.layout for state in states), facts.model.mesh)
    if not axes:
        return
    operands = [operand.leaves for operand in found.operands]
    rows = []
    for place, state in enumerate(states):
        given = state.role == "out" or place >= len(operands)
        dims = found.operator.output if given else operands[place]
        label = f"{facts.label(state.tensor)}[{', '.join(dim or '·' for dim in dims)}]"
        cells = (str(state.layout.state(axis)) for axis in axes)
        rows.append((f"→ {label}" if given else label, *cells))
    yield Table(("", *axes), tuple(rows))


def _work(result: LayerResult) -> str:
    """What a device holds and computes of it in a turn, and how long that takes in all turns."""
    bytes_, flops = result.bytes_per_device, result.flops_per_device
    each = "/device a turn" if result.turns != 1 else "/device"
    held = "" if bytes_ is None else f"operands and result {short(bytes_)}{each}"
    done = f"{_flops(flops)}{each}" if flops else ""
    turn = DOT.join(filter(None, (held, done)))
    time = "" if result.time is None else in_seconds(result.time)
    if time and result.turns != 1:
        time += f" in {how_many(result.turns)} turns"
    return DOT.join(filter(None, (turn, time)))


def _flops(amount: Amount) -> str:
    return flops_text(amount) if is_number(amount) else f"{reader(amount)} flop"

"""Hover on a layer: its strategy on each axis, what moves in front of it and at its output, the
states of operands and result, and what it costs itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from parspec.interpreter.analysis.result import LayerResult, Move, StateOf, sum_known
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.diagnostics.readable import flops_text
from parspec.interpreter.output.wording.axes import said_on
from parspec.interpreter.output.wording.facts import at_work
from parspec.interpreter.output.wording.quantities import how_many, in_seconds, sum_of
from parspec.interpreter.spec.model import Layer
from parspec.interpreter.theory.formulas import Amount, is_number, reader
from parspec.lsp.facts import Facts
from parspec.lsp.features.hovers.moves import told_moves
from parspec.lsp.features.hovers.subject import Place, Subject, first_of, paragraph
from parspec.lsp.features.layouts import columns
from parspec.lsp.features.prices import DOT, cost, short
from parspec.lsp.features.prose import Block, Code, Items, Table, code, note
from parspec.lsp.features.written import chunk_at, comment, statement
from parspec.lsp.parts import grouped


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


class _Step(NamedTuple):
    """A layer that a written one is made of, with what is known of it."""

    layer: Layer
    result: LayerResult


_KINDS = {"einsum": "product"}  # operators that are called otherwise where they are read


def _own_name(found: Layer) -> str:
    return found.parent.rpartition(".")[2]


def _instances(found: Sequence[Layer], facts: Facts) -> Iterator[Block]:
    """A line for each use."""
    yield from paragraph(f"used {len(found)} times:")
    yield first_of([f"{code(one.name)}: {_brief(one.name, facts)}" for one in found])


def _sum(found: Sequence[Layer], facts: Facts) -> str:
    moves = [move for one in found for move in _in_front(_steps(one.name, facts), facts)]
    uses = plural(len(found), "use")
    return f"{uses}{DOT}{cost(moves, facts).told()}" if moves else uses


def _steps(name: str, facts: Facts) -> tuple[_Step, ...]:
    """The layers that a written one is made of: those of its inner expressions, then its own."""
    found, result = facts.layer(name), facts.result(name)
    if found is None or result is None:
        return ()
    inner = (one for one in facts.layers_at(found.site) if one.parent == name and one != found)
    each = ((one, facts.result(one.name)) for one in inner)
    known = [_Step(one, result) for one, result in each if result is not None]
    return (*known, _Step(found, result))


def _in_front(steps: Iterable[_Step], facts: Facts) -> Sequence[Move]:
    return at_work(move for step in steps for move in facts.in_front_of(step.layer.name))


def _behind(steps: Sequence[_Step], facts: Facts) -> list[Move]:
    found = steps[-1].layer
    return [move for move in facts.of_tensor(found.out) if move.layer != found.name]


def _brief(name: str, facts: Facts) -> str:
    steps = _steps(name, facts)
    if not steps:
        return ""
    told = [_strategy(_main(steps).result, facts)]
    for where, moves in (
        ("in front", _in_front(steps, facts)),
        ("at its output", _behind(steps, facts)),
    ):
        if moves:
            told.append(f"{where} **{cost(moves, facts).told()}**")
    return DOT.join(filter(None, told))


def _main(steps: Sequence[_Step]) -> _Step:
    """The step that computes most, as far as that is known; the last of several."""
    flops = [step.result.flops_per_device for step in steps]
    known = [amount if amount is not None and is_number(amount) else 0 for amount in flops]
    return steps[max(range(len(steps)), key=lambda place: (known[place], place))]


def _details(name: str, facts: Facts) -> Iterator[Block]:
    steps = _steps(name, facts)
    if not steps:
        return
    results = [step.result for step in steps]
    if len(steps) == 1:
        yield from paragraph(_strategy(results[0], facts))
    else:
        yield from paragraph(_work(results))
        yield Items(tuple(_told_step(step, facts) for step in steps))
    yield from told_moves("in front", _in_front(steps, facts), facts)
    yield from told_moves("at its output", _behind(steps, facts), facts)
    yield from _states(steps, facts)
    if len(steps) == 1:
        yield from paragraph(_work(results))


def _told_step(step: _Step, facts: Facts) -> str:
    """`up.1`, product: **tensor, column** on `tp` (F), below it what it costs."""
    operator = step.layer.operator
    what = operator.function or _KINDS.get(operator.kind, operator.kind)
    told = (_strategy(step.result, facts), _work((step.result,)))
    return f"{code(step.layer.name)}, {what}: " + "\n".join(filter(None, told))


def _strategy(result: LayerResult, facts: Facts) -> str:
    """**tensor, row** on `tp` (F) · **data** on `dp` (B, follows `x`)."""
    follows = tuple(facts.followed(result.name))
    alike = grouped(
        result.strategy, lambda named: [(named[1], *_why(named[0], result, follows, facts))]
    )
    return DOT.join(
        f"**{strategy}** on {' '.join(code(axis) for axis, _ in on)}{_reasons(why)}"
        for (strategy, *why), on in alike.items()
    )


def _why(
    axis: str, result: LayerResult, follows: Iterable[tuple[str, str]], facts: Facts
) -> Iterator[str]:
    dim, followed = said_on(result.partition, axis), said_on(follows, axis)
    if dim is not None:
        yield dim
    if followed is not None:
        yield f"follows {code(facts.label(followed))}"


def _reasons(why: Sequence[str]) -> str:
    return f" ({', '.join(why)})" if why else ""


def _states(steps: Sequence[_Step], facts: Facts) -> Iterator[Block]:
    """A row for each operand and for what each step gives, with the dimensions that it is read by;
    what one step gives to the next has one row."""
    axes = columns((state.layout for step in steps for state in _forward(step)), facts.model.mesh)
    if axes:
        yield Table(("", *axes), tuple(row for step in steps for row in _rows(step, axes, facts)))


def _forward(step: _Step) -> list[StateOf]:
    return [state for state in step.result.states if state.direction == "forward"]


def _rows(step: _Step, axes: Sequence[str], facts: Facts) -> Iterator[tuple[str, ...]]:
    operands = [operand.leaves for operand in step.layer.operands]
    for place, state in enumerate(_forward(step)):
        given = state.role == "out" or place >= len(operands)
        if not given and facts.is_unnamed(state.tensor):
            continue
        dims = step.layer.operator.output if given else operands[place]
        label = f"{facts.label(state.tensor)}[{', '.join(dim or '·' for dim in dims)}]"
        cells = (str(state.layout.state(axis)) for axis in axes)
        yield (f"→ {label}" if given else label, *cells)


def _work(steps: Sequence[LayerResult]) -> str:
    """What a device computes of it in a turn, and how long all its turns take; of a single step
    also what a device holds."""
    last = steps[-1]
    bytes_, flops = last.bytes_per_device, sum_of(step.flops_per_device for step in steps)
    each = "/device a turn" if last.turns != 1 else "/device"
    alone = len(steps) == 1 and bytes_ is not None
    held = f"operands and result {short(bytes_)}{each}" if alone else ""
    done = f"{_flops(flops)}{each}" if flops else ""
    turn = DOT.join(filter(None, (held, done)))
    seconds = sum_known(step.time for step in steps)
    time = "" if seconds is None else in_seconds(seconds)
    if time and last.turns != 1:
        most = "" if last.busiest_turns == last.turns else f"{how_many(last.busiest_turns)} of "
        time += f" in {most}{how_many(last.turns)} turns"
    return DOT.join(filter(None, (turn, time)))


def _flops(amount: Amount) -> str:
    return flops_text(amount) if is_number(amount) else f"{reader(amount)} flop"

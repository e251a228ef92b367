"""The plan as rows from top to bottom: layers in their order, stacks and blocks folded into groups.

A row has lines: one for each variable that comes in or goes out, with its state on every axis and
the primitives that bring it there. Rows know nothing of how they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis, LayerResult, Move
from parspec.interpreter.output.reports.axes import axes_of
from parspec.interpreter.output.wording.axes import strategy_on
from parspec.interpreter.output.wording.facts import groups_of, labels_of, moved
from parspec.interpreter.output.wording.quantities import how_many
from parspec.interpreter.spec.model import Item, Stack
from parspec.interpreter.theory.layouts import Layout


@value
class Line:
    """A variable at a row. It comes from where the variable `source` was produced (at rest if it
    was not), and later rows may take it from here as `result`. `states`: one for each axis, () for
    a line that only shows primitives."""

    label: str
    source: str | None
    result: str | None
    states: tuple[str, ...]
    moves: tuple[Move, ...]


@value
class Row:
    """A layer by its place in the analysis, or the beginning (`open`) or end (`close`) of a group;
    `outputs` are what leaves the program. `depth`: how many groups it stands in. `strategies`: one
    for each axis."""

    kind: Literal["layer", "open", "close", "outputs"]
    title: str
    depth: int
    lines: tuple[Line, ...]
    strategies: tuple[str, ...] = ()
    layer: int | None = None
    time: float | None = None


@value
class _Plan:
    """What rows are made from."""

    analysis: Analysis
    axes: tuple[str, ...]
    labels: Mapping[str, str]
    layouts: Mapping[str, Layout]
    moves: Mapping[str, Sequence[Move]]  # by the layer or the stack that they are in front of
    stacks: Mapping[str, Stack]
    sizes: Mapping[str, str]


def rows_of(analysis: Analysis, moves: Iterable[Move], most: int) -> tuple[Row, ...]:
    """The rows of the first layers, at most so many, with those of the moves that belong there."""
    plan = _plan(analysis, moves)
    return tuple(_rows(plan, most))


def _plan(analysis: Analysis, moves: Iterable[Move]) -> _Plan:
    by_layer: dict[str, list[Move]] = {}
    for move in moves:
        by_layer.setdefault(move.layer, []).append(move)
    return _Plan(
        analysis,
        axes_of(analysis),
        labels_of(analysis),
        {tensor.name: tensor.layout for tensor in analysis.tensors},
        by_layer,
        {stack.name: stack for stack in _stacks(analysis.model.items)},
        {dim.name: how_many(dim.size) for dim in analysis.model.dims},
    )


def _stacks(items: Iterable[Item]) -> Iterator[Stack]:
    for item in items:
        if isinstance(item, Stack):
            yield item
            yield from _stacks(item.items)


def _rows(plan: _Plan, most: int) -> Iterator[Row]:
    opened: list[str] = []
    groups = dict(groups_of(plan.analysis))
    layers = plan.analysis.layers
    for place, layer in enumerate(layers[:most]):
        wanted = _enclosing(groups[layer.name])
        while opened != wanted[: len(opened)]:
            yield _closing(plan, opened.pop(), len(opened))
        for group in wanted[len(opened) :]:
            yield _opening(plan, group, len(opened))
            opened.append(group)
        yield _layer(plan, layer, place, groups[layer.name], len(opened))
    while opened:
        yield _closing(plan, opened.pop(), len(opened))
    if len(layers) <= most:
        yield from _outputs(plan)


def _enclosing(group: str) -> list[str]:
    """The groups that a layer stands in by their names, outermost first."""
    parts = group.split(".") if group else []
    return [".".join(parts[: place + 1]) for place in range(len(parts))]


def _opening(plan: _Plan, group: str, depth: int) -> Row:
    stack = plan.stacks.get(group)
    title = group.rpartition(".")[2]
    if stack is None:
        return Row("open", title, depth, ())
    carry = Line(
        plan.labels.get(stack.carry, stack.carry),
        stack.entry,
        stack.carry,
        _states(plan, plan.layouts.get(stack.carry)),
        tuple(_at_stack(plan, stack, "first")),
    )
    return Row("open", f"{title} · {_turns(plan, stack)}", depth, (carry,))


def _turns(plan: _Plan, stack: Stack) -> str:
    own = [said.axis for said in stack.assignments if said.dim]
    listed = [
        stages.axis
        for stages in plan.analysis.model.stages
        if any(name == stack.name for chunk in stages.chunks for name, _ in chunk)
    ]
    spread = ", ".join(dict.fromkeys((*own, *listed)))
    turns = f"{plan.sizes.get(stack.dim, stack.dim)} turns along {stack.dim}"
    return f"{turns}, in stages on {spread}" if spread else turns


def _closing(plan: _Plan, group: str, depth: int) -> Row:
    stack = plan.stacks.get(group)
    if stack is None:
        return Row("close", "", depth, ())
    left, entered = (plan.labels.get(name, name) for name in (stack.last, stack.carry))
    label = f"{left}, {entered} of the next turn"
    moves = tuple(_at_stack(plan, stack, "later"))
    return Row("close", "", depth, (Line(label, stack.last, None, (), moves),))


def _at_stack(plan: _Plan, stack: Stack, turn: Literal["first", "later"]) -> Iterator[Move]:
    """The moves that bring the carry into the first turn, or on to a later one."""
    for move in plan.moves.get(stack.name, ()):
        if (move.tensor == stack.entry) == (turn == "first"):
            yield move


def _layer(plan: _Plan, layer: LayerResult, place: int, group: str, depth: int) -> Row:
    left = list(plan.moves.get(layer.name, ()))
    incoming, outgoing = [], []
    for state in layer.states:
        if state.direction != "forward":
            continue
        label = plan.labels.get(state.tensor, state.tensor)
        states = _states(plan, state.layout)
        if state.role == "out":
            outgoing.append(Line(label, None, state.tensor, states, ()))
            continue
        own = tuple(move for move in left if _brings(move, state.tensor))
        left = [move for move in left if move not in own]
        incoming.append(Line(label, state.tensor, None, states, own))
    within = [_alone(plan, move) for move in left]
    return Row(
        "layer",
        layer.name.removeprefix(f"{group}."),
        depth,
        (*incoming, *within, *outgoing),
        tuple(strategy_on(layer, axis) or "" for axis in plan.axes),
        place,
        layer.time,
    )


def _brings(move: Move, tensor: str) -> bool:
    return move.direction == "forward" and move.tensor == tensor and move.statistic is None


def _alone(plan: _Plan, move: Move) -> Line:
    """A line for what happens within a layer, or on its way back."""
    what = moved(move, plan.labels.get(move.tensor, move.tensor))
    label = what if move.direction == "forward" else f"{what}, {move.direction}"
    return Line(label, None, None, (), (move,))


def _outputs(plan: _Plan) -> Iterator[Row]:
    moves = plan.moves.get("", ())
    tensors = dict.fromkeys(output.tensor for output in plan.analysis.model.outputs)
    tensors |= dict.fromkeys(move.tensor for move in moves)
    lines = tuple(
        _output(plan, tensor, [move for move in moves if move.tensor == tensor])
        for tensor in tensors
    )
    if lines:
        yield Row("outputs", "outputs", 0, lines)


def _output(plan: _Plan, tensor: str, moves: Sequence[Move]) -> Line:
    after = {axis: move.after for move in moves for axis in move.axes}
    states = dict(zip(plan.axes, _states(plan, plan.layouts.get(tensor)), strict=False)) | after
    shown = tuple(states.get(axis, "") for axis in plan.axes)
    return Line(plan.labels.get(tensor, tensor), tensor, None, shown, tuple(moves))


def _states(plan: _Plan, layout: Layout | None) -> tuple[str, ...]:
    return () if layout is None else tuple(str(layout.state(axis)) for axis in plan.axes)

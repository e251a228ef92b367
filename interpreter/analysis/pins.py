"""Pins: primitives that are expected or not, and states that variables are expected to have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from parspec.grammar.syntax import PrimitiveExpect, StateExpect
from parspec.interpreter.analysis.costs import Costs
from parspec.interpreter.analysis.figures import Figures, Scope, Verdict, scope_of, untold
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.analysis.sections import Section
from parspec.interpreter.diagnostics.findings import Datum, Finding, Related
from parspec.interpreter.spec.model import Expect, Tensor
from parspec.interpreter.theory.formulas import reader
from parspec.interpreter.theory.layouts import REPLICATED, Layout, State

REDUCTIONS = frozenset({"All-Reduce", "Reduce-Scatter", "Reduce"})
MOST_INSTEAD = 3  # primitives that are told instead of one that is missing


def judge_primitive(expect: Expect, pin: PrimitiveExpect, figures: Figures) -> Verdict:
    """Whether a primitive is there, or absent, as a pin says."""
    gradient = pin.tensor is not None and pin.tensor.gradient
    if gradient or pin.scope.passes in ("backward", "update"):
        return untold(expect, "it needs the backward pass", "")
    found = _pinned(expect, pin, figures)
    value = "; ".join(_told(found, figures))
    if bool(found) is pin.absent:
        return _failed_pin(expect, pin, value or "none", found, figures)
    if not found and pin.absent and figures.inferred.model.trains and pin.scope.passes is None:
        return untold(expect, "it needs the backward pass", "none forward")
    return Verdict(True, value or "none")


def _told(moves: Iterable[Move], figures: Figures) -> tuple[str, ...]:
    """`All-Gather of x on tp`, each once."""
    told = (
        f"{m.primitive} of {figures.inferred.tensor(m.tensor).label} on {', '.join(m.axes)}"
        for m in moves
    )
    return tuple(dict.fromkeys(told))


def unpinned(figures: Figures) -> tuple[Finding, ...]:
    """Under `communication explicit`, the primitives that no `expect` pins, at the variable's
    declaration."""
    inferred = figures.inferred
    model, grid = inferred.model, inferred.grid
    if not model.explicit:
        return ()
    pins = tuple(forward_pins(model.expects, grid))
    found = figures.known.each(_unpinned_in, inferred.sections, figures.costs, everywhere=(pins,))
    outward = {move.tensor: inferred.tensor(move.tensor) for move in figures.to_outputs}
    found = (*found, _unpinned(figures.to_outputs, outward, pins, grid))
    missing: dict[_Pin, Move] = {}
    for lacks, move in (pair for one in found for pair in one.items()):
        missing.setdefault(lacks, move)
    labels = Counter(tensor.label for tensor in model.tensors) if missing else Counter()
    return tuple(_missing(move, inferred.tensor(move.tensor), labels) for move in missing.values())


def forward_pins(expects: Iterable[Expect], grid: Grid) -> Iterator[Scope]:
    """The scopes of the pins that say of primitives of the forward pass that they are there."""
    for expect in expects:
        pin = expect.statement.condition
        if isinstance(pin, PrimitiveExpect) and not pin.absent and _is_forward(pin):
            yield scope_of(expect, grid)


class _Pin(NamedTuple):
    """A pin that is missing: of a primitive of a variable on axes."""

    primitive: str | None
    tensor: str
    axes: tuple[str, ...]


def _unpinned_in(section: Section, costs: Costs, pins: tuple[Scope, ...]) -> Mapping[_Pin, Move]:
    return _unpinned(costs.at_work, section.tensors, pins, section.grid)


def _unpinned(
    moves: Iterable[Move], tensors: Mapping[str, Tensor], pins: Sequence[Scope], grid: Grid
) -> Mapping[_Pin, Move]:
    """The pins that are missing, each with the first move that it is missing of."""
    missing: dict[_Pin, Move] = {}
    for move in moves:
        pinned = any(pin.takes(move, tensors[move.tensor], grid) for pin in pins)
        if move.group != 1 and not pinned:
            missing.setdefault(_Pin(move.primitive, move.tensor, move.axes), move)
    return missing


def _missing(move: Move, tensor: Tensor, labels: Mapping[str, int]) -> Finding:
    facts: tuple[tuple[str, Datum], ...] = (
        ("primitive", move.primitive),
        ("tensor", tensor.label if labels[tensor.label] == 1 else tensor.name),
        ("axis", ",".join(move.axes)),
    )
    related = Related(move.site, f"{move.primitive} stands in front of this")
    return Finding("unpinned", tensor.site, facts, (related,))


def _is_forward(pin: PrimitiveExpect) -> bool:
    """Whether a pin is about the forward pass, or about all passes."""
    gradient = pin.tensor is not None and pin.tensor.gradient
    return pin.scope.passes in (None, "forward") and not gradient


def _pinned(expect: Expect, pin: PrimitiveExpect, figures: Figures) -> Sequence[Move]:
    """The moves of the forward pass that an expect pins."""
    return figures.within(expect).moves if _is_forward(pin) else ()


def _failed_pin(
    expect: Expect, pin: PrimitiveExpect, value: str, found: Sequence[Move], figures: Figures
) -> Verdict:
    if not pin.absent and figures.inferred.model.trains and pin.scope.passes is None:
        return untold(expect, "it needs the backward pass", "none forward")
    doubled = _doubled(expect, pin, figures)
    if doubled is not None:
        return Verdict(False, value, doubled)
    told = Counter(
        (move.site, f"{move.primitive} of {figures.inferred.tensor(move.tensor).label}")
        for move in found
    )
    related = tuple(
        Related(site, message if count == 1 else f"{message} ({count} times)")
        for (site, message), count in told.items()
    )
    facts: tuple[tuple[str, Datum], ...] = (
        ("text", expect.text),
        ("value", value),
        ("parts", ()),
        ("price_list", None),
        ("instead", () if pin.absent else _told(figures.beside(expect), figures)[:MOST_INSTEAD]),
    )
    return Verdict(False, value, Finding("expect_failed", expect.site, facts, related))


def _doubled(expect: Expect, pin: PrimitiveExpect, figures: Figures) -> Finding | None:
    """A pinned reduction of a variable that is complete: it would multiply it."""
    if pin.absent or pin.primitive is None or pin.primitive.text not in REDUCTIONS:
        return None
    if expect.tensor is None or not expect.axes:
        return None
    tensor, where = figures.inferred.tensor(expect.tensor), figures.inferred.origin(expect.tensor)
    pieces = [piece for axis in expect.axes for piece in figures.inferred.grid.covers[axis]]
    if any(where.state(piece).letter == "partial" for piece in pieces):
        return None
    factor = figures.inferred.grid.space.group(pieces)
    facts: tuple[tuple[str, Datum], ...] = (
        ("tensor", tensor.label),
        ("axis", ",".join(expect.axes)),
        ("primitive", pin.primitive.text),
        ("factor", factor if isinstance(factor, int) else reader(factor)),
    )
    declared = Related(
        figures.inferred.tensor(expect.tensor).site, "it is complete as produced here"
    )
    return Finding("double_reduce", expect.site, facts, (declared,))


def judge_state(expect: Expect, pin: StateExpect, figures: Figures) -> Verdict:
    """Whether a variable has a state where it lies first, as a pin says."""
    if pin.tensor.gradient or pin.scope.passes in ("backward", "update"):
        return untold(expect, "it needs the backward pass", "")
    if expect.tensor is None:
        return Verdict(None, "")
    tensor = figures.inferred.tensor(expect.tensor)
    where = figures.inferred.origin(tensor.name)
    grid = figures.inferred.grid
    axes = expect.axes or tuple(axis for axis, _ in grid.axes)
    states = {name: state for axis in axes for name, state in _on_axis(where, axis, grid).items()}
    value = ", ".join(f"{state} on {name}" for name, state in states.items())
    wrong = [name for name, state in states.items() if not _matches(state, pin, grid)]
    if not wrong:
        return Verdict(True, value)
    facts: tuple[tuple[str, Datum], ...] = (
        ("tensor", tensor.label),
        ("axis", wrong[0]),
        ("wants", _written(pin)),
        ("got", str(states[wrong[0]])),
        ("text", expect.text),
    )
    name = "input_state_mismatch" if tensor.role == "input" else "state_mismatch"
    declared = Related(tensor.site, f"{tensor.label} is declared here")
    return Verdict(False, value, Finding(name, expect.site, facts, (declared,)))


def _on_axis(where: Layout, axis: str, grid: Grid) -> Mapping[str, State]:
    """The state on an axis, that of those of its pieces that are not replicated; by piece where
    they have several."""
    states = {piece: where.state(piece) for piece in grid.covers[axis]}
    others = {piece: state for piece, state in states.items() if state.letter != "R"}
    if len(set(others.values())) > 1:
        return others
    return {axis: next(iter(others.values()), REPLICATED)}


def _matches(state: State, pin: StateExpect, grid: Grid) -> bool:
    words = [str(getattr(a, "text", getattr(a, "value", ""))) for a in pin.state.arguments]
    match pin.state.head.text:
        case "P":
            factors = grid.by_name[words[0]].factors if words and words[0] in grid.by_name else ()
            return state.letter == "P" and (not words or state.dim in (*factors, words[0]))
        case "C":
            return state.letter == "C" and (not words or words == [str(n) for n in state.nodes])
        case "R" if words:
            kind = words[1] if len(words) > 1 else "sum"
            return state.letter == "partial" and state.kind == kind
    return state.letter == "R"


def _written(pin: StateExpect) -> str:
    words = [str(getattr(a, "text", getattr(a, "value", ""))) for a in pin.state.arguments]
    return pin.state.head.text + (f"({','.join(words)})" if words else "")

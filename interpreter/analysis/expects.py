"""Expects: budgets and pins held against the figures."""

from __future__ import annotations

import operator as compare
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from parspec.grammar.syntax import BudgetExpect, PrimitiveExpect, Span, StateExpect
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.result import ExpectResult, LayerResult, Move, Totals
from parspec.interpreter.diagnostics.findings import Datum, Edit, Finding, Fix, Related, Site
from parspec.interpreter.diagnostics.readable import bytes_text, count_text, seconds_text
from parspec.interpreter.spec.model import Expect, Model, Tensor
from parspec.interpreter.theory.formulas import Amount, Number, is_number, reader, total
from parspec.interpreter.theory.layouts import REPLICATED, Layout, State

COMPARISONS: Mapping[str, Callable[[Number, Number], bool]] = {
    "<": compare.lt,
    "<=": compare.le,
    ">": compare.gt,
    ">=": compare.ge,
    "==": compare.eq,
}
REDUCTIONS = frozenset({"All-Reduce", "Reduce-Scatter", "Reduce"})
LARGEST_PARTS = 3  # a failed budget names so many of the largest primitives


@dataclass(frozen=True, slots=True)
class Figures:
    """What expects are held against."""

    model: Model
    grid: Grid
    tensors: Mapping[str, Tensor]
    moves: Sequence[Move]
    layers: Sequence[LayerResult]
    totals: Totals
    origins: Mapping[str, Layout]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an expect holds (None: not evaluated), the real value in words, and its finding."""

    holds: bool | None
    value: str
    finding: Finding | None = None


def judge(
    expects: Iterable[Expect], figures: Figures
) -> tuple[tuple[ExpectResult, ...], tuple[Finding, ...]]:
    """The result of every expect and the findings of those that fail or cannot be told."""
    results, findings = [], []
    for expect in expects:
        verdict = _verdict(expect, figures)
        results.append(ExpectResult(expect.text, verdict.holds, verdict.value, expect.site))
        if verdict.finding is not None:
            findings.append(verdict.finding)
    return tuple(results), tuple(findings)


def _verdict(expect: Expect, figures: Figures) -> Verdict:
    match expect.statement.condition:
        case BudgetExpect() as budget:
            return _budget(expect, budget, figures)
        case PrimitiveExpect() as pin:
            return _primitive(expect, pin, figures)
        case StateExpect() as pin:
            return _state(expect, pin, figures)


def _trains(figures: Figures) -> bool:
    settings = figures.model.settings
    return settings is not None and settings.verb == "train"


def _within(move: Move, expect: Expect, grid: Grid) -> bool:
    """Whether a move is in the layers and on the axes, or parts of them, that an expect is narrowed
    to."""
    if expect.within is not None and not any(
        move.layer == name or move.layer.startswith(f"{name}.") for name in expect.within
    ):
        return False
    wanted = {piece for axis in expect.axes for piece in grid.covers[axis]}
    return not wanted or any(wanted & set(grid.covers[axis]) for axis in move.axes)


def _untold(expect: Expect, reason: str, value: str) -> Verdict:
    facts: tuple[tuple[str, Datum], ...] = (("text", expect.text), ("reason", reason))
    return Verdict(None, value, Finding("not_evaluated", expect.site, facts))


# -- budgets -------------------------------------------------------------------------------------


def _budget(expect: Expect, budget: BudgetExpect, figures: Figures) -> Verdict:
    if expect.bound is None:
        return Verdict(None, "")
    figure = budget.figure.text
    if _trains(figures) and figure != "parameters" and budget.scope.passes != "forward":
        return _untold(expect, "it needs the backward pass", "")
    value, parts = _figure(expect, budget, figures)
    if value is None:
        return _untold(expect, f"{figure} is not computed here", "")
    if not is_number(value) or not is_number(expect.bound):
        return _untold(expect, "a size is symbolic", _quantity(figure, value))
    text = _quantity(figure, value)
    if COMPARISONS[budget.comparison](value, expect.bound):
        return Verdict(True, text)
    facts: tuple[tuple[str, Datum], ...] = (
        ("text", expect.text),
        ("value", text),
        ("parts", parts),
        ("price_list", figures.model.cost if figure == "traffic" else None),
        ("actual", value if isinstance(value, int) else float(value)),
        ("bound", expect.bound if isinstance(expect.bound, int) else float(expect.bound)),
    )
    name = "memory_expectation" if figure == "memory" else "expect_failed"
    return Verdict(False, text, Finding(name, expect.site, facts))


def _figure(
    expect: Expect, budget: BudgetExpect, figures: Figures
) -> tuple[Amount | None, tuple[str, ...]]:
    """The value of a budget's figure and the largest of what it is made of."""
    moves = [
        move for move in figures.moves if move.primitive and _within(move, expect, figures.grid)
    ]
    match budget.figure.text:
        case "traffic":
            cost = figures.model.cost
            priced = [
                (m, m.per_device if budget.scope.per_device else dict(m.traffic)[cost])
                for m in moves
            ]
            return total(price for _, price in priced), _largest(priced, figures)
        case "memory":
            memory = figures.totals.memory
            shares = [(name, getattr(memory, name)) for name in ("weights", "cache", "activations")]
            named = tuple(f"{name} {_quantity('memory', v)}" for name, v in shares if v)
            return memory.total, named
        case "parameters":
            return figures.totals.parameters, ()
        case "time":
            return _time(expect, moves, figures), ()
    return None, ()


def _time(expect: Expect, moves: Sequence[Move], figures: Figures) -> Fraction | None:
    """Seconds of the layers and moves in scope; None where one of them is not known."""
    layers = [
        layer.time
        for layer in figures.layers
        if expect.within is None or any(layer.name.startswith(n) for n in expect.within)
    ]
    times = [*(layers if not expect.axes else ()), *(move.time for move in moves)]
    known = [time for time in times if time is not None]
    return Fraction(sum(known)) if len(known) == len(times) else None


def _largest(priced: Sequence[tuple[Move, Amount]], figures: Figures) -> tuple[str, ...]:
    numbers = [(move, price) for move, price in priced if is_number(price) and price]
    numbers.sort(key=lambda one: one[1], reverse=True)
    named = [
        f"{move.primitive} {figures.tensors[move.tensor].label} {bytes_text(price)}"
        for move, price in numbers[:LARGEST_PARTS]
        if is_number(price)
    ]
    left = total(price for _, price in numbers[LARGEST_PARTS:])
    if is_number(left) and left:
        named.append(f"others {bytes_text(left)}")
    return tuple(named)


def _quantity(figure: str, value: Amount) -> str:
    if not is_number(value):
        return reader(value)
    match figure:
        case "time":
            return seconds_text(value)
        case "parameters":
            return count_text(value)
    return bytes_text(value)


# -- primitives ----------------------------------------------------------------------------------


def _primitive(expect: Expect, pin: PrimitiveExpect, figures: Figures) -> Verdict:
    gradient = pin.tensor is not None and pin.tensor.gradient
    if gradient or pin.scope.passes in ("backward", "update"):
        return _untold(expect, "it needs the backward pass", "")
    found = [m for m in figures.moves if m.primitive and _pins(expect, pin, m, figures)]
    value = ", ".join(
        dict.fromkeys(
            f"{m.primitive} of {figures.tensors[m.tensor].label} on {','.join(m.axes)}"
            for m in found
        )
    )
    if bool(found) is pin.absent:
        return _failed_pin(expect, pin, value or "none", found, figures)
    if not found and pin.absent and _trains(figures) and pin.scope.passes is None:
        return _untold(expect, "it needs the backward pass", "none forward")
    return Verdict(True, value or "none")


def unpinned(figures: Figures) -> tuple[Finding, ...]:
    """Under `communication explicit`, the primitives that no `expect` pins, at the variable's
    declaration, with the pin as the mend."""
    if not figures.model.explicit:
        return ()
    pins = [
        (expect, expect.statement.condition)
        for expect in figures.model.expects
        if isinstance(expect.statement.condition, PrimitiveExpect)
        and not expect.statement.condition.absent
    ]
    missing: dict[str, Finding] = {}
    for move in figures.moves:
        if move.primitive is None or move.group == 1:
            continue
        if any(_pins(expect, pin, move, figures) for expect, pin in pins):
            continue
        tensor = figures.tensors[move.tensor]
        facts: dict[str, Datum] = {
            "primitive": move.primitive,
            "tensor": tensor.label,
            "axis": ",".join(move.axes),
        }
        pin_text = f"expect {move.primitive} of {tensor.label} on {', '.join(move.axes)}"
        missing.setdefault(
            pin_text,
            Finding(
                "unpinned",
                tensor.site,
                tuple(facts.items()),
                (Related(move.site, f"{move.primitive} stands in front of this"),),
                _pin_fix(pin_text, figures.model.explicit_site),
            ),
        )
    return tuple(missing.values())


def _pins(expect: Expect, pin: PrimitiveExpect, move: Move, figures: Figures) -> bool:
    """Whether an expect pins a move of the forward pass."""
    return (
        (pin.tensor is None or not pin.tensor.gradient)
        and pin.scope.passes in (None, "forward")
        and (pin.primitive is None or pin.primitive.text == move.primitive)
        and _within(move, expect, figures.grid)
        and (expect.tensor is None or _is_of(move, expect.tensor, figures))
    )


def _pin_fix(pin: str, explicit: Site | None) -> tuple[Fix, ...]:
    if explicit is None:
        return ()
    end = Site(explicit.file, explicit.chunk, Span(explicit.span.end, explicit.span.end))
    return (Fix(f"Write `{pin}`", (Edit(end, f"\n{pin}"),)),)


def _is_of(move: Move, tensor: str, figures: Figures) -> bool:
    """Whether a move is of a variable or of one that answers to its name."""
    return move.tensor == tensor or tensor in figures.tensors[move.tensor].aliases


def _failed_pin(
    expect: Expect, pin: PrimitiveExpect, value: str, found: Sequence[Move], figures: Figures
) -> Verdict:
    if not pin.absent and _trains(figures) and pin.scope.passes is None:
        return _untold(expect, "it needs the backward pass", "none forward")
    doubled = _doubled(expect, pin, figures)
    if doubled is not None:
        return Verdict(False, value, doubled)
    related = tuple(
        Related(move.site, f"{move.primitive} of {figures.tensors[move.tensor].label}")
        for move in found
    )
    facts: tuple[tuple[str, Datum], ...] = (
        ("text", expect.text),
        ("value", value),
        ("parts", ()),
        ("price_list", None),
    )
    return Verdict(False, value, Finding("expect_failed", expect.site, facts, related))


def _doubled(expect: Expect, pin: PrimitiveExpect, figures: Figures) -> Finding | None:
    """A pinned reduction of a variable that is complete: it would multiply it."""
    if pin.absent or pin.primitive is None or pin.primitive.text not in REDUCTIONS:
        return None
    if expect.tensor is None or not expect.axes:
        return None
    where = figures.origins[expect.tensor]
    pieces = [piece for axis in expect.axes for piece in figures.grid.covers[axis]]
    if any(where.state(piece).letter == "partial" for piece in pieces):
        return None
    factor = figures.grid.space.group(pieces)
    facts: tuple[tuple[str, Datum], ...] = (
        ("tensor", figures.tensors[expect.tensor].label),
        ("axis", ",".join(expect.axes)),
        ("primitive", pin.primitive.text),
        ("factor", factor if isinstance(factor, int) else reader(factor)),
    )
    declared = Related(figures.tensors[expect.tensor].site, "it is complete as produced here")
    return Finding("double_reduce", expect.site, facts, (declared,))


# -- states --------------------------------------------------------------------------------------


def _state(expect: Expect, pin: StateExpect, figures: Figures) -> Verdict:
    if pin.tensor.gradient or pin.scope.passes in ("backward", "update"):
        return _untold(expect, "it needs the backward pass", "")
    if expect.tensor is None:
        return Verdict(None, "")
    tensor = figures.tensors[expect.tensor]
    where = figures.origins[tensor.name]
    axes = expect.axes or tuple(axis for axis, _ in figures.grid.axes)
    states = {axis: _on_axis(where, axis, figures.grid) for axis in axes}
    value = ", ".join(f"{state} on {axis}" for axis, state in states.items())
    wrong = [axis for axis, state in states.items() if not _matches(state, pin, figures.grid)]
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


def _on_axis(where: Layout, axis: str, grid: Grid) -> State:
    """The state on an axis: of its first piece that is not replicated."""
    states = [where.state(piece) for piece in grid.covers[axis]]
    return next((state for state in states if state.letter != "R"), REPLICATED)


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

"""Pins: primitives that are expected or not, and states that variables are expected to have."""

from __future__ import annotations

from collections.abc import Sequence

from parspec.grammar.syntax import PrimitiveExpect, Span, StateExpect
from parspec.interpreter.analysis.figures import Figures, Verdict, untold
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.diagnostics.findings import Datum, Edit, Finding, Fix, Related, Site
from parspec.interpreter.spec.model import Expect
from parspec.interpreter.theory.formulas import reader
from parspec.interpreter.theory.layouts import REPLICATED, Layout, State

REDUCTIONS = frozenset({"All-Reduce", "Reduce-Scatter", "Reduce"})


def judge_primitive(expect: Expect, pin: PrimitiveExpect, figures: Figures) -> Verdict:
    """Whether a primitive is there, or absent, as a pin says."""
    gradient = pin.tensor is not None and pin.tensor.gradient
    if gradient or pin.scope.passes in ("backward", "update"):
        return untold(expect, "it needs the backward pass", "")
    found = _pinned(expect, pin, figures)
    value = ", ".join(
        dict.fromkeys(
            f"{m.primitive} of {figures.tensors[m.tensor].label} on {','.join(m.axes)}"
            for m in found
        )
    )
    if bool(found) is pin.absent:
        return _failed_pin(expect, pin, value or "none", found, figures)
    if not found and pin.absent and figures.model.trains and pin.scope.passes is None:
        return untold(expect, "it needs the backward pass", "none forward")
    return Verdict(True, value or "none")


def unpinned(figures: Figures) -> tuple[Finding, ...]:
    """Under `communication explicit`, the primitives that no `expect` pins, at the variable's
    declaration, with the pin as the mend."""
    if not figures.model.explicit:
        return ()
    pinned = {
        move
        for expect in figures.model.expects
        if isinstance(pin := expect.statement.condition, PrimitiveExpect) and not pin.absent
        for move in _pinned(expect, pin, figures)
    }
    missing: dict[str, Finding] = {}
    for move in figures.at_work:
        if move.group == 1 or move in pinned:
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


def _pinned(expect: Expect, pin: PrimitiveExpect, figures: Figures) -> list[Move]:
    """The moves of the forward pass that an expect pins."""
    if pin.scope.passes not in (None, "forward") or (pin.tensor and pin.tensor.gradient):
        return []
    name = None if pin.primitive is None else pin.primitive.text
    return [move for move in figures.within(expect) if name in (None, move.primitive)]


def _pin_fix(pin: str, explicit: Site | None) -> tuple[Fix, ...]:
    if explicit is None:
        return ()
    end = Site(explicit.file, explicit.chunk, Span(explicit.span.end, explicit.span.end))
    return (Fix(f"Write `{pin}`", (Edit(end, f"\n{pin}"),)),)


def _failed_pin(
    expect: Expect, pin: PrimitiveExpect, value: str, found: Sequence[Move], figures: Figures
) -> Verdict:
    if not pin.absent and figures.model.trains and pin.scope.passes is None:
        return untold(expect, "it needs the backward pass", "none forward")
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


def judge_state(expect: Expect, pin: StateExpect, figures: Figures) -> Verdict:
    """Whether a variable has a state where it lies first, as a pin says."""
    if pin.tensor.gradient or pin.scope.passes in ("backward", "update"):
        return untold(expect, "it needs the backward pass", "")
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

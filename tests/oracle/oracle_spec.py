"""From a program of the oracle to a spec: the same computation and demands, in the language.

Inputs lie where the program says. A layer is partitioned along the dimension that makes exactly its
operands' placements natural (`X` on its second dimension and `W` on its first: the contracted one);
where none does, where a placement is not known or where the program says nothing of what the layer
leaves, the partition is a hole, and the tool chooses. A demanded placement is the clause of an
output or a bare tensor; one that the layer is said to leave anyway is pinned with `expect`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from oracle_cases import PARTIAL, Case, States, Step

from parspec.interpreter.theory.layouts import REPLICATED, State

NONE, HOLE = "none", "?"  # partitions without a dimension


@dataclass(frozen=True, slots=True)
class Value:
    """A value on its way: its tensor in the spec, and its states as far as they are known."""

    tensor: str
    states: States
    made: bool  # by a layer


@dataclass
class _Text:
    """A spec as it grows: its statements, the values so far by the program's names, what is
    demanded of outputs beyond what is produced."""

    case: Case
    lines: list[str] = field(default_factory=list)
    values: dict[str, Value] = field(default_factory=dict)
    demands: dict[str, States] = field(default_factory=dict)


def spec(case: Case) -> str:
    """The spec of a program."""
    text = _Text(case, list(_head(case)))
    for name, given in case.inputs.items():
        dtype = " : i32" if given.integer else ""
        rest = " ".join(_at_rest(given.states))
        text.lines.append(f"input {_indexed(name, given.dims)}{dtype} {rest}")
        text.values[name] = Value(name, given.states, made=False)
    for step in case.steps:
        if step.op == "to":
            _demand(step, text)
        else:
            _layer(step, text)
    for name in case.outputs:
        clauses = _at_rest(text.demands.get(name, {}))
        text.lines.append(" ".join(("output", text.values[name].tensor, *clauses)))
    return "\n".join(text.lines) + "\n"


def _head(case: Case) -> Iterator[str]:
    yield f"dtype {case.dtype}"
    yield f"mesh {', '.join(f'{axis} = {size}' for axis, size in case.mesh.items())}"
    yield f"dim {', '.join(f'{dim} = {size}' for dim, size in case.sizes.items())}"


def _indexed(name: str, dims: Iterable[str]) -> str:
    return f"{name}[{', '.join(dims)}]"


def _at_rest(states: States) -> Iterator[str]:
    """State clauses."""
    for axis, state in states.items():
        match state.letter:
            case "P":
                yield f"partition {state.dim} on {axis}"
            case "partial":
                yield f"partial on {axis}"
            case _:
                yield f"replicated on {axis}"


def _partition(cuts: Mapping[str, str]) -> str:
    """The partition clause of a layer."""
    pieces = ", ".join(f"{cut} on {axis}" for axis, cut in cuts.items())
    return f" partition {pieces}" if pieces else ""


def _layer(step: Step, text: _Text) -> None:
    """A step that computes; functions of one operand follow it."""
    operands = [text.values[name] for name in step.operands]
    if len(operands) == 1:
        clause, states = "", operands[0].states
    else:
        cuts = {axis: _cut(step, operands, axis, text.case) for axis in text.case.mesh}
        clause = _partition(cuts)
        states = {axis: _left(step, cut) for axis, cut in cuts.items() if cut != HOLE}
    out = _indexed(step.out, step.out_dims)
    text.lines.append(f"layer {step.out}: {out} = {_expression(step, operands)}{clause}")
    text.values[step.out] = Value(step.out, states, made=True)


def _expression(step: Step, operands: Iterable[Value]) -> str:
    read = [
        _indexed(value.tensor, dims)
        for value, dims in zip(operands, step.operand_dims, strict=True)
    ]
    match step.op:
        case "einsum":
            return " * ".join(read)
        case "softmax":
            return f"softmax over {step.out_dims[-1]} ({read[0]})"
        case "embed":
            return f"lookup({read[1]}, {read[0]})"
        case "xent":
            return f"crossentropy over {step.operand_dims[0][-1]} ({', '.join(read)})"
    raise ValueError(f"{step.op}: no form of the language")


def _cut(step: Step, operands: Iterable[Value], axis: str, case: Case) -> str:
    """What a layer is partitioned along on an axis, as its operands' placements determine it."""
    placed = next((to for to in case.steps if to.op == "to" and to.operands == (step.out,)), None)
    if placed is not None and placed.natural is None:
        return HOLE
    states = [value.states.get(axis) for value in operands]
    dims = dict.fromkeys(dim for read in step.operand_dims for dim in read)
    natural = {dim: [_natural(dim, read) for read in step.operand_dims] for dim in (*dims, NONE)}
    return next((dim for dim, wanted in natural.items() if wanted == states), HOLE)


def _natural(cut: str, dims: tuple[str, ...]) -> State:
    """The dimension rule, for a variable that a layer reads."""
    return State("P", dim=cut) if cut in dims else REPLICATED


def _left(step: Step, cut: str) -> State:
    """The dimension rule, for what a layer leaves; cross-entropy reduces what it needs itself."""
    summed = cut != NONE and cut not in step.out_dims and step.op != "xent"
    return PARTIAL if summed else _natural(cut, step.out_dims)


def _demand(step: Step, text: _Text) -> None:
    """A step that demands a placement: of what the layer leaves anyway, of an output, or of a
    bare tensor. Nothing but an output can be asked to become partial."""
    (source,) = (text.values[name] for name in step.operands)
    if step.natural:
        text.lines += (
            f"expect {source.tensor} is {state} on {axis}" for axis, state in step.states.items()
        )
        text.values[step.out] = Value(source.tensor, step.states, source.made)
        return
    if step.out in text.case.outputs:
        text.demands[step.out] = {
            axis: state
            for axis, state in step.states.items()
            if source.made or state.letter == "partial"
        }
    if step.out not in text.case.outputs or not source.made:
        cuts = {
            axis: state.dim or NONE
            for axis, state in step.states.items()
            if state.letter != "partial"
        }
        out = _indexed(step.out, step.out_dims)
        text.lines.append(f"layer {step.out}: {out} = {source.tensor}{_partition(cuts)}")
        source = Value(step.out, step.states, made=True)
    text.values[step.out] = Value(source.tensor, step.states, made=True)

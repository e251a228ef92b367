"""The dimension rule: from the dimensions that a layer is partitioned along, every state.

A layer cut along dimension d on axis a: a variable that has d is `P(d)` on a, one that lacks d is
`R` there, and a result that lacks d, because d is summed away, is partial on a. Functions along a
cut dimension keep it cut and reduce statistics instead (2 for softmax: maximum and sum).
Source: the article's static analysis; partial sums are kept apart from copies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.theory.layouts import Layout, layout
from parspec.interpreter.theory.operators import Operator

Cuts: TypeAlias = Mapping[str, tuple[str, ...]]  # dimension to the axes that cut it, major first

# What functions along a dimension reduce over the axes that cut it: (name, kind) for each value
# that is reduced, of the size of the operand without the dimension, in fp32.
STATISTICS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "softmax": (("maximum", "max"), ("sum", "sum")),
    "logsoftmax": (("maximum", "max"), ("sum", "sum")),
    "rmsnorm": (("sum of squares", "sum"),),
    "layernorm": (("sum", "sum"), ("sum of squares", "sum")),
    "crossentropy": (("maximum", "max"), ("sum", "sum"), ("target", "sum")),
}
# Functions whose result lacks the dimension: the kind of partial that a cut leaves.
REDUCTIONS: Mapping[str, str] = {"sum": "sum", "mean": "sum", "max": "max", "min": "min"}
# Functions that need the whole dimension on one node.
WHOLE = frozenset({"cumsum", "sort", "topk", "argmax"})


@value
class Statistic:
    """A value that a function along a cut dimension reduces over `axes`: its name, the kind of
    partial, the dimensions it has (cut as the operand is)."""

    name: str
    kind: str
    dims: tuple[str, ...]
    axes: tuple[str, ...]


@value
class Needs:
    """What an operator needs of each operand, in which layout it leaves its result, and the
    statistics that it reduces on the way."""

    inputs: tuple[Layout, ...]
    output: Layout
    statistics: tuple[Statistic, ...] = ()


def required(operator: Operator, cuts: Cuts) -> Needs:
    """The dimension rule for an operator cut along the given dimensions."""
    match operator.kind:
        case "dispatch":
            return _dispatch(operator, cuts)
        case "combine":
            return _combine(operator, cuts)
    inputs = tuple(_restricted(cuts, dims) for dims in operator.inputs)
    kept = _restricted(cuts, operator.output)
    summed = {axis: partial_kind(operator) for dim in operator.summed for axis in cuts.get(dim, ())}
    statistics = _statistics(operator, cuts)
    reduced = {axis for statistic in statistics for axis in statistic.axes}
    partial = {axis: kind for axis, kind in summed.items() if axis not in reduced}
    return Needs(inputs, layout(dict(kept.cuts), partial), statistics)


def partial_kind(operator: Operator) -> str:
    """The kind of partial that a summed-away, cut dimension leaves."""
    return REDUCTIONS.get(operator.function, "sum") if operator.kind == "along" else "sum"


def whole_dims(operator: Operator) -> frozenset[str]:
    """The dimensions that an operator cannot be cut along: each node needs all of them."""
    if operator.kind == "along" and operator.function in WHOLE:
        return frozenset(operator.over)
    return frozenset()


def unfollowed_dims(operator: Operator) -> frozenset[str]:
    """The dimensions that a layer is not cut along just because an operand arrives so: those that
    it cannot be cut along, and experts and slots, whose cut is given up where tokens come in or
    go out."""
    match operator.kind:
        case "dispatch":
            return frozenset(_slots(operator, operator.inputs[0], operator.output))
        case "combine":
            return frozenset(_slots(operator, operator.output, operator.inputs[0]))
    return whole_dims(operator)


def takes_partial(operator: Operator) -> bool:
    """Whether a partial operand may stay partial: sums of partials, scaling and copies are linear,
    everything else needs complete values."""
    return operator.kind in ("sum", "scale", "copy")


def _restricted(cuts: Cuts, dims: tuple[str, ...]) -> Layout:
    return layout({dim: cuts[dim] for dim in dims if dim in cuts})


def _statistics(operator: Operator, cuts: Cuts) -> tuple[Statistic, ...]:
    function = "crossentropy" if operator.kind == "crossentropy" else operator.function
    axes = tuple(axis for dim in operator.over for axis in cuts.get(dim, ()))
    if operator.kind not in ("along", "crossentropy") or not axes:
        return ()
    dims = tuple(dim for dim in operator.inputs[0] if dim not in operator.over)
    return tuple(Statistic(name, kind, dims, axes) for name, kind in STATISTICS.get(function, ()))


def _slots(operator: Operator, tokens: tuple[str, ...], slots: tuple[str, ...]) -> tuple[str, str]:
    """The expert dimension (the scores' own) and the slot dimension of dispatch and combine."""
    scores = operator.inputs[1]
    expert = next(dim for dim in scores if dim not in tokens)
    slot = next(dim for dim in slots if dim != expert and dim not in tokens)
    return expert, slot


def _dispatch(operator: Operator, cuts: Cuts) -> Needs:
    """Each block of tokens owns its range of slots: C takes the axes of the token dimensions."""
    tokens, scores = operator.inputs
    _, slot = _slots(operator, tokens, operator.output)
    owned = tuple(axis for dim in scores if dim in tokens for axis in cuts.get(dim, ()))
    shared = {dim: cuts[dim] for dim in operator.output if dim != slot and dim in cuts}
    return Needs(
        (_restricted(cuts, tokens), _restricted(cuts, scores)),
        layout({**shared, slot: owned}),
    )


def _combine(operator: Operator, cuts: Cuts) -> Needs:
    """The reverse of dispatch: tokens cut on an axis need their range of slots there; experts are
    summed over."""
    slots, scores = operator.inputs
    expert, slot = _slots(operator, operator.output, slots)
    owned = tuple(axis for dim in scores if dim in operator.output for axis in cuts.get(dim, ()))
    shared = {dim: cuts[dim] for dim in slots if dim != slot and dim in cuts}
    kept = _restricted(cuts, operator.output)
    return Needs(
        (layout({**shared, slot: owned}), _restricted(cuts, scores)),
        layout(dict(kept.cuts), dict.fromkeys(cuts.get(expert, ()), "sum")),
    )

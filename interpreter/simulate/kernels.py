"""Kernels: what one device computes of a layer, from its own parts of the operands.

A kernel is a generator. Where a function along a dimension needs a statistic, it yields its own
share of it, `(name, array)`, and is sent what all devices along that dimension make of theirs;
what it returns is its part of the result. The reference runs the same kernels on whole variables,
where every share is already the statistic.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from math import prod
from string import ascii_letters
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from parspec.grammar.values import value
from parspec.interpreter.simulate.experts import combine, dispatch
from parspec.interpreter.simulate.machine import NO_POSITION, Array, Extent, Impossible, Positions
from parspec.interpreter.simulate.parts import Part, aligned, fitted
from parspec.interpreter.simulate.pointwise import applied
from parspec.interpreter.theory.operators import Operator

Kernel: TypeAlias = "Generator[tuple[str, Array], Array, Array]"
Mask: TypeAlias = NDArray[np.bool_]

EPSILON = 1e-5  # of the norms
KEPT_BY_TOPK = 2  # the number of entries that topk leaves; the others become 0
_LAST = {"cumsum": 0.0, "sort": np.inf, "topk": -np.inf, "argmax": -np.inf}
_LOWEST = {"max": -np.inf, "min": np.inf}
_REDUCTION: Mapping[str, Callable[..., Array]] = {
    "sum": np.sum,
    "mean": np.sum,
    "max": np.max,
    "min": np.min,
}


@value
class Task:
    """A layer on one device: its operator, the parts of its operands, the positions that each
    dimension of its result has there, the dimensions' extents, and the number that a sum adds."""

    operator: Operator
    parts: tuple[Part, ...]
    rows: tuple[Positions, ...]
    extents: Mapping[str, Extent]
    offset: float


def kernel(task: Task) -> Kernel:
    """The device's part of the result. Raises Impossible where operands do not fit together, or do
    not give a part of the size that the layout of the result speaks of."""
    fitted(task.parts)
    array, dims = yield from _computed(task)
    result = aligned(Part(dims, array, ()), task.operator.output)
    shape = tuple(len(positions) for positions in task.rows)
    for dim, has, wants in zip(task.operator.output, result.shape, shape, strict=True):
        if has != wants and not (has == 1 and dim not in dims):
            raise Impossible(f"a slice of {dim} with {has} elements where there should be {wants}")
    real = np.ones(shape, dtype=bool)
    for along, positions in enumerate(task.rows):
        side = [-1 if axis == along else 1 for axis in range(len(shape))]
        real &= (positions != NO_POSITION).reshape(side)
    return np.where(real, np.broadcast_to(result, shape), 0.0)


def _computed(
    task: Task,
) -> Generator[tuple[str, Array], Array, tuple[Array, tuple[str, ...]]]:
    """What an operator makes, with the dimensions that it has."""
    operator = task.operator
    match operator.kind:
        case "einsum":
            return _einsum(task)
        case "sum" | "scale" | "copy" | "pointwise":
            dims = tuple(d for d in operator.output if any(d in part.dims for part in task.parts))
            terms = [aligned(part, dims) for part in task.parts]
            if operator.kind == "pointwise":
                return applied(operator.function, terms, task.offset), dims
            return np.asarray(sum(terms[1:], terms[0])), dims
        case "along":
            return (yield from _along(task))
        case "lookup":
            return _lookup(task)
        case "crossentropy":
            return (yield from _crossentropy(task))
        case "dispatch":
            return dispatch(task.parts[0], task.parts[1], operator.output, task.rows)
        case "combine":
            return combine(task.parts[0], task.parts[1], operator.output)


def _einsum(task: Task) -> tuple[Array, tuple[str, ...]]:
    dims = tuple(d for d in task.operator.output if any(d in part.dims for part in task.parts))
    return _product([(part.array, part.dims) for part in task.parts], dims), dims


def _product(factors: Sequence[tuple[Array, tuple[str, ...]]], dims: tuple[str, ...]) -> Array:
    """The product of arrays with named axes, summed over what the result lacks."""
    letters = dict(
        zip(dict.fromkeys(d for _, own in factors for d in own), ascii_letters, strict=False)
    )
    subscripts = ",".join("".join(letters[d] for d in own) for _, own in factors)
    result = "".join(letters[d] for d in dims)
    return np.asarray(np.einsum(f"{subscripts}->{result}", *(array for array, _ in factors)))


# -- along a dimension ---------------------------------------------------------------------------


def _along(task: Task) -> Generator[tuple[str, Array], Array, tuple[Array, tuple[str, ...]]]:
    operator = task.operator
    first = task.parts[0]
    over = tuple(first.dims.index(dim) for dim in operator.over)
    counted = _counted(first, operator.over, task.extents, masked=operator.masked)
    if operator.function in _REDUCTION:
        kept = tuple(dim for dim in first.dims if dim not in operator.over)
        return _reduced(task, over, counted), kept
    match operator.function:
        case "softmax" | "logsoftmax":
            result = yield from _softmax(operator.function, first.array, over, counted)
        case "rmsnorm" | "layernorm":
            result = yield from _norm(task, over, counted)
        case "cumsum" | "sort" | "topk" | "argmax":
            return _whole(task, over, counted)
        case _:
            raise Impossible(f"nobody knows {operator.function} along a dimension")
    return result, first.dims


def _counted(
    part: Part, over: Sequence[str], extents: Mapping[str, Extent], *, masked: bool
) -> Mask:
    """Which elements along the dimensions take part: not what fills slices up, nor, where that is
    masked, declared padding."""
    mask = np.ones((1,) * part.array.ndim, dtype=bool)
    for dim in over:
        positions = part.positions(dim)
        counts = positions != NO_POSITION
        if masked:
            counts &= positions < extents[dim].size
        side = [-1 if other == dim else 1 for other in part.dims]
        mask = mask & counts.reshape(side)
    return mask


def _number(task: Task) -> int:
    """How many elements the function goes over, on all devices together."""
    sizes = [task.extents[dim] for dim in task.operator.over]
    return prod(extent.size if task.operator.masked else extent.padded for extent in sizes)


def _reduced(task: Task, over: tuple[int, ...], counted: Mask) -> Array:
    function = task.operator.function
    neutral = _LOWEST.get(function, 0.0)
    values = np.where(counted, task.parts[0].array, neutral)
    result = _REDUCTION[function](values, axis=over, initial=neutral)
    return result / _number(task) if function == "mean" else result


def _softmax(function: str, x: Array, over: tuple[int, ...], counted: Mask) -> Kernel:
    values = np.where(counted, x, -np.inf)
    highest = yield "maximum", np.max(values, axis=over, keepdims=True, initial=-np.inf)
    powers = np.where(counted, np.exp(np.where(counted, x - highest, 0.0)), 0.0)
    total = yield "sum", np.sum(powers, axis=over, keepdims=True)
    if function == "logsoftmax":
        return np.where(counted, x - highest - np.log(total), 0.0)
    return np.asarray(powers / total)


def _norm(task: Task, over: tuple[int, ...], counted: Mask) -> Kernel:
    first = task.parts[0]
    values = np.where(counted, first.array, 0.0)
    number = _number(task)
    centre = np.zeros(())
    if task.operator.function == "layernorm":
        total = yield "sum", np.sum(values, axis=over, keepdims=True)
        centre = total / number
    squares = yield "sum of squares", np.sum(values**2, axis=over, keepdims=True)
    result = (values - centre) / np.sqrt(squares / number - centre**2 + EPSILON)
    scale, *shift = [aligned(part, first.dims) for part in task.parts[1:]] or [np.ones(())]
    return np.where(counted, result * scale + sum(shift), 0.0)


def _whole(task: Task, over: tuple[int, ...], counted: Mask) -> tuple[Array, tuple[str, ...]]:
    """Functions that need the whole dimension: along several, as along one row of them."""
    first, function = task.parts[0], task.operator.function
    rest = tuple(axis for axis in range(first.array.ndim) if axis not in over)
    order = (*rest, *over)
    moved = np.where(counted, first.array, _LAST[function])
    moved = moved.transpose(order)
    shape = moved.shape
    rows = moved.reshape(*shape[: len(rest)], prod(shape[len(rest) :]))
    dims = tuple(first.dims[axis] for axis in order)
    match function:
        case "argmax":
            return np.argmax(rows, axis=-1).astype(np.float64), dims[: len(rest)]
        case "cumsum":
            rows = np.cumsum(rows, axis=-1)
        case "sort":
            rows = np.sort(rows, axis=-1)
            rows = np.where(rows == np.inf, 0.0, rows)
        case _:
            kept = min(KEPT_BY_TOPK, rows.shape[-1])
            least = np.partition(rows, -kept, axis=-1)[..., -kept, None]
            rows = np.where(rows >= least, rows, 0.0)
    return rows.reshape(shape), dims


# -- tables and losses ---------------------------------------------------------------------------


def _lookup(task: Task) -> tuple[Array, tuple[str, ...]]:
    """Rows of a table that are not here add nothing."""
    tokens, table = task.parts
    by = tuple(dim for dim in table.dims if dim not in task.operator.output)
    picks = _picked(tokens.array, by, table, task.extents)
    dims = tuple(d for d in task.operator.output if d in tokens.dims or d in table.dims)
    factors = [(picks, (*tokens.dims, *by)), (table.array, table.dims)]
    return _product(factors, dims), dims


def _picked(
    tokens: Array, by: tuple[str, ...], table: Part, extents: Mapping[str, Extent]
) -> Array:
    """1 where a token means a position, along further axes for the dimensions `by`."""
    sizes = [extents[dim].size for dim in by]
    digits = np.unravel_index(np.rint(tokens).astype(np.int64) % prod(sizes), sizes)
    picks = np.ones(tokens.shape)
    for dim, digit in zip(by, digits, strict=True):
        extra = picks.ndim - tokens.ndim
        wanted = digit.reshape(*tokens.shape, *(1,) * extra, 1)
        picks = picks[..., None] * (wanted == table.positions(dim))
    return picks


def _crossentropy(
    task: Task,
) -> Generator[tuple[str, Array], Array, tuple[Array, tuple[str, ...]]]:
    """The mean over the labels' dimensions that the result lacks of log Σ exp(z) − z[label]."""
    logits, labels = task.parts
    over = task.operator.over
    kept = tuple(dim for dim in logits.dims if dim not in over)
    z = aligned(logits, (*kept, *over))
    along = tuple(range(len(kept), z.ndim))
    moved = Part((*kept, *over), z, tuple(logits.positions(dim) for dim in (*kept, *over)))
    counted = _counted(moved, over, task.extents, masked=True)
    values = np.where(counted, z, -np.inf)
    highest = yield "maximum", np.max(values, axis=along, keepdims=True, initial=-np.inf)
    powers = np.where(counted, np.exp(np.where(counted, z - highest, 0.0)), 0.0)
    total = yield "sum", np.sum(powers, axis=along, keepdims=True)
    picks = _picked(aligned(labels, kept), over, moved, task.extents)
    target = yield "target", np.sum(np.where(counted, z * picks, 0.0), axis=along, keepdims=True)
    losses = (np.log(total) + highest - target).reshape(z.shape[: len(kept)])
    output = tuple(dim for dim in kept if dim in task.operator.output)
    gone = tuple(place for place, dim in enumerate(kept) if dim not in output)
    real = _counted(
        Part(kept, losses, moved.rows[: len(kept)]),
        [kept[place] for place in gone],
        task.extents,
        masked=True,
    )
    number = prod(task.extents[kept[place]].size for place in gone)
    return np.sum(np.where(real, losses, 0.0), axis=gone) / number, output

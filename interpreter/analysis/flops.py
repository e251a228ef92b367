"""Floating-point operations and bytes of layers, and how long they take at least.

Only products of variables count as FLOPs, as the field counts them: a multiplication and an
addition for every element of the iteration space and every operand after the first. Functions are
bound by the bytes that they read and write. Time is the roofline: max(flops / peak, bytes / hbm).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

from parspec.grammar.values import value
from parspec.interpreter.analysis.alike import Alike, alike
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.sections import Routed
from parspec.interpreter.analysis.sharding import Sharding
from parspec.interpreter.analysis.sizes import Slice, slice_bytes
from parspec.interpreter.spec.model import Model
from parspec.interpreter.theory.formulas import (
    Amount,
    Number,
    divide,
    finite,
    is_number,
    numeric,
    product,
    total,
)
from parspec.interpreter.theory.layouts import Layout
from parspec.interpreter.theory.operators import TABLE
from parspec.interpreter.theory.space import Space


@dataclass(frozen=True)
class Speed:
    """What bounds a device: operations/s and bytes/s."""

    flops: Fraction
    hbm: Fraction

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Computed once: the time of every layer is looked up by it."""
        return hash((self.flops, self.hbm))


@value
class Work:
    """A layer's work: FLOPs and bytes of one turn on a device that takes part; seconds of all turns
    on the busiest device and of one of them, None without a device or with symbolic sizes; FLOPs of
    one turn in the whole system, and of these, by axis, those that its nodes do again (symbolic
    sizes at a fixed point)."""

    flops: Amount
    bytes: Amount
    time: float | None
    turn: Fraction | None
    executed: Amount
    again: tuple[tuple[str, Number], ...]


class Task(NamedTuple):
    """What the work of a layer depends on, sizes apart: how it is cut, the types of its operands
    and result (None for what stays on the chip), and the stacks that repeat it."""

    sharding: Sharding
    dtypes: tuple[str | None, ...]
    stacks: tuple[str, ...]


def speed_of(model: Model) -> Speed | None:
    """The speed of the model's device; None where it has none or does not say."""
    device = next((one for one in model.devices if one.name == model.mesh.device), None)
    if device is None or device.flops is None or device.hbm is None:
        return None
    return Speed(device.flops, device.hbm)


def tasks_in(routed: Routed, inside: frozenset[str]) -> Alike[Task]:
    """What the layers of a part have to do; `inside` are the variables inside fused groups, which
    never leave the chip."""
    dtypes = {
        name: None if name in inside else tensor.dtype for name, tensor in routed.tensors.items()
    }
    tasks = []
    for placed in routed.layers:
        names = [*[operand.tensor for operand in placed.layer.operands], placed.layer.out]
        own = tuple([dtypes[name] for name in names])
        tasks.append(Task(placed.sharding, own, placed.stacks))
    return alike(tasks)


@lru_cache(maxsize=512)
def work_of(task: Task, turns: Amount, grid: Grid, speed: Speed | None) -> Work:
    """The work of a layer that has to do this, in so many turns on the busiest device."""
    sharding, dtypes, _ = task
    flops = _flops(sharding, grid.space)
    moved = total(
        slice_bytes(Slice(leaves, dtype, where), grid.space)
        for (leaves, where), dtype in zip(_touched(sharding), dtypes, strict=True)
        if dtype is not None
    )
    turn = None if speed is None else _time(flops, moved, speed)
    time = finite(turn * turns) if turn is not None and is_number(turns) else None
    central = dict(sharding.placement.central)
    nodes = grid.space.group(axis for axis in grid.sizes if axis not in central)
    executed = flops * nodes
    again = (
        (axis, numeric(executed) - numeric(divide(numeric(executed), copies)))
        for axis, copies in _copies(sharding, grid)
    )
    return Work(flops, moved, time, turn, executed, tuple(again))


def _touched(sharding: Sharding) -> Iterator[tuple[tuple[str, ...], Layout]]:
    """What a layer reads and writes of its operands and its result, as dimensions with a layout: of
    a table the rows that it looks up, of a cache the positions that it appends."""
    operator, written = sharding.operator, (sharding.operator.output, sharding.output.complete())
    for place, whole in enumerate(zip(sharding.leaves, sharding.read, strict=False)):
        yield written if operator.kind == "lookup" and place == TABLE else whole
    yield written


def _flops(sharding: Sharding, space: Space) -> Amount:
    """FLOPs of one turn on a device that takes part, on whole slices."""
    operator = sharding.operator
    if operator.kind != "einsum":
        return 0
    axes = dict(sharding.placement.cuts)
    points = product(space.slice_of(dim, axes.get(dim, ())) for dim in operator.dims)
    return 2 * (len(operator.inputs) - 1) * points


def _time(flops: Amount, moved: Amount, speed: Speed) -> Fraction | None:
    if not (is_number(flops) and is_number(moved)):
        return None
    return max(flops / speed.flops, moved / speed.hbm)


def _copies(sharding: Sharding, grid: Grid) -> Iterator[tuple[str, Number]]:
    """The axes on which several nodes compute the same slice of a layer, and how many."""
    placement = sharding.placement
    central = dict(placement.central)
    for axis, pieces in grid.axes:
        nodes = grid.space.group(
            piece for piece in pieces if placement.dim(piece) is None and piece not in central
        )
        if nodes != 1:
            yield axis, numeric(nodes)

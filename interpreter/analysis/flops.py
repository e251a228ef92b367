"""Floating-point operations and bytes of layers, and how long they take at least.

Only products of variables count as FLOPs, as the field counts them: a multiplication and an
addition for every element of the iteration space and every operand after the first. Functions are
bound by the bytes that they read and write. Time is the roofline: max(flops / peak, bytes / hbm).
"""

from __future__ import annotations

from dataclasses import dataclass

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.moves import Pricing
from parspec.interpreter.analysis.sizes import bytes_of
from parspec.interpreter.spec.model import Device
from parspec.interpreter.theory.formulas import Amount, is_number, product, total


@dataclass(frozen=True, slots=True)
class Work:
    """A layer's work: FLOPs and bytes of one turn on a device that takes part; seconds of all turns
    on the busiest device, None without a device or with symbolic sizes."""

    flops: Amount
    bytes: Amount
    time: float | None


def flops_per_device(placed: Placed, grid: Grid) -> Amount:
    """FLOPs of one turn on a device that takes part, on whole slices."""
    operator = placed.layer.operator
    if operator.kind != "einsum":
        return 0
    cuts = dict(placed.placement.cuts)
    points = product(grid.space.slice_of(dim, cuts.get(dim, ())) for dim in operator.dims)
    return 2 * (len(operator.inputs) - 1) * points


def executed_flops(placed: Placed, grid: Grid) -> Amount:
    """FLOPs of one turn in the whole system, repeated ones every time."""
    central = dict(placed.placement.central)
    nodes = grid.space.group(axis for axis in grid.space.sizes if axis not in central)
    return flops_per_device(placed, grid) * nodes


def layer_bytes(placed: Placed, pricing: Pricing, inside: frozenset[str]) -> Amount:
    """Bytes of operands and result of one turn on a device that takes part, but for the variables
    `inside` fused groups, which never leave the chip."""
    read = (operand.tensor for operand in placed.layer.operands)
    names, layouts = (*read, placed.layer.out), (*placed.read, placed.made)
    return total(
        bytes_of(pricing.tensors[name], where, pricing.grid)
        for name, where in zip(names, layouts, strict=True)
        if name not in inside
    )


def work_of(
    placed: Placed, pricing: Pricing, device: Device | None, inside: frozenset[str]
) -> Work:
    """The work of a layer; `inside` are the variables inside fused groups."""
    flops = flops_per_device(placed, pricing.grid)
    moved = layer_bytes(placed, pricing, inside)
    turns = pricing.busiest_turns(placed.stacks)
    return Work(flops, moved, _time(flops, moved, turns, device))


def _time(flops: Amount, moved: Amount, turns: Amount, device: Device | None) -> float | None:
    if device is None or device.flops is None or device.hbm is None:
        return None
    if not (is_number(flops) and is_number(moved) and is_number(turns)):
        return None
    return float(max(flops / device.flops, moved / device.hbm) * turns)

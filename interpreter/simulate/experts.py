"""Experts: tokens into the slots of the experts that they are routed to, and back.

A token goes to every expert whose score for it is not zero; the tokens of a device take the slots
of its own range in their order. Nothing may be dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from parspec.interpreter.simulate.machine import NO_POSITION, Array, Impossible, Positions
from parspec.interpreter.simulate.parts import Part, aligned


def dispatch(
    tokens: Part, scores: Part, output: tuple[str, ...], rows: Sequence[Positions]
) -> tuple[Array, tuple[str, ...]]:
    """Slots [E, C, ...] of a device, from its tokens and their scores."""
    block = tuple(dim for dim in scores.dims if dim in tokens.dims)
    expert = next(dim for dim in scores.dims if dim not in block)
    slot = next(dim for dim in output if dim != expert and dim not in tokens.dims)
    slots = len(rows[output.index(slot)])
    rest = tuple(dim for dim in tokens.dims if dim not in block)
    where = _placed(scores, block, expert, slots)
    shape = [tokens.array.shape[tokens.dims.index(dim)] for dim in rest]
    flat = aligned(tokens, (*block, *rest)).reshape(where.shape[0], prod(shape))
    result = np.einsum("tec,tr->ecr", where, flat).reshape(*where.shape[1:], *shape)
    return result, (expert, slot, *rest)


def combine(slots: Part, scores: Part, output: tuple[str, ...]) -> tuple[Array, tuple[str, ...]]:
    """Tokens of a device, from its slots: the sum over experts, weighted by the scores."""
    block = tuple(dim for dim in scores.dims if dim in output)
    expert = next(dim for dim in scores.dims if dim not in block)
    slot = next(dim for dim in slots.dims if dim != expert and dim not in output)
    rest = tuple(dim for dim in slots.dims if dim not in (expert, slot))
    shape = [slots.array.shape[slots.dims.index(dim)] for dim in rest]
    flat = aligned(slots, (expert, slot, *rest))
    flat = flat.reshape(*flat.shape[:2], prod(shape))
    where = _placed(scores, block, expert, flat.shape[1])
    if where.shape[1] != flat.shape[0]:
        raise Impossible(f"slots of {flat.shape[0]} experts, scores of {where.shape[1]}")
    each = aligned(scores, (*block, expert))
    weight = each.reshape(where.shape[:2])
    result = np.einsum("te,tec,ecr->tr", weight, where, flat)
    return result.reshape(*each.shape[:-1], *shape), (*block, *rest)


def _placed(scores: Part, block: tuple[str, ...], expert: str, slots: int) -> NDArray[np.float64]:
    """1 where a token has a slot of an expert: tokens x experts x slots."""
    table = aligned(scores, (*block, expert))
    experts = table.shape[-1]
    real = np.ones(table.shape[:-1], dtype=bool)
    for along, dim in enumerate(block):
        side = [-1 if axis == along else 1 for axis in range(len(block))]
        real &= (scores.positions(dim) != NO_POSITION).reshape(side)
    routed = (table.reshape(-1, experts) != 0) & real.reshape(-1, 1)
    place = np.cumsum(routed, axis=0) - 1
    if routed.any() and int(place[routed].max()) >= slots:
        raise Impossible(f"{slots} slots drop tokens")
    there = routed[..., None] & (place[..., None] == np.arange(slots))
    return np.asarray(there, dtype=np.float64)

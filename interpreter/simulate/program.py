"""Programs: a model with numbers for all its sizes, and what running it has to know.

The reference and the devices run the same program: layers in their order, the bodies of stacks
turn by turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from parspec.interpreter.analysis.pipeline import stacks_of
from parspec.interpreter.simulate.machine import Array, Extent
from parspec.interpreter.simulate.slots import slot_dims
from parspec.interpreter.spec.model import Layer, Model, Operand, Stack, Tensor, layers_of

Turns: TypeAlias = tuple[int, ...]  # of the stacks around, outermost first


@dataclass(frozen=True)
class Program:
    """A model whose sizes are all numbers, with its dimensions' extents."""

    model: Model
    extents: Mapping[str, Extent]

    @cached_property
    def tensors(self) -> Mapping[str, Tensor]:
        """Variables by name."""
        return {tensor.name: tensor for tensor in self.model.tensors}

    @cached_property
    def stacks(self) -> Mapping[str, Stack]:
        """Stacks by name."""
        return {stack.name: stack for stack in stacks_of(self.model.items)}

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """All layers, those of stacks once."""
        return tuple(layers_of(self.model.items))

    @cached_property
    def slots(self) -> frozenset[str]:
        """Dimensions of experts' slots: which token has which slot depends on the partition."""
        return frozenset(dim for layer in self.layers for dim in slot_dims(layer))

    def turns(self, stack: str) -> int:
        """How often a stack's body runs."""
        return self.extents[self.stacks[stack].dim].padded

    def slice_of(self, tensor: Tensor, stacks: tuple[str, ...], turns: Turns) -> Turns:
        """Which slice of a stacked variable the current turns use."""
        by_dim = {self.stacks[name].dim: turn for name, turn in zip(stacks, turns, strict=True)}
        return tuple(by_dim[dim] for dim in tensor.stacked)

    def meanings(self) -> Iterator[tuple[str, int]]:
        """Inputs that are whole numbers, with how many there are: tokens and labels."""
        for layer in self.layers:
            operator = layer.operator
            if operator.kind == "lookup":
                by = [dim for dim in operator.inputs[1] if dim not in operator.output]
                yield layer.operands[0].tensor, self._size(by)
            elif operator.kind == "crossentropy":
                yield layer.operands[1].tensor, self._size(operator.over)

    def _size(self, dims: tuple[str, ...] | list[str]) -> int:
        return int(np.prod([self.extents[dim].size for dim in dims], dtype=np.int64))


def read(array: Array, operand: Operand) -> tuple[tuple[str, ...], Array]:
    """An operand as a layer reads it: slices taken, renamed, with its sign and scale. A number that
    takes a slice counts as 0: all slices are alike to a plan."""
    for along in reversed(range(len(operand.leaves))):
        if operand.leaves[along] is None:
            array = np.asarray(array.take(0, along))
    dims = tuple(leaf for leaf in operand.leaves if leaf is not None)
    return dims, array if operand.factor == 1 else array * float(operand.factor)


def drawn(program: Program, random: np.random.Generator) -> dict[str, Array]:
    """Random inputs, weights and cache histories, whole, stack dimensions first."""
    meanings: dict[str, int] = {}
    for name, known in program.meanings():
        meanings[name] = min(known, meanings.get(name, known))
    found: dict[str, Array] = {}
    for tensor in program.model.tensors:
        if tensor.role not in ("input", "weight", "cache"):
            continue
        shape = [program.extents[dim].size for dim in (*tensor.stacked, *tensor.leaves)]
        values: Array = (
            np.asarray(random.integers(0, meanings[tensor.name], shape), dtype=np.float64)
            if tensor.name in meanings
            else np.asarray(random.uniform(-1, 1, shape))
        )
        found[tensor.name] = values
    return found


def appended(history: Array, new: Array) -> Array:
    """A cache with new entries at the end of the dimension along which it is longer."""
    along = next((a for a in range(new.ndim) if new.shape[a] != history.shape[a]), None)
    if along is None:
        return new
    kept = history.take(range(history.shape[along] - new.shape[along]), along)
    return np.concatenate((kept, new), along)

"""The reference: the program without any partition, in float64."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from parspec.interpreter.simulate.kernels import Kernel, Task, kernel
from parspec.interpreter.simulate.machine import Array, Extent, Positions
from parspec.interpreter.simulate.parts import Part
from parspec.interpreter.simulate.program import Program, Turns, appended, read
from parspec.interpreter.spec.model import Item, Layer, Stack

Results: TypeAlias = Mapping[tuple[str, Turns], Array]


def reference(program: Program, drawn: Mapping[str, Array]) -> Results:
    """What every layer gives in every turn; of one that appends to a cache, the whole cache."""
    extents = {
        name: Extent(extent.size, extent.size, extent.unit)
        for name, extent in program.extents.items()
    }
    run = _Run(program, extents, dict(drawn))
    run.items(program.model.items, (), ())
    return run.results


@dataclass
class _Run:
    program: Program
    extents: Mapping[str, Extent]
    values: dict[str, Array]
    results: dict[tuple[str, Turns], Array] = field(default_factory=dict)

    def items(self, items: tuple[Item, ...], stacks: tuple[str, ...], turns: Turns) -> None:
        for item in items:
            if isinstance(item, Layer):
                self.layer(item, stacks, turns)
            else:
                self.stack(item, stacks, turns)

    def stack(self, stack: Stack, stacks: tuple[str, ...], turns: Turns) -> None:
        self.values[stack.carry] = self.values[stack.entry]
        for turn in range(self.program.turns(stack.name)):
            self.items(stack.items, (*stacks, stack.name), (*turns, turn))
            self.values[stack.carry] = self.values[stack.last]

    def layer(self, layer: Layer, stacks: tuple[str, ...], turns: Turns) -> None:
        parts = []
        for operand in layer.operands:
            tensor = self.program.tensors[operand.tensor]
            place = self.program.slice_of(tensor, stacks, turns)
            dims, array = read(self.values[tensor.name][place], operand)
            parts.append(Part(dims, array, self._rows(dims)))
        rows = self._rows(layer.operator.output)
        task = Task(layer.operator, tuple(parts), rows, self.extents, float(layer.offset))
        result = _alone(kernel(task))
        out = self.program.tensors[layer.out]
        if out.role == "cache":
            place = self.program.slice_of(out, stacks, turns)
            whole = self.values[out.name].copy()
            whole[place] = appended(whole[place], result)
            self.values[out.name] = whole
            result = whole[place]
        else:
            self.values[out.name] = result
        self.results[layer.name, turns] = result

    def _rows(self, dims: tuple[str, ...]) -> tuple[Positions, ...]:
        return tuple(np.arange(self.extents[dim].size) for dim in dims)


def _alone(work: Kernel) -> Array:
    """A kernel's result where its own share of a statistic is all of it."""
    share: Array | None = None
    while True:
        try:
            _, share = next(work) if share is None else work.send(share)
        except StopIteration as end:
            result: Array = end.value
            return result

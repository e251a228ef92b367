"""Simulation: a model's plan carried out on devices of this process, and held against the program
without a partition.

Promises: a proof that holds means that every result of every layer, on every device, is that of
the unpartitioned program (float64, but for the order of additions), and that every primitive put
exactly the bytes of its `ring` price on the wire.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.moves import all_moves, output_layout
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.analysis.sections import Inferred, infer
from parspec.interpreter.simulate.execution import Differs, Entry, Execution, Plan
from parspec.interpreter.simulate.machine import Extent, Impossible, Machine
from parspec.interpreter.simulate.program import Program, drawn
from parspec.interpreter.simulate.proof import Difference, Proof, Stuck, Traffic
from parspec.interpreter.simulate.reference import reference
from parspec.interpreter.spec.model import Model
from parspec.interpreter.spec.settings import DTYPES
from parspec.interpreter.theory.formulas import Amount
from parspec.interpreter.theory.redistribution import Step, redistribute


def proved(model: Model, seed: int) -> Proof:
    """The proof of a model without mistakes at its own sizes, which must all be numbers."""
    inferred = infer(model)
    machine = _machine(inferred.grid)
    program = Program(model, machine.dims)
    random = np.random.default_rng(seed)
    values = drawn(program, random)
    plan = Plan(inferred, _outputs(inferred))
    with np.errstate(all="ignore"):  # random numbers may overflow: on both sides alike
        expected = reference(program, values)
        execution = Execution(program, plan, machine, values, expected, random)
        fault = _fault(execution)
    traffic = () if fault is not None else _traffic(execution.sent, all_moves(inferred))
    return Proof(len(machine.devices), execution.results, fault, traffic)


def _fault(execution: Execution) -> Difference | Stuck | None:
    """Where running goes wrong, if it does."""
    try:
        execution.run()
    except Impossible as why:
        return Stuck(execution.at, str(why))
    except Differs as found:
        return found.what
    return None


def _outputs(inferred: Inferred) -> tuple[tuple[str, tuple[Step, ...]], ...]:
    """The steps that bring each output to where it must lie."""
    found = []
    for output in inferred.model.outputs:
        tensor = inferred.tensor(output.tensor)
        start, end = output_layout(inferred, output)
        item = DTYPES[tensor.dtype]
        steps = redistribute(start, end, tensor.leaves, inferred.grid.space, item)
        found.append((tensor.name, steps))
    return tuple(found)


def _machine(grid: Grid) -> Machine:
    return Machine(
        tuple(grid.space.sizes),
        tuple(number(size) for size in grid.space.sizes.values()),
        {d.name: Extent(number(d.size), number(d.extent), d.unit) for d in grid.dims},
    )


def number(amount: Amount) -> int:
    """A size that is a number. Raises TypeError on a formula."""
    if not isinstance(amount, int):
        raise TypeError(f"{amount} is not a number")
    return amount


def _traffic(sent: Mapping[Entry, Fraction], moves: tuple[Move, ...]) -> tuple[Traffic, ...]:
    priced: dict[Entry, Fraction] = defaultdict(Fraction)
    for move in moves:
        if move.direction == "forward" and move.primitive is not None:
            amount = dict(move.traffic)["ring"]
            assert isinstance(amount, int | Fraction)
            priced[move.layer, move.tensor, move.cause, move.primitive] += amount
    entries = dict.fromkeys((*priced, *sent))
    return tuple(
        Traffic(
            layer,
            tensor,
            cause,
            primitive,
            sent.get((layer, tensor, cause, primitive), Fraction(0)),
            priced.get((layer, tensor, cause, primitive), Fraction(0)),
        )
        for layer, tensor, cause, primitive in entries
    )

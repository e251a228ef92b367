"""What a primitive costs, in words: its price as a formula, for one and for all of them.

M is the size of the variable as the group sees it, N the number of nodes of the group.
"""

from __future__ import annotations

from parspec.interpreter.analysis.result import Analysis, Move
from parspec.interpreter.commands.quantities import how_many, in_bytes
from parspec.interpreter.theory.formulas import Amount, divide, product
from parspec.interpreter.theory.primitives import PRIMITIVES, PriceList

FREE = "0"


def formula(move: Move, prices: PriceList) -> str:
    """The price of one: `(N−1)/N·M + (N−1)·M`."""
    if move.primitive is None:
        return FREE
    return PRIMITIVES[move.primitive].traffic.of(prices).reader()


def approximation(move: Move) -> str:
    """The price of one for N >> 1: `N·M`."""
    return formula(move, "approx")


def one_priced(move: Move, prices: PriceList) -> str:
    """`(N−1)/N·M + (N−1)·M = 7.9 GB (≈ N·M)`; the last where it says something else."""
    exact, rough = formula(move, prices), approximation(move)
    how_many_moves = product((move.times, move.groups))
    one: Amount = divide(traffic(move, prices), how_many_moves) if how_many_moves != 0 else 0
    told = f"{exact} = {in_bytes(one)}"
    return told if rough == exact else f"{told} (≈ {rough})"


def measures(move: Move) -> str:
    """`N = 8, M = 1.1 GB; 32 times in 4 groups`."""
    said = f"N = {how_many(move.group)}, M = {in_bytes(move.size)}"
    repeated = " ".join(
        text
        for text, one in (
            (f"{how_many(move.times)} times", move.times == 1),
            (f"in {how_many(move.groups)} groups", move.groups == 1),
        )
        if not one
    )
    return f"{said}; {repeated}" if repeated else said


def traffic(move: Move, prices: PriceList) -> Amount:
    """Bytes in the system, of all of them."""
    return dict(move.traffic)[prices]


def axes_of(analysis: Analysis) -> tuple[str, ...]:
    """The axes that layouts speak of: the mesh's in its order, a divided one by its parts."""
    mesh = [axis.name for axis in analysis.model.mesh.axes]
    layouts = [tensor.layout for tensor in analysis.tensors]
    layouts += [state.layout for layer in analysis.layers for state in layer.states]
    mentioned = {axis for layout in layouts for axis in layout.mentioned()}
    parts = sorted(mentioned.difference(mesh))
    divided = {part.rpartition(".")[0] for part in parts} - mentioned
    places = {axis: place for place, axis in enumerate(mesh)}
    names = [axis for axis in mesh if axis not in divided] + parts
    return tuple(sorted(names, key=lambda name: places.get(name.partition(".")[0], len(places))))

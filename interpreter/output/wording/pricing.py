"""What a primitive costs, in words: its price as a formula, for one and for all of them.

M is the size of the variable as the group sees it, N the number of nodes of the group.
"""

from __future__ import annotations

from parspec.interpreter.analysis.result import Move
from parspec.interpreter.output.wording.quantities import how_many, in_bytes, sized
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


def measures(move: Move, prices: PriceList) -> str:
    """`N = 8, M = 1.1 GB; 32 times in 4 groups`: what the formula speaks of, and how often."""
    price = formula(move, prices)
    sizes = []
    if "N" in price:
        sizes.append(sized("N", move.group))
    if price != "M":  # else its price has said it
        sizes.append(f"M = {in_bytes(move.size)}")
    times = f"{how_many(move.times)} times" if move.times != 1 else ""
    groups = f"in {how_many(move.groups)} groups" if move.groups != 1 else ""
    return "; ".join(part for part in (", ".join(sizes), f"{times} {groups}".strip()) if part)


def traffic(move: Move, prices: PriceList) -> Amount:
    """Bytes in the system, of all of them."""
    return dict(move.traffic)[prices]

"""How long a primitive takes on the wires of its axes.

start + latency·steps + bytes / (bandwidth·efficiency). A primitive fused over axes with different
links runs in phases, one a link: the innermost with everything, each further one with what the
phases inside it leave to a node. Phases on different links overlap, the slowest counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from parspec.interpreter.theory import primitives
from parspec.interpreter.theory.formulas import Amount, divide, is_number
from parspec.interpreter.theory.primitives import Primitive
from parspec.interpreter.theory.space import Wire

# Primitives whose every phase moves the whole variable.
UNDIVIDED = frozenset({"Broadcast", "Reduce", "Send"})
# Primitives whose every phase moves a node's slice, M/N, whatever the phases before it did.
BY_SLICE = frozenset({"All-to-All", "Permute"})


def seconds(
    primitive: Primitive, size: Amount, axes: Sequence[tuple[Amount, Wire | None]]
) -> float | None:
    """Seconds for `size` bytes (M) over axes given as (nodes, wire), outermost first; None where a
    wire is missing, a size symbolic or the time beyond all floats."""
    by_link: dict[Wire, Amount] = {}
    for nodes, wire in reversed(axes):
        if wire is None or not is_number(nodes):
            return None
        by_link[wire] = by_link.get(wire, 1) * nodes
    if not is_number(size):
        return None
    everyone: Amount = 1
    for nodes in by_link.values():
        everyone *= nodes
    slowest = 0.0
    left: Amount = size
    for wire, nodes in by_link.items():
        phase = divide(size * nodes, everyone) if primitive.name in BY_SLICE else left
        moved = primitives.per_device(primitive, phase, nodes)
        time = primitives.seconds(
            primitive, moved, nodes, wire.bandwidth, wire.latency, wire.start, wire.efficiency
        )
        if time is None:
            return None
        slowest = max(slowest, time)
        if primitive.name not in UNDIVIDED:
            left = divide(left, nodes)
    return slowest

"""How long a primitive takes on the wires of its axes.

start + latency·steps + bytes / (bandwidth·efficiency). A primitive fused over axes with different
links runs in phases, the innermost axis first with everything, each further one with what the
phases inside it leave to a node; phases on different links overlap, the slowest counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from parspec.interpreter.theory import primitives
from parspec.interpreter.theory.formulas import Amount, divide, is_number
from parspec.interpreter.theory.primitives import Primitive
from parspec.interpreter.theory.space import Wire

# Primitives whose every phase moves the whole variable, not a share of it.
UNDIVIDED = frozenset({"Broadcast", "Reduce", "Send"})


def seconds(
    primitive: Primitive, size: Amount, axes: Sequence[tuple[Amount, Wire | None]]
) -> float | None:
    """Seconds for `size` bytes (M) over axes given as (nodes, wire), outermost first; None where a
    wire is missing or a size symbolic."""
    wires = [wire for _, wire in axes]
    if None in wires or not is_number(size) or not all(is_number(n) for n, _ in axes):
        return None
    by_link: dict[Wire, tuple[Amount, Amount]] = {}
    left: Amount = size
    for nodes, wire in reversed(axes):
        assert wire is not None
        moved = primitives.per_device(primitive, left, nodes)
        group, before = by_link.get(wire, (1, 0))
        by_link[wire] = (group * nodes, before + moved)
        if primitive.name not in UNDIVIDED:
            left = divide(left, nodes)
    return max(
        primitives.seconds(
            primitive, moved, group, wire.bandwidth, wire.latency, wire.start, wire.efficiency
        )
        for wire, (group, moved) in by_link.items()
    )

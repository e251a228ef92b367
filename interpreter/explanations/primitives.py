"""The communication primitives. What they cost is the theory's; here is what they are for."""

from __future__ import annotations

from collections.abc import Mapping

from parspec.grammar.values import value
from parspec.interpreter.explanations.explanation import Explanation
from parspec.interpreter.theory.changes import state_changes
from parspec.interpreter.theory.primitives import PRIMITIVES, Primitive

_WITHIN = {"P to P": "P to P along another dimension", "C to C": "C to C on another node"}
_REORDERED = "P to P with its axes in another order"  # which no state of one axis shows


@value
class _Told:
    text: str
    example: str


_MATRIX = """\
mesh N = 8
dim B = 64, D = 32, F = 128
"""

_TOLD: Mapping[str, _Told] = {
    "Gather": _Told(
        "One node collects the slices of all others. It has one slice already, so of M = 4096 B "
        "on 8 nodes 7/8 travel: 3584 B.",
        """\
mesh N = 8
dim B = 64, D = 32
input x[B, D] partition B on N
layer act: y[B, D] = gelu(x) centralized on N
output y
expect Gather of x on N
expect traffic == 3584 B
""",
    ),
    "Scatter": _Told(
        "One node that has all deals slices to the others. It keeps its own, so of M = 4096 B on "
        "8 nodes 7/8 travel: 3584 B. The reverse of Gather.",
        """\
mesh N = 8
dim B = 64, D = 32
input x[B, D] centralized on N
layer act: y[B, D] = gelu(x) partition B on N
output y
expect Scatter of x on N
expect traffic == 3584 B
""",
    ),
    "Broadcast": _Told(
        "One node that has all sends it to the 7 others: of M = 4096 B, 28672 B. Along a chain no "
        "device sends more than M.",
        _MATRIX
        + """\
input x[B, D] centralized on N
weight w[D, F]
layer up: h[B, F] = x * w partition F on N
output h
expect Broadcast of x on N
expect traffic == 28672 B
""",
    ),
    "Reduce": _Told(
        "Full-sized addends of all nodes are summed up on one: 7 of 8 travel, 28672 B of "
        "M = 4096 B. The reverse of Broadcast.",
        _MATRIX
        + """\
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y centralized on N
expect Reduce of y on N
expect traffic == 28672 B
""",
    ),
    "All-Gather": _Told(
        "Every node gets the slices of all others. Logically a Gather and then a Broadcast, which "
        "is how the article prices it; a ring puts only (N−1)·M on the wire, so that `composed` "
        "overstates the wire by (N+1)/N: 9/8 on 8 nodes.",
        _MATRIX
        + """\
input x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w partition F on N
layer down: y[B, D] = h * v partition D on N     # needs all of h
output y
expect All-Gather of h on N
expect traffic == 129024 B                       # M = 16384 B
""",
    ),
    "Reduce-Scatter": _Told(
        "Full-sized addends are summed up, and every node keeps one slice of the sum. Logically a "
        "Reduce and then a Scatter, which is how the article prices it; a ring puts only (N−1)·M "
        "on the wire, so that `composed` overstates the wire by (N+1)/N: 9/8 on 8 nodes.",
        _MATRIX
        + """\
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y partition B on N
expect Reduce-Scatter of y on N
expect traffic == 32256 B                        # M = 4096 B
""",
    ),
    "All-Reduce": _Told(
        "Full-sized addends are summed up, and every node gets the sum: a Reduce-Scatter and an "
        "All-Gather, one after the other. A ring puts 2(N−1)·M on the wire, so that `composed` "
        "overstates the wire by (N+1)/N. In backward the way back is free.",
        _MATRIX
        + """\
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
expect All-Reduce of y on N
expect traffic == 64512 B                        # M = 4096 B
""",
    ),
    "All-to-All": _Told(
        "Slices along one dimension become slices along another: every node keeps 1/N of its slice "
        "and sends the rest, a part to each. Logically a Gather and then a Scatter, which is how "
        "the article prices it; the wire carries (N−1)/N·M, so that `composed` overstates it by 2. "
        "Tokens reach experts on other nodes this way.",
        """\
mesh N = 8
dim B = 64, D = 32
input x[B, D] partition D on N
layer total: y[B, D] = cumsum over D (x) partition B on N
output y
expect All-to-All of x on N
expect traffic == 7168 B                         # M = 4096 B
""",
    ),
    "Send": _Told(
        "One node hands what it has to another: between the stages of a pipeline, at each of the "
        "n−1 boundaries of n stages (n·v−1 of v chunks each).",
        """\
mesh pp = 4
dim B = 64, D = 32, D2 = D, L = 8
input x[B, D]
stack decoder[L]: x -> y partition L on pp {
  weight w[D, D2]
  layer fc: y[B, D2] = x * w
}
output y
expect Send on pp
expect traffic == 12288 B                        # 3 times M = 4096 B
""",
    ),
    "Permute": _Told(
        "Slices change nodes and stay what they are: the axes that cut a dimension get another "
        "order. Only slices that do not lie in their place travel, and M below is their size; with "
        "2 axes of 2 it is half of the variable.",
        """\
mesh dp = 2, tp = 2
dim B = 64, D = 32
input x[B, D] partition B on dp * tp
layer act: y[B, D] = gelu(x) partition B on tp * dp
output y
expect Permute of x
expect traffic == 2048 B                         # of 4096 B
""",
    ),
}


def _explained(primitive: Primitive) -> Explanation:
    told = _TOLD[primitive.name]
    return Explanation("primitive", primitive.name, told.text, told.example, (), _facts(primitive))


def _facts(primitive: Primitive) -> tuple[tuple[str, str], ...]:
    prices = primitive.traffic
    order = str(primitive.order)
    if primitive.order > 1:
        order += f": {' + '.join(primitive.parts)}"
    return (
        ("turns", "; ".join(_changes(primitive)) or _REORDERED),
        ("order", order),
        ("composed", prices.composed.reader()),
        ("approx", prices.approx.reader()),
        ("ring", prices.ring.reader()),
        ("per device", primitive.per_device.reader()),
        ("steps", primitive.steps.reader()),
        ("way back", primitive.transpose or "nothing"),
    )


def _changes(primitive: Primitive) -> list[str]:
    """`P to R`: the states that it leads from and to."""
    changes = (
        f"{change.source} to {change.target}"
        for change in state_changes()
        if change.primitive is primitive
    )
    return [_WITHIN.get(change, change) for change in changes]


PRIMITIVE_WORDS: tuple[Explanation, ...] = tuple(map(_explained, PRIMITIVES.values()))

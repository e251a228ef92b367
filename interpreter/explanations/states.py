"""The states that a variable has on a mesh axis."""

from __future__ import annotations

from parspec.interpreter.explanations.explanation import Explanation

STATES: tuple[Explanation, ...] = (
    Explanation(
        "state",
        "P",
        "Partitioned: every node of the axis has its slice along a dimension, P(d); the system "
        "stores the variable once. A layer cut along d leaves everything that has d in this state. "
        "64 MB on 8 nodes are 8 MB a node.",
        """\
mesh N = 8
dim B = 64, D = 32
input x[B, D]
layer act: y[B, D] = gelu(x) partition B on N
output y
expect y is P(B) on N
""",
        ("P(d)", "partitioned"),
        (("stored", "M"),),
    ),
    Explanation(
        "state",
        "R",
        "Replicated: every node of the axis has all of the variable; the system stores it N times. "
        "It is what a layer cut along d needs of everything that lacks d, and what a layer that is "
        "not partitioned there leaves.",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128
input x[B, D] replicated on N
weight w[D, F]
layer up: h[B, F] = x * w partition F on N
output h
expect x is R on N
""",
        ("replicated",),
        (("stored", "M·N"),),
    ),
    Explanation(
        "state",
        "C",
        "Centralized: node k of the axis has all of the variable, C(k), the others nothing. A "
        "pipeline's activations are in this state, k their stage; `centralized on tp` asks for it "
        "on node 0.",
        """\
mesh N = 8
dim B = 64, D = 32
input x[B, D] centralized on N
layer act: y[B, D] = gelu(x)
output y
expect y is C(0) on N
expect no communication
""",
        ("C(k)", "C(0)"),
        (("stored", "M"),),
    ),
    Explanation(
        "state",
        "R(partial)",
        "Partial: every node has a full-sized addend, and the variable is their sum; or their "
        "maximum, minimum or log-sum-exp: R(partial max), min, logsumexp. A layer cut along a "
        "dimension that it sums away leaves this. Sums of partials and scaling may go on with it; "
        "everything else needs it reduced first. The article counts it as R, and so do the "
        "printed tables.",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y partition B on N
expect y is R(partial) on N
expect Reduce-Scatter of y on N
""",
        ("partial sum", "partial max", "partial min", "partial logsumexp", "logsumexp"),
        (("stored", "M·N"),),
    ),
)

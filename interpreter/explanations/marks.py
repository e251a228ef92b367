"""Marks: signs of the language that mean more than a reader may think."""

from __future__ import annotations

from parspec.interpreter.explanations.explanation import Explanation

MARKS: tuple[Explanation, ...] = (
    Explanation(
        "mark",
        "*",
        "Between variables their product, summed over the dimensions that the result lacks; "
        "between sizes a product, too. Between axes, `B on pod * dp`, they cut a dimension one "
        "inside the other, the major one first. In a pattern it is any name, and as its last "
        "part any depth: `for *` is for all layers.",
        """\
mesh pod = 2, dp = 4
dim B = 64, D = 32, F = 4 * D
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w
output h
for *: partition B on pod * dp
expect h is P(B) on pod
expect h is P(B) on dp
""",
        ("product", "einsum"),
    ),
    Explanation(
        "mark",
        "+",
        "Adds variables element by element, and sizes. Addends of one kind, R(partial), are added "
        "as they are and reduced once; a partial and a complete variable are not, so the partial "
        "one is reduced first. A bias is added after the reduction.",
        """\
mesh tp = 4
dim B = 64, D = 32, F = 128
input x[B, F], z[B, F]
weight v[F, D], w[F, D]
layer down: y[B, D] = x * v + z * w partition F on tp
output y replicated on tp
expect All-Reduce of y on tp
expect traffic on tp per device <= 6144 B
""",
    ),
    Explanation(
        "mark",
        "->",
        "What goes in stands before it, what comes out behind it: of a stack the variable that a "
        "turn takes and the one that it leaves to the next, of a block or an op its result.",
        """\
dim B = 64, D = 32, L = 4
input x[B, D]
block twice(a[B, D]) -> c {
  layer one: b[B, D] = gelu(a)
  layer two: c[B, D] = gelu(b)
}
stack deep[L]: x -> y {
  layer both: y[B, D] = twice(x)
}
output y
""",
    ),
)
"""The explanation of each mark."""

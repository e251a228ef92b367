"""The names of strategies, which are recognised from the states of a layer's variables."""

from __future__ import annotations

from parspec.interpreter.explanations.explanation import Explanation

STRATEGIES: tuple[Explanation, ...] = (
    Explanation(
        "strategy",
        "pipeline",
        "The layers are shared out: each node of the axis, a stage, runs some turns of a stack "
        "and has their weights only. Between stages is a Send of one activation; within a stage "
        "nothing moves on this axis. With n stages and m microbatches the bubble is (n−1)/m of "
        "the ideal time: 3/32 for 4 stages and 32 microbatches.",
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
""",
        ("PP", "pipeline parallelism"),
    ),
    Explanation(
        "strategy",
        "data",
        "The batch is cut: activations are P, weights R, and forward nothing moves. Each node's "
        "gradient of a weight is partial, since the weight lacks the batch: one All-Reduce a "
        "step. The system stores every weight N times, unless `store` cuts it at rest.",
        """\
mesh dp = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition B on dp
output h
expect x is P(B) on dp
expect w is R on dp
expect no communication
""",
        ("DP", "data parallelism"),
    ),
    Explanation(
        "strategy",
        "tensor, column",
        "A product is cut along a dimension that only the weight and the result have: the weight "
        "by columns. The operand is R, the weight and the result are P. What comes next along the "
        "same dimension (a row) needs nothing moved; anything else an All-Gather.",
        """\
mesh tp = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition F on tp
output h
expect x is R on tp
expect w is P(F) on tp
expect h is P(F) on tp
""",
        ("TP", "tensor", "column", "column parallel", "tensor parallelism"),
    ),
    Explanation(
        "strategy",
        "tensor, row",
        "A product is cut along the dimension that it sums away: the weight by rows. Operand and "
        "weight are P, the result is partial. An All-Reduce makes it complete everywhere, a "
        "Reduce-Scatter, at half the price, in slices.",
        """\
mesh tp = 8
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on tp
output y replicated on tp
expect h is P(F) on tp
expect y is R(partial) on tp
""",
        ("TP", "tensor", "row", "row parallel", "tensor parallelism"),
    ),
    Explanation(
        "strategy",
        "head",
        "Attention is cut along its heads, which nothing sums away: scores and context of a head "
        "stay on a node, and nothing moves. The projections around it are `tensor, column` and "
        "`tensor, row`. The nodes divide the kv heads, or each kv head lies on several nodes.",
        """\
mesh tp = 4
dim B = 8, S = 64, T = S, D = 128, H = 8, K = 16
input x[B, S, D]
weight wq[D, H, K], wk[D, H, K]
layer q:     q[B, S, H, K] = x * wq               partition H on tp
layer k:     k[B, T, H, K] = x[B, T, D] * wk      partition H on tp
layer score: s[B, H, S, T] = q * k                partition H on tp
output s
expect s is P(H) on tp
expect no communication
""",
        ("heads", "head parallelism"),
    ),
    Explanation(
        "strategy",
        "sequence",
        "Positions are cut where each is computed by itself: norms, residual sums, the loss. "
        "Around layers in tensor parallel it turns an All-Reduce into a Reduce-Scatter behind and "
        "an All-Gather in front, of the same bytes, and keeps 1/N of the activations.",
        """\
mesh tp = 4
dim B = 8, S = 64, D = 32, F = 128
input x[B, S, D], h[B, S, F]
weight g[D], w[F, D]
layer down: d[B, S, D] = h * w                    partition F on tp
layer res:  z[B, S, D] = x + d                    partition S on tp
layer norm: n[B, S, D] = rmsnorm over D (z, g)    partition S on tp
output n
expect Reduce-Scatter of d on tp
""",
        ("SP", "sequence parallelism"),
    ),
    Explanation(
        "strategy",
        "context",
        "Positions are cut where attention has to see all of them: queries stay, keys and values "
        "are gathered, or go round (`ring`). `zigzag` deals two chunks to each node, so that all "
        "have the same share of a causal mask.",
        """\
mesh cp = 4
dim B = 8, S = 64, T = S, H = 8, K = 16
input q[B, S, H, K], k[B, T, H, K] partition T on cp zigzag
layer score: s[B, H, S, T] = q * k partition S on cp zigzag
output s
expect All-Gather of k on cp
""",
        ("CP", "context parallelism"),
    ),
    Explanation(
        "strategy",
        "expert",
        "Experts are cut: each node has some of them, and their weights are P(E). Tokens lie where "
        "the batch was cut, P(C) in slots, so an All-to-All takes them to their experts and "
        "another one back.",
        """\
mesh ep = 4
dim B = 64, S = 16, D = 32, F = 128, E = 8
dim C = capacity(tokens = B * S, experts = E, top = 2)
input x[B, S, D], r[B, S, E]
weight w[E, D, F]
layer send: xe[E, C, D] = dispatch(x, r)          partition B on ep
layer up:   h[E, C, F] = xe * w                   partition E on ep
output h
expect All-to-All of xe on ep
""",
        ("EP", "expert parallelism", "moe"),
    ),
    Explanation(
        "strategy",
        "vocabulary",
        "The table of tokens is cut along its rows. A lookup gives zeros for tokens of other "
        "nodes: a partial result. A cross-entropy over cut logits reduces a maximum, a sum and "
        "the target's logit for each token, 12 bytes instead of the logits of all V words.",
        """\
mesh tp = 4
dim B = 64, V = 1000, D = 32
input tokens[B] : i32
weight emb[V, D]
layer embed: x[B, D] = lookup(tokens, emb) partition V on tp
output x replicated on tp
expect x is R(partial) on tp
""",
        ("vocab", "vocabulary parallelism"),
    ),
    Explanation(
        "strategy",
        "centralized",
        "One node of the axis computes the layer, the others nothing. Written `centralized on N`, "
        "or followed where all operands arrive on one node.",
        """\
mesh N = 8
dim B = 64, D = 32
input x[B, D] centralized on N
layer act: y[B, D] = gelu(x)
output y
expect y is C(0) on N
""",
    ),
    Explanation(
        "strategy",
        "repeated",
        "Nothing of the layer is cut on the axis: every node computes all of it, on copies. Cheap "
        "for a norm, a waste for a product; where it is over 5 % of all FLOPs it is a warning.",
        """\
mesh N = 8
dim B = 64, D = 32
input x[B, D] replicated on N
layer act: y[B, D] = gelu(x)
output y
expect y is R on N
""",
    ),
    Explanation(
        "strategy",
        "split DIM",
        "Cut along a dimension that makes no strategy with a name of its own: `split F` for a "
        "pointwise function between a column and a row. The dimension rule holds as everywhere.",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up:  h[B, F] = x * w     partition F on N
layer act: a[B, F] = gelu(h)   # follows h
output a
expect a is P(F) on N
expect no communication
""",
        ("split",),
    ),
)

"""The words inside statements: clauses, and what stands in them."""

from __future__ import annotations

from parspec.interpreter.explanations.explanation import Explanation

CLAUSES: tuple[Explanation, ...] = (
    Explanation(
        "clause",
        "partition",
        "`partition F on tp` cuts a layer along a dimension: what has F is P(F) on tp, what lacks "
        "it R, and a result from which it was summed away partial. Several dimensions and axes "
        "may be named, `B on dp, F on tp`; clauses are resolved axis by axis, a layer's own before "
        "patterns.",
        """\
mesh dp = 2, tp = 4
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition B on dp, F on tp
output h
expect h is P(B) on dp
expect h is P(F) on tp
""",
        ("follow", "follows"),
    ),
    Explanation(
        "clause",
        "replicated",
        "`replicated on N`: all of an input, a weight or an output lies on every node of the axis.",
        """\
mesh N = 8
dim B = 64, D = 32
input x[B, D] partition B on N
layer act: y[B, D] = gelu(x)
output y replicated on N
expect All-Gather of y on N
""",
    ),
    Explanation(
        "clause",
        "centralized",
        "`centralized on N`: node 0 of the axis has an input, a weight or an output, or computes a "
        "layer; the others have nothing of it.",
        """\
mesh N = 8
dim B = 64, D = 32
input x[B, D] partition B on N
layer act: y[B, D] = gelu(x)
output y centralized on N
expect Gather of y on N
""",
    ),
    Explanation(
        "clause",
        "partial",
        "`partial on N`: every node has a full-sized addend of an input or an output; "
        "`partial max` says another kind than the sum. It is how an output is left unreduced "
        "without a warning.",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y partial on N
expect no communication
""",
    ),
    Explanation(
        "clause",
        "store",
        "How weights lie at rest when that is not how they are used: FSDP, ZeRO-3. Gathered before "
        "each use, they cost an All-Gather forward, one more in backward unless kept, and a "
        "Reduce-Scatter of the gradient. Without a dimension they are cut flat, and padded.",
        """\
mesh dp = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F] store D on dp
layer up: h[B, F] = x * w partition B on dp
output h
expect All-Gather of w on dp
""",
        ("FSDP", "ZeRO-3", "at rest"),
    ),
    Explanation(
        "clause",
        "frozen",
        "A weight without gradient and optimizer state. By pattern, `for decoder.{wq,wv}: frozen`.",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F] frozen
layer up: h[B, F] = x * w partition F on N
output h
""",
    ),
    Explanation(
        "clause",
        "recompute",
        "These layers' activations are not kept but computed again in backward, and their "
        "primitives are paid again.",
        """\
mesh dp = 4
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up:  h[B, F] = x * w partition B on dp
layer act: a[B, F] = gelu(h)
output a
for act: recompute
""",
        ("activation checkpointing",),
    ),
    Explanation(
        "clause",
        "at",
        "`at pp[0]`: on one stage of a pipeline. Layers before a stack are on its first stage and "
        "those behind it on its last, unless this says otherwise.",
        """\
mesh pp = 2
dim B = 64, D = 32, D2 = D, L = 4
input x[B, D]
layer first: a = gelu(x)
stack decoder[L]: a -> y partition L on pp {
  weight w[D, D2]
  layer fc: y[B, D2] = a * w
}
layer last: z = gelu(y) at pp[1]
output z
""",
    ),
    Explanation(
        "clause",
        "on",
        "Names the axes that a clause or an `expect` is about. Several on one dimension, "
        "`B on pod * dp`, cut it one inside the other, the major one first.",
        """\
mesh pod = 2, dp = 4
dim B = 64, D = 32
input x[B, D]
layer act: y[B, D] = gelu(x) partition B on pod * dp
output y
expect y is P(B) on pod
expect y is P(B) on dp
""",
    ),
    Explanation(
        "clause",
        "over",
        "In front of an axis' link (`tp = 8 over nvlink`), and of the dimension that a function "
        "works along (`softmax over T (s)`).",
        """\
link wire { bandwidth = 50 GB/s }
mesh N = 8 over wire
dim B = 64, D = 32
input x[B, D]
layer prob: p[B, D] = softmax over D (x) partition B on N
output p
expect no communication
""",
    ),
    Explanation(
        "clause",
        "none",
        "`partition none on tp`: this layer is not partitioned there, whatever a pattern or what "
        "it follows says. A chunk of `stages` may be `none` as well.",
        """\
mesh tp = 4
dim B = 64, D = 32
input x[B, D]
layer act: y[B, D] = gelu(x) partition none on tp
output y
for *: partition D on tp
expect y is R on tp
""",
    ),
    Explanation(
        "clause",
        "no",
        "`expect no All-Gather in decoder`, `expect no communication`: the primitive, or any, is "
        "not there.",
        """\
mesh N = 8
dim B = 64, D = 32
input x[B, D]
layer act: y[B, D] = gelu(x) partition B on N
output y
expect no communication
""",
    ),
    Explanation(
        "clause",
        "of",
        "In front of what a primitive carries (`expect All-Reduce of y`), of the axes that are cut "
        "anew (`axis ep = 2 of dp`), and of so many turns in `stages` (`14 of 4 decoder`).",
        """\
mesh dp = 8
axis edp = rest, ep = 2 of dp
dim E = 2, B = 64, D = 32
input x[E, B, D]
layer act: y[E, B, D] = gelu(x) partition E on ep, B on edp
output y
expect y is P(E) on ep
expect y is P(B) on edp
""",
    ),
    Explanation(
        "clause",
        "in",
        "Narrows an `expect` to layers, stacks or blocks: `expect no All-Gather in decoder`.",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128, L = 4
input x[B, D]
stack decoder[L]: x -> y {
  weight w[D, F], v[F, D]
  layer up:   h[B, F] = x * w  partition F on N
  layer down: d[B, D] = h * v  partition F on N
  layer res:  y[B, D] = x + d
}
output y
expect All-Reduce of d on N in decoder
""",
    ),
    Explanation(
        "clause",
        "is",
        "`expect h is P(F) on tp`: the state of a variable as it is produced.",
        """\
mesh tp = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition F on tp
output h
expect h is P(F) on tp
""",
    ),
    Explanation(
        "clause",
        "unit",
        "`dim K = 128 unit 128`: a slice holds whole units, here heads of 128 or blocks of a "
        "quantisation. 1536 in units of 128 are 12, so 1, 2, 3, 4, 6 and 12 nodes do.",
        """\
mesh tp = 6
dim B = 64, F = 1536 unit 128
input h[B, F]
layer act: a[B, F] = gelu(h) partition F on tp
output a
expect a is P(F) on tp
""",
    ),
    Explanation(
        "clause",
        "padded",
        "`dim V = 50257 padded to 128 * tp`: tensors are as large as the next multiple, 50688 for "
        "tp = 4, and the waste is reported. Parameters are counted without it, bytes with it; "
        "lookups and losses mask it.",
        """\
mesh tp = 4
dim B = 64, D = 32, V = 50257 padded to 128 * tp
input x[B, D]
weight head[D, V]
layer logits: z[B, V] = x * head partition V on tp
output z
expect parameters == 1608224               # 32 x 50257
""",
        ("padded to", "padding", "to"),
    ),
    Explanation(
        "clause",
        "uneven",
        "A dimension that does not divide is cut all the same: slices have the ceiling of the "
        "share, the last ones are short or empty. On a pipelined stack the first stages take one "
        "turn more.",
        """\
mesh N = 4
dim B = 30 uneven, D = 32
input x[B, D]
layer act: y[B, D] = gelu(x) partition B on N
output y
expect y is P(B) on N
""",
    ),
    Explanation(
        "clause",
        "fused",
        "`block attention(...) -> c fused { ... }`: the block runs as one kernel. Backward keeps "
        "its inputs, its output and the log-sum-exp, none of the scores.",
        """\
mesh tp = 4
dim B = 8, S = 64, T = S, H = 8, K = 16
block attention(q[B, S, H, K], k[B, T, H, K], v[B, T, H, K]) -> c fused {
  layer score: s[B, H, S, T] = q * k
  layer prob:  p[B, H, S, T] = softmax over T (s)
  layer ctx:   c[B, S, H, K] = p * v
}
input q[B, S, H, K], k[B, T, H, K], v[B, T, H, K]
layer attn: c[B, S, H, K] = attention(q, k, v) partition H on tp
output c
expect no communication
""",
        ("flash attention",),
    ),
    Explanation(
        "clause",
        "masked",
        "`mean over D masked (x)`: padding along D is left out, where a function along a padded "
        "dimension would otherwise warn that padding reaches it.",
        """\
mesh N = 4
dim B = 64, D = 30 padded to 8
input x[B, D]
layer prob: p[B, D] = softmax over D masked (x) partition B on N
output p
""",
    ),
    Explanation(
        "clause",
        "zigzag",
        "`S on cp zigzag`: two chunks of positions a node, one from each end, so that all nodes "
        "have the same share of a causal mask. S divides by twice the axis: 64 by 8 for cp = 4.",
        """\
mesh cp = 4
dim B = 8, S = 64, D = 32
input x[B, S, D]
layer act: y[B, S, D] = gelu(x) partition S on cp zigzag
output y
expect y is P(S) on cp
""",
    ),
    Explanation(
        "clause",
        "ring",
        "`S on cp ring`: attention's partner is not gathered but goes round, a slice at a time, so "
        "that no node holds all keys and values. Figures are those of the gather in its place.",
        """\
mesh cp = 4
dim B = 8, S = 64, T = S, H = 8, K = 16
input q[B, S, H, K], k[B, T, H, K] partition T on cp
layer score: s[B, H, S, T] = q * k partition S on cp ring
output s
""",
        ("ring attention",),
    ),
    Explanation(
        "clause",
        "rest",
        "The size of a mesh axis that fills the product: `dp = rest, tp = 8` on 32 devices is "
        "dp = 4. One axis may have it.",
        """\
device box { memory = 80 GB }
mesh dp = rest, tp = 8 on 32 box
dim B = 64, D = 32
input x[B, D]
layer act: y[B, D] = gelu(x) partition B on dp, D on tp
output y
""",
    ),
    Explanation(
        "clause",
        "capacity",
        "`dim C = capacity(tokens = B * S, experts = E, top = 2, factor = 1.25)`: slots of an "
        "expert, top·tokens·factor/E: 320 for 1024 tokens and 8 experts. What does not fit a slot "
        "is dropped. An unsaid factor is 1.",
        """\
mesh ep = 4
dim B = 64, S = 16, D = 32, E = 8
dim C = capacity(tokens = B * S, experts = E, top = 2, factor = 1.25)
input xe[E, C, D]
layer act: y[E, C, D] = gelu(xe) partition E on ep
output y
""",
        ("top", "factor", "tokens", "experts"),
    ),
    Explanation(
        "clause",
        "pointwise",
        "`op swish: pointwise` declares a function of one or more tensors that works on each "
        "element by itself, so that partitioned and replicated operands pass through.",
        """\
mesh N = 8
dim B = 64, D = 32
op swish: pointwise
input x[B, D]
layer act: y[B, D] = swish(x) partition D on N
output y
expect no communication
""",
    ),
    Explanation(
        "clause",
        "?",
        "A hole, `partition ? on tp`: the tool prices every dimension, takes the cheapest, and "
        "offers it as an edit. It judges by time where the device and the links are known; else by "
        "bytes, after what repeats no work. What does not fit comes last.",
        """\
mesh tp = 4
dim B = 64, D = 32
input x[B, D] partition B on tp
layer act: y[B, D] = gelu(x) partition ? on tp
output y
expect y is P(B) on tp
""",
        ("hole",),
    ),
    Explanation(
        "clause",
        "grad",
        "`grad(w)`: the gradient of a variable, wherever an `expect` names a tensor. It is partial "
        "on exactly those axes that cut a dimension its tensor lacks.",
        """\
mesh dp = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition B on dp
output h
train adam { global_batch = B  microbatch = 8 }
expect All-Reduce of grad(w) on dp
""",
        ("gradient",),
    ),
    Explanation(
        "clause",
        "per device",
        "In a budget: the bytes that the busiest device sends or receives, instead of those of the "
        "system. They rank strategies differently, and no price list changes them.",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
expect traffic per device == 7168 B        # 2(N−1)/N·M, M = 4096 B
""",
        ("per",),
    ),
    Explanation(
        "clause",
        "forward",
        "Narrows an `expect` to the forward pass; without a pass it is about a whole step.",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
expect All-Reduce of y on N forward
""",
        ("pass",),
    ),
    Explanation(
        "clause",
        "backward",
        "Narrows an `expect` to the backward pass, where every primitive's transpose appears: an "
        "All-Gather goes back as a Reduce-Scatter, an All-Reduce as nothing.",
        """\
mesh tp = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w  partition F on tp
layer down: y[B, D] = h * v  partition F on tp
output y replicated on tp
train adam { global_batch = B  microbatch = 64 }
expect no All-Gather backward
""",
    ),
    Explanation(
        "clause",
        "update",
        "Narrows an `expect` to what a step does once, behind backward: the reduction of gradients "
        "and, with `zero`, the All-Gather of weights.",
        """\
mesh dp = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition B on dp
output h
train adam { global_batch = B  microbatch = 8 }
expect traffic update <= 1 MB
""",
    ),
)

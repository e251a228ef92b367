"""The words that begin a statement."""

from __future__ import annotations

from parspec.interpreter.explanations.explanation import Explanation

STATEMENTS: tuple[Explanation, ...] = (
    Explanation(
        "statement",
        "dim",
        "Declares dimensions. A size is a number, arithmetic (`4 * D`), or left out: then costs "
        "stay formulas, and a file that imports this one may give it. A product of dims "
        "(`H = G * R`) may be read as its factors and back; `T = S` is a second index over the "
        "same positions.",
        """\
mesh N = 8
dim B, D = 64                 # B is symbolic
dim F = 4 * D
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition F on N
output h
expect h is P(F) on N
""",
    ),
    Explanation(
        "statement",
        "mesh",
        "Lays named axes over the devices, outermost first; `dp = 4, tp = 8` is 32 devices. "
        "`over` gives an axis its link, and with it times; `on 32 h100` says how many devices of "
        "which kind there are. `rest` fills the product, and one that does not match is an error.",
        """\
import std.h100
mesh dp = rest over ib, tp = 8 over nvlink on 32 h100
dim B = 64, D = 4096
input x[B, D] partition B on dp
layer act: y[B, D] = gelu(x) partition D on tp
output y
""",
    ),
    Explanation(
        "statement",
        "axis",
        "Another view of the same devices: a product of axes (`ep = dp * tp`), an alias "
        "(`ep = dp`), or a new cut of axes (`edp = rest, ep = 8 of dp`). A partition on a view is "
        "one on the axes that it is made of, with the same primitives between them.",
        """\
mesh dp = 4, tp = 2
axis ep = dp * tp
dim E = 8, B = 64, D = 32
input x[E, B, D]
layer act: y[E, B, D] = gelu(x) partition E on ep
output y
expect y is P(E) on dp
expect y is P(E) on tp
""",
        ("view",),
    ),
    Explanation(
        "statement",
        "link",
        "What an axis runs over, per device in one direction. A primitive takes start + latency "
        "for each step + bytes / (bandwidth x efficiency): 117 MB at 450 GB/s are 0.26 ms. The "
        "library brings `nvlink` and `ib` with its devices.",
        """\
link ring { bandwidth = 100 GB/s  latency = 2 us  efficiency = 90% }
mesh N = 8 over ring
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
""",
    ),
    Explanation(
        "statement",
        "device",
        "What the mesh is made of: memory, peak operations a second, bandwidth of its memory. A "
        "layer takes max(FLOPs / flops, bytes / hbm), and a plan that needs more than `memory` is "
        "an error. `import std.h100` brings the device `h100`.",
        """\
device box { memory = 80 GiB  flops = 989 Tflop/s  hbm = 3.35 TB/s }
mesh N = 8 on 8 box
dim B = 64, D = 32
input x[B, D]
layer act: y[B, D] = gelu(x) partition B on N
output y
""",
    ),
    Explanation(
        "statement",
        "dtype",
        "The element type of tensors that do not say their own; bf16 when the spec does not say "
        "one either. A tensor's own stands behind its dimensions: `w[D, F] : fp8`.",
        """\
dtype f32
mesh N = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F] : bf16
layer up: h[B, F] = x * w partition F on N
output h
""",
    ),
    Explanation(
        "statement",
        "input",
        "A variable that comes from outside, with its dimensions. Where it lies may be said "
        "(`partition B on dp`); unsaid, it lies as all its uses need it where they agree, else "
        "replicated, at no cost. It gets a gradient only where somebody asks for `grad(x)`.",
        """\
mesh dp = 4
dim B = 64, D = 32
input x[B, D] partition B on dp
layer act: y[B, D] = gelu(x)
output y
expect y is P(B) on dp
""",
    ),
    Explanation(
        "statement",
        "weight",
        "A parameter, with a gradient and optimizer state in training unless `frozen`. Inside a "
        "stack there is one for each turn, inside a block one for each use. It lies as its uses "
        "need it, or as `store` says: with D = 32 and F = 128 there are 4096 parameters.",
        """\
mesh tp = 4
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition F on tp
output h
expect parameters == 4096
""",
        ("parameter",),
    ),
    Explanation(
        "statement",
        "cache",
        "What inference keeps from earlier positions. A layer whose result is a cache appends to "
        "it; what reads it sees all of it. Declared with the dimension of a stack, or inside it, "
        "every turn has its own.",
        """\
mesh tp = 4
dim B = 8, S = 1, T = 1024, G = 4, K = 16
input k[B, S, G, K], q[B, S, G, K]
cache kc[B, T, G, K]
layer keep: kc[B, S, G, K] = k                partition G on tp
layer score: s[B, G, S, T] = q * kc           partition G on tp
output s
infer { phase = decode  context = 1024 }
""",
        ("kv cache",),
    ),
    Explanation(
        "statement",
        "var",
        "Declares the dimensions of a variable before the layer that gives it. Optional: a layer's "
        "result declares itself.",
        """\
mesh N = 4
dim B = 64, D = 32
input x[B, D]
var h[B, D]
layer act: h = gelu(x) partition B on N
output h
""",
    ),
    Explanation(
        "statement",
        "output",
        "What the model is run for, and where it has to lie: `output y replicated on N`. Unsaid, "
        "it stays as it was produced; left partial is a warning. Backward starts at every output. "
        "An output of a plan takes the place of the model's.",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
expect All-Reduce of y on N
""",
    ),
    Explanation(
        "statement",
        "layer",
        "One operator: `layer NAME: OUT[dims] = EXPRESSION`, with clauses behind it. A product of "
        "tensors sums over the dims that OUT lacks, as einsum does; sums, functions and calls of "
        "ops and blocks are the others. Without a `partition` it follows what its operands bring.",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = gelu(x * w)  partition F on N
layer down: y[B, D] = h * v        # follows h: F on N
output y replicated on N
expect All-Reduce of y on N
""",
        ("einsum", "product"),
    ),
    Explanation(
        "statement",
        "op",
        "A template for an operator; its dims are its own and are bound to the caller's at each "
        "call, and a `partition` may name either. `op f: pointwise` declares a pointwise function.",
        """\
mesh tp = 4
dim B = 64, D = 32, F = 128
op linear(X[B, I], W[I, O]) -> Y[B, O] = X * W
op swish: pointwise
input x[B, D]
weight w[D, F]
layer up:  h[B, F] = linear(x, w) partition O on tp
layer act: a[B, F] = swish(h)
output a
expect a is P(F) on tp
""",
        ("operator", "template"),
    ),
    Explanation(
        "statement",
        "block",
        "A named group of layers, written out at each call with weights of its own. Parameters "
        "rename the caller's dimensions by position. A clause on the call reaches every layer "
        "inside that has the dimension; from outside an inner layer is `mlp.up`.",
        """\
mesh tp = 4
dim B = 64, D = 32, F = 128
block ffn(x[B, D]) -> y {
  weight w1[D, F], w2[F, D]
  layer up:   h[B, F] = gelu(x * w1)
  layer down: y[B, D] = h * w2
}
input x[B, D]
layer mlp: y[B, D] = ffn(x) partition F on tp
output y replicated on tp
expect All-Reduce of y on tp
""",
    ),
    Explanation(
        "statement",
        "stack",
        "A body that runs L times: what a turn leaves (`y`) is what the next one takes (`x`). "
        "Weights inside have a slice for each turn. Traffic counts all turns, so two All-Reduces "
        "in a stack of 80 are 160; `partition L on pp` makes it a pipeline. All turns are alike: "
        "the carry `x` lies as a turn leaves it, in the first turn, too. A turn that takes it "
        "otherwise moves it L times, L layers written out L-1 times.",
        """\
mesh pp = 4
dim B = 64, D = 32, D2 = D, L = 8
input x[B, D]
stack decoder[L]: x -> y partition L on pp {
  weight w[D, D2]
  layer fc: y[B, D2] = x * w
}
output y
expect parameters == 8192
""",
        ("carry", "turn", "turns"),
    ),
    Explanation(
        "statement",
        "for",
        "Clauses by pattern, so that a plan can stand apart from the model. `*` is any layer, "
        "`decoder.{q,k,v}` some of a stack, and a stack's own name takes `partition L`. Layers "
        "without the dimension are skipped; a layer's own clause and later patterns win.",
        """\
mesh dp = 2, tp = 4
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w
layer down: y[B, D] = h * v
output y replicated on tp
for *: partition B on dp
for up, down: partition F on tp
expect h is P(F) on tp
""",
        ("pattern",),
    ),
    Explanation(
        "statement",
        "stages",
        "A pipeline layout written out: chunks dealt round to the stages, each a sum of layers and "
        "of so many turns of a stack. `14 of 4 decoder` is 14 chunks of 4 turns. Unequal chunks "
        "are what was asked for; layers unlisted go with the one before them.",
        """\
mesh pp = 4
dim B = 64, D = 32, D2 = D, L = 6
input x[B, D]
stack decoder[L]: x -> y {
  weight w[D, D2]
  layer fc: y[B, D2] = x * w
}
layer act: z = gelu(y)
output z
stages pp: 2 decoder | 2 of 1 decoder | 2 decoder + act
""",
    ),
    Explanation(
        "statement",
        "train",
        "Says that the plan trains, and how. The batch has to come out even: global_batch = dp x "
        "microbatch x microbatches, where dp is the product of the axes that split it. Adam is "
        "meant when no optimizer is named. Figures are those of one optimizer step, of which only "
        "the forward pass is evaluated: budgets that need more than it say so, or `forward`.",
        """\
mesh dp = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition B on dp
output h
train adam { global_batch = B  microbatch = 2  microbatches = 4 }
""",
        ("adam", "sgd", "optimizer"),
    ),
    Explanation(
        "statement",
        "infer",
        "Says that the plan serves: totals are those of one forward pass, and memory is weights, "
        "caches and the largest set of variables that live at one time. `prefill` runs over all "
        "positions of a prompt, `decode` adds some to a cache.",
        """\
mesh tp = 4
dim B = 8, S = 128, D = 32, F = 128
input x[B, S, D]
weight w[D, F]
layer up: h[B, S, F] = x * w partition F on tp
output h
infer { phase = prefill  weight = fp8 }
""",
    ),
    Explanation(
        "statement",
        "cost",
        "The price list in which totals and budgets are quoted: `composed` (the default), `approx` "
        "or `ring`. Bytes per device and times do not depend on it.",
        """\
cost ring
mesh N = 8
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
expect traffic == 57344 B                # 2(N−1)·M, M = 4096 B
""",
    ),
    Explanation(
        "statement",
        "plan",
        "A named set of mesh, sizes, patterns, settings and expects over the same model. `check` "
        "looks at the file and at each of its plans, `--plan NAME` at one. What a plan says takes "
        "the place of what stands outside it; only a plan may size a dimension anew.",
        """\
dim B = 64, D = 32
input x[B, D]
layer act: y[B, D] = gelu(x)
output y
plan small { mesh dp = 2  for *: partition B on dp }
plan large { mesh dp = 8  dim B = 512  for *: partition B on dp }
""",
    ),
    Explanation(
        "statement",
        "expect",
        "A claim that fails the check when it stops being true: a budget "
        "(`traffic <= 1.2 GB`), a state as produced (`h is P(F) on tp`), a primitive that is there "
        "(`All-Reduce of y on tp`) or not (`no All-Gather in decoder`). It may be narrowed by "
        "`on`, `in`, `per device` and a pass.",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
expect y is R(partial) on N
expect All-Reduce of y on N
expect no All-Gather
expect traffic on N <= 65 kB
""",
        ("pin", "budget"),
    ),
    Explanation(
        "statement",
        "communication",
        "`communication explicit`: every primitive that is inserted has to be pinned by an "
        "`expect`, so that none appears unseen; the fix writes the pin. `no communication` in an "
        "`expect` means that nothing moves.",
        """\
communication explicit
mesh N = 8
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
expect All-Reduce of y on N
""",
        ("explicit",),
    ),
    Explanation(
        "statement",
        "import",
        'Brings the statements of another file (`import "model.par"`, relative to this one) or of '
        "the library: devices with their links (`std.h100`), and blocks (`std.gqa`, `std.swiglu`, "
        "`std.moe`, `std.dense_layer`). A dimension that the other file leaves open gets its size "
        "here, once.",
        """\
import std.swiglu
mesh tp = 4
dim B = 8, S = 16, D = 32, F = 128
input x[B, S, D]
layer mlp: y[B, S, D] = swiglu_mlp(x) partition F on tp
output y replicated on tp
expect All-Reduce of y on tp
""",
        ("library", "std"),
    ),
)

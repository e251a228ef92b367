"""Hovers on the names of a spec: source with a cursor mark, what is shown drawn below it."""

import pytest
from hover_fixtures import MLP, MODEL, STACK, TWO_PLANS, marked, shown, with_mark

from parspec.interpreter.explanations.index import explained


def test_the_range_is_the_name():
    assert marked(with_mark(MLP, "w_up    part", "w_‸up    part")) == (
        "layer up:   h[B, F] = x * w_up    partition F on N  # column\n"
        "                          ^^^^ weight w_up[D, F] : bf16"
    )


def test_dim():
    assert (
        shown(with_mark(MLP, "F = 28672", "‸F = 28672"))
        == """\
```par
dim F = 28672
```

feed-forward

| split on | ways | slice  | by            |
| -------- | ---- | ------ | ------------- |
| N        | 8    | F 3584 | up, act, down |

in `w_up` `w_down` `h` `a`"""
    )


def test_dim_that_no_layer_splits():
    text = shown(with_mark(MLP, "dim B", "dim ‸B"))
    assert (
        text
        == """\
```par
dim B = 4096
```

tokens

not split

in `x` `h` `a` `y`"""
    )


PIPED = """\
mesh pp = 4, dp = 2
dim B = 64, D = 8, L = 10
input x[B, D] partition B on dp
stack deep[L]: x -> y partition L on pp {
  layer act: y[B, D] = gelu(x)
}
stack more[L]: y -> z partition L on pp {
  layer act: z[B, D] = gelu(y)
}
output z
"""


@pytest.mark.parametrize(
    ("turns", "by"),
    [
        ("L on pp uneven", "| pp       | 4    | L 3   | stack deep, stack more |"),
        ("none on pp", "not split"),
    ],
)
def test_dim_that_stacks_split(turns, by):
    text = shown(PIPED.replace("L = 10", "‸L = 10").replace("L on pp", turns))
    assert by in text.split("\n")


def test_dim_that_stages_split():
    stages = "stages pp: 1 deep | 4 deep | 3 deep | 2 deep\n"
    spec = PIPED.replace("stack more[L]: y -> z partition L on pp {", "stack more[L]: y -> z {")
    source = spec.replace(" partition L on pp", "").replace("L = 10", "‸L = 10") + stages
    assert "| pp       | 4    | L 4   | stack deep |" in shown(source).split("\n")


AT_REST = """\
mesh dp = 2, tp = 4
dim B = 64, D = 36, F = 64, G = 2, R = 4, L = 4
dim H = G * R
input x[B, D]
input c[H] partition H on tp
weight w[D, F], v[F, D] store D on dp
for w: store F on tp
layer up: h[B, F] = x * w partition B on dp
stack deep[L]: h -> z {
  layer act: z[B, F] = gelu(h)
}
layer down: y[B, D] = z * v
output y
output c
"""


@pytest.mark.parametrize(
    ("dim", "row"),
    [
        ("D", "dp       | 2    | D 18  | weight w, weight v"),
        ("F", "tp       | 4    | F 16  | weight w"),
        ("B", "dp       | 2    | B 32  | up, deep.act, down"),
        ("H", "tp       | 4    | H 2   | input c"),
    ],
)
def test_dim_that_variables_lie_split_along(dim, row):
    text = shown(AT_REST.replace(f"{dim} = ", f"‸{dim} = "))
    found = [line.strip("| ") for line in text.split("\n") if line.startswith(("| dp", "| tp"))]
    assert (found, "not split" in text) == ([row], False)


def test_dim_of_the_turns_of_a_stack():
    text = shown(AT_REST.replace("L = 4", "‸L = 4"))
    assert text.split("\n\n")[1:] == ["the turns of `deep`", "not split"]


def test_product_dim_shows_its_factors():
    assert shown(with_mark(STACK, "dim H", "dim ‸H")).startswith("""\
```par
dim H = 8
```

`G = 4` · `R = 2`, major first

heads""")


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ("dim K = 128 unit 64", "dim K = 128 unit 64"),
        ("dim K = 130 uneven", "dim K = 130 uneven"),
        ("dim K = 130 padded to 128", "dim K = 130 padded to 256"),
        ("dim K", "dim K"),
    ],
)
def test_how_a_dim_may_be_cut(declared, told):
    assert shown(declared.replace("dim K", "dim ‸K") + "\n").startswith(f"```par\n{told}\n```")


def test_variable_with_what_moves_it():
    assert (
        shown(with_mark(MLP, "output y", "output ‸y"))
        == """\
```par
var y[B, D] : bf16
```

**`R(partial)`** on `N` · 67.1 MB · 67.1 MB/device

- **All-Reduce `y` · 1.06 GB · 117 MB/device**
  `R(partial)` → `R` on `N`, at the output
  order 4: 2(N−1)/N·M + 2(N−1)·M = 1.06 GB (≈ 2·N·M) · N = 8, M = 67.1 MB

from `down`"""
    )


def test_variable_that_lies_otherwise_than_it_is_read():
    source = """\
mesh N = 4
dim B = 8, D = 16
input x[B, D]
weight w[D, D2] store D on N
dim D2 = D
layer up: h[B, D2] = x * w‸
output h
"""
    assert (
        shown(source)
        == """\
```par
weight w[D, D2] : bf16
```

**`P(D)`** on `N` · 512 B · 128 B/device

- **All-Gather `w` · 1.92 kB · 384 B/device**
  `P(D)` → `R` on `N`, in front of `up`
  order 2: (N−1)/N·M + (N−1)·M = 1.92 kB (≈ N·M) · N = 4, M = 512 B

|         | N    |
| ------- | ---- |
| at rest | P(D) |
| up      | R    |

read by `up`"""
    )


def test_layer():
    assert (
        shown(with_mark(MLP, "layer down", "layer ‸down"))
        == """\
```par
layer down: y[B, D] = a * w_down partition F on N
```

row

**tensor, row** on `N` (F)

at its output:

- **All-Reduce `y` · 1.06 GB · 117 MB/device**
  `R(partial)` → `R` on `N`, at the output
  order 4: 2(N−1)/N·M + 2(N−1)·M = 1.06 GB (≈ 2·N·M) · N = 8, M = 67.1 MB

|              | N          |
| ------------ | ---------- |
| a[B, F]      | P(F)       |
| w_down[F, D] | P(F)       |
| → y[B, D]    | R(partial) |

operands and result 155 MB/device · 241 Gflop/device"""
    )


def test_layer_that_follows():
    assert "**split F** on `N` (F, follows `h`)" in shown(with_mark(MLP, "layer act", "layer ‸act"))


def test_layer_in_a_stack_tells_turns_and_time():
    text = shown(with_mark(STACK, "layer res", "layer ‸res"))
    assert "- **All-Reduce `m` · 7.86 MB · 786 kB/device · 97.7 us**\n" in text
    assert "; 8 times in 2 groups" in text
    assert text.endswith("operands and result 197 kB/device a turn · 470 ns in 8 turns")


def test_use_of_a_block_and_the_block():
    used = shown(with_mark(STACK, "layer mlp", "layer ‸mlp"))
    assert used.startswith("```par\nlayer mlp: m[B, D] = mlp(x)\n```")
    assert "3 layers" in used
    assert "used once: `decoder.mlp`" in shown(with_mark(STACK, "block mlp", "block ‸mlp"))


def test_name_in_a_block_that_is_used_twice():
    source = """\
mesh N = 2
dim B = 8, D = 16
input x[B, D]
block twice(a[B, D]) -> b {
  layer one: b[B, D] = gelu(‸a)
}
layer p: y[B, D] = twice(x)
layer q: z[B, D] = twice(y)
output z
"""
    assert (
        shown(source)
        == """\
`a` in 2 uses of the block

- `x`: **`R`** on every axis · 256 B · 256 B/device
- `y`: **`R`** on every axis · 256 B · 256 B/device"""
    )
    assert "used 2 times:" in shown(source.replace("‸", "").replace("block twice", "block ‸twice"))
    assert "- `q.one`: " in shown(source.replace("‸", "").replace("layer one", "layer ‸one"))


def test_stack():
    assert (
        shown(with_mark(STACK, "stack decoder", "stack ‸decoder"))
        == """\
```par
stack decoder[L]: x -> r
```

The body, again and again.

**7.86 MB · 786 kB/device · 97.7 us** · 4 layers · 8 turns

|            | on  | places | traffic | per device |    time |
| ---------- | --- | -----: | ------: | ---------: | ------: |
| All-Reduce | tp  |      1 | 7.86 MB |     786 kB | 97.7 us |

compute 11.4 us"""
    )


def test_axis_and_view():
    assert (
        shown(with_mark(STACK, "tp = 4", "‸tp = 4"))
        == """\
```par
mesh tp = 4 over nvlink
```

**7.86 MB · 786 kB/device · 97.7 us**

|            | on  | places | traffic | per device |    time |
| ---------- | --- | -----: | ------: | ---------: | ------: |
| All-Reduce | tp  |      1 | 7.86 MB |     786 kB | 97.7 us |"""
    )
    assert shown(with_mark(STACK, "axis all", "axis ‸all")).startswith(
        "```par\naxis all = 8\n```\n\nanother name for `dp` · `tp`\n\n**7.86 MB"
    )
    assert shown(with_mark(STACK, "mesh dp", "mesh ‸dp")).endswith("nothing moves on it")


def test_in_training_nothing_is_said_of_what_is_not_evaluated():
    trained = f"{STACK}train {{ global_batch = B }}\n"
    axis = shown(with_mark(trained, "mesh dp", "mesh ‸dp"))
    assert axis.endswith("nothing moves on it forward; gradients are not evaluated")
    word = "expect no All-to-All\n"
    of_plans = f"{MODEL}{TWO_PLANS}train {{ global_batch = B }}\n{word}"
    assert "`data`: no `All-to-All` forward" in shown(of_plans.replace("no All-to", "no ‸All-to"))


def test_link_and_device():
    link = shown(with_mark(STACK, "over nvlink", "over ‸nvlink"))
    assert link.split("\n\n")[1] == (
        "**450 GB/s**, 100% of it used · latency 2 us a step · joins 8 devices"
    )
    assert "under `tp = 4`: **7.86 MB · 786 kB/device · 97.7 us**" in link
    device = shown(with_mark(STACK, "8 h100", "8 ‸h100"))
    assert "**memory 85.9 GB** · 989 Tflop/s · hbm 3.35 TB/s" in device
    assert "of 85.9 GB (" in device


def test_what_is_declared_inside_of_something_is_shown_as_it_is_written():
    source = "op lin(‸X[B, I], W[I, O]) -> Y[B, O] = X * W  # rows\n"
    assert shown(source) == "```par\nop lin(X[B, I], W[I, O]) -> Y[B, O] = X * W\n```"
    assert shown(source.replace("‸", "").replace("lin", "‸lin")).endswith("rows\n\nnot used")


def test_a_symbolic_size_stays_a_formula():
    text = shown(
        "mesh N\ndim B, D\ninput x[B, D]\n"
        "layer s: l[D] = sum over B (‸x) partition B on N\noutput l\n"
    )
    assert "**`P(B)`** on `N` · 2·B·D B · 2·B·D/N B/device" in text


def test_names_in_other_scripts():
    text = shown("dim 批次 = 4\ninput Δx[批次]\nlayer 甲: y[批次] = gelu(Δ‸x)  # 😀\noutput y\n")
    assert text.startswith("```par\ninput Δx[批次] : bf16\n```")


TWO_STEPS = """\
mesh dp = 16 over ib, N = 2 over ib on 32 h100
axis edp = 2, ep = 8 of dp
link ib { bandwidth = 50 GB/s }
device h100 { memory = 80 GiB  flops = 1000 Tflop/s  hbm = 4 TB/s }
dim E = 8, C = 64, D = 1024, F = 4096
input x[E, C, D]
weight w[E, D, F]
layer up: h[E, C, F] = gelu(x * w)
output h
for *: partition C on edp, E on ep, F on N
"""


def test_a_layer_of_several_steps_tells_all_and_each():
    assert (
        shown(with_mark(TWO_STEPS, "layer up", "layer ‸up"))
        == """\
```par
layer up: h[E, C, F] = gelu(x * w)
```

134 Mflop/device · 1.16 us

- `up.1`, product: **data** on `dp.0` (C) · **expert** on `dp.1` (E) · **tensor, column** on `N` (F)
  operands and result 4.39 MB/device · 134 Mflop/device · 1.1 us
- `up`, gelu: **data** on `dp.0` (C) · **expert** on `dp.1` (E) · **split F** on `N` (F)
  operands and result 262 kB/device · 65.5 ns

|               | dp.0 | dp.1 | N    |
| ------------- | ---- | ---- | ---- |
| x[E, C, D]    | P(C) | P(E) | R    |
| w[E, D, F]    | R    | P(E) | P(F) |
| → up[E, C, F] | P(C) | P(E) | P(F) |
| → h[E, C, F]  | P(C) | P(E) | P(F) |"""
    )


def test_what_is_moved_in_front_of_any_step_is_told():
    gathered = TWO_STEPS.replace("input x[E, C, D]", "input x[E, C, D] partition D on N")
    told = shown(with_mark(gathered, "layer up", "layer ‸up"))
    assert "in front:\n\n- **All-Gather `x`" in told


def test_pieces_of_an_axis_by_the_views_that_they_are():
    axis = shown(with_mark(TWO_STEPS, "dp = 16", "‸dp = 16"))
    assert axis.startswith(
        "```par\nmesh dp = 16 over ib\n```\n\n`dp.0 edp = 2` · `dp.1 ep = 8`\n\n"
    )
    view = shown(with_mark(TWO_STEPS, "ep = 8", "‸ep = 8"))
    assert "`dp` cut anew into `edp = 2` · `ep = 8`, outermost first\nshown as `dp.1`\n\n" in view


CARRIED = """\
mesh tp = 8
dim B = 64, D = 64, F = 256, L = 4
input x[B, D]
stack m[L]: x -> y {
  weight w[D, F], v[F, D]
  layer up: h[B, F] = x * w partition F on tp
  layer dn: y[B, D] = h * v partition F on tp
}
output y replicated on tp
"""


def test_why_a_carry_is_moved_in_the_first_turn_too():
    """Four turns and the output pay: a fifth more than four layers written out would."""
    why = "in each turn, the first too: all turns find it as a turn leaves it"
    text = shown(with_mark(CARRIED, "layer up", "layer ‸up"))
    assert "**All-Reduce `x` · 516 kB · 57.3 kB/device**" in text
    assert why in text
    assert why not in shown(with_mark(CARRIED, "output y", "output ‸y"))
    (stack,) = [one for one in explained("stack") if one.kind == "statement"]
    assert "moves it L times, L layers written out L-1 times" in stack.text

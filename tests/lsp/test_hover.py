"""Hover: source with a cursor mark, what is shown drawn below it."""

import pytest
from lsp_fixtures import FOLDER, Files, at_cursor, cut, drawn, snapshot_of

from parspec.lsp.analysing import Written, analysed
from parspec.lsp.features.hover import hover
from parspec.lsp.features.prose import markdown, plain

MLP = """\
# The pair, column -> row.

mesh N = 8
dim B = 4096   # tokens
dim D = 8192, F = 28672  # hidden, feed-forward
input x[B, D]
weight w_up[D, F], w_down[F, D]
layer up:   h[B, F] = x * w_up    partition F on N  # column
layer act:  a[B, F] = gelu(h)
layer down: y[B, D] = a * w_down  partition F on N  # row
output y replicated on N
expect traffic <= 1.2 GB
"""

STACK = """\
import std.h100
dim B = 64, D = 1024, F = 4096, L = 8
dim G = 4, R = 2
dim H = G * R  # heads
mesh dp = 2 over ib, tp = 4 over nvlink on 8 h100
axis all = dp * tp
input x[B, D]
block mlp(x[B, D]) -> y {
  weight up[D, F], down[F, D]
  layer up:   h[B, F] = gelu(x * up)  partition F on tp
  layer down: y[B, D] = h * down      partition F on tp
}
# The body, again and again.
stack decoder[L]: x -> r {
  layer mlp: m[B, D] = mlp(x)
  layer res: r[B, D] = x + m
}
output r
for *: partition B on dp
expect memory <= 80 GB
"""

PLANS = """\
dim B = 64, D = 1024, F = 4096
input x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w
layer down: y[B, D] = h * v
output y
plan row {  # one All-Reduce
  mesh tp = 4
  for up, down: partition F on tp
}
plan data {
  mesh dp = 2
  for *: partition B on dp
}
"""


def with_mark(spec, word, mark):
    """A spec with a cursor in the first `word`, as `mark` has it."""
    assert word in spec
    return spec.replace(word, mark, 1)


def shown(source, **others):
    snapshot, offset = at_cursor(source, **others)
    found = hover(snapshot, offset)
    assert found is not None
    return markdown(found.blocks).replace("  \n", "\n")


def marked(source, **others):
    snapshot, offset = at_cursor(source, **others)
    found = hover(snapshot, offset)
    return drawn(snapshot.text, [(*found.range, plain(found.blocks).split("\n")[0])])


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

not split by any layer

in `x` `h` `a` `y`"""
    )


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


def test_link_and_device():
    link = shown(with_mark(STACK, "over nvlink", "over ‸nvlink"))
    assert link.split("\n\n")[1] == (
        "**450 GB/s**, 100% of it used · latency 2 us a step · joins 8 devices"
    )
    assert "under `tp = 4`: **7.86 MB · 786 kB/device · 97.7 us**" in link
    device = shown(with_mark(STACK, "8 h100", "8 ‸h100"))
    assert "**memory 85.9 GB** · 989 Tflop/s · hbm 3.35 TB/s" in device
    assert "of 85.9 GB (" in device


@pytest.mark.parametrize(
    ("word", "mark", "first"),
    [
        ("partition F", "‸partition F", "**partition** (clause)"),
        ("layer up", "‸layer up", "**layer** (statement)"),
        ("gelu", "g‸elu", "**gelu** (function)"),
        ("replicated", "replicated‸", "**replicated** (clause)"),
    ],
)
def test_words(word, mark, first):
    assert shown(with_mark(MLP, word, mark)).startswith(first)


@pytest.mark.parametrize(
    ("statement", "first"),
    [
        ("dtype ‸bf16", "**element types** (unit)"),
        ("train adam { ‸zero = 1 }", "**zero** (setting)"),
        ("train ‸adam { zero = 1 }", "**train** (statement)"),
        ("train adam { schedule = ‸1f1b }", "**schedule** (setting)"),
        ("cost ‸ring", "**ring** (price list)"),
        ("link a { bandwidth = 1 ‸GB/s }", "**bytes a second** (unit)"),
        ("link a { ‸latency = 1 us }", "**latency** (setting)"),
    ],
)
def test_words_of_settings(statement, first):
    assert shown(statement + "\n").startswith(first)


def test_expect_shows_the_real_value():
    told = "```par\nexpect traffic <= 1.2 GB\n```\n\n**holds** · 1.06 GB"
    assert shown(with_mark(MLP, "1.2 GB", "1.‸2 GB")) == told
    assert shown(with_mark(MLP, "expect traffic", "expect ‸traffic")).startswith(told)


def test_failed_expect():
    source = with_mark(MLP, "expect traffic <= 1.2 GB", "‸expect traffic <= 1 GB")
    assert shown(source).split("\n\n")[1] == "**fails** · 1.06 GB"


def test_primitive_with_what_it_moves():
    source = MLP + "expect All‸-Reduce of y on N\n"
    text = shown(source)
    assert text.startswith("```par\nexpect All-Reduce of y on N\n```\n\n**holds**")
    assert "**All-Reduce** (primitive)" in text
    assert "in this plan: **1.06 GB · 117 MB/device**" in text


def test_import_tells_what_it_brings():
    text = shown(
        'import "mo‸del.par"\n', model="# The sizes.\n\ndim B = 4\nlink a { bandwidth = 1 GB/s }\n"
    )
    assert (
        text
        == """\
```par
import "model.par"
```

The sizes.

dims: `B`
links: `a`"""
    )
    assert shown('import "no‸ne.par"\n').endswith("it cannot be read")


def test_plans_side_by_side_where_only_they_have_a_mesh():
    assert (
        shown(with_mark(PLANS, "layer down", "layer ‸down"))
        == """\
```par
layer down: y[B, D] = h * v
```

- `row`: **tensor, row** on `tp` (F)
- `data`: **data** on `dp` (B)"""
    )
    assert shown(with_mark(PLANS, "h * v", "‸h * v")).endswith("""\
- `row`: **`P(F)`** on `tp` · 524 kB · 131 kB/device
- `data`: **`P(B)`** on `dp` · 524 kB · 262 kB/device""")


def test_a_plan_itself_and_names_inside_it():
    text = shown(with_mark(PLANS, "plan row", "plan ‸row"))
    assert text.startswith(
        "```par\nplan row\n```\n\none All-Reduce\n\n**no traffic · memory 4.46 MB/device**"
    )
    assert "- `data`" not in shown(with_mark(PLANS, "up, down", "up, ‸down"))


def test_a_broken_statement_keeps_what_is_known():
    source = MLP.replace("partition F on N  # row", "partition F onn N")
    assert "operands and result" in shown(with_mark(source, "layer down", "layer ‸down"))
    assert "**`P(F)`** on `N`" in shown(with_mark(source, "a * w_down", "a * ‸w_down"))
    assert "split on" in shown(with_mark(source, "F onn", "‸F onn"))
    assert "tensor, column" in shown(with_mark(source, "layer up", "layer ‸up"))


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


@pytest.mark.parametrize(
    "source", ["‸", "\n‸\n", "# a com‸ment\n", "dim B = 4\n\n\n‸", "‸@@@\n", "layer ‸"]
)
def test_where_nothing_is_nothing_is_said(source):
    snapshot, offset = at_cursor(source)
    found = hover(snapshot, offset)
    assert found is None or plain(found.blocks)


def test_names_in_other_scripts():
    text = shown("dim 批次 = 4\ninput Δx[批次]\nlayer 甲: y[批次] = gelu(Δ‸x)  # 😀\noutput y\n")
    assert text.startswith("```par\ninput Δx[批次] : bf16\n```")


# -- patterns ------------------------------------------------------------------------------------


def with_pattern(pattern):
    return STACK.replace("for *: partition B on dp", pattern)


def hovered(pattern):
    """The beginning of the hover at the mark in a `for` statement, up to what it leads to."""
    return shown(with_pattern(pattern)).split("\n\n```par")[0]


def test_a_pattern_tells_what_it_matches():
    assert (
        hovered("for ‸*: partition B on dp, F on tp")
        == """\
```par
for *
```

matches **3 layers** (`decoder.mlp.up` `decoder.mlp.down` `decoder.res`)

- `B on dp`: all of these layers
- `F on tp`: none: another clause says otherwise, or the dimension is missing"""
    )


def test_an_alternative_of_a_pattern_tells_what_it_matches():
    pattern = "for decoder.{mlp,‸res}: partition B on dp"
    assert (
        hovered(pattern)
        == """\
```par
for decoder.res
```

matches **1 layer** (`decoder.res`)

- `B on dp`: all of these layers"""
    )
    assert (
        hovered(pattern.replace("‸", "").replace(".", "‸."))
        == """\
```par
for decoder.{mlp,res}
```

matches **3 layers** (`decoder.mlp.up` `decoder.mlp.down` `decoder.res`)

- `B on dp`: all of these layers"""
    )


def test_what_a_pattern_names_is_told_below():
    text = shown(with_pattern("for deco‸der: partition B on dp"))
    assert text.startswith(
        "```par\nfor decoder\n```\n\nmatches **3 layers** "
        "(`decoder.mlp.up` `decoder.mlp.down` `decoder.res`), **1 stack** (`decoder`)\n"
    )
    assert "```par\nstack decoder[L]: x -> r\n```\n\nThe body, again and again." in text


def test_a_pattern_of_weights_tells_which():
    assert hovered("for decoder.‸*: store on dp").endswith(
        "`decoder.res`), **2 weights** (`decoder.mlp.up` `decoder.mlp.down`)\n\n"
        "- `store on dp`: **2 weights** (`decoder.mlp.up` `decoder.mlp.down`)"
    )


@pytest.mark.parametrize("pattern", ["de‸code", "*.{mlp,‸nix}", "decoder.res.‸*"])
def test_a_pattern_that_matches_nothing(pattern):
    text = hovered(f"for {pattern}: partition B on dp")
    assert text.endswith("\n```\n\nmatches **nothing**")


def test_a_pattern_under_several_plans():
    assert shown(PLANS + "for ‸*: recompute\n") == (
        "```par\nfor *\n```\n\n"
        "- `row`: matches **2 layers** (`up` `down`)\n"
        "- `data`: matches **2 layers** (`up` `down`)"
    )


def test_the_range_in_a_pattern():
    assert marked("layer q: h = x\nfor {q,‸nix}, r: recompute") == (
        "for {q,nix}, r: recompute\n       ^^^ for nix"
    )
    assert marked("layer q: h = x\nfor de.‸{q,nix}, r: recompute") == (
        "for de.{q,nix}, r: recompute\n    ^^^^^^^^^^ for de.{q,nix}"
    )


# -- in files that others import -----------------------------------------------------------------

MODEL = """\
dim B = 64, D = 1024, F = 4096
input x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w
layer down: y[B, D] = h * v
output y
"""
IMPORTER = """\
import "model.par"
plan row {
  mesh tp = 4
  for up, down: partition F on tp
}
plan data {
  mesh dp = 2
  for *: partition B on dp
}
"""


def shown_in_model(word, mark, mesh=""):
    """The hover in model.par, which main.par imports."""
    text, offset = cut(with_mark(MODEL + mesh, word, mark))
    importer = snapshot_of(IMPORTER, model=text)
    snapshot = analysed(Written(f"{FOLDER}/model.par", text), Files({}))
    return markdown(hover(snapshot, offset, [importer]).blocks).replace("  \n", "\n")


def test_a_layer_without_a_mesh_is_told_where_it_is_imported():
    assert (
        shown_in_model("layer down", "layer ‸down")
        == """\
```par
layer down: y[B, D] = h * v
```

operands and result 9.04 MB/device · 537 Mflop/device

where it is imported:

- `main.par`, plan `row`: **tensor, row** on `tp` (F)
- `main.par`, plan `data`: **data** on `dp` (B)"""
    )


def test_a_dim_of_a_file_that_is_imported():
    assert shown_in_model("F = 4096", "‸F = 4096").endswith(
        "where it is imported:\n\n- `main.par`, plan `row`: 4096 · on `tp` by 2 layers\n"
        "- `main.par`, plan `data`: 4096"
    )


def test_a_file_with_a_mesh_of_its_own_is_not_told_of_others():
    assert "imported" not in shown_in_model("layer up", "layer ‸up", "mesh dp = 2\n")

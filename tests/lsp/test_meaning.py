"""What a name means: of which kind it is, and where it is declared."""

import pytest
from lsp_fixtures import at_cursor, drawn, snapshot_of

from parspec.lsp.features.meaning import at
from parspec.lsp.features.occurrences import definitions


def kind_at(source, **others):
    snapshot, offset = at_cursor(source, **others)
    found = at(snapshot, offset)
    return None if found is None else found.kind


def declared_at(source, **others):
    """The declarations of what is at the cursor, drawn in their files."""
    snapshot, offset = at_cursor(source, **others)
    found = {}
    for file, where in definitions(snapshot, offset):
        found.setdefault(file, []).append((*where, ""))
    texts = (drawn(snapshot.sources[file].text, marks) for file, marks in found.items())
    return "\n".join(texts)


SPEC = """\
import std.h100
mesh tp = 8 over nvlink on 8 h100
axis ep = tp
dim B = 4, D = 8, L = 2
dtype bf16
input x[B, D]
op double: pointwise
stack decoder[L]: x -> y {
  weight w[D]
  layer act: y[B, D] = double(gelu(x)) partition B on tp
}
output y
train adam { zero = 1  weight = fp8 }
expect traffic <= 2 GB
expect no All-Gather in decoder
expect y is P(B) on tp
cost ring
"""

KINDS = {
    "mesh": "keyword",
    "tp = ": "axis",
    "nvlink": "link",
    "h100\naxis": "device",
    "ep": "axis",
    "bf16": "dtype",
    "x[B": "tensor",
    "double:": "op",
    "decoder[": "stack",
    "L]": "dim",
    "w[": "tensor",
    "act:": "layer",
    "double(": "op",
    "gelu": "function",
    "partition": "keyword",
    "adam": "optimizer",
    "zero": "setting",
    "fp8": "dtype",
    "traffic": "figure",
    "GB": "unit",
    "All-Gather": "primitive",
    "P(": "state",
    "ring": "price list",
    "std.h100": "import",
}


@pytest.mark.parametrize(("text", "kind"), KINDS.items())
def test_kinds(text, kind):
    assert kind_at(SPEC.replace(text, f"‸{text}", 1)) == kind


def test_nothing_is_at_a_number_or_a_mark():
    assert kind_at("dim B = ‸4") is None
    assert kind_at("dim B ‸= 4") is None
    assert kind_at("‸") is None


def test_a_dim_is_what_a_file_declares_and_its_importer_sizes():
    assert (
        declared_at("""import "model.par"\ndim B = 8\nexpect y is P(‸B) on tp""", model="dim B\n")
        == "dim B = 8\n    ^\ndim B\n    ^"
    )


def test_a_plan_has_its_own_axes():
    source = """\
dim B = 4
input x[B]
plan a { mesh tp = 2  for *: partition B on ‸tp }
plan b { mesh tp = 4 }
"""
    assert declared_at(source) == (
        "plan a { mesh tp = 2  for *: partition B on tp }\n              ^^"
    )


def test_the_carry_of_a_stack_is_the_tensor_that_comes_in():
    source = """\
dim B = 4, L = 2
input x[B]
stack s[L]: x -> y {
  layer a: y[B] = gelu(‸x)
}
"""
    assert declared_at(source) == "input x[B]\n      ^"


def test_what_a_stack_leaves_is_known_outside():
    source = """\
dim B = 4, L = 2
input x[B]
stack s[L]: x -> y {
  layer a: y[B] = gelu(x)
}
output ‸y
"""
    assert declared_at(source) == "  layer a: y[B] = gelu(x)\n           ^"


def test_an_inner_name_hides_an_outer_one_behind_its_declaration():
    source = """\
dim B = 4, L = 2
input x[B], w[B]
stack s[L]: x -> y {
  layer a: h[B] = gelu(w)
  weight w[B]
  layer b: y[B] = h * ‸w
}
"""
    assert declared_at(source) == "  weight w[B]\n         ^"
    earlier = source.replace("‸", "").replace("gelu(w)", "gelu(‸w)")
    assert declared_at(earlier) == "input x[B], w[B]\n            ^"


def test_a_layer_that_appends_to_a_cache_means_the_cache():
    source = """\
dim B = 4, L = 2, T = 8
input x[B]
cache k[L, B, T]
stack s[L]: x -> y {
  layer a: ‸k[B, T] = x
  layer b: y[B] = gelu(x)
}
"""
    assert declared_at(source) == "cache k[L, B, T]\n      ^"


def test_an_op_has_dims_of_its_own():
    source = """\
dim I = 4
op linear(X[B, I], W[I, O]) -> Y[B, O] = X[B, ‸I] * W
"""
    assert declared_at(source) == (
        "op linear(X[B, I], W[I, O]) -> Y[B, O] = X[B, I] * W\n               ^"
    )


def test_a_clause_may_name_the_dims_of_the_op_that_its_layer_calls():
    source = """\
mesh tp = 2
dim N = 4, D = 8, F = 8
op linear(X[B, I], W[I, O]) -> Y[B, O] = X * W
input x[N, D]
weight w[D, F]
layer up: y[N, F] = linear(x, w) partition ‸O on tp
"""
    expected = "op linear(X[B, I], W[I, O]) -> Y[B, O] = X * W\n                        ^"
    assert declared_at(source) == expected


BLOCK = """\
mesh tp = 2
dim B = 4, D = 8, L = 2
block mlp(p[B, D]) -> o {
  layer up: h[B, D] = gelu(p)
  layer down: o[B, D] = silu(h)
}
input x[B, D]
stack decoder[L]: x -> y {
  layer ffn: y[B, D] = mlp(x)
}
"""


@pytest.mark.parametrize(
    ("line", "declared"),
    [
        ("for decoder.‸ffn: partition B on tp", "  layer ffn: y[B, D] = mlp(x)\n        ^^^"),
        ("for decoder.ffn.‸up: partition B on tp", "  layer up: h[B, D] = gelu(p)\n        ^^"),
        ("for *.*.{‸up,down}: partition B on tp", "  layer up: h[B, D] = gelu(p)\n        ^^"),
        ("expect ‸h is R on tp in decoder", "  layer up: h[B, D] = gelu(p)\n            ^"),
        ("expect decoder.ffn.‸h is R on tp", "  layer up: h[B, D] = gelu(p)\n            ^"),
        ("expect no All-Gather in ‸ffn", "  layer ffn: y[B, D] = mlp(x)\n        ^^^"),
        (
            "expect no All-Gather in decoder.ffn.‸down",
            "  layer down: o[B, D] = silu(h)\n        ^^^^",
        ),
        ("output decoder.ffn.‸h", "  layer up: h[B, D] = gelu(p)\n            ^"),
        ("expect All-Reduce of grad(‸y) on tp", "  layer ffn: y[B, D] = mlp(x)\n             ^"),
        ("stages tp: 2 ‸decoder", "stack decoder[L]: x -> y {\n      ^^^^^^^"),
    ],
)
def test_paths(line, declared):
    assert declared_at(BLOCK + line) == declared


def test_a_pattern_for_weights_names_weights():
    source = """\
dim B = 4, L = 2
input x[B]
stack s[L]: x -> y {
  weight w[B]
  layer w: y[B] = x * w
}
for s.‸w: frozen
"""
    assert declared_at(source) == "  weight w[B]\n         ^"
    layer = source.replace("frozen", "recompute")
    assert declared_at(layer) == "  layer w: y[B] = x * w\n        ^"


def test_chinese_names_and_emoji_before_and_in_a_line():
    source = """\
dim 批次 = 4  # 🚀 批次 🎉
input 输入[批次]
layer 激活: 出[批次] = gelu(‸输入)  # 🚀
"""
    assert declared_at(source) == "input 输入[批次]\n      ^^"


def test_an_import_leads_to_its_file():
    snapshot, offset = at_cursor('import "mod‸el.par"\n', model="dim B\n")
    assert [(place.file, tuple(place.range)) for place in definitions(snapshot, offset)] == [
        ("/repo/model.par", (0, 0))
    ]


@pytest.mark.parametrize(
    ("broken", "declared"),
    [
        ("layer up: h[B, D] = x * ‸w partition D onn tp", "weight w[D]\n       ^"),
        ("layer up: h[B, D] = x * w partition D onn ‸tp", "mesh tp = 2\n     ^^"),
        ("layer up: h[‸B,", "dim B = 4, D = 8\n    ^"),
        ("layer up: h[B, D] = softmax over ‸D (", "dim B = 4, D = 8\n           ^"),
        ("for *: partition ‸B on", "dim B = 4, D = 8\n    ^"),
    ],
)
def test_names_in_a_statement_that_is_broken(broken, declared):
    head = "mesh tp = 2\ndim B = 4, D = 8\ninput x[B, D]\nweight w[D]\n"
    assert declared_at(head + broken) == declared


def test_where_the_model_names_declarations_they_are_these():
    snapshot = snapshot_of(BLOCK + "output y\n")
    names = snapshot.names
    sites = {
        names.site(declared)
        for listing in names.listings
        for entry in listing.every()
        for symbol in names.symbols(entry)
        for declared in names.declarations(symbol)
    }
    model = snapshot.analysis.model
    made = {t.site for t in model.tensors if t.role != "carry"}
    assert made <= sites
    assert {dim.site for dim in model.dims} <= sites
    assert {layer.site for stack in model.items for layer in stack.items} <= sites

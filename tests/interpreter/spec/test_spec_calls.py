"""Ops and blocks written out where they are called, stacks with what they carry."""

from __future__ import annotations

import pytest
from reading import clean, layers, model, names, only, operations, said, stacks, tensors

OPS = """
mesh tp = 4
dim B = 8, D = 16, F = 32
op linear(X[A, I], W[I, O]) -> Y[A, O] = X * W
op swish: pointwise
op ffn(X[A, I], W[I, O]) -> Y[A, O] = swish(X * W)
"""


def test_an_op_is_written_out_with_the_callers_dimensions() -> None:
    read = clean(
        OPS + "input x[B, D]\nweight w[D, F]\n"
        "layer a: h = linear(x, w) partition O on tp\n"
        "layer b: y = ffn(x, w) partition F on tp\noutput h\noutput y\n"
    )
    assert operations(read) == {
        "a": "einsum x[B D] w[D F] -> h[B F]",
        "b.1": "einsum x[B D] w[D F] -> b.1[B F]",
        "b": "swish b.1[B F] -> y[B F]",
    }
    assert [said(layer) for layer in layers(read).values()] == [{"tp": "F"}] * 3
    assert layers(read)["a"].template == "linear"
    assert layers(read)["a"].bound == (("A", "B"), ("I", "D"), ("O", "F"))


def test_an_op_by_itself_has_its_own_dimensions() -> None:
    template, _ = clean(OPS.replace("dim", "# dim")).templates
    assert (template.name, template.parameters, template.out) == ("linear", ("X", "W"), "Y")
    assert template.operator.inputs == (("A", "I"), ("I", "O"))
    assert template.operator.output == ("A", "O")


def test_a_product_dim_is_bound_whole() -> None:
    read = model(
        OPS
        + "dim G = 2, R = 4\ndim H = G * R\ninput x[B, H]\nweight w[H, D]\n"
        + "layer a: h = linear(x, w)\noutput h\n"
    )
    assert operations(read)["a"] == "einsum x[B G R] w[G R D] -> h[B D]"


def test_arguments_that_bind_a_dimension_twice_agree_in_size() -> None:
    read = model(OPS + "input x[B, D]\nweight w[F, D]\nlayer a: h = linear(x, w)\noutput h\n")
    data = only(read, "global_size_mismatch")
    assert (data["name"], data["size"], data["other_size"]) == ("W", 32, 16)


@pytest.mark.parametrize(
    ("call", "wants", "got"),
    [
        ("linear(x)", "2 tensors", "1 tensor"),
        ("linear(x, 2)", "2 tensors", "1 tensor and 1 number"),
    ],
)
def test_ops_take_their_number_of_tensors(call: str, wants: str, got: str) -> None:
    data = only(model(OPS + f"input x[B, D]\nlayer a: h = {call}\noutput h\n"), "wrong_arguments")
    assert (data["wants"], data["got"]) == (wants, got)


BLOCKS = """
mesh cp = 2, tp = 4
dim B = 8, S = 16, D = 32, F = 64
dim T = S
block mlp(a[B, T, D]) -> y {
  weight w1[D, F], w2[F, D]
  layer up: h[B, T, F] = gelu(a * w1)
  layer down: y[B, T, D] = h * w2
}
input x[B, S, D]
"""


def test_a_block_is_written_out_under_the_layers_name() -> None:
    read = clean(BLOCKS + "layer m: z[B, S, D] = mlp(x)\noutput z\n")
    assert operations(read) == {
        "m.up.1": "einsum x[B T D] m.w1[D F] -> m.up.1[B T F]",
        "m.up": "gelu m.up.1[B T F] -> m.h[B T F]",
        "m.down": "einsum m.h[B T F] m.w2[F D] -> z[B T D]",
    }
    assert tensors(read)["z"].leaves == ("B", "S", "D")


def test_each_use_of_a_block_has_its_own_weights() -> None:
    read = clean(BLOCKS + "layer m: u = mlp(x)\nlayer n: z[B, S, D] = u + mlp(u)\noutput z\n")
    weights = [t.name for t in read.tensors if t.role == "weight"]
    assert weights == ["m.w1", "m.w2", "n.1.w1", "n.1.w2"]
    assert operations(read)["n"] == "sum u[B S D] n.1[B S D] -> z[B S D]"


def test_a_clause_on_a_call_reaches_the_layers_inside_by_either_name() -> None:
    read = clean(BLOCKS + "layer m: z = mlp(x) partition S on cp, F on tp\noutput z\n")
    assert [said(layer) for layer in layers(read).values()] == [
        {"cp": "T", "tp": "F"},
        {"cp": "T", "tp": "F"},
        {"cp": "T", "tp": "F"},
    ]
    origins = {a.origin for layer in layers(read).values() for a in layer.assignments}
    assert origins == {"call"}


def test_a_fused_block_marks_its_layers() -> None:
    read = clean(BLOCKS.replace("-> y {", "-> y fused {") + "layer m: z = mlp(x)\noutput z\n")
    assert {layer.fused for layer in layers(read).values()} == {"m"}


def test_a_block_that_uses_itself() -> None:
    read = model(
        "dim B = 8\ninput x[B]\nblock f(a[B]) -> y { layer l: y = g(a) }\n"
        "block g(a[B]) -> y { layer l: y = f(a) }\nlayer m: z = f(x)\noutput z\n"
    )
    assert names(read) == ["recursive_block"]
    assert only(read, "recursive_block")["cycle"] == ("f", "g", "f")


def test_a_block_that_nobody_calls_is_looked_at_all_the_same() -> None:
    read = model("dim B = 8\nblock f(a[B]) -> y { layer l: y[B] = gelu(q) }\n")
    assert names(read) == ["unknown_name"]


def test_nested_blocks_are_limited() -> None:
    blocks = "".join(f"block f{i}(a[B]) -> y {{ layer l: y = f{i + 1}(a) }}\n" for i in range(40))
    text = f"dim B = 8\ninput x[B]\n{blocks}block f40(a[B]) -> y {{ layer l: y = gelu(a) }}\n"
    read = model(text + "layer m: z = f0(x)\noutput z\n")
    assert only(read, "over_limit")["limit"] == 32


STACK = """
mesh pp = 2, dp = 2
dim B = 8, D = 16, L = 4
dim D2 = D
input x[B, D]
weight v[L, D, D2]
stack s[L]: x -> y {clauses} {{
  weight w[D, D2]
  layer a: h[B, D2] = x * w
  layer b: y[B, D2] = h[B, D] * v
}}
output y
"""


def test_a_stack_carries_one_turns_result_to_the_next() -> None:
    read = clean(STACK.format(clauses="partition L on pp, B on dp"))
    stack = stacks(read)["s"]
    assert (stack.dim, stack.entry, stack.carry, stack.last) == ("L", "x", "s.x", "s.y")
    assert [(a.axis, a.dim) for a in stack.assignments] == [("pp", "L")]
    assert operations(read)["s.b"] == "einsum s.h[B D] v[D D2] -> s.y[B D2]"
    assert {name: t.stacked for name, t in tensors(read).items() if t.role == "weight"} == {
        "v": ("L",),
        "s.w": ("L",),
    }
    assert [said(layer) for layer in layers(read).values()] == [{"dp": "B"}] * 2
    assert read.outputs[0].tensor == "s.y"


def test_nested_stacks_stack_their_weights_twice() -> None:
    read = clean(
        "dim B = 8, D = 16, L = 4, M = 2\ndim D2 = D\ninput x[B, D]\n"
        "stack o[L]: x -> y { stack i[M]: x -> y {\n"
        "weight w[D, D2]\nlayer a: y[B, D2] = x * w } }\n"
        "output y\n"
    )
    assert tensors(read)["o.i.w"].stacked == ("L", "M")
    assert (stacks(read)["o"].last, stacks(read)["o.i"].last) == ("o.i.y", "o.i.y")


@pytest.mark.parametrize(
    ("layer", "name"),
    [
        ("y[B, D2, E] = x * w", "rank_mismatch"),
        ("y[B, E] = x * w", "global_size_mismatch"),
        ("q = x", "unknown_name"),
        ("y[L, B, D] = x", "misplaced"),
    ],
)
def test_what_a_turn_leaves_has_the_dimensions_of_the_carry(layer: str, name: str) -> None:
    read = model(
        "dim B = 8, D = 16, E = 3, L = 4\ndim D2 = D\ninput x[B, D]\nweight w[D, D2, E]\n"
        f"stack s[L]: x -> y {{ layer a: {layer} }}\noutput y\n"
    )
    assert [n for n in names(read) if n not in ("unused_name", "summed_alone")] == [name]


def test_inner_names_are_seen_outside_by_path() -> None:
    read = clean(
        "dim B = 8, L = 4\ninput x[B]\nstack s[L]: x -> y {\n"
        "layer a: h = gelu(x)\nlayer b: y = gelu(h) }\nlayer c: z = s.h + y\noutput z\n"
    )
    assert operations(read)["c"] == "sum s.h[B] s.y[B] -> z[B]"


def test_a_weight_of_a_stack_is_not_read_outside() -> None:
    read = model(
        "dim B = 8, L = 4\ninput x[B]\nstack s[L]: x -> y { weight w[B]\n"
        "layer a: y[B] = x * w }\nlayer c: z[B] = y * s.w\noutput z\n"
    )
    assert only(read, "misplaced") == {"statement": "s.w", "place": "outside the stack along `L`"}


def test_statements_that_cannot_stand_inside() -> None:
    read = model(
        "dim B = 8, L = 4\ninput x[B]\nstack s[L]: x -> y {\n mesh m = 2\n input q[B]\n"
        " layer a: y = gelu(x)\n output y\n}\noutput y\nplan p { layer z: z = gelu(x) }\n"
    )
    assert [dict(f.data)["statement"] for f in read.findings] == [
        "mesh",
        "input",
        "output",
        "layer",
    ]


def test_a_var_takes_its_declared_dimensions() -> None:
    read = clean("dim B = 8, D = 4\ninput x[B, D]\nvar h[B, D]\nlayer a: h = gelu(x)\noutput h\n")
    assert operations(read)["a"] == "gelu x[B D] -> h[B D]"
    early = model("dim B = 8\ninput x[B]\nvar h[B]\nlayer a: y = h\nlayer b: h = x\noutput y\n")
    assert only(early, "misplaced")["place"] == "before the layer that gives it"


def test_what_is_appended_to_a_cache_may_be_shorter() -> None:
    text = "dim B = 8, S = 1, T = 64, E = 9\ninput x[B, S]\ncache k[B, T]\n"
    read = clean(text.replace(", E = 9", "") + "layer a: k[B, S] = x\nlayer b: y = k\noutput y\n")
    assert operations(read) == {"a": "copy x[B S] -> k[B S]", "b": "copy k[B T] -> y[B T]"}
    wrong = model(text + "input z[E, S]\nlayer a: k[E, S] = z\nlayer b: y = k\noutput y\n")
    assert only(wrong, "global_size_mismatch")["size"] == 1


def test_a_block_whose_result_is_wrong_keeps_its_other_layers() -> None:
    text = BLOCKS.replace("y[B, T, D] = h * w2", "y[B, T, D] = h * w2 * nope")
    read = model(text + "layer m: z[B, S, D] = mlp(x)\nlayer n: u = gelu(z)\noutput u\n")
    assert names(read) == ["unknown_name"]
    assert list(layers(read)) == ["m.up.1", "m.up", "m.down", "n"]


def test_an_op_that_reads_what_is_not_known_says_so_once() -> None:
    read = model(
        "dim B = 8, D = 4\ninput x[B, D]\nop odd(X[B, D]) -> Y[B, D] = X + nope\n"
        "layer a: y = odd(x)\noutput y\n"
    )
    assert names(read) == ["unknown_name"]

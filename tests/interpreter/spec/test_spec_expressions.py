"""Expressions written out to operators; what is wrong with their dimensions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from reading import clean, layers, model, names, only, operations, tensors, written

HEAD = """
dim B = 8, S = 16, D = 32, F = 64, G = 2, R = 4, K = 8
dim H = G * R
dim D2 = D
input x[B, S, D], t[B, S] : i32
weight w[D, F], w3[D, F], v[F, D], b[F], e[F, D], wq[D, H, K]
"""


def written_out(body: str, out: str = "y") -> dict[str, str]:
    """The operators of a body over HEAD; unused names of HEAD do not matter."""
    read = model(f"{HEAD}{body}\noutput {out}\n")
    assert [name for name in names(read) if name != "unused_name"] == []
    return operations(read)


def wrong(body: str) -> tuple[str, dict[str, object]]:
    """The one thing that is wrong with a body over HEAD."""
    read = model(f"{HEAD}{body}\noutput y\n")
    (finding,) = (f for f in read.findings if f.name != "unused_name")
    return finding.name, dict(finding.data)


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        ("y[B, S, F] = x * w", "einsum x[B S D] w[D F] -> y[B S F]"),
        ("y[B, S, D] = x", "copy x[B S D] -> y[B S D]"),
        ("y = x", "copy x[B S D] -> y[B S D]"),
        ("y = -x", "scale -1·x[B S D] -> y[B S D]"),
        ("y = 3 * x / 2", "scale 3/2·x[B S D] -> y[B S D]"),
        ("y[B, S, F] = x * w / 4", "einsum 1/4·x[B S D] w[D F] -> y[B S F]"),
        ("y = x + x - 2 * x", "sum x[B S D] x[B S D] -2·x[B S D] -> y[B S D]"),
        ("y = gelu(x)", "gelu x[B S D] -> y[B S D]"),
        ("y = softmax over S (x)", "softmax over S x[B S D] -> y[B S D]"),
        ("y = sum over S, D (x)", "sum over S D x[B S D] -> y[B]"),
        ("y = x[B, 3, D]", "copy x[B . D] -> y[B D]"),
        ("y = x[B, S, D2]", "copy x[B S D2] -> y[B S D2]"),
        ("y = lookup(t, e)", "lookup t[B S] e[F D] -> y[B S D]"),
        ("y[B, S, H, K] = x * wq", "einsum x[B S D] wq[D G R K] -> y[B S G R K]"),
        ("y[B, S, G, R, K] = x * wq", "einsum x[B S D] wq[D G R K] -> y[B S G R K]"),
        ("y[] = sum over B, S, D (x)", "sum over B S D x[B S D] -> y[]"),
    ],
)
def test_one_operator(layer: str, expected: str) -> None:
    assert written_out(f"layer l: {layer}")["l"] == expected


def test_a_bias_is_a_layer_of_its_own_and_the_product_answers_to_the_result() -> None:
    read = model(f"{HEAD}layer l: y[B, S, F] = x * w + b\noutput y\n")
    assert operations(read) == {
        "l.1": "einsum x[B S D] w[D F] -> l.1[B S F]",
        "l": "sum l.1[B S F] b[F] -> y[B S F]",
    }
    assert tensors(read)["l.1"].aliases == ("y",)
    assert layers(read)["l.1"].parent == "l"


def test_inner_expressions_come_in_the_order_of_evaluation() -> None:
    assert written_out("layer l: y[B, S, F] = silu(x * w) * (x * w3)") == {
        "l.1": "einsum x[B S D] w[D F] -> l.1[B S F]",
        "l.2": "silu l.1[B S F] -> l.2[B S F]",
        "l": "einsum l.2[B S F] x[B S D] w3[D F] -> y[B S F]",
    }


def test_what_is_shared_with_another_factor_is_not_summed_inside() -> None:
    assert written_out("layer l: y[B, S, D] = gelu(x[B, S, D2] * w[D2, F]) * v") == {
        "l.1": "einsum x[B S D2] w[D2 F] -> l.1[B S F]",
        "l.2": "gelu l.1[B S F] -> l.2[B S F]",
        "l": "einsum l.2[B S F] v[F D] -> y[B S D]",
    }


def test_inside_a_function_along_a_dimension_that_dimension_is_kept() -> None:
    assert written_out("layer l: y[B, S] = sum over F (x * w)") == {
        "l.1": "einsum x[B S D] w[D F] -> l.1[B S F]",
        "l": "sum over F l.1[B S F] -> y[B S]",
    }


def test_a_number_added_makes_a_shift() -> None:
    read = clean("dim B = 8\ninput x[B]\nlayer l: y[B] = 1 - x\noutput y\n")
    layer = layers(read)["l"]
    assert operations(read)["l"] == "shift -1·x[B] -> y[B]"
    assert (layer.operator.kind, layer.offset) == ("pointwise", Fraction(1))


def test_a_new_factor_of_a_product_dim_repeats() -> None:
    body = "input k[B, S, G, K]\nlayer l: y[B, S, H, K] = k"
    assert written_out(body)["l"] == "copy k[B S G K] -> y[B S G R K]"


def test_experts() -> None:
    body = """
    dim E = 4
    dim C = capacity(tokens = B * S, experts = E, top = 2)
    weight wr[D, E], we[E, D, D2]
    layer r: r[B, S, E] = softmax over E (x * wr)
    layer s: xe[E, C, D] = dispatch(x, r)
    layer u: ye[E, C, D2] = xe * we
    layer c: y[B, S, D2] = combine(ye, r)
    """
    found = written_out(body)
    assert found["s"] == "dispatch x[B S D] r[B S E] -> xe[E C D]"
    assert found["c"] == "combine ye[E C D2] r[B S E] -> y[B S D2]"


def test_a_loss_is_the_mean_over_what_its_result_lacks() -> None:
    body = "layer z: z[B, S, F] = x * w\nlayer l: y[] = crossentropy over F (z, t)"
    assert written_out(body)["l"] == "crossentropy over F z[B S F] t[B S] -> y[]"


@pytest.mark.parametrize(
    ("layer", "name", "facts"),
    [
        ("y[B, S] = gelu(x)", "missing_sum", {"dims": ("D",)}),
        ("y[B, S] = x", "missing_sum", {"suggestion": "sum over D (x)"}),
        ("y[B, S, F] = x", "dim_without_operand", {"dim": "F"}),
        ("y[B, D, D] = x", "repeated_dim", {"dim": "D"}),
        ("y[B, G, H] = x", "repeated_dim", {"dim": "G"}),
        ("y = x[B, D]", "rank_mismatch", {"wants": 3, "got": 2, "written": ("B", "D")}),
        ("y = x[B, S, F]", "global_size_mismatch", {"position": 3, "size": 64, "other_size": 32}),
        ("y = x * w", "missing_index", {"name": "y"}),
        (
            "y = x[B, S, D] + w[D, F]",
            "missing_index",
            {"reason": "no operand has all of B, S, D, F"},
        ),
        ("y = softmax(x)", "wrong_arguments", {"function": "softmax", "got": "none"}),
        ("y = softmax over F (x)", "wrong_arguments", {"wants": "a tensor with dimension F"}),
        ("y = gelu over D (x)", "wrong_arguments", {"wants": "no dimension"}),
        ("y = swiglu(x)", "wrong_arguments", {"wants": "2 tensors", "got": "1 tensor"}),
        ("y = gleu(x)", "unknown_name", {"kind": "function", "near": ("gelu",)}),
        ("y = xx", "unknown_name", {"kind": "tensor", "near": ("x",)}),
        ("y[B, Q] = x", "unknown_name", {"kind": "dimension", "name": "Q"}),
        ("y = x[B, 99, D]", "bad_size", {"name": "x", "text": "99"}),
        ("y[B] = 3", "wrong_arguments", {"got": "a number"}),
    ],
)
def test_what_is_wrong(layer: str, name: str, facts: dict[str, object]) -> None:
    found, data = wrong(f"layer l: {layer}")
    assert found == name
    assert {key: data[key] for key in facts} == facts


def test_a_missing_sum_offers_the_mend() -> None:
    read = model(f"{HEAD}layer l: y[B, S, F] = x * w\nlayer m: z[B, S] = y + t\noutput z\n")
    (finding,) = (f for f in read.findings if f.name == "missing_sum")
    assert [(fix.title, fix.edits[0].text) for fix in finding.fixes] == [
        ("Write `z[B, S, F]`", "B, S, F"),
        ("Write `sum over F (y)`", "sum over F (y)"),
    ]
    assert written(read, finding) == "z"


@pytest.mark.parametrize(
    ("dims", "whole"),
    [("B, D", "B, S, D"), ("S, D", "B, S, D"), ("D", "B, S, D"), ("D, B", "D, B, S")],
)
def test_a_dimension_that_was_forgotten_is_missed_once(dims: str, whole: str) -> None:
    text = (
        "dim B = 8, S = 4, D = 6, F = 12, L = 2\ndim T = S\ninput x[B, S, D]\n"
        "weight w[D, F]\n"
        "layer n: a[{0}] = rmsnorm over D (x)\nlayer f: h[B, S, F] = a * w\n"
        "layer k: k[B, T, F] = a[B, T, D] * w\n"
        "stack s[L]: a -> y {{ weight g[D]\nlayer l: y[B, S, D] = a * g }}\n"
        "for s.l: partition D on tp\nmesh tp = 2\noutput h, k, y\n"
    )
    clean(text.format(whole.replace("D, B, S", "B, S, D")))
    read = model(text.format(dims))
    (finding,) = read.findings
    assert finding.name == "missing_sum"
    assert dict(finding.data)["result"] == f"a[{whole}]"
    assert finding.fixes[0].edits[0].text == whole


def test_symbolic_sizes_are_equal_only_by_name() -> None:
    text = "dim B, D, F\ndim D2 = D\ninput x[B, D]\nlayer l: y = x[B, {0}]\noutput y\n"
    clean(text.format("D2").replace(", F", ""))
    assert only(model(text.format("F")), "global_size_mismatch")["other_size"] == "D"


def test_what_depends_on_a_mistake_is_read_with_the_dimensions_it_would_have() -> None:
    read = model(
        "dim B = 8, D = 4\ninput x[B, D]\nlayer a: h = gleu(x)\nlayer b: y[B, D] = gelu(h)\n"
        "layer c: z[B, D] = gelu(y)\noutput z\nexpect h is R\n"
    )
    assert names(read) == ["unknown_name"]
    assert operations(read) == {
        "b": "gelu b.h[B D] -> y[B D]",
        "c": "gelu y[B D] -> z[B D]",
    }


def test_a_factor_that_is_not_known_has_what_the_product_needs_of_it() -> None:
    read = model("dim B = 8, D = 4, F = 6\nweight w[F, D]\nlayer a: y[B, D] = nope * w\noutput y\n")
    assert names(read) == ["unknown_name"]
    assert operations(read) == {"a": "einsum a.nope[B F] w[F D] -> y[B D]"}


def test_deep_expressions_are_refused() -> None:
    text = "dim B = 8\ninput x[B]\nlayer l: y = " + "gelu(" * 80 + "x" + ")" * 80 + "\noutput y\n"
    assert only(model(text), "over_limit")["limit"] == 64


@pytest.mark.parametrize(
    ("layer", "alone"),
    [
        ("h[B, F] = x * w[E, F]", [("x", "D")]),  # with w's E, in one
        ("h[F] = x * w", [("x", "B")]),
        ("h[B, F] = x * w", []),
    ],
)
def test_a_dimension_that_one_factor_alone_sums_away_is_pointed_out(
    layer: str, alone: list[tuple[str, str]]
) -> None:
    read = model(
        "dim B = 8, D = 4, F = 6\ndim E = D\ninput x[B, D]\nweight w[D, F]\n"
        f"layer a: {layer}\noutput h\n"
    )
    found = [dict(f.data) for f in read.findings if f.name == "summed_alone"]
    assert [(data["tensor"], data["dim"]) for data in found] == alone


def test_a_dimension_that_the_result_of_a_product_forgot_can_be_added() -> None:
    read = model(
        "dim B = 8, S = 4, D = 4, F = 6\ninput x[B, S, D]\nweight w[D, F]\n"
        "layer a: h[B, F] = x * w\noutput h\n"
    )
    (finding,) = read.findings
    (fix,) = finding.fixes
    assert (fix.title, fix.edits[0].text) == ("Write `h[B, S, F]`", "B, S, F")


@pytest.mark.parametrize(
    ("layer", "title"),
    [
        ("h[B, D] = x * w", "Write `h[B, F]`"),
        ("h[D, B] = x * w", "Write `h[F, B]`"),
        ("h[B, D] = x * v", "Write `h[B, D, E]`"),  # nothing that both have to sum over
        ("h[B] = x * w", "Write `h[B, F]`"),
        ("h[B, D] = x * t", "Write `h[B, F]`"),  # of B and D, which both have, the last
    ],
)
def test_the_dimension_that_a_product_forgot_stands_where_one_is_to_be_summed_over(
    layer: str, title: str
) -> None:
    read = model(
        "dim B = 8, D = 4, F = 6, E = 2\ninput x[B, D]\nweight w[D, F], v[E], t[B, D, F]\n"
        f"layer a: {layer}\noutput h\n"
    )
    (finding,) = [f for f in read.findings if f.name == "summed_alone"]
    assert [fix.title for fix in finding.fixes] == [title]


@pytest.mark.parametrize(("size", "titles"), [(16, ["Write `k[B, T, H, K]`"]), (32, [])])
def test_two_factors_with_a_dimension_of_their_own_are_asked_about_once(
    size: int, titles: list[str]
) -> None:
    read = model(
        f"dim B = 4, S = 8, H = 2, K = 16, J = {size}\ndim T = S\n"
        "input q[B, S, H, K], k[B, T, H, J]\nlayer score: s[B, H, S, T] = q * k\noutput s\n"
    )
    (finding,) = read.findings
    assert dict(finding.data) == {"tensor": "q", "dim": "K", "other": "k", "other_dim": "J"}
    assert [fix.title for fix in finding.fixes] == titles


def test_the_last_dimension_of_a_result_is_the_one_that_was_to_be_summed_over() -> None:
    read = model(
        "dim B = 4, S = 8, H = 2, K = 16\ndim T = S\n"
        "input p[B, H, S, T], v[B, T, H, K]\nlayer mix: c[B, S, H, T] = p * v\noutput c\n"
    )
    (finding,) = read.findings
    assert [fix.title for fix in finding.fixes] == ["Write `c[B, S, H, K]`"]


DECLARED = """
dim B = 8, D = 4, F = 6
input x[B, D]
weight v[F, D]
block mlp(p[B, F]) -> r { layer i: r[B, F] = gelu(p) }
op wide(P[B, F]) -> R[B, F] = P
"""


@pytest.mark.parametrize(
    "behind",
    [
        "layer b: a[B, F] = gelu(h)\nlayer c: y[B, D] = a * v",
        "layer b: a = gelu(h)\nlayer c: y[B, D] = a * v",
        "layer b: a[B, D] = gelu(h)\nlayer c: y[B, D] = a + x",  # if [B, D] was meant
        "layer b: y[B, D] = h * v",
        "layer b: a = mlp(h)\nlayer c: y[B, D] = a * v",
        "layer b: a = wide(h)\nlayer c: y[B, D] = a * v",
        "layer b: y[B, D] = h[B, D]",
    ],
)
def test_a_declaration_is_believed_where_what_is_behind_it_is_wrong(behind: str) -> None:
    read = model(f"{DECLARED}layer up: h[B, F] = x\n{behind}\noutput y\n")
    found = [each for each in names(read) if each != "unused_name"]
    assert found == ["dim_without_operand"]


def test_what_reads_a_declaration_that_is_wrong_is_understood() -> None:
    read = model(f"{DECLARED}layer up: h[B, F] = x\nlayer b: a = gelu(h)\noutput a\n")
    assert operations(read) == {"b": "gelu h[B F] -> a[B F]"}


def test_an_unknown_name_is_said_once_with_its_other_places() -> None:
    read = model("dim B = 8\ninput x[B, D]\nweight w[D]\nlayer a: y[B] = x * w\noutput y\n")
    (found,) = [f for f in read.findings if f.name == "unknown_name"]
    assert dict(found.data)["name"] == "D"
    assert len(found.related) == 1


def test_what_a_misspelt_name_meant_is_not_unused() -> None:
    read = model("dim B = 8\ninput hidden[B]\nlayer a: y[B] = gelu(hiden)\noutput y\n")
    assert names(read) == ["unknown_name"]

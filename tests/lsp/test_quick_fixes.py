"""Quick fixes: what is offered where, and what the text is afterwards."""

import pytest
from action_fixtures import bench_of, done, found_in, offered, quick
from lsp_fixtures import MAIN

from parspec.interpreter.diagnostics.catalogue import ENTRIES
from parspec.lsp.features.edits import edited

TYPO = """\
mesh N = 8
dim B = 64, D = 32
input x[B, D]
layer act: a[B, D] = gellu(x) partition B on N
output a
"""


def test_a_misspelt_name_is_replaced():
    assert done(TYPO.replace("gellu", "ge‸llu"), "Replace `gellu` with `gelu`") == [
        "-layer act: a[B, D] = gellu(x) partition B on N",
        "+layer act: a[B, D] = gelu(x) partition B on N",
    ]


def test_each_name_that_may_be_meant_is_offered():
    source = "mesh tp1 = 2, tp2 = 2\ndim B = 4\ninput x[B] partition B on t‸p\noutput x\n"
    assert quick(source) == [
        "Replace `tp` with `tp2`",
        "Replace `tp` with `tp1`",
        "Add `tp = 1` to the mesh",
    ]


def test_nothing_is_preferred_among_several_names():
    source = "mesh tp1 = 2, tp2 = 2\ndim B = 4\ninput x[B] partition B on t‸p\noutput x\n"
    assert {each.rank for each in offered(source, "quickfix").values()} == {"possible"}


MISSING = """\
mesh N = 8
# sizes of the model
dim B = 64, D = 32
input x[B, D]
# the first half
layer up: h[B, F] = x * w partition F on N  # column
output h
"""


def test_what_depends_on_a_name_may_show_once_it_is_known():
    assert quick(MISSING.replace("partition F", "partition ‸F")) == ["Declare `dim F`"]


def test_a_missing_dimension_is_declared_below_the_others():
    source = MISSING.replace("input x[B, D]", "input x[B, D], w[D, ‸F]")
    assert done(source, "Declare `dim F`") == ["+dim F"]


def test_a_missing_weight_has_the_dimensions_that_the_layer_leaves_open():
    source = MISSING.replace("D = 32", "D = 32, F = 64").replace("x * w", "x * ‸w")
    assert quick(source) == ["Declare `weight w[D, F]`", "Declare `input w[D, F]`"]
    assert done(source, "Declare `weight w[D, F]`") == ["+weight w[D, F]"]


def test_what_is_multiplied_by_weights_alone_is_an_input_of_the_results_dimensions_first():
    source = MISSING.replace("D = 32", "D = 32, F = 64").replace("x[B, D]", "z[B], w[D, F]")
    source = source.replace("input z[B], w", "weight w").replace("= x", "= ‸x")
    assert quick(source) == ["Declare `input x[B, D]`", "Declare `weight x[B, D]`"]
    assert done(source, "Declare `input x[B, D]`") == ["+input x[B, D]"]


def test_a_variable_of_unknown_dimensions_is_not_declared():
    source = MISSING.replace("h[B, F] = x * w partition F on N", "h = gelu(‸zz)")
    assert quick(source) == []
    assert quick(source.replace("layer up", "var h[B]\nlayer up"))[0] == "Declare `input zz[B]`"
    assert quick(source.replace("h =", "h[] ="))[0] == "Declare `input zz[]`"


def test_a_weight_is_declared_above_the_comment_of_its_layer():
    source = MISSING.replace("D = 32", "D = 32, F = 64").replace("x * w", "x * ‸w")
    (edit,) = offered(source)["Declare `weight w[D, F]`"].edits
    text = source.replace("‸", "")
    assert edited(text, [edit]).splitlines()[3:6] == [
        "input x[B, D]",
        "weight w[D, F]",
        "# the first half",
    ]


def test_a_missing_input_of_a_stack_is_declared_outside_it():
    source = """\
dim B = 4, D = 4, L = 2
input x[B, D]
stack s[L]: x -> y {
  layer a: y[B, D] = x + ‸bias
}
output y
"""
    assert done(source, "Declare `input bias[B, D]`") == ["+input bias[B, D]"]
    assert done(source, "Declare `weight bias[B, D]`") == ["+  weight bias[B, D]"]


def test_what_a_function_sums_away_is_a_dimension_of_its_operand():
    source = "dim B = 4, D = 8\nlayer a: y[B] = sum over D (‸x)\noutput y\n"
    assert quick(source)[0] == "Declare `input x[B, D]`"


def test_a_missing_axis_is_added_to_the_mesh():
    source = "mesh dp = 8  # data\ndim B = 64\ninput x[B] partition B on ‸expert\noutput x\n"
    assert done(source, "Add `expert = 1` to the mesh") == [
        "-mesh dp = 8  # data",
        "+mesh dp = 8, expert = 1  # data",
    ]


def test_a_missing_axis_has_no_size_where_none_has_one():
    source = "mesh dp\ndim B\ninput x[B] partition B on ‸expert\noutput x\n"
    assert done(source, "Add `expert` to the mesh") == ["-mesh dp", "+mesh dp, expert"]
    alone = source.replace("mesh dp\n", "")
    assert done(alone, "Declare `mesh expert`") == ["+mesh expert"]


def test_a_missing_axis_leaves_the_number_of_devices_as_it_is():
    source = """\
import std.h100
mesh dp = 2 over ib, ep = 8 over nvlink on 16 h100
dim B = 64, F = 32
input x[B, F]
layer a: y[B, F] = gelu(x) partition B on dp * ep, F on ‸tp
output y
expect memory <= 1 GB
"""
    title = "Add `tp = 1` to the mesh"
    bench = bench_of(source.replace("‸", ""))
    assert found_in(bench.tried(offered(source)[title].edits)) == {}


def test_a_missing_axis_of_a_plan_is_added_to_the_plans_mesh():
    source = """\
dim B = 64
input x[B]
layer a: y[B] = gelu(x)
output y
plan one { mesh tp = 8
  for a: partition B on ‸other }
"""
    assert done(source, "Add `other = 1` to the mesh") == [
        "-plan one { mesh tp = 8",
        "+plan one { mesh tp = 8, other = 1",
    ]


def test_a_missing_function_is_declared():
    source = TYPO.replace("gellu", "zw‸oosh")
    assert done(source, "Declare `op zwoosh: pointwise`") == ["+op zwoosh: pointwise"]


ON = """\
import std.h100
mesh N = 8 over ib on 8 {device}
dim B = 64
input x[B] partition B on N
output x
"""


@pytest.mark.parametrize(
    ("device", "title", "library", "meant"),
    [
        ("h‸200", "Replace `import std.h100` with `import std.h200`", "h200", "h200"),
        (
            *("a‸100", "Replace `import std.h100` with `import std.a100_80` for `a100_80`"),
            *("a100_80", "a100_80"),
        ),
        (
            *("mi‸300", "Replace `import std.h100` with `import std.mi300x` for `mi300x`"),
            *("mi300x", "mi300x"),
        ),
    ],
)
def test_a_device_of_the_library_takes_the_place_of_another(device, title, library, meant):
    source = ON.format(device=device)
    changes = ["-import std.h100", f"+import std.{library}"]
    if device.replace("‸", "") != meant:
        mesh = "mesh N = 8 over ib on 8"
        changes = [
            *(changes[0], f"-{mesh} {device.replace('‸', '')}"),
            *(changes[1], f"+{mesh} {meant}"),
        ]
    assert done(source, title) == changes


def test_each_device_that_a_name_begins_is_imported_with_its_library():
    source = ON.format(device="a‸100").replace("import std.h100\n", "").replace(" over ib", "")
    assert quick(source) == [
        "Add `import std.a100_40` for `a100_40`",
        "Add `import std.a100_80` for `a100_80`",
    ]
    assert done(source, "Add `import std.a100_40` for `a100_40`") == [
        "-mesh N = 8 on 8 a100",
        "+import std.a100_40",
        "+mesh N = 8 on 8 a100_40",
    ]


def test_a_missing_device_is_imported():
    source = "mesh N = 8 on 8 h‸100\ndim B = 64\ninput x[B] partition B on N\noutput x\n"
    assert done(source, "Add `import std.h100`") == ["+import std.h100"]


def test_an_unused_result_becomes_an_output_or_goes():
    source = """\
mesh N = 8
dim B = 64
input x[B]
layer act: a[B] = gelu(x) partition B on N
# not needed any more
layer more: ‸b[B] = gelu(x) partition B on N
output a
"""
    assert quick(source) == [
        "Add `output b`",
        "Remove `layer more`",
    ]
    assert done(source, "Add `output b`") == ["+output b"]
    assert done(source, "Remove `layer more`") == [
        "-# not needed any more",
        "-layer more: b[B] = gelu(x) partition B on N",
    ]


def test_an_unused_stack_becomes_an_output_and_stays():
    source = """\
mesh N = 8
dim B = 64, L = 2
input x[B]
stack deep[L]: x -> ‸y {
  layer act: y[B] = gelu(x) partition B on N
}
"""
    assert quick(source) == ["Add `output y`"]
    assert done(source, "Add `output y`") == ["+output y"]


def test_an_unused_block_goes_with_its_body():
    source = """\
mesh N = 8
dim B = 64
input x[B]
layer act: a[B] = gelu(x) partition B on N
block ‸mlp(x[B]) -> y {
  layer one: h[B] = gelu(x)
  layer two: y[B] = gelu(h)  # last
  # the end
}
output a
"""
    assert done(source, "Remove `block mlp`") == [
        "-block mlp(x[B]) -> y {",
        "-  layer one: h[B] = gelu(x)",
        "-  layer two: y[B] = gelu(h)  # last",
        "-  # the end",
        "-}",
    ]


def test_a_pattern_that_matches_nothing_is_mended():
    source = """\
mesh N = 8
dim B = 64
input x[B]
layer gate: a[B] = gelu(x)
for g‸ates: partition B on N
output a
"""
    assert quick(source) == [
        "Replace `gates` with `gate`",
        "Remove `for gates: partition B on N`",
    ]
    assert done(source, "Replace `gates` with `gate`") == [
        "-for gates: partition B on N",
        "+for gate: partition B on N",
    ]


# -- sizes and clauses ---------------------------------------------------------------------------


def test_a_fix_in_an_imported_file_is_made_there():
    source = 'import "model.par"\nmesh tp = 3\nfor act: partition ‸H on tp\n'
    model = "dim B = 64, H = 52  # heads\ninput x[B, H]\nlayer act: a[B, H] = gelu(x)\noutput a\n"
    action = offered(source, "quickfix", model=model)["Write `H uneven`"]
    assert [(edit.location.file, edit.text) for edit in action.edits] == [
        ("/repo/model.par", " uneven")
    ]
    assert done(source, "Write `H uneven`", model=model) == [
        "-dim B = 64, H = 52  # heads",
        "+dim B = 64, H = 52 uneven  # heads",
    ]


def test_nothing_is_edited_in_the_library():
    source = """\
import std.h100
mesh N = 7 over nvlink on 8 h100
dim B = 64
input x[B]
output x
device h1‸00 { memory = 80 GB }
"""
    for action in offered(source, "quickfix").values():
        assert all(edit.location.file == MAIN for edit in action.edits)


def test_the_cheapest_of_two_choices_stands_first():
    source = """\
mesh N = 8
dim B = 64, D = 32, F = 16
input x[B, D] partition B on N
input h[B, F, D] partition D on N
layer ‸add: y[B, F, D] = x * h
output y
"""
    assert quick(source) == [
        "Write `partition D on N`: it moves 448 B a device",
        "Write `partition B on N`: it moves 7.17 kB a device",
    ]


def test_a_carry_is_brought_back_to_where_it_was():
    source = next(each for each in ENTRIES if each.name == "carry_unsettled").example
    assert done(source, "Bring y back to N: P(B) at the end of each turn") == [
        "-  layer turn: y[B, D] = gelu(x[D, B])",
        "+  layer turn: y2[B, D] = gelu(x[D, B])",
        "+  layer y2_back: y[B, D] = y2 partition B on N",
    ]


def test_one_of_several_outputs_is_added_up_by_itself():
    source = """\
mesh N = 8
dim B = 64, F = 32, D = 16
input a[B, F]
weight w[F, D]
layer down: y[B, D] = a * w partition F on N
layer act: z[B, F] = gelu(a) partition F on N
output ‸y, z
"""
    assert done(source, "Write `output y replicated on N`") == [
        "-output y, z",
        "+output z",
        "+output y replicated on N",
    ]


def test_a_cut_among_others_is_removed_with_its_comma():
    source = """\
mesh dp = 2, tp = 4
dim B = 64, D = 32, F = 8
input x[B, D], o[F]
layer act: a[B, D] = gelu(x) partition B on dp, ‸F on tp
output a, o
"""
    assert done(source, "Remove `F on tp`") == [
        "-layer act: a[B, D] = gelu(x) partition B on dp, F on tp",
        "+layer act: a[B, D] = gelu(x) partition B on dp",
    ]


def test_a_budget_is_raised_to_what_holds():
    source = next(each for each in ENTRIES if each.name == "expect_failed").example
    assert done(source, "Raise the bound to 64.6 kB") == [
        "-expect traffic <= 1 kB",
        "+expect traffic <= 64.6 kB",
    ]


def test_line_ends_stay_as_they_are():
    source = MISSING.replace("input x[B, D]", "input x[B, D], w[D, ‸F]").replace("\n", "\r\n")
    (edit,) = offered(source, "quickfix")["Declare `dim F`"].edits
    assert edit.text == "\r\ndim F"


def test_statements_on_one_line_stay_on_it():
    source = "dim B = 4, D = 4 input x[B, D] layer a: y[B, D] = x * ‸w output y"
    (edit,) = offered(source, "quickfix")["Declare `input w[]`"].edits
    assert edit.text == "input w[] "


def test_names_of_any_script():
    source = "mesh 节点 = 8\ndim 批次 = 64\ninput x[批次] partition 批次 on ‸节\noutput x\n"
    assert "Replace `节` with `节点`" in quick(source)


APART = """\
mesh N = 8
dim B = 64, D = 32, L = 2
block both(p[B, D]) -> o {
  layer rows: t[B] = sum over D (p)
  layer all: o[B, D] = p * t
}
input x[B, D], g[D]
layer tanh: a[D] = tanh(g)
stack s[L]: x -> y {
  layer m: y[B, D] = both(x)
}
output y, a
"""


def test_a_second_for_partitions_the_layers_that_have_the_second_dimension_alone():
    source = f"{APART}for *: partition B on N, ‸D on N\n"
    assert done(source, "Write `for *: partition D on N` above") == [
        "-for *: partition B on N, D on N",
        "+for *: partition D on N",
        "+for *: partition B on N",
    ]


def test_a_second_clause_of_a_call_becomes_a_for_below_the_stack():
    source = APART.replace("both(x)", "both(x) partition B on N, ‸D on N")
    assert done(source, "Write `for s.m: partition D on N` below") == [
        "-  layer m: y[B, D] = both(x) partition B on N, D on N",
        "+  layer m: y[B, D] = both(x) partition B on N",
        "+for s.m: partition D on N",
    ]


def test_there_is_no_second_for_where_a_layer_calls_nothing_or_stands_in_a_block():
    both = ["Remove `D on N`", "Remove `B on N`"]
    assert quick(APART.replace("= p * t", "= p * t partition B on N, ‸D on N")) == both
    assert quick(APART.replace("both(x)", "gelu(x) partition B on N, ‸D on N")) == both


DEALT = """\
mesh pp = 4
dim B = 32, D = 64, D2 = D, L = 10
input x[B, D]
layer first: e[B, D] = gelu(x)
stack decoder[L]: e -> y {
  weight w[D, D2]
  layer up: y[B, D2] = e * w
}
output y
"""


def test_one_of_the_chunks_takes_the_layers_that_are_lost_or_gives_up_those_too_many():
    lost = f"{DEALT}stages pp: first + 1 decoder | 3 decoder | 2 ‸decoder | 3 decoder\n"
    assert quick(lost) == ["Write `2 decoder`"]
    assert done(lost, "Write `2 decoder`") == [
        "-stages pp: first + 1 decoder | 3 decoder | 2 decoder | 3 decoder",
        "+stages pp: first + 2 decoder | 3 decoder | 2 decoder | 3 decoder",
    ]
    over = f"{DEALT}stages pp: first | 2 of 2 ‸decoder | 8 decoder\n"
    assert done(over, "Write `6 decoder`") == [
        "-stages pp: first | 2 of 2 decoder | 8 decoder",
        "+stages pp: first | 2 of 2 decoder | 6 decoder",
    ]


HEAVY = """\
device small { memory = 60 kB  flops = 1 Tflop/s  hbm = 1 TB/s }
mesh N = 2, M = 8 on 16 ‸small
dim B = 64, D = 32, D2 = D, L = 32
input x[B, D]
stack s[L]: x -> y {
  weight w[D, D2]
  layer up: y[B, D2] = gelu(x * w)
}
output y
for *: partition B on N * M
"""


def test_weights_that_do_not_fit_are_stored_on_an_axis_with_nodes_enough():
    assert quick(HEAVY) == ["Write `for *: store on N`", "Write `for *: store on M`"]
    assert done(HEAVY, "Write `for *: store on M`") == ["+for *: store on M"]
    assert quick(HEAVY.replace("60 kB", "20 kB")) == ["Write `for *: store on M`"]
    assert quick(HEAVY.replace("60 kB", "2 kB")) == []
    plan = HEAVY.replace("for *", "plan p {\n  for *").replace("mesh N = 2, M = 8 on 16 ‸small", "")
    plan = plan.replace(
        "partition B on N * M", "partition B on N * M\n  mesh N = 2, M = 8 on 16 s‸mall\n}"
    )
    assert done(plan, "Write `for *: store on N`") == ["+  for *: store on N"]


FORGOTTEN = """\
dim B = 4, D = 16, F = 32, G = 2, R = 4
dim H = G * R
input x[B, D], scale[F]
stack deep[G]: x -> y {
  weight w1[D, F], w2[F, D], wo[D, H]
  layer norm: n[B, D] = relu(x)
  layer up: h[B, F] = gelu(n * w1) * scale
  layer heads: o[B, H] = n * wo
  layer down: y[B, D] = h * w2
}
output y
"""


@pytest.mark.parametrize(
    ("written", "left", "at", "title"),
    [
        ("gelu(n * w1) * scale", "n * scale", "n * scale", "Write `n * scale * w1`"),
        ("gelu(n * w1) * scale", "gelu(n * w1)", "h[B", None),  # it lacks nothing
        ("gelu(n * w1) * scale", "n * scale / 2", "n * scale", "Write `n * scale / 2 * w1`"),
        ("n * wo", "n", "o[B", "Write `n * wo`"),
        ("h * w2", "h", "y[B", "Write `h * w2`"),
    ],
)
def test_a_forgotten_factor_is_offered_first(written, left, at, title):
    text = FORGOTTEN.replace(written, left)
    source = text.replace(at, f"‸{at}")
    assert next(iter(quick(source)), None) == title
    if title is not None:
        name = title.removesuffix("`").rpartition(" ")[2]
        assert done(source, title)[1].endswith(title.removeprefix("Write `").strip("`)"))
        unread = text.replace(f"{name}[", f"‸{name}[")
        assert quick(unread)[0] == title


@pytest.mark.parametrize(
    ("declared", "other"),
    [
        ("w1[D, F]", "w1[D, F], w3[D, F]"),  # either would do
        ("w1[D, F]", "w1[D, F, H]"),  # h would lack H
        ("w1[D, F]", "w1[F]"),  # D would be summed over a factor alone
    ],
)
def test_a_factor_is_offered_only_where_one_alone_fits(declared, other):
    text = FORGOTTEN.replace(declared, other).replace("gelu(n * w1) * scale", "n * scale")
    assert [t for t in quick(text.replace("h[B", "‸h[B")) if t.startswith("Write `n")] == []


def test_a_factor_of_another_body_is_not_offered():
    text = FORGOTTEN.replace("gelu(n * w1) * scale", "n * scale").replace("w1[D, F], ", "")
    block = "block m(a[B, D]) -> b {\n  weight w1[D, F]\n  layer p: b[B, D] = relu(a)\n}\n"
    text = text.replace("output y", f"{block}layer use: z = m(y)\noutput z")
    assert [t for t in quick(text.replace("h[B", "‸h[B")) if t.startswith("Write `n")] == []

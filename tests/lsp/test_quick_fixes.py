"""Quick fixes: what is offered where, and what the text is afterwards."""

from action_fixtures import done, offered, quick
from lsp_fixtures import MAIN

from parspec.interpreter.diagnostics.catalogue import ENTRIES
from parspec.lsp.features.actions.trial import edited

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
        "Declare `mesh tp`",
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
    assert done(source, "Declare `mesh expert`") == [
        "-mesh dp = 8  # data",
        "+mesh dp = 8, expert  # data",
    ]


def test_a_missing_axis_of_a_plan_is_added_to_the_plans_mesh():
    source = """\
dim B = 64
input x[B]
layer a: y[B] = gelu(x)
output y
plan one { mesh tp = 8
  for a: partition B on ‸other }
"""
    assert done(source, "Declare `mesh other`") == [
        "-plan one { mesh tp = 8",
        "+plan one { mesh tp = 8, other",
    ]


def test_a_missing_function_is_declared():
    source = TYPO.replace("gellu", "zw‸oosh")
    assert done(source, "Declare `op zwoosh: pointwise`") == ["+op zwoosh: pointwise"]


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

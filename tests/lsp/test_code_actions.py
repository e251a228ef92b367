"""Code actions: what is offered where, and that afterwards the file checks as promised."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from action_fixtures import (
    bench_of,
    checked,
    done,
    edits_of,
    found_in,
    offered,
    quick,
)
from lsp_fixtures import MAIN

from parspec.interpreter.diagnostics.catalogue import ENTRIES
from parspec.interpreter.diagnostics.readable import bytes_text
from parspec.lsp.features.actions.actions import actions, worked_out
from parspec.lsp.features.actions.trial import edited
from parspec.lsp.ranges import Range

ROOT = Path(__file__).parents[2]
CASES = json.loads((ROOT / "tests" / "data" / "cases.json").read_text("utf-8"))
MISTAKES = {each["id"]: each["spec"] for each in CASES["mistakes"] if "spec" in each}
EXAMPLES = {path.stem: path.read_text("utf-8") for path in (ROOT / "examples").glob("*.par")}

# What is offered for each entry's example; the preferred one is marked.
CATALOGUE = {
    "unknown_name": ["Declare `mesh M`"],
    "duplicate_name": ["Remove the second `x[B]`"],
    "rank_mismatch": ["Write `x[B, D]`"],
    "global_size_mismatch": ["Write `E = D`", "Write `D = E`"],
    "missing_sum": ["* Write `sum over F (gelu(h))`"],
    "dim_not_in_layer": ["Remove `F on N`"],
    "repeated_dim": ["Write `D2`, declared as `D2 = D`"],
    "unused_name": ["Remove `dim D`"],
    "resized": ["Remove `B = 32`"],
    "unit_mismatch": ["* Write `50 GB/s`"],
    "wrong_arguments": ["Remove `x`"],
    "bad_setting": ["Write `phase = prefill`", "Write `phase = decode`"],
    "misplaced": ["Remove `mesh M = 2`"],
    "missing_index": ["Write `y[B, F]`"],
    "summed_alone": ["Write `sum over B (x)`"],
    "indivisible": [
        "Write `H padded to tp`",
        "Write `H uneven`",
        "Write `H = 54`",
        "Write `H = 51`",
        "Write `tp = 2`",
    ],
    "block_split": ["Write `tp = 6`"],
    "axis_reused": ["Remove `D on tp`", "Remove `B on tp`"],
    "too_many_nodes": ["Write `tp = 8`"],
    "operands_disagree": [
        "Write `partition B on N`: it moves 448 B a device",
        "Write `partition D on N`: it moves 448 B a device",
    ],
    "mesh_product": [
        "Let `tp` fill the rest: 2",
        "Let `dp` fill the rest: 2",
        "Use 16 devices",
    ],
    "uneven_split": ["Write `store D on N`", "Write `A uneven`"],
    "unmatched_pattern": ["Remove `down`"],
    "carry_unsettled": ["Bring y back to N: P(B) at the end of each turn"],
    "conflicting_states": ["Remove `replicated on N`", "Remove `B on N`"],
    "stage_out_of_range": ["* Write `at pp[1]`"],
    "needs_whole": ["Write `none on N`"],
    "hole": ["* Replace `?` with `B`"],
    "partial_left": ["* Write `replicated on N`", "Write `partial on N`"],
    "redundant_gather": ["* Write `B on N`"],
    "unexpected_collective": ["* Write `B on N`"],
    "hidden_comm": ["* Write `V on N`"],
    "pad_reaches_reduction": ["* Write `over V masked`"],
    "unpinned": ["* Write `expect All-Reduce of y on N`"],
    "double_reduce": ["Remove `expect All-Reduce of y on N`"],
    "expect_failed": ["Raise the bound to 64.6 kB"],
    "memory_expectation": ["Raise the bound to 10.3 kB"],
    "input_state_mismatch": ["Write `R`"],
    "budget_without_unit": ["Write `1000000 GB`", "Write `1 MB`"],
    "state_mismatch": ["Write `P(F)`"],
    "layers_lost": ["Let the first stages take one layer of decoder more: `uneven`"],
    "batch_mismatch": ["Write `microbatches = 4`", "Write `B = 35`", "Write `B = 30`"],
    "schedule_constraint": ["Write `microbatches = 8`"],
    "weight_not_on_stage": ["Let out lie on every stage that uses it: 8.19 kB more"],
}

# What only a person can mend.
UNMENDED = {
    "M28",  # the layout of experts does not fit the devices
    "M40",  # not evaluated yet
    "M56",
    "M67",  # the order of layers
    "M78",  # of the hardware
    "M84",  # work that is repeated: told in passing
}


def decoded(entry):
    return {name.removesuffix(".par"): text.decode("utf-8") for name, text in entry.beside}


@pytest.mark.parametrize(
    "entry", [each for each in ENTRIES if each.name != "not_utf8"], ids=lambda each: each.name
)
def test_every_fix_of_the_catalogue_removes_its_diagnostic(entry):
    bench = bench_of(entry.example, **decoded(entry))
    found = list(actions(bench, Range(0, len(entry.example)), ("quickfix",)))
    marks = {"preferred": "* ", "possible": ""}
    assert [marks[each.rank] + each.title for each in found] == CATALOGUE.get(entry.name, [])
    for action in found:
        checked(bench, action, action.edits)


@pytest.mark.parametrize("case", MISTAKES)
def test_every_fix_of_a_reported_mistake_removes_its_diagnostic(case):
    bench = bench_of(MISTAKES[case])
    found = list(actions(bench, Range(0, len(MISTAKES[case])), ("quickfix",)))
    for action in found:
        checked(bench, action, edits_of(bench, action, 0))
    assert bool(found) is (bool(found_in(bench.snapshot)) and case not in UNMENDED)


# -- names ---------------------------------------------------------------------------------------

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


def test_a_fix_that_would_bring_another_mistake_is_not_offered():
    titles = quick(MISTAKES["M03"])  # 3 devices: 2 of them would leave one idle
    assert "Write `H uneven`" in titles
    assert "Write `tp = 2`" not in titles


# -- repartition ---------------------------------------------------------------------------------

GATHERED = """\
mesh tp = 8
dim B = 4096, D = 1024, F = 4096
input  x[B, D] partition B on tp
weight w[D, F]
layer up: ‸h[B, F] = x * w partition F on tp  # column
output h
"""


def test_a_cheaper_choice_says_what_it_saves():
    choice, pin = offered(GATHERED, "refactor.rewrite")
    assert choice == "Partition B on tp instead: saves 66.1 MB a step"
    assert pin == "Write `expect All-Gather of x on tp`"
    assert done(GATHERED, choice) == [
        "-layer up: h[B, F] = x * w partition F on tp  # column",
        "+layer up: h[B, F] = x * w partition B on tp  # column",
    ]


def test_no_choice_is_offered_that_is_not_cheaper():
    text = GATHERED.replace("partition F on tp", "partition B on tp")
    assert [each for each in offered(text, "refactor.rewrite") if each.startswith("Part")] == []


def test_a_layer_that_repeats_work_may_be_cut():
    source = next(each for each in ENTRIES if each.name == "repeated_work").example
    found = offered(source.replace("layer fc", "layer ‸fc"), "refactor.rewrite")
    assert "Partition B on N: saves 57.3kflop a device" in found


def test_a_clause_of_several_axes_keeps_the_others():
    source = """\
mesh dp = 2, tp = 4
dim B = 4096, D = 1024, F = 4096
input  x[B, F] partition B on dp, F on tp
layer ‸act: a[B, F] = gelu(x) partition B on dp * tp
output a
"""
    found = list(offered(source, "refactor.rewrite"))
    assert found[0] == "Partition F on tp instead: saves 50.3 MB a step"
    assert done(source, found[0]) == [
        "-layer act: a[B, F] = gelu(x) partition B on dp * tp",
        "+layer act: a[B, F] = gelu(x) partition B on dp, F on tp",
    ]


def test_a_pattern_of_a_plan_is_priced_under_that_plan():
    source = """\
dim B = 4096, D = 1024, F = 4096
input  x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w
layer down: y[B, D] = h * v
output y
plan wide {
  mesh tp = 8
  for up: partition B on tp
  for ‸down: partition D on tp
}
"""
    found = [each for each in offered(source, "refactor.rewrite") if "Partition" in each]
    assert found
    assert all(each.endswith("(plan wide)") for each in found)


def test_symbolic_sizes_have_no_prices():
    text = GATHERED.replace("B = 4096", "B")
    assert [each for each in offered(text, "refactor.rewrite") if each.startswith("Part")] == []


def test_little_is_tried_where_nobody_has_asked():
    text, offset = GATHERED.replace("‸", ""), GATHERED.index("‸")
    bench = replace(bench_of(text), patience=1)
    found = actions(bench, Range(offset, offset), ("refactor.rewrite",))
    assert [each.title for each in found] == ["Write `expect All-Gather of x on tp`"]


@pytest.mark.parametrize("name", ["megatron_mlp", "small_gpt", "llama3_70b_ffn"])
def test_what_a_choice_saves_is_the_difference_of_the_totals(name):
    text = EXAMPLES[name]
    bench = bench_of(text)
    seen = 0
    for start, _ in bench.snapshot.document.placed():
        for action in actions(bench, Range(start, start), ("refactor.rewrite",)):
            after = checked_after(bench, action, start)
            if action.task is None and "flop" not in action.title:
                saved = forward(bench.snapshot.analysis) - forward(after.analysis)
                assert f": saves {bytes_text(saved)} " in action.title
                seen += 1
    assert seen >= (name == "small_gpt") + (name == "megatron_mlp")


def checked_after(bench, action, offset):
    edits = edits_of(bench, action, offset)
    checked(bench, action, edits)
    return bench.tried(edits)


def forward(analysis):
    return dict(analysis.totals.traffic)["forward"]


# -- pins, holes, everything ---------------------------------------------------------------------

EXPLICIT = """\
communication explicit  # nothing unseen
mesh N = 8
dim B = 64, F = 32, D = 16
input a[B, F]
weight w[F, D]
layer down: y[B, D] = a * w partition F on N
layer act:  z[B, D] = gelu(y) partition B on N
output z replicated on N
"""


def test_a_primitive_is_pinned_at_its_layer():
    text = EXPLICIT.replace("communication explicit  # nothing unseen\n", "")
    source = text.replace("layer act", "layer ‸act")
    assert done(source, "Write `expect Reduce-Scatter of y on N`") == [
        "+expect Reduce-Scatter of y on N"
    ]


def test_all_primitives_are_pinned_below_the_last_expect():
    source = EXPLICIT.replace("mesh N", "expect traffic <= 1 GB\nmesh N")
    assert done(source, "Pin all 2 primitives") == [
        "+expect Reduce-Scatter of y on N",
        "+expect All-Gather of z on N",
    ]


def test_what_is_not_pinned_is_mended_alone_or_with_all_others():
    source = EXPLICIT.replace("layer act:  z", "layer act:  ‸z")
    assert quick(source) == ["Write `expect All-Gather of z on N`", "Pin all primitives"]
    assert done(source, "Write `expect All-Gather of z on N`") == ["+expect All-Gather of z on N"]
    bench = bench_of(source.replace("‸", ""))
    after = bench.tried(worked_out(bench, "pin all", 0))
    assert not found_in(after)


def test_a_pin_names_variables_of_one_name_by_their_paths():
    source = """\
communication explicit
mesh N = 2
dim B = 4, D = 4, D2 = D, F = 8
input x[B, D]
block m(x[B, D]) -> y {
  weight w[D, F], v[F, D2]
  layer up: h[B, F] = x * w partition B on N
  layer down: y[B, D2] = h * v partition F on N
}
layer m1: a[B, D2] = m(x)
layer m2: b[B, D2] = m(a[B, D])
output b replicated on N
"""
    bench = bench_of(source)
    edits = worked_out(bench, "pin all", 0)
    assert "expect All-to-All of m1.h on N" in edits[0].text
    assert not found_in(bench.tried(edits))


def test_a_plan_is_pinned_in_its_own_body():
    source = """\
dim B = 4096, D = 1024, F = 4096
input  x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w
layer down: y[B, D] = h * v
output y replicated on tp
plan wide {
  mesh tp = 8
  ‸for up, down: partition F on tp
}
"""
    assert done(source, "Pin 1 primitive") == ["+  expect All-Reduce of y on tp"]


HOLES = """\
mesh N = 8
dim B = 64, F = 128, D = 32
input x[B, F] partition F on N
weight w[F, D], v[D, F]
layer down: y[B, D] = x * w partition ‸? on N
layer up:   z[B, F] = y * v partition ? on N
output z replicated on N
"""


def test_holes_are_filled_one_by_one_or_all_at_once():
    one, everything = quick(HOLES)
    assert one.startswith("Replace `?` with `")
    assert everything == "Fill all 2 holes"
    assert done(HOLES, everything) == [
        "-layer down: y[B, D] = x * w partition ? on N",
        "-layer up:   z[B, F] = y * v partition ? on N",
        "+layer down: y[B, D] = x * w partition B on N",
        "+layer up:   z[B, F] = y * v partition none on N",
    ]


def test_all_that_needs_no_choice_is_mended_at_once():
    source = """\
link ib { bandwidth = 50 GB  latency = 5 us }
mesh N = 8 over ib
dim B = 64, F = 32, D = 16
input a[B, F]
weight w[F, D]
layer down: y[B, D] = a * w partition F on N
layer act:  s[B, D] = sigmoidd(y)
output s
"""
    assert done(source, "Fix all that needs no choice") == [
        "-link ib { bandwidth = 50 GB  latency = 5 us }",
        "+link ib { bandwidth = 50 GB/s  latency = 5 us }",
        "-layer act:  s[B, D] = sigmoidd(y)",
        "+layer act:  s[B, D] = sigmoid(y)",
    ]


def test_what_needs_a_choice_is_left_alone():
    source = next(each for each in ENTRIES if each.name == "indivisible").example
    assert "Fix all that needs no choice" not in offered(source)


# -- texts of any kind ---------------------------------------------------------------------------


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


@pytest.mark.parametrize("name", ["megatron_mlp", "llama3_70b_plans"])
def test_a_text_that_is_being_typed_has_actions_everywhere(name):
    text = EXAMPLES[name]
    for end in range(0, len(text), 37):
        bench = replace(bench_of(text[:end]), patience=0)
        list(actions(bench, Range(end, end)))
        for task in ("pin here", "pin all", "fix all"):
            worked_out(bench, task, end)

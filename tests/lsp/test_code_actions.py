"""Code actions beside the quick fixes: cheaper choices, pins, and all that can be done at once."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from action_fixtures import bench_of, checked, done, edits_of, found_in, offered, quick

from parspec.interpreter.diagnostics.catalogue import ENTRIES
from parspec.interpreter.diagnostics.readable import bytes_text, seconds_text
from parspec.lsp.features.actions.actions import actions, worked_out
from parspec.lsp.features.actions.pins import missing
from parspec.lsp.ranges import Range

ROOT = Path(__file__).parents[2]
EXAMPLES = {path.stem: path.read_text("utf-8") for path in (ROOT / "examples").glob("*.par")}

GATHERED = """\
mesh tp = 8
dim B = 4096, D = 1024, F = 4096
input  x[B, D] partition B on tp
weight w[D, F]
layer up: ‸h[B, F] = x * w partition F on tp  # column
output h
"""

PAIR = """\
dim B = 4096, D = 1024, F = 4096
input  x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w
layer down: y[B, D] = h * v
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
    source = (
        PAIR
        + """\
output y
plan wide {
  mesh tp = 8
  for up: partition B on tp
  for ‸down: partition D on tp
}
"""
    )
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
                assert promised(bench.snapshot.analysis, after.analysis) in action.title
                seen += 1
    assert seen >= (name == "small_gpt") + (name == "megatron_mlp")


def promised(now, then):
    """What a title says of the times or, where there is none, of the bytes of two plans."""
    fewer = forward(now) - forward(then)
    if now.totals.step_time is None:
        return f": saves {bytes_text(fewer)} a step"
    faster = now.totals.step_time - then.totals.step_time
    assert faster > 0
    return f": saves {seconds_text(faster)} a step, moves {bytes_text(fewer)} less"


SERVED = """\
import std.h100
mesh tp = 8 over nvlink on 8 h100
dim B = 16, D = 8192, F = 28672
input  x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w
layer act:  a[B, F] = gelu(h)
layer down: y[B, D] = a * v
output y replicated on tp
‸for up, act, down: partition F on tp
"""


def test_a_slower_plan_is_not_sold_as_a_saving():
    """Along B each device reads all of the weights, though almost nothing moves."""
    text = SERVED.replace("‸", "")
    fewer = bench_of(text.replace("for up, act, down: partition F", "for *: partition B"))
    now, then = bench_of(text).snapshot.analysis, fewer.snapshot.analysis
    assert forward(then) < forward(now)
    assert then.totals.step_time > 4 * now.totals.step_time
    assert [each for each in offered(SERVED, "refactor.rewrite") if "saves" in each] == []


def test_a_faster_plan_may_move_more():
    slow = SERVED.replace("partition F", "partition B")
    choices = [each for each in offered(slow, "refactor.rewrite") if "saves" in each]
    assert choices[0] == "Partition F on tp instead: saves 231 us a step, moves 2.06 MB more"


def test_in_training_it_is_said_what_weights_take():
    batch = SERVED.replace("B = 16", "B = 131072")
    trained = f"{batch}train {{ global_batch = B }}\n"
    assert next(iter(offered(trained, "refactor.rewrite"))) == (
        "Partition B on tp instead: saves 4.19 ms forward, moves 16.9 GB less, "
        "takes 822 MB more memory for weights a device"
    )


def test_in_training_gradients_must_not_cost_more():
    """Of a batch of this size they move more than the activations do."""
    batch = SERVED.replace("B = 16", "B = 65536")
    assert list(offered(batch, "refactor.rewrite")) == [
        "Partition B on tp instead: saves 2.1 ms a step, moves 8.46 GB less"
    ]
    assert list(offered(f"{batch}train {{ global_batch = B }}\n", "refactor.rewrite")) == []


@pytest.mark.parametrize(
    ("mistake", "offers"), [("F on tp, B on tp", 0), ("F on tp", 1), ("F on tpp", 0)]
)
def test_nothing_is_saved_of_a_plan_that_an_error_leaves_open(mistake, offers):
    source = SERVED.replace("B = 16", "B = 65536").replace("F on tp", mistake)
    assert len(offered(source, "refactor.rewrite")) == offers


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


@pytest.mark.parametrize(
    ("expect", "lacking"),
    [
        ("expect Reduce-Scatter of y on N in act", ["expect All-Gather of z on N"]),
        ("expect no All-to-All of y", ["@", "expect All-Gather of z on N"]),
        ("expect All-Gather of z on N in act", ["@", "expect All-Gather of z on N"]),
        ("expect All-Gather on N", ["@"]),
        ("expect Reduce-Scatter of y on N in act backward", ["@", "expect All-Gather of z on N"]),
    ],
)
def test_what_an_expect_pins_somewhere_is_not_pinned_again(expect, lacking):
    wanted = [each.replace("@", "expect Reduce-Scatter of y on N") for each in lacking]
    text = EXPLICIT.replace("communication explicit  # nothing unseen\n", "")
    assert list(missing(bench_of(f"{text}{expect}\n").snapshot, 0)) == wanted


@pytest.mark.parametrize(
    "mistake",
    ["dim Q = ", "weight u[Z]", 'import "none.par"', "for x.: partition B on N"],
)
def test_nothing_is_pinned_where_it_is_not_known_what_moves(mistake):
    def pins(text):
        return [title for title in offered(text) if title.startswith(("Pin", "Write `expect"))]

    text = EXPLICIT.replace("communication explicit  # nothing unseen\n", "")
    source = text.replace("layer act", "layer ‸act")
    assert pins(source) == ["Write `expect Reduce-Scatter of y on N`", "Pin all 2 primitives"]
    assert pins(f"{source}{mistake}\n") == []


def test_what_is_not_pinned_is_mended_alone_or_with_all_others():
    source = EXPLICIT.replace("layer act:  z", "layer act:  ‸z")
    assert quick(source) == ["Write `expect All-Gather of z on N`", "Pin all primitives"]
    assert done(source, "Write `expect All-Gather of z on N`") == ["+expect All-Gather of z on N"]
    bench = bench_of(source.replace("‸", ""))
    after = bench.tried(worked_out(bench, "pin all", 0))
    assert not found_in(after)


@pytest.mark.parametrize(
    ("source", "title"),
    [
        (EXPLICIT, "Pin all primitives"),
        (EXPLICIT.replace("F on N", "? on N").replace("B on N", "? on N"), "Fill all 2 holes"),
    ],
)
def test_what_mends_many_is_offered_once(source, title):
    bench = bench_of(source)
    titles = [each.title for each in actions(bench, Range(0, len(source)), ("quickfix",))]
    assert titles.count(title) == 1


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


def counted_pins(layers):
    """How many pins a chain of layers lacks, and how many calls it takes to find them."""
    chain = "".join(
        f"layer l{n}: h{n + 1}[B, D] = gelu(h{n}) partition {'BD'[n % 2]} on tp\n"
        for n in range(layers)
    )
    spec = f"mesh tp = 8\ndim B = 64, D = 64\ninput h0[B, D]\n{chain}output h{layers}\n"
    half = "".join(f"expect All-to-All of h{n + 1} on tp\n" for n in range(0, layers, 2))
    snapshot = bench_of(spec + half).snapshot
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        found = missing(snapshot, 0)
    finally:
        sys.setprofile(None)
    return len(found), calls


def test_pins_of_a_long_file_are_found_in_one_pass():
    few, of_few = counted_pins(60)
    many, of_many = counted_pins(240)
    assert (few, many) == (29, 119)
    assert of_many < 5 * of_few


def test_a_plan_is_pinned_in_its_own_body():
    source = (
        PAIR
        + """\
output y replicated on tp
plan wide {
  mesh tp = 8
  ‸for up, down: partition F on tp
}
"""
    )
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


def test_what_nobody_knows_a_mend_for_is_not_mended_with_all():
    source = "dim D = 4\ndim F =\nweight w[D, F]\n"
    assert "Fix all that needs no choice" not in offered(source)


# -- texts of any kind ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["megatron_mlp", "llama3_70b_plans"])
def test_a_text_that_is_being_typed_has_actions_everywhere(name):
    text = EXAMPLES[name]
    for end in range(0, len(text), 37):
        bench = replace(bench_of(text[:end]), patience=0)
        list(actions(bench, Range(end, end)))
        for task in ("pin here", "pin all", "fix all"):
            worked_out(bench, task, end)

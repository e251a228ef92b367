"""Budgets and pins held against the figures."""

from fractions import Fraction

import pytest

from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.readable import seconds_text

SPEC = """
mesh dp = 2, tp = 4
dim B = 64, D = 32, F = 128, L = 3
input x[B, D]
stack decoder[L]: x -> y {{
  weight v[D, F], w[F, D]
  layer up: h[B, F] = x * v partition F on tp
  layer down: d[B, D] = h * w partition F on tp
  layer res: y[B, D] = x + d
}}
output y
for *: partition B on dp
{expect}
"""
M = 64 * 32 * 2 // 2  # bytes of d as a group on tp sees it
TRAFFIC = 3 * 2 * 2 * (3 * M // 4 + 3 * M)  # turns, groups, two halves of an All-Reduce


@pytest.mark.parametrize(
    "expect",
    [
        f"traffic <= {TRAFFIC} B",
        f"traffic == {TRAFFIC} B",
        f"traffic(decoder) on tp < {TRAFFIC + 1} B",
        "traffic on dp <= 0 B",
        f"traffic per device <= {3 * 3 * M * 2 // 4} B forward",
        "no All-Gather",
        "no All-Gather in decoder",
        "All-Reduce of d on tp in decoder",
        "All-Reduce of decoder.d on tp",
        "h is P(F) on tp",
        "d is R(partial) on tp",
        "x is P(B) on dp",
        "x is R on tp",
        "memory <= 1 MB",
    ],
)
def test_what_holds(analyzed, complaints, expect):
    analysis = analyzed(SPEC.format(expect=f"expect {expect}"))
    assert [result.holds for result in analysis.expects] == [True]
    assert complaints(analysis) == []


@pytest.mark.parametrize(
    ("expect", "name", "facts"),
    [
        (
            f"traffic <= {TRAFFIC - 1} B",
            "expect_failed",
            {"actual": TRAFFIC, "bound": TRAFFIC - 1, "price_list": "composed"},
        ),
        ("no All-Reduce in decoder", "expect_failed", {"value": "All-Reduce of d on tp"}),
        ("All-Gather of d on tp", "expect_failed", {"value": "none"}),
        ("All-Reduce of h on tp", "double_reduce", {"factor": 4, "tensor": "h"}),
        ("h is R on tp", "state_mismatch", {"got": "P(F)", "wants": "R"}),
        ("x is P(B) on tp", "input_state_mismatch", {"axis": "tp", "got": "R"}),
        ("memory <= 1 kB", "memory_expectation", {"bound": 1000}),
    ],
)
def test_what_fails(analyzed, expect, name, facts):
    analysis = analyzed(SPEC.format(expect=f"expect {expect}"))
    assert [result.holds for result in analysis.expects] == [False]
    (found,) = [f for f in analysis.findings if f.name == name]
    assert facts.items() <= dict(found.data).items()


def test_a_failed_budget_says_what_it_is_made_of(analyzed):
    analysis = analyzed(SPEC.format(expect="expect traffic <= 1 B"))
    (found,) = [f for f in analysis.findings if f.name == "expect_failed"]
    assert dict(found.data)["parts"] == (
        f"All-Reduce d {TRAFFIC / 1000:.3g} kB".replace(".0 ", " "),
    )


@pytest.mark.parametrize("prices", ["composed", "approx", "ring"])
def test_the_cost_statement_picks_the_price_list(analyzed, prices):
    analysis = analyzed(SPEC.format(expect=f"cost {prices}"))
    (move,) = [m for m in analysis.moves if m.primitive]
    assert dict(analysis.totals.traffic)["forward"] == dict(move.traffic)[prices]


def test_what_needs_the_backward_pass_is_not_evaluated(analyzed):
    pins = "expect traffic <= 1 GB\nexpect All-Reduce of grad(v) on dp"
    train = f"train adam {{ global_batch = B }}\n{pins}"
    analysis = analyzed(SPEC.format(expect=train))
    assert [result.holds for result in analysis.expects] == [None, None]
    assert [f.name for f in analysis.findings].count("not_evaluated") == 2


def test_a_forward_pin_is_evaluated_in_training(analyzed):
    train = "train adam { global_batch = B }\nexpect All-Reduce of d on tp forward"
    assert [r.holds for r in analyzed(SPEC.format(expect=train)).expects] == [True]


def test_a_budget_of_one_layer_counts_no_layer_of_a_longer_name(analyzed):
    analysis = analyzed("""
      device chip { memory = 80 GB  flops = 1 Tflop/s  hbm = 1 TB/s }
      mesh tp = 2 on 2 chip
      dim B = 64, D = 128, F = 256
      input x[B, D]
      weight u[D, F], d[F, D]
      layer up: h[B, F] = x * u
      layer up2: y[B, D] = h * d
      output y
      expect time(up) <= 1 s
      expect time <= 1 s
    """)
    one, both = [layer.time for layer in analysis.layers]
    texts = [seconds_text(Fraction(time)) for time in (one, one + both)]
    assert [expect.value for expect in analysis.expects] == texts


def test_parts_of_an_axis_are_named_like_axes(analyzed):
    spec = """
mesh tp = 16
dim B = 64, D = 128, G = 8, R = 4, K = 16
dim H = G * R
input x[B, D]
weight wq[D, H, K]
layer q: q[B, H, K] = x * wq partition H on tp
output q
expect q is P(G) on tp.0
expect q is P(R) on tp.1
expect no All-Gather on tp.0
expect traffic on tp.1 <= 0 B
"""
    assert [result.holds for result in analyzed(spec).expects] == [True] * 4


@pytest.mark.parametrize("expect", ["traffic on tp.9 <= 1 GB", "h is R on tp.9", "no Send on tp.9"])
def test_a_part_that_an_axis_does_not_have_is_unknown(analyzed, expect):
    analysis = analyzed(SPEC.format(expect=f"expect {expect}"))
    (found,) = [f for f in analysis.findings if f.name == "unknown_name"]
    assert dict(found.data) == {"kind": "axis", "name": "tp.9", "near": ("tp",)}
    assert [result.holds for result in analysis.expects] == [None]


TIMED = """
device chip {{ memory = 80 GB  flops = 1 Tflop/s  hbm = 1 TB/s }}
link wire {{ bandwidth = 1 GB/s }}
mesh tp = 2 over wire on 2 chip
dim B = 64, D = 128, F = 256
input x[B, D]
weight u[D, F], d[F, D]
layer up: h[B, F] = x * u partition F on tp
layer down: y[B, D] = h * d partition F on tp
output y replicated on tp
{expect}
"""
# each layer: 2 x 64 x 128 x 128 operations on a device; the All-Reduce: 64 x 128 x 2 bytes


@pytest.mark.parametrize(
    ("figure", "below", "value", "above"),
    [
        ("compute", "4.194 us", "4.19 us", "4.195 us"),
        ("compute(up)", "2.097 us", "2.1 us", "2.098 us"),
        ("communication", "16.383 us", "16.4 us", "16.385 us"),
        ("communication on tp", "16.383 us", "16.4 us", "16.385 us"),
        ("step", "20.578 us", "20.6 us", "20.579 us"),
        ("time", "20.578 us", "20.6 us", "20.579 us"),
        ("flops", "8388607 flop", "8.39 Mflop", "8388609 flop"),
        ("flops(up)", "4194303 flop", "4.19 Mflop", "4194305 flop"),
        ("weights", "65535 B", "65.5 kB", "65537 B"),
        ("activations", "1 B", "32.8 kB", "33 kB"),
    ],
)
def test_every_figure_that_is_known_is_held_against_its_bound(
    analyzed, figure, below, value, above
):
    bounds = [f"expect {figure} <= {bound}" for bound in (below, above)]
    analysis = analyzed(TIMED.format(expect="\n".join(bounds)))
    assert [expect.holds for expect in analysis.expects] == [False, True]
    assert [expect.value for expect in analysis.expects] == [value, value]


@pytest.mark.parametrize(
    "expect",
    [
        "bubble <= 1 s",
        "throughput >= 1",
        "weights in up <= 1 GB",
        "memory(up) <= 1 GB",
        "compute on tp <= 1 s",
        "traffic <= 1 B backward",
    ],
)
def test_a_figure_that_is_not_known_is_not_evaluated(analyzed, expect):
    analysis = analyzed(TIMED.format(expect=f"expect {expect}"))
    assert [result.holds for result in analysis.expects] == [None]
    assert [f.name for f in analysis.findings] == ["not_evaluated"]


def test_weights_are_known_in_training(analyzed):
    train = "train sgd { global_batch = B }\nexpect weights <= 65536 B\nexpect compute <= 1 s"
    analysis = analyzed(TIMED.format(expect=train))
    assert [result.holds for result in analysis.expects] == [True, None]


PLANNED = (
    """
dim B = 64, D = 32
input x[B, D]
weight w[D, D]
layer fc: y[B, D] = x * w
output y
plan a { mesh dp = 8
         for *: partition B on dp }
plan b { mesh dp = 2
         for *: partition B on dp }
expect memory <= 4 kB
expect no All-Reduce
expect parameters == 1024
""".replace("w[D, D]", "w[D, E]")
    .replace("y[B, D]", "y[B, E]")
    .replace("D = 32", "D = 32, E = D")
)


def test_without_a_mesh_of_its_own_a_file_is_judged_under_its_plans(analyzed, complaints):
    bare, *plans = (analyzed(PLANNED, plan=plan) for plan in (None, "a", "b"))
    assert [expect.holds for expect in bare.expects] == [None, None, True]
    assert complaints(bare) == []
    # w and its part of x and of y: 2048 + 2 x 64 x 32 x 2 / dp bytes
    assert [[e.holds for e in plan.expects] for plan in plans] == [
        [True, True, True],
        [False, True, True],
    ]


@pytest.mark.parametrize(
    ("broken", "expect", "holds"),
    [
        ("layer down: d[B, D] = h * ", "no All-Reduce", None),
        ("layer down: d[B, D] = h * nothing", "no All-Reduce", None),
        ("layer down: d[B, D] = h * w partition D on tp", "traffic <= 1 GB", True),
        ("layer down: d[B, D] = h * w\nlink l { bandwidth = 1 GB }", "no All-Reduce", True),
        ("layer down: d[B, D] = h * w\nlink l { bandwidth = 1 GB }", "traffic <= 1 GB", None),
        ("layer down: d[B, D] = h * w\nexpect no All-Reduce in nowhere", "no All-to-All", True),
        ("layer both: s[B, F] = h + g\nlayer down: d[B, D] = s * w", "no All-Reduce", None),
    ],
)
def test_nothing_is_said_to_hold_that_an_error_may_hide(analyzed, broken, expect, holds):
    analysis = analyzed(f"""
      mesh tp = 4
      dim B = 64, D = 32, F = 128
      input x[B, D], g[B, F] partition B on tp
      weight v[D, F], w[F, D]
      layer up: h[B, F] = x * v partition F on tp
      {broken}
      output d
      expect {expect}
    """)
    assert analysis.expects[-1].holds is holds


@pytest.mark.parametrize(
    ("expect", "value"),
    [
        ("traffic <= 1 B", "24·B B"),
        ("memory <= 1 B", "(32 + 16·B) B"),
        ("parameters <= 1", "4·F"),
    ],
)
def test_a_formula_has_the_unit_of_its_figure(analyzed, expect, value):
    size = "F" if expect.startswith("parameters") else "F = 8"
    (result,) = analyzed(f"""
mesh tp = 2
dim B, D = 4, {size}
input x[B, F]
weight w[F, D]
layer f: y[B, D] = x * w partition F on tp
output y replicated on tp
expect {expect}
""").expects
    assert result.value == value


@pytest.mark.parametrize(
    ("bound", "holds"),
    [
        ("<= 4.1k", True),
        ("< 4k", False),
        ("== 4.1k", True),
        ("== 4.10k", True),
        ("== 4.096k", True),
        ("== 4.0k", False),
        ("== 4k", True),
        ("== 4.1e3", True),
        ("== 4096", True),
        ("== 4095", False),
        ("== 1.56B", False),
        ("<= 1.56B", True),
    ],
)
def test_parameters_are_counted_in_the_words_of_the_tool(analyzed, bound, holds):
    spec = f"dim B = 64, D = 32, F = 128\ninput x[B, D]\nweight w[D, F]\n\
layer up: h[B, F] = x * w\noutput h\nexpect parameters {bound}\n"
    analysis = analyzed(spec)
    assert analysis.totals.parameters == 4096
    assert [expect.holds for expect in analysis.expects] == [holds]


def test_what_a_device_moves_has_no_price_list(analyzed):
    analysis = analyzed(SPEC.format(expect="expect traffic per device <= 1 B"))
    (found,) = [f for f in analysis.findings if f.name == "expect_failed"]
    assert dict(found.data)["price_list"] is None
    assert "prices)" not in catalogue.message(found)


SPLIT_LOSS = """
mesh tp = 2
dim B = 64, V = 32, D = 16
input x[B, D], labels[B]
weight w[D, V]
layer h: z[B, V] = x * w partition V on tp
layer loss: l[B] = crossentropy over V (z, labels)
output l
expect no All-Reduce on tp
"""


def test_what_stands_at_one_place_is_told_once(analyzed):
    analysis = analyzed(SPLIT_LOSS)
    (found,) = (f for f in analysis.findings if f.name == "expect_failed")
    assert [note.message for note in found.related] == ["All-Reduce of z (3 times)"]
    assert catalogue.message(found) == (
        "expect no All-Reduce on tp does not hold: there is All-Reduce of z on tp"
    )


def test_pieces_of_an_axis_that_differ_are_judged_one_by_one(analyzed):
    spec = (
        "mesh dp = 16\naxis edp = 2, ep = 8 of dp\ndim B = 64, E = 16\ninput x[E, B]\n"
        "layer z: z[E, B] = gelu(x) partition E on ep, B on edp\noutput z\n"
    )
    values = {
        state: analyzed(f"{spec}expect z is {state}\n").expects[0]
        for state in ("P(B) on dp", "P(E) on dp", "P(B) on edp", "P(E) on ep")
    }
    assert {state: result.holds for state, result in values.items()} == {
        "P(B) on dp": False,
        "P(E) on dp": False,
        "P(B) on edp": True,
        "P(E) on ep": True,
    }
    assert values["P(B) on dp"].value == "P(B) on dp.0, P(E) on dp.1"

"""Figures of stacks count every turn, and those of pipelines the turns of one stage."""

import pytest

TURN = 2 * 64 * 128 * 128 / 1e12  # seconds: [64, 128] * [128, 128]
PIPELINE = """
device chip {{ memory = 80 GB  flops = 1 Tflop/s  hbm = 1 TB/s }}
mesh pp = 2 on 2 chip
dim B = 64, D = 128, D2 = D, E = D, F = 256, L = {layers}
input x[B, E]
weight u[E, D], v[D2, F]
layer pre: p[B, D] = x * u
stack s[L]: p -> y {{
  weight w[D, D2]
  layer fc: y[B, D2] = p * w
}}
layer post: z[B, F] = y * v  # takes as long as two turns
output z
{stages}
"""


def test_repeated_work_is_a_share_of_all_turns(analyzed):
    analysis = analyzed("""
      mesh tp = 4
      dim B = 64, D = 32, D2 = D, E = D, L = 10
      input x[B, E]
      weight u[E, D]
      layer pre: p[B, D] = x * u
      stack s[L]: p -> y {
        weight w[D, D2]
        layer fc: y[B, D2] = p * w  partition D2 on tp
      }
      output y
    """)
    (found,) = [f for f in analysis.findings if f.name == "repeated_work"]
    assert dict(found.data)["share"] == 3 / 14  # pre 4 times instead of once; 10 turns, once each
    assert dict(found.data)["layer"] == "pre"


def test_most_work_is_repeated_in_the_layer_of_most_turns(analyzed):
    analysis = analyzed("""
      mesh tp = 4
      dim B = 64, D = 32, D2 = D, F = 64, L = 10
      input x[B, D]
      weight u[D, F], v[F, D]
      layer up: h[B, F] = x * u
      layer down: p[B, D] = h * v
      stack s[L]: p -> y {
        weight w[D, D2]
        layer fc: y[B, D2] = p * w
      }
      output y
    """)
    (found,) = [f for f in analysis.findings if f.name == "repeated_work"]
    assert dict(found.data)["layer"] == "s.fc"
    assert dict(found.data)["share"] == 3 / 4


@pytest.mark.parametrize(
    ("layers", "stages", "turns"),
    [
        (4, "for s: partition L on pp", 4),  # pre + 2 | 2 + post
        (4, "stages pp: pre + 3 s | 1 s + post", 4),  # pre + 3 | 1 + post
        (4, "stages pp: pre + 1 s | 3 s + post", 5),
        (6, "for s: partition L on pp\ntrain sgd { global_batch = B }", 5),  # forward
        (4, "for s: partition L on pp\nfor post: replicated on pp", 4),
    ],
)
def test_compute_time_is_that_of_the_busiest_stage(analyzed, layers, stages, turns):
    analysis = analyzed(PIPELINE.format(layers=layers, stages=stages))
    assert analysis.totals.compute_time == pytest.approx(turns * TURN, rel=1e-12)


def test_without_a_stack_stages_compute_their_own_layers(analyzed):
    analysis = analyzed("""
      device chip { memory = 80 GB  flops = 1 Tflop/s  hbm = 1 TB/s }
      mesh pp = 2 on 2 chip
      dim B = 64, D = 128, D2 = D, F = 256
      input x[B, D]
      weight u[D, D2], v[D2, F]
      layer pre: p[B, D2] = x * u
      layer post: z[B, F] = p * v
      stages pp: pre | post
      output z
    """)
    assert analysis.totals.compute_time == pytest.approx(2 * TURN, rel=1e-12)


def test_a_budget_on_a_stack_counts_the_turns_of_one_stage(analyzed):
    bounds = "expect compute(s) <= 4.2 us\nexpect compute(s) >= 4.1 us\nexpect time <= 8.4 us"
    analysis = analyzed(PIPELINE.format(layers=4, stages=f"for s: partition L on pp\n{bounds}"))
    values = [expect.value for expect in analysis.expects]
    assert values[:2] == ["4.19 us", "4.19 us"]  # 2 turns
    assert [expect.holds for expect in analysis.expects] == [True, True, None]  # no link


def test_a_stacked_weight_takes_all_turns_of_a_stage(analyzed):
    for stages, most in (("for s: partition L on pp", 3), ("stages pp: 4 s | 2 s", 4), ("", 6)):
        analysis = analyzed(PIPELINE.format(layers=6, stages=stages))
        (weight,) = [tensor for tensor in analysis.tensors if tensor.label == "w"]
        assert weight.size == 6 * 128 * 128 * 2
        assert weight.per_device == most * 128 * 128 * 2


@pytest.mark.parametrize(
    ("layout", "idle"),
    [
        ("2 s | 2 s | 2 s", 1),
        ("6 s", 3),
        ("2 s | 2 s | 2 s | none", None),
        ("1 s | 1 s | 1 s | 1 s | 2 s", None),
    ],
)
def test_stages_without_a_chunk_are_idle(analyzed, complaints, layout, idle):
    spec = PIPELINE.replace("mesh pp = 2 on 2 chip", "mesh pp = 4")
    analysis = analyzed(spec.format(layers=6, stages=f"stages pp: {layout}"))
    found = [dict(f.data) for f in analysis.findings if f.name == "idle_stages"]
    assert [one["idle"] for one in found] == ([] if idle is None else [idle])
    assert complaints(analysis) == ([] if idle is None else ["idle_stages"])


def test_a_file_that_leaves_it_to_its_plans_repeats_nothing(analyzed):
    spec = (
        "mesh dp = 4\ndim B = 8, D = 16, F = 32\ninput x[B, D]\nweight w[D, F]\n"
        "layer up: h[B, F] = x * w\noutput h\n"
    )
    plans = "plan cut { for *: partition B on dp }\nplan same { for *: partition none on dp }\n"
    names = {
        plan: [found.name for found in analyzed(spec + plans, plan=plan).findings]
        for plan in (None, "cut", "same")
    }
    assert names == {None: [], "cut": [], "same": ["repeated_work"]}
    assert [found.name for found in analyzed(spec).findings] == ["repeated_work"]

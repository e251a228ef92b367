"""Pipelines over axes in pieces, over several axes, and several pipelines: which stage has what."""

import pytest

W = 4 * 4 * 2  # bytes of a turn's weight, bf16

TWO_AXES = """
mesh a = 2, b = 4
dim B = 4, D = 4, L = 8, D2 = D
input x[B, D]
weight h[D2, D]
stack s[L]: x -> y partition L on a * b {
  weight w[D, D2]
  layer one: y[B, D2] = x * w
}
layer last: z[B, D] = y * h
output z
"""
BROKEN_AXIS = """
mesh pp = 4, dp = 2
dim B = 4, D = 4, L = 4, D2 = D, G = 2, R = 2, H = G * R
input x[B, H, D], z[B, G, D]
stack s[L]: x -> y {
  weight w[D, D2]
  layer a: y[B, H, D2] = x * w
}
layer c: q[B, G, D] = gelu(z) partition H on pp
output y, q
"""
TWO_PIPELINES = """
mesh a = 2, b = 4
dim B = 4, D = 4, L = 4, M = 8, D2 = D
input x[B, D]
stack s[L]: x -> y partition L on a {
  weight w[D, D2]
  layer one: y[B, D2] = x * w
}
stack t[M]: y -> z partition M on b {
  weight v[D, D2]
  layer two: z[B, D2] = y * v
}
output z
"""


def stages(analysis):
    """What each stage holds, and its weights in bytes."""
    return [(stage.holds, stage.memory.weights) for stage in analysis.stages]


def test_a_pipeline_over_two_axes_has_their_product_of_stages(analyzed):
    held = stages(analyzed(TWO_AXES))
    assert held == [((f"s {turn}",), W) for turn in range(7)] + [(("s 7", "last"), 2 * W)]


def test_what_follows_a_pipeline_over_two_axes_runs_on_the_last_node_of_each(analyzed):
    layouts = {tensor.name: tensor.layout for tensor in analyzed(TWO_AXES).tensors}
    assert [str(layouts["z"].state(axis)) for axis in ("a", "b")] == ["C(1)", "C(3)"]


@pytest.mark.parametrize(
    "dealt", ["for s: partition L on pp", "stages pp: 1 s | 1 s | 1 s | 1 s + c"]
)
def test_a_pipeline_axis_that_a_product_of_dims_breaks_keeps_its_stages(analyzed, dealt):
    analysis = analyzed(BROKEN_AXIS + dealt)
    held = stages(analysis)
    assert held == [(("s 0",), W), (("s 1",), W), (("s 2",), W), (("s 3", "c"), W)]


def test_stages_are_those_of_the_first_of_two_pipelines(analyzed):
    held = stages(analyzed(TWO_PIPELINES))
    assert held == [(("s 0-1",), 2 * W), (("s 2-3", "t"), 2 * W + 2 * W)]


def test_an_axis_of_too_many_stages_is_one_error(analyzed, complaints):
    analysis = analyzed(
        TWO_AXES.replace("a = 2, b = 4", "pp = 1000000000").replace(" partition L on a * b", "")
        + "stages pp: 4 s | 4 s + last"
    )
    assert complaints(analysis) == ["over_limit"]

"""What lives at once on the busiest device, by hand."""

from math import ceil

import pytest

HEAD = """
device box { memory = 80 GB  flops = 1 Tflop/s  hbm = 1 TB/s }
link wire { bandwidth = 1 GB/s  latency = 0 s }
mesh N = 4 over wire on 4 box
dim B = 64, D = 32, F = 128
"""
KB = 1024
X, H = 4 * KB, 16 * KB  # x[B, D] and h[B, F] in bf16


def memory(analysis):
    return analysis.totals.memory


def test_an_output_lives_as_produced_and_as_it_must_lie(headed):
    found = memory(
        headed("""
      input x[B, D]
      weight v[D, F], w[F, D]
      layer up: h[B, F] = x * v partition F on N
      layer down: y[B, D] = h * w partition F on N
      output y replicated on N
    """)
    )
    assert found.activations == max(X + H // 4, H // 4 + X, X + X)
    assert found.weights == 2 * (32 * 128 * 2) // 4


def test_gathered_weights_are_buffers(headed):
    found = memory(
        headed("""
      input x[B, D] partition B on N
      weight v[D, F] store D on N
      layer up: h[B, F] = x * v
      output h
    """)
    )
    assert found.weights == 32 * 128 * 2 // 4
    assert found.buffers == 32 * 128 * 2
    assert found.total == found.weights + found.buffers + (X + H) // 4


ATTENTION = (
    HEAD
    + """
dim S = 64, K = 16
dim T = S
input q[B, S, K] partition B on N
input k[B, T, K], v[B, T, K] partition B on N
block attention(q[B, S, K], k[B, T, K], v[B, T, K]) -> c {fused} {{
  layer score: s[B, S, T] = q * k
  layer prob:  p[B, S, T] = softmax over T (s)
  layer ctx:   c[B, S, K] = p * v
}}
layer attn: c = attention(q, k, v)
output c
"""
)


def test_a_fused_group_keeps_and_reads_no_inner_activations(analyzed):
    plain = analyzed(ATTENTION.replace("{fused} ", "").replace("{{", "{").replace("}}", "}"))
    text = ATTENTION.replace("{fused}", "fused").replace("{{", "{").replace("}}", "}")
    fused = analyzed(text)
    one, score = 16 * 64 * 16 * 2, 16 * 64 * 64 * 2  # q on a device, s on a device
    assert memory(fused).activations == 4 * one
    assert memory(plain).activations == one + 2 * score  # v, s and p
    flops = 2 * 16 * 64 * 64 * 16
    times = {layer.name: layer.time for layer in fused.layers}
    assert times["attn.score"] == pytest.approx(max(flops / 1e12, 2 * one / 1e12))
    assert times["attn.prob"] == 0
    assert {layer.name: layer.time for layer in plain.layers}["attn.prob"] == pytest.approx(
        2 * score / 1e12
    )


def test_a_plan_that_does_not_fit_is_an_error_at_the_mesh(analyzed):
    spec = (
        HEAD.replace("80 GB", "10 kB")
        + """
input x[B, D] partition B on N
weight v[D, F]
layer up: h[B, F] = x * v
output h
"""
    )
    analysis = analyzed(spec)
    (found,) = [f for f in analysis.findings if f.name == "out_of_memory"]
    facts = dict(found.data)
    needed = 32 * 128 * 2 + (X + H) // 4
    assert facts["per_device_GB"] == pytest.approx(needed / 1e9)
    assert facts["capacity_GB"] == pytest.approx(10e3 / 1e9)
    assert facts["largest"] == "weights"
    weights = 32 * 128 * 2
    assert facts["ways"] == ceil(weights / (10e3 - (X + H) // 4))
    assert not [
        f for f in analyzed(spec.replace("10 kB", "80 GB")).findings if f.name == "out_of_memory"
    ]


def test_the_time_of_a_pipeline_is_that_of_its_schedule(headed):
    totals = headed("""
      dim L = 4
      dim D2 = D
      input x[B, D]
      stack s[L]: x -> y partition L on N {
        weight w[D, D2]
        layer fc: y[B, D2] = x * w
      }
      output y
    """).totals
    assert totals.compute_time is not None
    assert totals.step_time is None

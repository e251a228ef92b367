"""Memory: what lies on each pipeline stage, and what lives at once in a forward pass."""

import pytest

B, D, F, L = 64, 128, 512, 4
X, H = B * D * 2, B * F * 2  # bytes of what layers hand on, bf16
W = D * D * 2


def test_a_variable_lives_until_it_is_read_last(analyzed):
    analysis = analyzed("""
      mesh tp = 2
      dim B = 64, D = 128, F = 512
      input x[B, D]
      weight u[D, F], d[F, D]
      layer up: h[B, F] = x * u
      layer down: y[B, D] = h * d
      layer add: z[B, D] = y + x
    """)
    assert analysis.totals.memory.activations == X + H + X  # x, h and y


def test_a_carry_lives_through_the_turn_that_reads_it(analyzed):
    analysis = analyzed("""
      mesh tp = 2
      dim B = 64, D = 128, F = 512, L = 4
      input x[B, D]
      stack body[L]: x -> z {
        weight u[D, F], d[F, D]
        layer up: h[B, F] = x * u
        layer down: y[B, D] = h * d
        layer add: z[B, D] = y + x
      }
    """)
    assert analysis.totals.memory.activations == X + H + X


def test_what_every_turn_reads_lives_through_all_turns(analyzed):
    analysis = analyzed("""
      mesh tp = 2
      dim B = 64, D = 128, F = 512, L = 4
      input x[B, D], c[B, D]
      stack body[L]: x -> z {
        weight u[D, F], d[F, D]
        layer mix: m[B, D] = x + c
        layer up: h[B, F] = m * u
        layer down: z[B, D] = h * d
      }
    """)
    assert analysis.totals.memory.activations == X + H + X  # c, h and z


def test_a_gathered_input_lives_beside_its_slices(analyzed):
    analysis = analyzed("""
      mesh tp = 2
      dim B = 64, D = 128, F = 512
      input x[B, D] partition B on tp
      weight u[D, F]
      layer up: h[B, F] = x * u partition F on tp
    """)
    assert analysis.totals.memory.activations == X // 2 + X + H // 2


def test_stacks_over_one_dimension_lie_on_their_own_stages(analyzed):
    analysis = analyzed("""
      mesh pp = 2
      dim B = 64, D = 128, E = D, L = 4
      input x[B, D]
      stack first[L]: x -> y { weight w[D, E] layer fc: y[B, E] = x * w }
      layer turn: t[B, D] = y
      stack second[L]: t -> z { weight w[D, E] layer fc: z[B, E] = t * w }
      stages pp: 3 first | 1 first + 4 second
    """)
    assert [stage.memory.weights for stage in analysis.stages] == [3 * W, 5 * W]


STAGED = """
dim B = 8, D = 1024, E = 1024, F = 4096
mesh pp = 2
input x[B, D]
weight w[D, F], v[F, D], u[D, E]
layer a: y[B, F] = x * w {a}
layer b: z[B, D] = y * v {b}
layer c: o[B, E] = z * u {b}
output o
{stages}
"""


@pytest.mark.parametrize(
    "clauses",
    [
        {"a": "", "b": "", "stages": "stages pp: a | b + c"},
        {"a": "at pp[0]", "b": "at pp[1]", "stages": ""},
    ],
)
def test_layers_placed_on_stages_without_a_stack_take_memory_where_they_are(clauses, analyzed):
    """Two bytes an element: w on the first stage, v and u on the second."""
    analysis = analyzed(STAGED.format(**clauses))
    first, second = 2 * 1024 * 4096, 2 * (4096 * 1024 + 1024 * 1024)
    assert [stage.memory.weights for stage in analysis.stages] == [first, second]
    assert [stage.holds for stage in analysis.stages] == [("a",), ("b", "c")]
    assert analysis.totals.memory.weights == second

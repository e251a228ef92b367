"""Stacks of equal layers: what a turn moves, how often, and the carry's steady state."""

import pytest

N, L, B, D = 8, 6, 96, 160
M = B * D * 2  # bytes of the activation between two layers, bf16

STACK = """
mesh N = {nodes}
dim L = 6, B = 96, I = 160
dim O = I
input x[B, I]
stack layers[L]: x -> y {stack}{{
  weight w[I, O]
  layer fc: y[B, O] = x * w {layer}
}}
output y
"""


def traffic(move):
    return dict(move.traffic)


def paid(analysis):
    return [move for move in analysis.moves if move.primitive is not None]


def test_partitioned_by_output_every_turn_gathers(analyzed):
    (move,) = paid(analyzed(STACK.format(nodes=N, stack="", layer="partition O on N")))
    assert (move.primitive, move.times, move.group, move.order) == ("All-Gather", L, N, 2)
    assert traffic(move) == {
        "composed": L * ((N - 1) * M // N + (N - 1) * M),
        "approx": L * N * M,
        "ring": L * (N - 1) * M,
    }
    assert move.per_device == L * (N - 1) * M // N
    assert (move.before, move.after) == ("P(I)", "R")


def test_partitioned_by_input_every_turn_reduces(analyzed):
    analysis = analyzed(STACK.format(nodes=N, stack="", layer="partition I on N"))
    (move,) = paid(analysis)
    assert (move.primitive, move.times, move.group, move.order) == ("Reduce-Scatter", L, N, 2)
    assert traffic(move) == {
        "composed": L * ((N - 1) * M // N + (N - 1) * M),
        "approx": L * N * M,
        "ring": L * (N - 1) * M,
    }
    assert "partial_left" in [finding.name for finding in analysis.findings]


def test_partitioned_by_batch_nothing_moves(analyzed):
    analysis = analyzed(STACK.format(nodes=N, stack="", layer="partition B on N"))
    assert paid(analysis) == []
    assert dict(analysis.totals.traffic)["forward"] == 0


def test_partitioned_by_layer_five_boundaries_are_crossed(analyzed):
    analysis = analyzed(STACK.format(nodes=6, stack="partition L on N ", layer=""))
    (move,) = paid(analysis)
    assert (move.primitive, move.times, move.order) == ("Send", 5, 1)
    assert traffic(move) == {"composed": 5 * M, "approx": 6 * M, "ring": 5 * M}
    assert move.per_device == M
    weights = analysis.totals.memory.weights
    assert weights == D * D * 2  # one layer of six on each node


def test_six_layers_written_out_pay_five(analyzed, moved):
    names = ["x", "a", "b", "c", "d", "e", "y"]
    weights = ", ".join(f"w{i}[I, O]" for i in range(6))
    layers = "\n".join(
        f"layer l{i}: {names[i + 1]}[B, O] = {names[i]}[B, I] * w{i} partition O on N"
        for i in range(6)
    )
    spec = (
        f"mesh N = 8\ndim B = 96, I = 160\ndim O = I\ninput x[B, I]\nweight {weights}\n{layers}\n"
        "output y\n"
    )
    analysis = analyzed(spec)
    assert moved(analysis) == [("All-Gather", name, "N", 1) for name in names[1:6]]


def test_column_then_row_moves_nothing_between_the_two(analyzed, moved):
    spec = """
mesh N = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight v[D, F], w[F, D]
layer up: h[B, F] = x * v partition F on N
layer down: y[B, D] = h * w partition F on N
output y replicated on N
"""
    assert moved(analyzed(spec)) == [("All-Reduce", "y", "N", 1)]


def test_a_pipeline_of_two_layers_a_stage_sends_once_a_boundary(analyzed):
    analysis = analyzed(STACK.format(nodes=3, stack="partition L on N ", layer=""))
    (move,) = paid(analysis)
    assert (move.primitive, move.times) == ("Send", 2)
    assert analysis.totals.memory.weights == 2 * D * D * 2
    assert [stage.holds for stage in analysis.stages] == [
        ("layers 0-1",),
        ("layers 2-3",),
        ("layers 4-5",),
    ]


@pytest.mark.parametrize(("nodes", "lost"), [(4, 2), (5, 1)])
def test_layers_that_do_not_divide_over_stages_are_lost(analyzed, nodes, lost):
    analysis = analyzed(STACK.format(nodes=nodes, stack="partition L on N ", layer=""))
    found = next(f for f in analysis.findings if f.name == "layers_lost")
    assert dict(found.data) == {
        "stack": "layers",
        "axis": "N",
        "layers": 6,
        "stages": nodes,
        "built": 6 - lost,
        "lost": lost,
        "remainder": lost,
    }


def test_layers_around_a_pipelined_stack_run_on_its_ends(analyzed):
    spec = """
mesh pp = 3
dim L = 6, B = 96, I = 160, V = 500
dim O = I
input t[B] : i32
weight e[V, I], h[O, V]
layer embed: x[B, I] = lookup(t, e)
stack layers[L]: x -> y partition L on pp {
  weight w[I, O]
  layer fc: y[B, O] = x * w
}
layer logits: z[B, V] = y[B, O] * h
output z
"""
    analysis = analyzed(spec)
    states = {
        (layer.name, state.tensor): str(state.layout.state("pp"))
        for layer in analysis.layers
        for state in layer.states
    }
    assert states["embed", "e"] == "C(0)"
    assert states["layers.fc", "layers.w"] == "P(L)"
    assert states["layers.fc", "layers.y"] == "C(k)"
    assert states["logits", "h"] == "C(2)"
    assert [m.primitive for m in paid(analysis)] == ["Send"]
    first, middle, last = (stage.memory.weights for stage in analysis.stages)
    layer = 2 * 160 * 160 * 2
    assert (first, middle, last) == (layer + 500 * 160 * 2, layer, layer + 160 * 500 * 2)
    assert [stage.holds[0] for stage in analysis.stages] == ["embed", "layers 2-3", "layers 4-5"]

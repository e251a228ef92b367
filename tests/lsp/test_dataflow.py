"""Dataflow: what gives what a layer reads, and what reads what it gives."""

from lsp_fixtures import at_cursor

from parspec.lsp.features.dataflow import consumers, producers, steps_at

SPEC = """\
mesh tp = 2
dim B = 4, D = 8, L = 2
block mlp(p[B, D]) -> o {
  layer up: h[B, D] = gelu(p)
  layer down: o[B, D] = silu(h)
}
input x[B, D]
weight w[D]
stack decoder[L]: x -> y {
  layer pre: a[B, D] = x * w
  layer ffn: y[B, D] = mlp(a)
}
layer last: z[B, D] = tanh(y) + x
output z
"""


def flows(source):
    """The steps at the cursor, each with what it reads from (through what) and who reads it."""
    snapshot, offset = at_cursor(source)

    def told(found):
        for step, through in found:
            names = (snapshot.text[slice(*place.range)] for place in through)
            yield f"{step.name} ({', '.join(names)})"

    return {
        step.name: (
            [*told(producers(snapshot, step.name, step.plan))],
            [*told(consumers(snapshot, step.name, step.plan))],
        )
        for step in steps_at(snapshot, offset)
    }


def test_into_a_block_and_out_of_a_stack():
    assert flows(SPEC.replace("layer down", "layer ‸down")) == {
        "decoder.ffn.down": (
            ["decoder.ffn.up (h)"],
            ["last (y)", "decoder.pre (y)"],
        )
    }


def test_a_carry_comes_from_outside_and_from_the_turn_before():
    assert flows(SPEC.replace("layer pre", "layer ‸pre")) == {
        "decoder.pre": (["x (x)", "decoder.ffn.down (y)", "w (w)"], ["decoder.ffn.up (a)"])
    }


def test_inner_operators_belong_to_their_layer():
    assert flows(SPEC.replace("layer last", "layer ‸last")) == {
        "last": (["decoder.ffn.down (y)", "x (x)"], [])
    }


def test_a_tensor_is_the_layer_that_gives_it_or_itself():
    assert list(flows(SPEC.replace("mlp(a)", "mlp(‸a)"))) == ["decoder.pre"]
    assert flows(SPEC.replace("weight w", "weight ‸w")) == {"w": ([], ["decoder.pre (w)"])}


def test_a_block_that_is_called_twice_has_two_of_each_layer():
    source = SPEC.replace("tanh(y)", "mlp(y)").replace("layer up", "layer ‸up")
    assert list(flows(source)) == ["decoder.ffn.up", "last.1.up"]


def test_under_a_plan():
    source = SPEC + "plan wide {\n  mesh tp = 4\n  for ‸last: partition B on tp\n}\n"
    snapshot, offset = at_cursor(source)
    (step,) = steps_at(snapshot, offset)
    assert (step.name, step.plan, step.kind, step.detail) == ("last", "wide", "layer", "z[B, D]")


def test_nothing_flows_through_a_dim():
    assert flows(SPEC.replace("dim B", "dim ‸B")) == {}

"""Dataflow: what gives what a layer reads, and what reads what it gives; and who uses a block."""

import pytest
from lsp_fixtures import at_cursor

from parspec.lsp.features.calls import called_at, callees, callers
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


NESTED = """\
dim B = 4, D = 8, D2 = D, L = 2
op linear(X[B, I], W[I, O]) -> Y[B, O] = X * W
block mlp(p[B, D]) -> o {
  weight w[D, D2]
  layer up: h = linear(p, w)
  layer down: o[B, D] = silu(h[B, D])
}
block twice(p[B, D]) -> o {
  layer one: h[B, D] = mlp(p)
  layer two: o[B, D] = mlp(h)
}
input x[B, D]
stack decoder[L]: x -> y {
  layer ffn: y[B, D] = twice(x)
}
layer last: z[B, D] = mlp(y)
output z
"""


def uses(source):
    """The blocks at the cursor, each with who uses it and what it uses, with the lines of these."""
    snapshot, offset = at_cursor(source)

    def told(found):
        for step, places in found:
            lines = [snapshot.lines.line_of(place.range.start) + 1 for place in places]
            yield f"{step.kind} {step.name} {lines}"

    return {
        f"{step.kind} {step.name}": (
            [*told(callers(snapshot, step.name))],
            [*told(callees(snapshot, step.name))],
        )
        for step in called_at(snapshot, offset)
    }


def test_who_uses_a_block_and_what_it_uses():
    of_mlp = {"block mlp": (["block twice [9, 10]", "layer last [16]"], ["op linear [5]"])}
    assert uses(NESTED.replace("block mlp", "block ‸mlp")) == of_mlp
    assert uses(NESTED.replace("mlp(y)", "‸mlp(y)")) == of_mlp
    assert uses(NESTED.replace("= twice", "= ‸twice")) == {
        "block twice": (["layer decoder.ffn [14]"], ["block mlp [9, 10]"])
    }
    assert uses(NESTED.replace("op linear", "op ‸linear")) == {"op linear": (["block mlp [5]"], [])}


def test_what_is_no_block_has_no_uses():
    assert uses(NESTED.replace("= silu", "= ‸silu")) == {}
    assert uses(NESTED.replace("layer last", "layer ‸last")) == {}


@pytest.mark.parametrize(
    ("layer", "users"),
    [
        ("layer last: z[B, D] = mlp(y) partition", ["block twice [9, 10]", "layer last [16]"]),
        ("layer : z[B, D] = mlp(y)", ["block twice [9, 10]"]),
        ("output mlp(y)", ["block twice [9, 10]"]),
    ],
)
def test_a_use_in_a_broken_statement_is_one_if_its_layer_is_known(layer, users):
    broken = NESTED.replace("layer last: z[B, D] = mlp(y)", layer)
    assert uses(broken.replace("block mlp", "block ‸mlp")) == {
        "block mlp": (users, ["op linear [5]"])
    }


def test_the_use_of_a_block_is_a_step_of_the_flow():
    snapshot, _ = at_cursor(f"{NESTED}‸")
    given = [flow.step.name for flow in producers(snapshot, "decoder.ffn", None)]
    read = [flow.step.name for flow in consumers(snapshot, "decoder.ffn", None)]
    assert (given[0], read[:1]) == ("x", ["last.up"])

"""A variable that is brought a long way: too many axes change for all ways to be looked at."""

AXES = tuple(f"a{place}" for place in range(9))
FAR = f"""
mesh {", ".join(f"{axis} = 2" for axis in AXES)}
dim B = 4096, D = 4096
input x[B, D] partition B on {" * ".join(AXES[1::2])}, D on {" * ".join(AXES[::2])}
layer l: y[B, D] = x  partition B on {" * ".join(AXES[::-2])}, D on {" * ".join(AXES[-2::-2])}
output y
"""


def test_it_is_one_error_and_is_brought_all_the_same(analyzed):
    analysis = analyzed(FAR)
    (error,) = [finding for finding in analysis.findings if finding.name == "over_limit"]
    assert dict(error.data)["what"] == "steps that may lead x to where it is needed"
    (layer,) = analysis.layers
    last = analysis.moves[-1]
    assert (last.layer, last.tensor, last.cause) == (layer.name, "x", "operand")
    states = {state.role: state.layout for state in layer.states}
    assert states["in"].axes("B") == AXES[::-2]

"""Small sizes keep what a plan depends on; what cannot be kept is refused with the reason."""

import pytest
from specs import analysis_of

from parspec.interpreter.simulate.shrink import MOST_DEVICES, Refused, Small, shrunk
from parspec.interpreter.simulate.simulate import proved
from parspec.interpreter.simulate.sizes import Cutting, Wanted, smallest
from parspec.interpreter.spec.model import Dim

FFN = """\
mesh {mesh}
dim B = 4096, D = 8192, F = {f}
input x[B, D]
weight w1[D, F], w2[F, D]
layer up:   h[B, F] = x * w1        partition F on tp
layer down: y[B, D] = h * w2        partition F on tp
output y replicated on tp
"""


def small(text, plan=None):
    return shrunk(analysis_of(text, plan=plan).model)


def sizes(text):
    made = small(text)
    assert isinstance(made, Small)
    assert proved(made.model, 0).holds
    return {
        one.name: (one.after if one.padded is None else (one.after, one.padded))
        for one in made.sizes
    }


@pytest.mark.parametrize(("nodes", "after"), [(2, 2), (8, 2), (9, 3), (1, 1)])
def test_axes_shrink_to_2_or_3(nodes, after):
    found = sizes(FFN.format(mesh=f"tp = {nodes}", f=72 * 128))
    assert found == {"tp": after, "B": 2, "D": 2, "F": 3 if after == 3 else 2}


def test_symbolic_sizes_get_numbers():
    found = sizes(FFN.format(mesh="tp", f=4096).replace("B = 4096", "B"))
    assert found == {"tp": 2, "B": 2, "D": 2, "F": 2}


def test_unevenness_and_empty_slices_are_kept():
    assert sizes(FFN.format(mesh="tp = 8", f="8193 uneven"))["F"] == 3
    assert sizes(FFN.format(mesh="tp = 9", f="4 uneven"))["F"] == 2


def test_declared_padding_is_kept():
    text = FFN.format(mesh="tp = 8", f="50257 padded to 1024")
    assert sizes(text)["F"] == (3, 4)


def test_units_shrink_to_2():
    assert sizes(FFN.format(mesh="tp = 8", f="8192 unit 128"))["F"] == 4


def test_shares_of_an_axis_stay_nested():
    text = """\
mesh tp = 16
dim B = 64, D = 4096, G = 8, R = 8, K = 128, H = G * R
input x[B, D]
weight wk[D, G, K], wo[H, K, D]
layer k: k[B, G, K] = x * wk             partition H on tp
layer r: r[B, G, R, K] = k               partition H on tp
layer o: y[B, D] = r[B, H, K] * wo       partition H on tp
output y replicated on tp
"""
    assert sizes(text) == {"tp": 4, "B": 2, "D": 2, "G": 2, "R": 4, "K": 2, "H": 8}


def test_dimensions_read_as_one_another_stay_of_one_size():
    text = """\
mesh a = 3, b = 2
dim S = 96, T = S
input x[S] partition S on a
layer one: y[S, T] = x * x[T]     partition T on b
output y
"""
    found = sizes(text)
    assert found == {"a": 3, "b": 2, "S": 6, "T": 6}


STACK = """\
mesh pp = 4{more}
dim B = 64, D = 512, L = {layers}
input x[B, D]
stack decoder[L]: x -> y partition L on pp{uneven} {{
  layer act: y[B, D] = gelu(x)
}}
output y
{tail}"""


def test_stacks_keep_two_turns_a_stage():
    text = STACK.format(more="", layers=80, uneven="", tail="")
    assert sizes(text) == {"pp": 2, "B": 2, "D": 2, "L": 4}


def test_explicit_stages_stay_with_fewer_layers():
    tail = "stages pp: 20 decoder | 30 decoder | 20 decoder | 10 decoder\n"
    text = STACK.format(more="", layers=80, uneven="", tail=tail).replace(" partition L on pp", "")
    assert sizes(text) == {"pp": 4, "B": 2, "D": 2, "L": 2 + 3 + 2 + 1}


def test_proportions_of_axes_are_kept_where_a_plan_depends_on_them():
    text = """\
mesh dp = 2, tp = 4
axis ep = dp * tp
dim C = 8192, E = 8, D = 64
input x[E, C, D] replicated on tp
layer one: z[E, C, D] = tanh(x)   partition C on dp
layer up: h[E, C, D] = gelu(z)   partition E on ep
output h
"""
    found = sizes(text)
    assert (found["dp"], found["tp"]) == (2, 4)


def test_too_many_devices_are_refused():
    axes = ", ".join(f"a{place} = 2" for place in range(11))
    text = f"mesh {axes}\ndim B = 64\ninput x[B]\nlayer one: y[B] = gelu(x)\noutput y\n"
    assert small(text) == Refused(
        f"its axes do not shrink to {MOST_DEVICES} devices, and more are not simulated"
    )


def dim(size, extent=None, unit=1):
    whole = size if extent is None else extent
    return Dim("D", size, whole, ("D",), unit, extent is not None, False, "D")


def test_slices_that_are_dealt_anew_are_refused():
    text = """
mesh cp = 4
dim B = 2, S = 16
input x[B, S]
layer a: y[B, S] = gelu(x) partition S on cp zigzag
layer b: z[B, S] = silu(y) partition S on cp
output z
"""
    found = small(text)
    assert isinstance(found, Refused)
    assert "zigzag" in found.reason


@pytest.mark.parametrize(
    ("before", "rows", "after"),
    [
        (dim(8192), [((8,), (2,))], 2),
        (dim(8192), [((8,), (2,)), ((9,), (3,))], 8),  # 4 would leave a slice empty
        (dim(100), [((7,), (3,))], 5),  # the last slice is short: 2, 2, 1
        (dim(1), [], 1),
        (dim(8192), [((8, 4), (2, 2))], 4),
    ],
)
def test_the_least_size_divides_as_the_large_one_does(before, rows, after):
    cuttings = frozenset(Cutting(old, new, shared=False) for old, new in rows)
    found = smallest(Wanted((before,), {"D": cuttings}, 2))
    assert found is not None
    assert found["D"].size == after

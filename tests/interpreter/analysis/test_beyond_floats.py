"""Sizes that make times beyond all floats: what is no number any more is not computed."""

import pytest

DIMS = [f"A{place}" for place in range(11)]
SIZES = ", ".join(f"{dim} = 1e30" for dim in DIMS)
LAYER = f"input x[B, {', '.join(DIMS)}]\nlayer l: y[B, {', '.join(DIMS)}] = gelu(x) {{clause}}\n"
SLOW = "device d { memory = 80 GB  flops = 1e-99 flop/s  hbm = 1e-99 B/s }\n"
STACKS = "".join(f"stack s{place}[A{place}]: x -> y {{\n" for place in range(11))
COMPUTED = {
    "of large variables": f"{SLOW}mesh tp = 2 on 2 d\ndim B = 4, {SIZES}\n"
    + LAYER.format(clause="")
    + "output y\n",
    "of many turns": f"{SLOW}mesh tp = 2 on 2 d\ndim B = 4, {SIZES}\n"
    + f"input x[B]\n{STACKS}layer l: y[B] = gelu(x)\n{'}' * 11}\noutput y\n",
}
MOVED = (
    f"link l {{ bandwidth = 1e-99 GB/s }}\nmesh tp = 2 over l\ndim B = 4, {SIZES}\n"
    + LAYER.format(clause="partition B on tp")
    + "output y replicated on tp\n"
)


@pytest.mark.parametrize("spec", COMPUTED.values(), ids=COMPUTED.keys())
def test_computing_takes_no_time_that_could_be_told(spec, analyzed):
    analysis = analyzed(spec)
    assert analysis.totals.compute_time is None
    assert [layer.time for layer in analysis.layers] == [None]


def test_neither_does_moving(analyzed):
    (move,) = analyzed(MOVED).moves
    assert (move.size, move.time) == (4 * 2 * 10**330, None)


def test_a_hole_is_filled_all_the_same(analyzed):
    spec = f"mesh tp = 3\ndim B = 6, {SIZES}\n{LAYER.format(clause='partition ? on tp')}output y\n"
    (found,) = [f for f in analyzed(spec).findings if f.name == "hole"]
    assert dict(found.data)["dim"] == "B"

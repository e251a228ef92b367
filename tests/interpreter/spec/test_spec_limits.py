"""Specs that would exhaust the machine: each is one clear error, at once."""

from __future__ import annotations

import time

import pytest
from reading import layers, model, only

from parspec.interpreter.diagnostics import catalogue


def call_tree(depth: int, last: str) -> str:
    """Blocks that call one another twice, `depth` deep."""
    blocks = "".join(
        f"block b{level + 1}(x[B]) -> y {{\n"
        f"  layer p: t[B] = b{level}(x)\n  layer q: y[B] = b{level}(t)\n}}\n"
        for level in range(depth)
    )
    leaf = "block b0(x[B]) -> y { layer a: y[B] = relu(x) }\n"
    return f"dim B = 4\n{leaf}{blocks}input x[B]\n{last}\n"


def names_of(prefix: str, count: int) -> str:
    return ", ".join(f"{prefix}{place}" for place in range(count))


SUMS = "".join(f"dim a{i}, b{i}, c{i}\ndim s{i} = a{i} + b{i} + c{i}\n" for i in range(6))
LARGE = {
    "sizes as polynomials": (
        "dim d0, e0\n" + "".join(f"dim d{i + 1} = (d{i} + e0) * (d{i} + 1)\n" for i in range(40)),
        "bad_size",
    ),
    "sizes as powers": (
        "dim d0\n" + "".join(f"dim d{i + 1} = d{i} * d{i}\n" for i in range(60)),
        "bad_size",
    ),
    "long divisions": (
        f"dim a, {names_of('b', 60)}\ndim A = {' * '.join(['a'] * 15)} / (a"
        + "".join(f" - b{i}" for i in range(60))
        + ")\n",
        "bad_size",
    ),
    "bounds": (f"dim a, b\nexpect flops <= {' * '.join(['(a + b)'] * 40)}\n", "bad_size"),
    "tensors of long sizes": (SUMS + f"input x[{names_of('s', 6)}]\noutput x\n", "over_limit"),
    "work of long sizes": (
        SUMS + "input x[s0, s1, s2]\nweight w[s2, s3, s4]\nlayer l: y[s0, s4] = x * w\noutput y\n",
        "over_limit",
    ),
    "factors": (
        f"dim B = 4\ninput x[B]\nlayer l: y[B] = {' * '.join(['x'] * 3000)}\noutput y\n",
        "over_limit",
    ),
    "terms": (
        f"dim B = 4\ninput x[B]\nlayer l: y[B] = {' + '.join(['x'] * 3000)}\noutput y\n",
        "over_limit",
    ),
    "dimensions": (f"dim {names_of('d', 40)}\ninput x[{names_of('d', 40)}]\n", "over_limit"),
    "axes": (
        f"dim B = 8\nmesh {names_of('m', 40)}\ninput x[B] partition B on m39\noutput x\n",
        "over_limit",
    ),
    "stages": (
        "dim B = 4, L = 10_000_000\nmesh pp = 10_000_000\ninput x[B]\n"
        "stack s[L]: x -> y partition L on pp {\n  layer a: y[B] = relu(x)\n}\noutput y\n",
        "over_limit",
    ),
    "calls": (call_tree(25, "layer q: y[B] = b25(x)\noutput y"), "over_limit"),
    "calls in blocks that nobody calls": (call_tree(25, "output x"), "over_limit"),
}


@pytest.mark.parametrize(("text", "name"), LARGE.values(), ids=LARGE)
def test_too_much_is_one_error_at_once(text, name):
    began = time.monotonic()
    errors = [f.name for f in model(text).findings if catalogue.severity(f) == "error"]
    assert time.monotonic() - began < 120  # it does not hang
    assert errors == [name]


def test_a_call_that_is_too_large_leaves_nothing_behind():
    read = model(call_tree(25, "layer q: y[B] = b25(x)\nlayer r: z[B] = relu(y)\noutput z"))
    assert only(read, "over_limit")["limit"] == 5_000
    assert list(layers(read)) == ["r"]


def test_a_call_of_thousands_of_layers_is_written_out():
    read = model(call_tree(10, "layer q: y[B] = b10(x)\noutput y"))
    assert read.findings == ()
    assert len(layers(read)) == 1024


def test_sizes_may_be_formulas():
    read = model("dim D, S, T\ndim P = S + T\ndim F = 4 * D * P / (S + T)\ninput x[F]\noutput x\n")
    assert read.findings == ()

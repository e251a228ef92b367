"""Budgets, pins, stages and outputs: names at any depth, bounds in base units."""

from __future__ import annotations

from fractions import Fraction

import pytest
from reading import clean, model, names, only

TEXT = """
mesh pp = 2, tp = 4
dim B = 8, D = 16, L = 4
dim D2 = D
input x[B, D]
block f(a[B, D]) -> z { weight w[D, D2]  layer up: h[B, D2] = a * w  layer down: z[B, D2] = h }
layer pre: p[B, D] = gelu(x)
stack s[L]: p -> y { layer m: y = f(p) }
layer post: q = gelu(y)
output q
"""


def test_names_resolve_inside_at_any_depth_and_outside() -> None:
    read = clean(
        TEXT + "expect All-Reduce of h on tp in s\nexpect h is P(D2) on tp\n"
        "expect All-Gather of grad(w) in s.m forward\nexpect no communication in pre\n"
        "expect x is R in s\nexpect p is R in s\nexpect y is R on tp.0\nexpect no Send\n"
    )
    assert [(e.tensor, e.within, e.axes) for e in read.expects] == [
        ("s.m.h", ("s",), ("tp",)),
        ("s.m.h", None, ("tp",)),
        ("s.m.w", ("s.m",), ()),
        (None, ("pre",), ()),
        ("x", ("s",), ()),
        ("s.p", ("s",), ()),
        ("s.y", None, ("tp.0",)),
        (None, None, ()),
    ]
    assert read.expects[0].text == "expect All-Reduce of h on tp in s"


def test_a_name_that_fits_twice_is_not_guessed() -> None:
    text = "dim B = 8, L = 4\ninput x[B]\n" + "".join(
        f"stack {s}[L]: {a} -> {b} {{ layer l: h = gelu({a})  layer m: {b} = gelu(h) }}\n"
        for s, a, b in (("s", "x", "y"), ("t", "y", "z"))
    )
    read = model(text + "output z\nexpect h is R\nexpect h is R in t\n")
    assert only(read, "unknown_name")["near"] == ("s.h", "t.h")
    assert [e.tensor for e in read.expects] == ["t.h"]


@pytest.mark.parametrize(
    ("budget", "bound"),
    [
        ("traffic <= 1.2 GB", 1_200_000_000),
        ("memory < 80 GiB", 80 * 2**30),
        ("traffic(s, pre) on tp per device < 2 * 3 MB forward", 6_000_000),
        ("time <= 2 us", Fraction(2, 10**6)),
        ("bubble <= 5%", Fraction(1, 20)),
        ("bubble <= 0.05", Fraction(1, 20)),
        ("parameters <= 1e6", 1_000_000),
        ("traffic == 0", 0),
        ("parameters == D", 16),
    ],
)
def test_bounds_in_base_units(budget: str, bound: Fraction | int) -> None:
    (expect,) = clean(f"{TEXT}expect {budget}\n").expects
    assert expect.bound == bound


@pytest.mark.parametrize(
    ("expect", "name", "facts"),
    [
        ("traffic <= 1.2", "budget_without_unit", {"text": "1.2", "suggestion": "1.2 GB"}),
        ("time <= 3", "budget_without_unit", {"suggestion": "3 ms"}),
        ("traffic <= 2 us", "unit_mismatch", {"wants": "bytes", "got": "s", "factor": "bytes/s"}),
        ("traffic <= 2 us + 3 GB", "unit_mismatch", {"name": "+"}),
        ("trafic <= 1 GB", "unknown_name", {"kind": "figure", "near": ("traffic",)}),
        ("traffic(pree) <= 1 GB", "unknown_name", {"kind": "layer", "near": ("pre",)}),
        ("qq is R", "unknown_name", {"kind": "tensor"}),
        ("q is R on tq", "unknown_name", {"kind": "axis"}),
        ("q is P(Z)", "unknown_name", {"kind": "dimension"}),
        ("q is Q", "unknown_name", {"kind": "state"}),
    ],
)
def test_what_is_wrong_with_an_expect(expect: str, name: str, facts: dict[str, object]) -> None:
    read = model(f"{TEXT}expect {expect}\n")
    assert names(read) == [name]
    data = only(read, name)
    assert {key: data[key] for key in facts} == facts
    assert read.expects == ()


def test_stages_are_dealt_out() -> None:
    read = clean(TEXT + "stages pp: pre | none | 2 of 1 s | 2 s + post\n")
    (stages,) = read.stages
    assert stages.chunks == (
        (("pre", 1),),
        (),
        (("s", 1),),
        (("s", 1),),
        (("s", 2), ("post", 1)),
    )


@pytest.mark.parametrize(
    ("stages", "name"),
    [
        ("pp: s", "bad_size"),
        ("pp: 2 pre", "bad_size"),
        ("pp: 1.5 s", "bad_size"),
        ("pp: 1e9 of 1 s", "bad_size"),
        ("pq: 1 s", "unknown_name"),
        ("pp: 1 t", "unknown_name"),
    ],
)
def test_what_is_wrong_with_stages(stages: str, name: str) -> None:
    read = model(f"{TEXT}stages {stages}\n")
    assert (names(read), read.stages) == ([name], ())


def test_outputs_name_variables_by_path() -> None:
    read = clean(TEXT + "output s.m.h partition D2 on tp\n")
    assert [o.tensor for o in read.outputs] == ["q", "s.m.h"]
    assert names(model(TEXT + "output qq\n")) == ["unknown_name"]
    assert names(model(TEXT + "output y partition L on tp\n")) == ["dim_not_in_layer"]

"""Budgets, pins, stages and outputs: names at any depth, bounds in base units."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from reading import clean, model, names, only

if TYPE_CHECKING:
    from parspec.interpreter.spec.model import Model

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
        ("traffic <= 2 us + 3 GB", "unit_mismatch", {"name": "+", "wants": "s", "got": "bytes"}),
        ("traffic <= 2 GB * 3 GB", "unit_mismatch", {"name": "*", "wants": "count"}),
        ("traffic <= 2 GB / 3 GB", "unit_mismatch", {"name": "/", "got": "bytes"}),
        ("traffic <= 2 GB / 0", "bad_size", {"text": "2 GB / 0", "reason": "it divides by zero"}),
        ("traffic <= 8 / (D - D) * 1 GB", "bad_size", {"text": "8 / (D - D)"}),
        ("traffic <= 2 GB / 0 s", "bad_size", {"reason": "it divides by zero"}),
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


OUTPUTS = TEXT.replace("output q\n", "output q partition D2 on tp\n")


def laid(read: Model) -> list[tuple[str, list[tuple[str, str]], bool]]:
    """The outputs with what is said of each axis, and whether it is on a stage."""
    return [
        (output.tensor, [(a.axis, a.saying) for a in output.rest], output.stage is not None)
        for output in read.outputs
    ]


def test_an_output_of_a_plan_takes_the_place_of_the_models() -> None:
    text = OUTPUTS + "plan p { output q replicated on pp  output y at pp[1] }\n"
    assert laid(clean(text)) == [("q", [("tp", "partition")], False)]
    under = clean(text, plan="p")
    assert laid(under) == [("q", [("pp", "replicated")], False), ("s.y", [], True)]


@pytest.mark.parametrize("place", ["{}", "plan p {{ {} }}"])
def test_an_output_is_said_once(place: str) -> None:
    said = "output y at pp[1]  output y replicated on tp"
    read = model(OUTPUTS + place.format(said) + "\n", plan="p" if "plan" in place else None)
    assert only(read, "duplicate_name") == {"kind": "output", "name": "y"}
    assert laid(read)[1] == ("s.y", [], True)


def test_an_output_takes_the_place_of_an_imported_one() -> None:
    own, imported = "output q replicated on tp\n", 'import "base.par"\n'
    for text in (imported + own, own + imported):
        assert laid(clean(text, base=OUTPUTS)) == [("q", [("tp", "replicated")], False)]


@pytest.mark.parametrize(
    ("bound", "value", "slack"),
    [
        ("1560000000", 1560000000, 0),
        ("1.56e9", 1560000000, 5_000_000),
        ("1.56B", 1560000000, 5_000_000),
        ("405B", 405 * 10**9, 500_000_000),
        ("70.55M", 70_550_000, 5_000),
        ("2.5k", 2_500, 50),
        ("1.2T", 1_200_000_000_000, 50_000_000_000),
        ("4Ki", 4096, 0),
        ("2 * 1.5k", 3000, 0),
    ],
)
def test_counts_are_bounded_as_they_are_printed(bound: str, value: int, slack: int) -> None:
    (expect,) = clean(TEXT + f"expect parameters == {bound}\n").expects
    assert (expect.bound, expect.slack) == (value, slack)


def test_short_counts_are_for_counts() -> None:
    assert names(model(TEXT + "expect memory <= 2.5M\n")) == ["unknown_name"]
    (expect,) = clean(TEXT + "expect memory <= 80B\n").expects
    assert (expect.bound, expect.slack) == (80, 0)
    assert names(model(TEXT + "expect parameters <= 80 GB\n")) == ["unit_mismatch"]

"""A syntax error in the body of a plan is a mistake of that plan, as every other mistake there."""

from __future__ import annotations

import pytest
from reading import model

MODEL = "mesh tp = 2\ndim B = 4\ninput x[B]\nlayer y: y[B] = gelu(x)\noutput y\n"
PLANS = "plan good { for *: partition B on tp }\nplan bad { for *: partition B tp }\n"


def found(text: str, plan: str | None, **files: str) -> list[str]:
    return [finding.name for finding in model(text, plan, **files).findings]


@pytest.mark.parametrize(("plan", "names"), [(None, []), ("good", []), ("bad", ["syntax_error"])])
def test_only_under_its_plan(plan: str | None, names: list[str]) -> None:
    assert found(MODEL + PLANS, plan) == names
    assert found('import "both.par"\n', plan, both=MODEL + PLANS) == names


@pytest.mark.parametrize("plan", [None, "good"])
def test_the_header_of_a_plan_is_the_file_s(plan: str | None) -> None:
    assert found(MODEL + PLANS.replace("plan bad {", "plan bad bad {"), plan) == ["syntax_error"]


def test_it_puts_nothing_in_doubt_elsewhere() -> None:
    lost = MODEL.replace("gelu(x)", "gelu(z)") + PLANS + "plan worse { dim C ~ 4 weight z[B }\n"
    assert found(lost, "good") == ["unused_name", "unknown_name"]
    assert "unknown_name" in found(lost, None)


def test_a_name_that_another_plan_declares_is_unknown_in_a_plan_s_own_body() -> None:
    model = MODEL.replace("mesh tp = 2\n", "") + "for y: partition B on tp\n"
    plans = "plan a { mesh tp = 2 }\nplan b { mesh dp = 2 expect x is P(B) on tp }\n"
    assert [found(model + plans, plan) for plan in (None, "a", "b")] == [[], [], ["unknown_name"]]


def test_an_axis_of_a_plan_is_no_dimension() -> None:
    weight = MODEL + "weight w[B, pp]\nlayer z: z[B] = gelu(y)\n"
    assert "unknown_name" in found(weight + "plan a { mesh pp = 2 }\n", None)

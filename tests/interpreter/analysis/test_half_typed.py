"""A statement that is being typed: its own fault, and nothing that may follow from it."""

from __future__ import annotations

import pytest
from specs import analysis_of

from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.resolve import resolve

TEXT = """
mesh tp = 2
dim B = 8, D = 4, F = 8
dim L = 2
input x[B, D]
stack s[L]: x -> y {
  weight w1[D, F], w2[F, D]
  layer ln: b[B, D] = gelu(x)
  layer up: u[B, F] = b * w1
  layer act: h[B, F] = gelu(u)
  layer down: y[B, D] = h * w2
}
for s.{up,act,down}: partition F on tp
output y replicated on tp
expect traffic <= 1 GB
"""


def names(text: str) -> list[str]:
    return [each.name for each in analysis_of(text).findings]


def test_the_whole_is_clean() -> None:
    assert names(TEXT) == []


@pytest.mark.parametrize(
    "typed",
    [
        *("l", "la", "lay", "laye", "layer", "layer up", "layer up:", "layer up: u"),
        *("layer up: u[B", "layer up: u[B, F] =", "layer up: u[B, F] = b *"),
    ],
)
def test_a_layer_that_is_being_typed(typed: str) -> None:
    assert names(TEXT.replace("layer up: u[B, F] = b * w1", typed)) == ["syntax_error"]


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("weight w1[D, F], w2[F, D]", "w"),
        ("weight w1[D, F], w2[F, D]", "we"),
        ("dim L = 2", "d"),
        ("dim L = 2", "dim L = 2k"),
        ("mesh tp = 2", "m"),
        ("output y replicated on tp", "o"),
        ("output y replicated on tp", "out"),
    ],
)
def test_another_statement_that_is_being_typed(written: str, typed: str) -> None:
    assert names(TEXT.replace(written, typed)) == ["syntax_error"]


NEAR = """
dim B = 4, D = 4, L = 3
input x_one[B, D]
{typed}
layer z: z[B, D] = gelu(x_two)
layer s: u[B, D] = gelu(x_one) + z
output u
"""


@pytest.mark.parametrize(
    "typed",
    [
        *("stack {", "stack dec {", "stack dec[ {", "stack dec[L]: {", "stack dec[L]: x_one -> {"),
        *("stack dec[L]: x_one -> x_", "layer", "layer a", "layer a:", "layer a: x", "layer a: x_"),
    ],
)
def test_what_is_yet_to_be_named_may_be_any_name(typed: str) -> None:
    """Also one that is close to a known name."""
    assert names(NEAR.format(typed=typed)) == ["syntax_error"]


def test_what_is_named_otherwise_is_not_meant() -> None:
    assert names(NEAR.format(typed="layer a: v")) == ["syntax_error", "unknown_name"]


def test_a_mistake_elsewhere_is_still_told() -> None:
    text = TEXT.replace("layer up: u[B, F] = b * w1", "la").replace("h * w2", "h * ww2")
    assert names(text) == ["syntax_error", "unknown_name"]


BODY = """
dim B = 4, D = 8, L = 2
input x[B, D]
stack decoder[L]: x -> y {
  layer act: n[B, D] = gelu(x)
  {typed}
}
block double(a[B, D]) -> b {
  layer more: {block} = a + a
}
layer twice: z[B, D] = double(y)
output z
"""


@pytest.mark.parametrize(
    "typed",
    [
        *("l", "layer", "layer res", "layer res:", "layer res: n", "layer res: y", "layer res: y["),
        *("layer res: y[B", "layer res: y[B,", "layer res: y[B]", "layer res: y[B, D] = n +"),
    ],
)
def test_what_a_stack_leaves_is_not_judged_while_its_body_is_broken(typed: str) -> None:
    assert names(BODY.replace("{typed}", typed).replace("{block}", "b[B, D]")) == ["syntax_error"]


@pytest.mark.parametrize("block", ["c", "c[B", "c[B,", "c[B, D]:", "b[B"])
def test_what_a_block_gives_is_not_judged_while_its_body_is_broken(block: str) -> None:
    text = BODY.replace("{typed}", "layer res: y[B, D] = n + x").replace("{block} =", block)
    assert names(text) == ["syntax_error"]


def test_what_a_stack_leaves_is_judged_once_its_body_is_whole() -> None:
    text = BODY.replace("{typed}", "layer res: w[B, D] = n + x").replace("{block}", "b[B, D]")
    assert names(text) == ["unknown_name"]


PLAN = """
import std.h100
mesh dp = 2 over ib, tp = 2 over nvlink on 4 h100
dim B = 8, D = 4, G = 2, K = 4
dim H = G * K
input x[B, D]
weight w[D, H], v[H, D]
layer up: h[B, H] = x * w
layer down: y[B, D] = h * v
output y replicated on tp
for *: partition B on dp
for up, down: partition H on tp
expect All-Reduce of y on tp
"""


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("mesh dp = 2 over ib, tp = 2 over nvlink on 4 h100", "mesh dp = 2 ov"),
        ("mesh dp = 2 over ib, tp = 2 over nvlink on 4 h100", "mesh dp = 2 over ib, tp ="),
        ("import std.h100", "i"),
        ("import std.h100", "impo"),
        ("input x[B, D]", "input x[B"),
        ("input x[B, D]", "in"),
        ("dim B = 8, D = 4, G = 2, K = 4", "dim B ="),
        ("dim B = 8, D = 4, G = 2, K = 4", "dim B = 8,"),
        ("dim H = G * K", "dim H = G *"),
        ("dim H = G * K", "di"),
        ("weight w[D, H], v[H, D]", "weight w"),
        ("weight w[D, H], v[H, D]", "weight w[D, H], u"),
        ("weight w[D, H], v[H, D]", "weight w[D, H], vH, D]"),
        ("layer up: h[B, H] = x * w", "layer up: hB, H] = x * w"),
        ("layer down: y[B, D] = h * v", "la"),
        ("layer down: y[B, D] = h * v", "layer down: y[B, D] = h *"),
    ],
)
def test_in_a_finished_plan(written: str, typed: str) -> None:
    assert names(PLAN) == []
    assert names(PLAN.replace(written, typed)) == ["syntax_error"]


@pytest.mark.parametrize(
    ("broken", "mistake", "name"),
    [
        ("mesh dp = 2 ov", ("= x * w", "= x * ww"), "unknown_name"),
        (
            "mesh dp = 2 over ib, tp = 2 over nvlink on",
            ("up, down", "upp, down"),
            "unmatched_pattern",
        ),
    ],
)
def test_a_broken_mesh_hides_no_other_mistake(
    broken: str, mistake: tuple[str, str], name: str
) -> None:
    text = PLAN.replace("mesh dp = 2 over ib, tp = 2 over nvlink on 4 h100", broken)
    assert names(text.replace(*mistake)) == ["syntax_error", name]


def test_once_all_is_understood_a_missing_axis_is_told() -> None:
    mesh = "mesh dp = 2 over ib, tp = 2 over nvlink on 4 h100"
    told = names(PLAN.replace(mesh, "mesh dp = 4 over ib on 4 h100"))
    assert told == ["unknown_name"]


def test_what_a_stack_makes_and_does_not_leave_is_offered_by_its_path() -> None:
    read = resolve("spec.par", TEXT.replace("x -> y", "x -> b"), DiskReader())
    (finding,) = (each for each in read.findings if each.name == "unknown_name")
    assert dict(finding.data)["near"] == ("s.y",)
    assert [fix.title for fix in finding.fixes] == ["Replace `y` with `s.y`"]

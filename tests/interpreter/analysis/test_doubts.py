"""One mistake is one error: what only follows from a broken statement is not reported."""

import pytest

from parspec.interpreter.diagnostics import catalogue

SPEC = """\
mesh pp = 2, tp = 2
dim B = 4, D = 8, F = 16, L = 6
input x[B, D]
stack decoder[L]: x -> y {
  weight w[D, F], v[F, D]
  layer up: h[B, F] = x * w
  layer dn: y[B, D] = h * v
}
output y replicated on tp
for decoder.up, decoder.dn: partition F on tp
stages pp: 3 decoder | 3 decoder
expect All-Reduce of y on tp
expect memory <= 1.2 kB
"""


def errors(analysis):
    return [f.name for f in analysis.findings if catalogue.severity(f) == "error"]


def test_the_spec_itself_is_sound(analyzed):
    analysis = analyzed(SPEC)
    assert errors(analysis) == []
    assert [expect.holds for expect in analysis.expects] == [True, True]


BROKEN = {
    "a pattern": ("F on tp", "F F on tp"),
    "an axis of a pattern": ("F on tp", "F on tq"),
    "the layout of stages": ("3 decoder | 3", "3 | 3"),
    "a stack of the layout": ("3 decoder | 3", "3 dekoder | 3"),
    "a layer": ("= x * w", "= x * * w"),
    "the input": ("x[B, D]", "x B, D]"),
    "a dim": ("D = 8", "D = = 8"),
    "the mesh": ("tp = 2", "tp = = 2"),
}


@pytest.mark.parametrize(("old", "new"), BROKEN.values(), ids=BROKEN)
def test_one_mistake_is_one_error(analyzed, old, new):
    analysis = analyzed(SPEC.replace(old, new, 1))
    assert len(errors(analysis)) == 1
    assert False not in [expect.holds for expect in analysis.expects]


def test_without_a_mistake_a_budget_fails(analyzed):
    analysis = analyzed(SPEC.replace("1.2 kB", "1 B"))
    assert errors(analysis) == ["memory_expectation"]
    assert analysis.expects[1].holds is False


def test_beside_a_mistake_a_failing_budget_is_not_judged(analyzed):
    analysis = analyzed(SPEC.replace("1.2 kB", "1 B").replace("F on tp", "F F on tp"))
    assert errors(analysis) == ["syntax_error"]
    assert [expect.holds for expect in analysis.expects] == [None, None]


def test_a_broken_expectation_takes_no_other_with_it(analyzed):
    analysis = analyzed(SPEC.replace("1.2 kB", "1 B") + "expect traffic traffic <= 1 GB\n")
    assert errors(analysis) == ["memory_expectation", "syntax_error"] or errors(analysis) == [
        "syntax_error",
        "memory_expectation",
    ]


def test_a_broken_plan_casts_no_doubt_on_another(analyzed):
    plans = "plan a { for decoder.up: partition F F on tp }\nplan b { expect memory <= 1 B }\n"
    assert errors(analyzed(SPEC + plans, plan="b")) == ["memory_expectation"]
    assert errors(analyzed(SPEC + plans, plan="a")) == ["syntax_error"]


def test_what_disagrees_without_a_broken_clause_is_said_when_it_is_mended(analyzed):
    text = """\
mesh tp = 2
dim B = 4, D = 8
input x[B, D] partition B on tp
input z[B, D] partition D on tp
layer a: y[B, D] = x + z {clause}
output y
"""
    assert errors(analyzed(text.replace("{clause}", ""))) == ["operands_disagree"]
    assert errors(analyzed(text.replace("{clause}", "partition B B on tp"))) == ["syntax_error"]


@pytest.mark.parametrize(
    "cut", ["edp = rest, ep 8 of dp", "edp = rest, ep = of dp", "edp rest, ep = 8 of dp"]
)
def test_a_broken_view_is_one_error(analyzed, cut):
    text = f"""\
mesh dp = 16
axis {cut}
dim E = 8, B = 64
input x[E, B]
layer l: y[E, B] = relu(x) partition E on ep, B on edp
output y
"""
    assert errors(analyzed(text)) == ["syntax_error"]


def test_a_plan_without_a_name_declares_its_axes_all_the_same(analyzed):
    text = """\
dim B = 4
input x[B]
layer a: y[B] = relu(x) partition B on dp
output y
plan { mesh dp = 2 }
"""
    assert errors(analyzed(text)) == ["syntax_error"]


def test_ways_out_are_offered(analyzed):
    lost = SPEC.replace("stages pp: 3 decoder | 3 decoder\n", "for decoder: partition L on pp\n")
    (finding,) = (
        f
        for f in analyzed(lost.replace("L = 6", "L = 9").replace("pp = 2", "pp = 4")).findings
        if f.name == "layers_lost"
    )
    assert catalogue.message(finding).endswith("3 or 9 stages take all, or the stack is `uneven`")
    text = "mesh tp = 16\ndim H = 6\ninput x[H]\nlayer a: y[H] = relu(x) partition H on tp\n"
    (finding,) = (f for f in analyzed(text + "output y\n").findings if f.name == "too_many_nodes")
    assert catalogue.message(finding) == (
        "H = 6 does not split 16 ways on tp: there are more nodes than elements; 1, 2, 3, 6 do"
    )


CLASHING = """\
mesh dp = 2, tp = 4
axis ep = dp * tp
dim B = 64, D = 32, F = 16
input x[B, D]
weight w[D, F]
layer fc: y[B, F] = x * w {clause}
output y
expect traffic <= 1 B
expect memory <= 1 B
expect y is R on tp
expect parameters <= 1
"""


@pytest.mark.parametrize("clause", ["partition F on tp, D on ep", "partition D on ep, F on dp"])
def test_of_a_layer_that_is_given_one_axis_twice_no_budget_is_judged(analyzed, clause):
    analysis = analyzed(CLASHING.replace("{clause}", clause))
    assert errors(analysis) == ["axis_reused", "expect_failed"]
    assert [expect.holds for expect in analysis.expects] == [None, None, None, False]
    assert [f.name for f in analysis.findings if f.name == "partial_left"] == []


def test_without_the_clash_all_of_them_are(analyzed):
    analysis = analyzed(CLASHING.replace("{clause}", "partition F on tp"))
    assert errors(analysis) == ["memory_expectation", "state_mismatch", "expect_failed"]
    assert [expect.holds for expect in analysis.expects] == [True, False, False, False]


def test_operands_that_disagree_keep_budgets_from_being_judged(analyzed):
    text = """\
mesh tp = 2
dim B = 4, D = 8
input x[B, D] partition B on tp
input z[B, D] partition D on tp
layer a: y[B, D] = x + z
output y
expect traffic <= 1 B
"""
    assert errors(analyzed(text)) == ["operands_disagree"]

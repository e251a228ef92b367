"""Functions of functions: whatever is nested is understood, or is said to be wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import model, names, only

from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.diagnostics.catalogue import severity
from parspec.interpreter.spec.functions import FUNCTIONS

HEAD = """\
dim B = 8, D = 4, F = 4, E = 2, C = 4
mesh dp = 2, tp = 2
input x[B, D], r[B], g[B, E], s[]
weight w[D, F], e[E, C, D]
op lin(X[I], W[I, O]) -> Y[O] = X * W
"""
TENSORS = st.sampled_from(["x", "r", "g", "s", "w", "e", "x[B, F]", "w[D]", "e[]"])
CALLED = st.sampled_from([*FUNCTIONS, "lin"])
NESTED = st.recursive(
    TENSORS,
    lambda inner: st.one_of(
        st.builds("{} * {}".format, inner, inner),
        st.builds("({} + {})".format, inner, inner),
        st.builds("{}({})".format, CALLED, inner),
        st.builds("{}({}, {})".format, CALLED, inner, inner),
        st.builds("{} over {}({})".format, CALLED, st.sampled_from("BDFEC"), inner),
    ),
    max_leaves=6,
)
RESULTS = st.sampled_from(["", "[B, D]", "[B, F]", "[E, C, D]", "[B]", "[]", "[E, F, D]"])


@given(NESTED, RESULTS, st.sampled_from("BDFEC"))
def test_whatever_is_nested_is_understood_or_said_to_be_wrong(expression, result, dim):
    text = f"{HEAD}layer up: h{result} = {expression}  partition {dim} on tp\noutput h\n"
    found = analyze(model(text))
    errors = {finding.name for finding in found.findings if severity(finding) == "error"}
    assert bool(found.layers) or bool(errors)


@pytest.mark.parametrize(
    ("expression", "function"),
    [
        ("x * dispatch(x, r)", "dispatch"),
        ("x * combine(x, r)", "combine"),
        ("gelu(dispatch(x, r))", "dispatch"),
        ("combine(gelu(dispatch(x, r)), g)", "dispatch"),
    ],
)
def test_what_is_routed_inside_has_experts(expression, function):
    read = model(f"{HEAD}layer up: h[B, D] = {expression}\noutput h\n")
    assert names(read).count("wrong_arguments") == 1
    assert only(read, "wrong_arguments")["function"] == function

"""Operands that are not what a function takes, and results with a dimension too many: what is
said, and the fix that mends it."""

from __future__ import annotations

import pytest
from reading import model

from parspec.grammar.parser import parse
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.model import Model

HEAD = """\
dim B = 4, S = 8, E = 2, C = 6, D = 16, V = 32
dim T = S
input x[B, S, D], r[B, S, E], tokens[B, S], ye[E, C, D], z[B, S, V]
weight emb[V, D]
"""


def of(layer: str) -> Model:
    used = "output x, r, tokens, ye, z, emb"
    return model(f"{HEAD}{layer}\n{used}\noutput o\n")


def errors(read: Model) -> list[Finding]:
    return [f for f in read.findings if catalogue.severity(f) == "error"]


def names(read: Model) -> list[str]:
    """The names of the errors."""
    return [finding.name for finding in errors(read)]


def mended(read: Model) -> Model:
    """The model once the one fix of the one error is made."""
    (finding,) = errors(read)
    (fix,) = finding.fixes
    ((_, document),) = read.documents
    text = document.text
    starts = {chunk.key: at for at, chunk in parse(text).placed()}
    for edit in sorted(fix.edits, key=lambda edit: -edit.site.span.start):
        start = starts[edit.site.chunk]
        span = edit.site.span
        text = text[: start + span.start] + edit.text + text[start + span.end :]
    return model(text)


@pytest.mark.parametrize(
    ("layer", "takes"),
    [
        ("layer l: o[E, C, D] = dispatch(r, x)", "dispatch takes tokens and their scores"),
        ("layer l: o[B, S, D] = combine(r, ye)", "combine takes what experts made and the scores"),
        ("layer l: o[B, S, D] = lookup(emb, tokens)", "lookup takes indices and a table"),
        (
            "layer l: o[] = crossentropy over V (tokens, z)",
            "crossentropy takes a tensor with dimension V",
        ),
    ],
)
def test_swapped_operands_are_swapped_back(layer, takes):
    read = of(layer)
    assert names(read) == ["wrong_arguments"]
    assert catalogue.message(errors(read)[0]).startswith(takes)
    assert names(mended(read)) == []


@pytest.mark.parametrize(
    "layer",
    [
        "layer l: o[E, C, D] = dispatch(x, r)",
        "layer l: o[B, S, D] = combine(ye, r)",
        "layer l: o[B, S, D] = lookup(tokens, emb)",
        "layer l: o[] = crossentropy over V (z, tokens)",
    ],
)
def test_operands_in_their_places(layer):
    assert names(of(layer)) == []


def test_a_result_that_combine_does_not_give():
    read = of("layer l: o[B, S, E] = combine(ye, r)")
    assert names(read) == ["wrong_arguments"]
    message = catalogue.message(errors(read)[0])
    assert message.endswith("not [E, C, D] and [B, S, E] for o[B, S, E]")


@pytest.mark.parametrize(
    "call", ["combine(a1, r)", "combine(a1, a2)", "dispatch(a1, a2)", "lookup(a1, a2)"]
)
def test_of_unknown_operands_nothing_more_is_said(call):
    assert set(names(of(f"layer l: o[B, S, E] = {call}"))) == {"unknown_name"}


@pytest.mark.parametrize(
    ("expression", "read_as"),
    [
        ("relu(x)", "relu(x[B, T, D])"),
        ("x[B, S, D]", "x[B, T, D]"),
    ],
)
def test_a_dimension_over_the_same_positions_is_read_by_its_name(expression, read_as):
    read = of(f"layer l: o[B, T, D] = {expression}")
    assert names(read) == ["dim_without_operand"]
    message = catalogue.message(errors(read)[0])
    assert message.endswith("T is as long as S: read `x[B, T, D]`")
    after = mended(read)
    assert names(after) == []
    assert f"o[B, T, D] = {read_as}\n" in after.documents[0][1].text


def test_scores_of_tokens_among_themselves():
    read = of("layer l: o[B, S, T] = x * x")
    assert names(read) == ["dim_without_operand"]
    assert names(mended(read)) == []


def test_where_no_dimension_is_like_it_the_results_own_dimensions_are_offered():
    read = of("layer l: o[B, S, D, V] = relu(x)")
    assert names(read) == ["dim_without_operand"]
    assert [fix.title for fix in errors(read)[0].fixes] == ["Write `o[B, S, D]`"]


def test_a_wrong_index_of_a_carry_is_said_once():
    body = "stack s[L]: x -> y {\n  layer l: y[B, S, V] = relu(x)\n}\n"
    read = of(f"dim L = 2\n{body}layer l: o[B, D] = y * emb")
    assert names(read) == ["dim_without_operand"]


SUMMED = """\
dim B = 64, F = 32, E = 4
input h[B, F], g[B, F], b[B], e[B, E]
layer s: t[B] = {}
output t
"""


@pytest.mark.parametrize(
    ("written", "mended_by"),
    [
        ("h + g", {"t[B, F]", "sum over F (h + g)"}),
        ("h - 2 * g", {"t[B, F]", "sum over F (h - 2 * g)"}),
        ("gelu(h)", {"t[B, F]", "sum over F (gelu(h))"}),
        ("h + e + 1", {"sum over F (h)` and `sum over E (e)"}),
        ("h + g + b", {"t[B, F]", "sum over F (h)` and `sum over F (g)"}),
        ("softmax over F (h)", {"t[B, F]"}),
        ("rmsnorm over F (h)", {"t[B, F]"}),
    ],
)
def test_each_mend_of_a_missing_sum_leaves_nothing_to_mend(
    written: str, mended_by: set[str]
) -> None:
    text = SUMMED.format(written)
    (finding,) = (f for f in model(text).findings if f.name == "missing_sum")
    assert {fix.title.removeprefix("Write `")[:-1] for fix in finding.fixes} == mended_by
    for fix in finding.fixes:
        edits = [(*edit.site.span, edit.text) for edit in fix.edits]
        document = dict(model(text).documents)["main.par"]
        start = document.start_of(finding.site.chunk)
        after = text
        for begin, end, put in sorted(edits, reverse=True):
            after = after[: start + begin] + put + after[start + end :]
        assert {f.name for f in model(after).findings} <= {"unused_name"}


def test_a_result_of_a_dispatch_is_not_widened_to_what_no_dispatch_gives() -> None:
    text = """\
dim B = 8, S = 4, D = 16, E = 4, C = 2
input x[B, S, D], r[B, E]
layer send: xe[E, C, D] = dispatch(x, r)
output xe
"""
    (finding,) = model(text).findings
    assert "Write `xe[S, E, C, D]`" not in [fix.title for fix in finding.fixes]

"""Unused names, duplicates, and what may only follow from text that could not be read."""

from __future__ import annotations

import pytest
from reading import clean, model, names, only, written

UNUSED = """
dim B = 8, D = 4, Q = 3
input x[B, D], u[B]
weight w[D]
op f: pointwise
block g(a[B]) -> y { layer l: y = gelu(a) }
layer a: y[B, D] = x
layer b: z[B, D] = y
"""


def test_what_nobody_reads_is_unused() -> None:
    read = model(UNUSED)
    assert set(names(read)) == {"unused_name"}
    found = [(dict(f.data)["kind"], dict(f.data)["name"]) for f in read.findings]
    assert found == [
        ("dimension", "Q"),
        ("tensor", "u"),
        ("tensor", "w"),
        ("operator", "f"),
        ("block", "g"),
        ("tensor", "z"),
    ]
    assert written(read, read.findings[0]) == "Q"


def test_imported_names_may_stay_unused() -> None:
    read = model('import "lib.par"\ninput v[B]\noutput v\n', lib=UNUSED)
    assert names(read) == []


def test_a_file_without_layers_is_a_library() -> None:
    clean("op linear(X[B, I], W[I, O]) -> Y[B, O] = X * W\nop f: pointwise\n")


def test_the_result_of_a_stack_is_read_outside_or_unused() -> None:
    text = "dim B = 8, L = 4\ninput x[B]\nstack s[L]: x -> y { layer a: y = gelu(x) }\n"
    assert only(model(text), "unused_name")["name"] == "y"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("input x[B], x[B]\noutput x\n", "tensor"),
        ("input x[B]\nlayer a: x[B] = x\noutput x\n", "tensor"),
        ("input x[B]\nlayer a: y = x\nlayer a: z = y\noutput z\n", "layer"),
        ("op f: pointwise\nop f: pointwise\ninput x[B]\noutput x\n", "operator"),
        ("op f(X[B], X[B]) -> Y[B] = X\ninput x[B]\noutput x\n", "parameter"),
    ],
)
def test_a_name_is_declared_once(text: str, kind: str) -> None:
    read = model("dim B = 8\n" + text)
    assert only(read, "duplicate_name")["kind"] == kind


def test_a_missing_import_is_the_only_finding() -> None:
    read = model(
        'import "nope.par"\nmesh dp = 2\ndim B = 8\nfor *: partition B on dp\n'
        "expect traffic(decoder) <= 1 GB\nstages dp: embed\n"
    )
    assert names(read) == ["file_not_found"]


def test_a_half_typed_statement_is_the_only_finding() -> None:
    text = (
        "mesh dp = 2\ndim B = 8, D = 4\ninput x[B, D]\n"
        "layer a: h[B, D] = gelu(\nlayer b: y = gelu(h) partition B on dp\noutput y\n"
    )
    assert names(model(text)) == ["syntax_error"]
    assert names(model(text.replace("gelu(\n", "gelu(x)\n").replace("D = 4", " = 4"))) == [
        "syntax_error"
    ]


def test_what_the_body_of_a_broken_block_reads_is_not_unused() -> None:
    body = "{\n  layer a: s[B] = q * k\n}\n"
    read = model(f"dim B = 8\ninput q[B], k[B]\nblock f {body}output q\n")
    assert names(read) == ["syntax_error"]

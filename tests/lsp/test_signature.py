"""Signatures: the call around the cursor, and the argument that is being written."""

import pytest
from lsp_fixtures import at_cursor

from parspec.lsp.features.signature import signature

HEAD = """\
dim B = 4, D = 8
# Tokens through a matrix.
op linear(X[B, I], W[I, O]) -> Y[B, O] = X * W
op swish: pointwise
block mlp(p[B, D], q[D]) -> o fused {
  layer a: o[B, D] = p * q
}
input x[B, D]
"""


def shown(line):
    """The signature with the active parameter in angle brackets."""
    snapshot, offset = at_cursor(HEAD + line)
    found = signature(snapshot, offset)
    if found is None:
        return None
    label, active = found.label, found.active
    if active is None:
        return label
    start, end = found.parameters[active]
    return f"{label[:start]}‹{label[start:end]}›{label[end:]}"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("layer l: y = linear(‸", "linear(‹X[B, I]›, W[I, O]) -> Y[B, O]"),
        ("layer l: y = linear(x, ‸", "linear(X[B, I], ‹W[I, O]›) -> Y[B, O]"),
        ("layer l: y = linear(x[B, D], ‸w)", "linear(X[B, I], ‹W[I, O]›) -> Y[B, O]"),
        ("layer l: y = linear(x, w, ‸", "linear(X[B, I], W[I, O]) -> Y[B, O]"),
        ("layer l: y = mlp(x, ‸", "mlp(p[B, D], ‹q[D]›) -> o"),
        ("layer l: y = swish(‸", "swish(‹x›, ...)"),
        ("layer l: y = gelu(‸x)", "gelu(‹x›)"),
        ("layer l: y = softmax over D (‸", "softmax over D (‹x›)"),
        ("layer l: y = crossentropy over B (‸", "crossentropy over B (‹z›, labels)"),
        ("layer l: y = softmax over B * D masked (‸", "softmax over B * D (‹x›)"),
        ("layer l: y = softmax(‸", "softmax over D (‹x›)"),
        ("layer l: y = rmsnorm over D (x, ‸", "rmsnorm over D (x, ‹[weight]›)"),
        ("layer l: y = mlp(gelu(‸", "gelu(‹x›)"),
        ("layer l: y = mlp(gelu(x), ‸", "mlp(p[B, D], ‹q[D]›) -> o"),
        ("layer l: y = lookup(x[B, ‸", "lookup(‹tokens›, table)"),
        (
            "dim C = capacity(tokens = B, ‸",
            "capacity(tokens = , ‹experts = ›, top = , factor = )",
        ),
        ("layer l: y = linear(x, w‸) partition B on tp", "linear(X[B, I], ‹W[I, O]›) -> Y[B, O]"),
    ],
)
def test_signatures(line, expected):
    assert shown(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "layer l: y = ‸linear(x, w)",
        "layer l: y = linear(x, w) ‸",
        "op other(‸",
        "block other(a[‸",
        "layer l: y = unknown(‸",
        "layer l: y = (‸",
        "layer l: y = linear(x, # com‸ment",
        "‸",
    ],
)
def test_no_signature(line):
    assert shown(line) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("stack turns[‸", "stack turns[‹L›]: x -> y"),
        ("stack turns[‸L]: x -> y {", "stack turns[‹L›]: x -> y"),
        ("layer l: y = x at pp[‸", "at pp[‹stage›]"),
        ("infer { ‸", "infer { phase  context  new_tokens  weight  compute }"),
        ("infer { phase = ‸", "infer { ‹phase›  context  new_tokens  weight  compute }"),
        (
            "infer { phase = decode  context = 4‸ }",
            "infer { phase  ‹context›  new_tokens  weight  compute }",
        ),
        ("device box { flops = ‸", "device box { memory  ‹flops›  hbm }"),
        ("for decoder.{‸", None),
        ("stack turns[L]: x -> y {‸", None),
    ],
)
def test_headers_and_braces(line, expected):
    assert shown(line) == expected


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("train { ‸", ""),
        ("train adam { zero = ‸", "what is sharded over replicas (ZeRO): 0, 1, 2, 3 (default: 0)"),
        ("train { microbatches = ‸", "microbatches of a step (default: 1)"),
        ("infer { phase = ‸", "what a forward pass does: prefill, decode (default: prefill)"),
    ],
)
def test_what_a_setting_takes(line, told):
    snapshot, offset = at_cursor(HEAD + line)
    found = signature(snapshot, offset)
    assert found.note == told
    assert found.label.startswith(line.partition("{")[0])


def test_what_the_author_says_of_it():
    snapshot, offset = at_cursor(HEAD + "layer l: y = linear(‸")
    assert signature(snapshot, offset).note == "Tokens through a matrix."
    snapshot, offset = at_cursor(HEAD + "layer l: y = silu(‸")
    assert signature(snapshot, offset).note.startswith("x·sigmoid(x), also called swish.")


def test_the_inner_op_of_a_body_is_meant_there():
    source = """\
dim B = 4, L = 2
op f(X[B]) -> Y[B] = X
input x[B]
stack s[L]: x -> y {
  op f(A[B], C[B]) -> Y[B] = A * C
  layer a: y[B] = f(‸x, x)
}
"""
    snapshot, offset = at_cursor(source)
    assert signature(snapshot, offset).label == "f(A[B], C[B]) -> Y[B]"

"""Which dimensions are positions, however weights are indexed by them."""

import pytest

GPT = """
mesh cp = 2
dim B = 2, S = 8, D = 16, H = 4, K = 4, V = 32
dim T = S
input tokens[B, S] partition S on cp
weight table[V, D], {pos}wq[D, H, K], wk[D, H, K], wv[D, H, K], wo[H, K, D]
layer embed: e[B, S, D] = lookup(tokens, table)
layer place: x[B, S, D] = {place}
layer norm: n[B, S, D] = layernorm over D (x)
layer q: q[B, S, H, K] = n * wq
layer k: k[B, T, H, K] = n[B, T, D] * wk[D, H, K]
layer v: v[B, T, H, K] = n[B, T, D] * wv[D, H, K]
layer scores: s[B, H, S, T] = q * k partition S on cp
layer probs: p[B, H, S, T] = softmax over T (s{bias})
layer mix: c[B, S, H, K] = p * v
layer out: o[B, S, D] = c * wo
layer add: y[B, S, D] = x + o
output y
"""


@pytest.mark.parametrize(
    "parts",
    [
        {"pos": "", "place": "gelu(e)", "bias": ""},
        {"pos": "pos[S, D], ", "place": "e + pos", "bias": ""},
        {"pos": "pos[S, D], far[H, S, T], ", "place": "e + pos", "bias": " + far"},
    ],
    ids=["none", "learned", "relative"],
)
def test_positions_that_a_weight_has_stay_positions(analyzed, parts):
    analysis = analyzed(GPT.format(**parts))
    named = {layer.name: dict(layer.strategy)["cp"] for layer in analysis.layers}
    learned = {name: named[name] for name in ("norm", "add", "scores")}
    assert learned == {"norm": "context", "add": "context", "scores": "context"}

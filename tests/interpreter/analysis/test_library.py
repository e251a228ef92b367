"""The built-in library: models of its blocks are the models written out."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from specs import analysis_of

from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.spec.library_files import library_file, library_names

BLOCKS = (
    *("attention", "blocks", "cached_gqa", "dense_layer", "gqa", "linear", "moe", "moe_layer"),
    "swiglu",
)
SIZES = "dim B = 16, S = 64, D = 256, G = 4, R = 2, K = 32 unit 32, L = 3\n"
CORE = """
block attention(q[B, S, H, K], k[B, T, G, K], v[B, T, G, K]) -> c fused {
  layer score: s[B, H, S, T] = q * k
  layer prob:  p[B, H, S, T] = softmax over T (s)
  layer ctx:   c[B, S, H, K] = p * v
}
"""
ATTENDED = """\
  weight g1[D], g2[D], wq[D, H, K], wk[D, G, K], wv[D, G, K], wo[H, K, D]
  layer norm1: a[B, S, D] = rmsnorm over D (x0, g1)
  layer q:     q[B, S, H, K] = a * wq
  layer k:     k[B, T, G, K] = a[B, T, D] * wk
  layer v:     v[B, T, G, K] = a[B, T, D] * wv
  layer core:  c[B, S, H, K] = attention(q, k, v)
  layer proj:  o[B, S, D] = c * wo
  layer res1:  z[B, S, D] = x0 + o
  layer norm2: b[B, S, D] = rmsnorm over D (z, g2)
"""
MESH = "mesh dp = 2, tp = 4\ninput x0[B, S, D]\n"

DENSE = f"""
import std.dense_layer
{SIZES}dim F = 512
{MESH}
stack decoder[L]: x0 -> y {{
  layer turn: y[B, S, D] = dense_layer(x0)
}}
output y
for *: partition B on dp
for decoder.turn.attn: partition H on tp
for decoder.turn.mlp: partition F on tp
for decoder.turn.{{norm1,res1,norm2,res2}}: partition S on tp
"""
DENSE_WRITTEN_OUT = f"""
{SIZES}dim F = 512, T = S, H = G * R
{MESH}{CORE}
stack decoder[L]: x0 -> y {{
  weight w_gate[D, F], w_up[D, F], w_down[F, D]
{ATTENDED}
  layer gate:  g[B, S, F] = b * w_gate
  layer up:    u[B, S, F] = b * w_up
  layer act:   h[B, S, F] = swiglu(g, u)
  layer down:  d[B, S, D] = h * w_down
  layer res2:  y[B, S, D] = z + d
}}
output y
for *: partition B on dp
for decoder.{{q,k,v,core,proj}}: partition H on tp
for decoder.{{gate,up,act,down}}: partition F on tp
for decoder.{{norm1,res1,norm2,res2}}: partition S on tp
"""

SLOTS = "dim E = 8, C = capacity(tokens = B * S, experts = E, top = 2, factor = 1.25), M = 128\n"
EXPERTS = f"""
import std.moe_layer
{SIZES}{SLOTS}{MESH}
axis ep = dp * tp
stack decoder[L]: x0 -> y {{
  layer turn: y[B, S, D] = moe_layer(x0)
}}
output y
for *: partition B on dp
for decoder.turn.{{norm1,res1,norm2,res2,moe}}: partition S on tp
for decoder.turn.attn: partition H on tp
for decoder.turn.moe.experts: partition E on ep
"""
EXPERTS_WRITTEN_OUT = f"""
{SIZES}{SLOTS}dim T = S, H = G * R
{MESH}{CORE}
axis ep = dp * tp
stack decoder[L]: x0 -> y {{
  weight w_router[D, E], w_gate[E, D, M], w_up[E, D, M], w_down[E, M, D]
{ATTENDED}
  layer route:    r[B, S, E] = softmax over E (b * w_router)
  layer dispatch: xe[E, C, D] = dispatch(b, r)
  layer gate:     g[E, C, M] = xe * w_gate
  layer up:       u[E, C, M] = xe * w_up
  layer act:      h[E, C, M] = swiglu(g, u)
  layer down:     ye[E, C, D] = h * w_down
  layer combine:  m[B, S, D] = combine(ye, r)
  layer res2:  y[B, S, D] = z + m
}}
output y
for *: partition B on dp
for decoder.{{norm1,res1,norm2,route,dispatch,combine,res2}}: partition S on tp
for decoder.{{q,k,v,core,proj}}: partition H on tp
for decoder.{{gate,up,act,down}}: partition E on ep
"""

CACHED = f"""
import std.cached_gqa
{SIZES.replace("S = 64", "S = 1, T = 512")}{MESH}
stack decoder[L]: x0 -> y {{
  layer attn: o[B, S, D] = cached_gqa(x0)
  layer res:  y[B, S, D] = x0 + o
}}
output y
for *: partition B on dp
for decoder.attn: partition H on tp
infer {{ phase = decode  context = 512 }}
"""
CACHED_WRITTEN_OUT = f"""
{SIZES.replace("S = 64", "S = 1, T = 512")}dim H = G * R
{MESH}{CORE}
cache kc[L, B, T, G, K], vc[L, B, T, G, K]
stack decoder[L]: x0 -> y {{
  weight wq[D, H, K], wk[D, G, K], wv[D, G, K], wo[H, K, D]
  layer q:    q[B, S, H, K] = x0 * wq
  layer k:    kc[B, S, G, K] = x0 * wk
  layer v:    vc[B, S, G, K] = x0 * wv
  layer core: c[B, S, H, K] = attention(q, kc, vc)
  layer proj: o[B, S, D] = c * wo
  layer res:  y[B, S, D] = x0 + o
}}
output y
for *: partition B on dp
for decoder.{{q,k,v,core,proj}}: partition H on tp
infer {{ phase = decode  context = 512 }}
"""

ATTENTION_PARAMETERS = 256 * 32 * (8 + 4 + 4 + 8)
MODELS = {
    "dense_layer": (DENSE, DENSE_WRITTEN_OUT, 3 * (ATTENTION_PARAMETERS + 2 * 256 + 3 * 256 * 512)),
    "moe_layer": (
        EXPERTS,
        EXPERTS_WRITTEN_OUT,
        3 * (ATTENTION_PARAMETERS + 2 * 256 + 256 * 8 + 8 * 3 * 256 * 128),
    ),
    "cached_gqa": (CACHED, CACHED_WRITTEN_OUT, 3 * ATTENTION_PARAMETERS),
}


def wrong(analysis):
    return [
        catalogue.message(finding)
        for finding in analysis.findings
        if catalogue.severity(finding) in ("error", "warning")
    ]


def own_name(layer):
    """A layer's name without stacks and blocks, which both models share: `route.1`."""
    return re.search(r"[^.\d][^.]*(\.\d+)*$|^$", layer).group()


def states(analysis):
    return [
        (own_name(layer.name), layer.partition, layer.strategy, [s.layout for s in layer.states])
        for layer in analysis.layers
    ]


def moved(analysis):
    return [
        (own_name(m.layer), m.direction, m.primitive, m.axes, m.before, m.after, m.traffic, m.times)
        for m in analysis.moves
        if m.primitive
    ]


@pytest.fixture(scope="module", params=MODELS)
def pair(request):
    short, long, parameters = MODELS[request.param]
    return analysis_of(short), analysis_of(long), parameters


def test_both_check_clean(pair):
    short, long, _ = pair
    assert (wrong(short), wrong(long)) == ([], [])


def test_parameters_are_equal(pair):
    short, long, parameters = pair
    assert short.totals.parameters == long.totals.parameters == parameters


def test_states_are_equal(pair):
    short, long, _ = pair
    assert states(short) == states(long)


def test_communication_is_equal(pair):
    short, long, _ = pair
    assert moved(short) == moved(long)
    assert moved(short)


def test_memory_and_time_are_equal(pair):
    short, long, _ = pair
    assert short.totals == long.totals


@pytest.mark.parametrize("name", BLOCKS)
def test_each_file_checks_clean_by_itself(name):
    assert wrong(analysis_of(library_file(f"std.{name}"))) == []


@pytest.mark.parametrize("name", BLOCKS)
def test_each_file_and_each_block_are_documented(name):
    lines = library_file(f"std.{name}").splitlines()
    assert name in library_names()
    assert lines[0].startswith("# ")
    assert max(map(len, lines)) <= 100
    for before, line in pairwise(lines):
        if line.startswith(("block ", "op ")):
            assert before.startswith("# ")


@pytest.mark.parametrize("name", BLOCKS)
def test_it_does_not_disturb_a_spec_that_imports_it(name):
    own = "mesh N = 2\ndim A = 4\ninput x[A]\nlayer f: y = gelu(x) partition A on N\noutput y\n"
    assert wrong(analysis_of(f"import std.{name}\n{own}")) == []


def test_all_blocks_may_be_imported_together():
    text = """
import std.blocks
dim Q = 64, I = 32, O = 16
mesh tp = 4
input x[Q, I]
weight w[I, O]
layer fc: y[Q, O] = linear(x, w) partition O on tp
output y
expect y is P(O) on tp
"""
    assert wrong(analysis_of(text)) == []


def test_multi_head_attention_is_one_query_head_for_each_kv_head():
    text = DENSE.replace("G = 4, R = 2", "G = 8, R = 1")
    attention = 4 * 256 * 8 * 32
    assert analysis_of(text).totals.parameters == 3 * (attention + 2 * 256 + 3 * 256 * 512)

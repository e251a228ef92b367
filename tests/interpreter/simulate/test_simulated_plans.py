"""Whole plans carried out: what they send is known, what is wrong is found where it is wrong."""

from fractions import Fraction

import pytest
from drawn_models import model_of
from faults import forget

from parspec.interpreter.analysis import sharding
from parspec.interpreter.simulate.proof import Difference, Stuck
from parspec.interpreter.simulate.simulate import proved
from parspec.interpreter.theory import redistribution

PAIR = """\
mesh N = 2
dim B = 4, D = 4, F = 8
input x[B, D]
weight w_up[D, F], w_down[F, D]
layer up:   h[B, F] = x * w_up        partition F on N
layer act:  a[B, F] = gelu(h)
layer down: y[B, D] = a * w_down      partition F on N
output y replicated on N
"""

ATTENTION = """\
mesh dp = 2, tp = 4
dim B = 2, S = 4, T = S, D = 8, G = 2, R = 2, K = 4 unit 4, H = G * R
input x[B, S, D]
weight wq[D, H, K], wk[D, G, K], wv[D, G, K], wo[H, K, D]
layer q: q[B, S, H, K] = x * wq                            partition H on tp
layer k: k[B, S, G, K] = x * wk                            partition H on tp
layer v: v[B, S, G, K] = x * wv                            partition H on tp
layer s: s[B, S, T, G, R] = q[B, S, G, R, K] * k[B, T, G, K] partition H on tp
layer p: p[B, S, T, G, R] = softmax over T (s)
layer o: o[B, S, G, R, K] = p * v[B, T, G, K]              partition H on tp
layer y: y[B, S, D] = o[B, S, H, K] * wo                   partition H on tp
output y replicated on tp
for *: partition B on dp
"""

EXPERTS = """\
mesh ep = 2, tp = 2
dim B = 4, S = 3, D = 4, E = 4, F = 6, C = 12
input x[B, S, D]
weight wr[D, E], w1[E, D, F], w2[E, F, D]
layer route: r[B, S, E] = topk over E (softmax over E (x * wr))
layer send:  xe[E, C, D] = dispatch(x, r)                  partition B on ep
layer up:    h[E, C, F] = gelu(xe * w1)                    partition E on ep, F on tp
layer down:  ye[E, C, D] = h * w2                          partition E on ep, F on tp
layer back:  y[B, S, D] = combine(ye, r)                   partition B on ep
output y
"""

PIPELINE = """\
mesh pp = 2, tp = 2
dim B = 4, D = 4, F = 5 uneven, L = 4, V = 7 padded to 4
input x[B], labels[B]
weight emb[V, D], head[D, V]
layer embed: t[B, D] = lookup(x, emb)       partition V on tp
stack decoder[L]: t -> y partition L on pp {
  weight g[D], w_up[D, F], w_down[F, D]
  layer norm: n[B, D] = layernorm over D (t, g)
  layer up:   v[B, F] = n * w_up            partition F on tp
  layer act:  h[B, F] = gelu(v)
  layer down: d[B, D] = h * w_down          partition F on tp
  layer res:  y[B, D] = t + d
}
layer logits: z[B, V] = y * head            partition V on tp
layer loss:   l[] = crossentropy over V (z, labels)
output l
"""

STORED = """\
mesh dp = 3, tp = 2
dim B = 6, D = 4, F = 8, L = 2
input x[B, D]
stack decoder[L]: x -> y {
  weight w1[D, F], w2[F, D]
  layer up:   h[B, F] = x * w1              partition F on tp
  layer down: d[B, D] = relu(h) * w2        partition F on tp
  layer res:  y[B, D] = x + d
}
output y
for *: partition B on dp
for *: store on dp
"""

CACHED = """\
mesh tp = 2
dim B = 2, S = 1, T = 4, G = 2, K = 2, D = 4, L = 2
input x[B, S, D]
stack decoder[L]: x -> y {
  cache k[L, B, T, G, K]
  weight wq[D, G, K], wk[D, G, K], wo[G, K, D]
  layer keys:  k[B, S, G, K] = x * wk       partition G on tp
  layer q:     q[B, S, G, K] = x * wq       partition G on tp
  layer score: s[B, S, T, G] = q * k        partition G on tp
  layer soft:  p[B, S, T, G] = softmax over T (s)
  layer mix:   o[B, S, G, K] = p * k        partition G on tp
  layer proj:  y[B, S, D] = o * wo          partition G on tp
}
output y replicated on tp
"""

CUTS = """\
mesh a = 2, b = 2
axis v = b * a
dim B = 8, D = 8, M = 12 unit 3
input x[B, D, M] partition B on a
layer one: y[B, D, M] = x      partition B on v
layer two: z[B, D, M] = y      partition D on a, M on b
layer end: e[B, D, M] = z      centralized on a
output e partition M on a * b
"""


def held(text):
    """The proof of a spec in which nothing is wrong; bytes by primitive."""
    model = model_of(text)
    assert model is not None
    proof = proved(model, 0)
    assert proof.fault is None
    assert proof.mispriced == ()
    return {name: int(sent) for name, (sent, _) in proof.by_primitive().items()}


def test_column_then_row_sends_one_all_reduce():
    assert held(PAIR) == {"All-Reduce": 2 * 1 * 4 * 4 * 2}  # 2(N−1)·M


def test_attention_with_fewer_kv_heads_than_nodes():
    assert held(ATTENTION) == {"All-Reduce": 2 * 2 * 3 * (1 * 4 * 8 * 2)}


def test_experts_come_back_to_their_tokens():
    slots = 4 * 12 * 4 * 2
    sent = held(EXPERTS)
    assert sent["All-to-All"] == 2 * 2 * slots // 2  # there and back, for each node of tp
    assert sent["All-Reduce"] == 2 * 2 * (slots // 2)


def test_a_pipeline_sends_its_carry_and_reduces_statistics():
    carry = 4 * 4 * 2
    assert held(PIPELINE) == {
        "All-Reduce": 2 * carry + 4 * 2 * carry + 3 * 2 * 4 * 4,  # lookup, 4 turns, 3 statistics
        "Send": 2 * carry,
    }


def test_flattened_weights_are_gathered_each_turn():
    weights = 2 * (4 * 8 * 2) // 2
    assert held(STORED)["All-Gather"] == 2 * 2 * 2 * weights


def test_a_cache_is_appended_to_and_read_whole():
    carry = 2 * 1 * 4 * 2
    assert held(CACHED) == {"All-Reduce": (2 + 1) * 2 * carry}  # each turn's addends, the output's


def test_views_orders_units_and_single_nodes():
    assert set(held(CUTS)) >= {"All-to-All", "Gather", "Scatter"}


@pytest.mark.parametrize("text", [PAIR, PIPELINE])
def test_another_seed_other_numbers_the_same_proof(text):
    model = model_of(text)
    assert proved(model, 1) == proved(model, 2)


def test_the_first_result_that_differs_is_named(monkeypatch):
    right = sharding.required

    def complete(operator, cuts):
        needs = right(operator, cuts)
        return type(needs)(needs.inputs, type(needs.output)(needs.output.cuts))

    monkeypatch.setattr(sharding, "required", complete)
    forget()
    fault = proved(model_of(PAIR), 0).fault
    forget()
    assert isinstance(fault, Difference)
    assert (fault.layer, fault.tensor, fault.device) == ("down", "y", (("N", 0),))
    assert fault.off > 0.01


def test_a_primitive_that_leads_elsewhere_is_not_carried_out(monkeypatch):
    model = model_of(PAIR)
    right = redistribution._edges

    def renamed(*arguments):
        for step in right(*arguments):
            yield type(step)("Broadcast", step.axes, step.source, step.target)

    monkeypatch.setattr(redistribution, "_edges", renamed)
    forget()
    fault = proved(model, 0).fault
    forget()
    assert fault is not None
    assert isinstance(fault, Stuck)
    assert fault.layer == ""
    assert fault.reason.startswith("no single node of N has it: Broadcast")


def test_a_price_that_is_not_what_is_sent_is_named(monkeypatch):
    right = redistribution.price
    monkeypatch.setattr(
        "parspec.interpreter.analysis.moves.price",
        lambda *a: type(right(*a))(right(*a).size * 2, right(*a).group, right(*a).groups),
    )
    forget()
    (entry,) = proved(model_of(PAIR), 0).mispriced
    forget()
    assert (entry.layer, entry.primitive) == ("", "All-Reduce")
    assert (entry.sent, entry.priced) == (Fraction(64), Fraction(128))


MENDED = {
    "uneven slices are not permuted": """\
mesh a = 3, c = 2
dim D = 9 uneven
input x[D] partition D on a, D on c
layer one: y[D] = x partition D on c * a
output y
""",
    "uneven nested slices are not gathered at once": """\
link ib { bandwidth = 50 GB/s  latency = 5 us  start = 8 us }
mesh a = 2 over ib, b = 2 over ib
dim K = 5 uneven, S = 8
input x[S, K] partition K on a, K on b
layer one: y[S, K] = tanh(x) partition none on a, none on b
output y
""",
    "nor moved at once": """\
mesh a = 2, b = 2
dim K = 5 uneven, S = 8
input x[S, K] partition K on a, K on b
layer one: y[S, K] = tanh(x) partition S on a * b
output y
""",
    "maxima are complete before they are added or negated": """\
mesh a = 2
dim F = 8, B = 4
input x[B, F], z[B, F]
layer m: m[B] = max over F (x) partition F on a
layer n: n[B] = max over F (z) partition F on a
layer s: s[B] = m + n
layer t: t[B] = -1 * s
output t
""",
    "combine does not follow experts": """\
mesh dp = 2, tp = 2
axis ep = dp * tp
dim B = 4, S = 2, D = 4, E = 4, F = 3, C = 8
input x[B, S, D]
weight wr[D, E], w1[E, D, F], w2[E, F, D]
layer route: r[B, S, E] = softmax over E (x * wr)
layer send:  xe[E, C, D] = dispatch(x, r)
layer up:    h[E, C, F] = gelu(xe * w1)    partition E on ep
layer down:  ye[E, C, D] = h * w2          partition E on ep
layer back:  y[B, S, D] = combine(ye, r)
output y
for *: partition B on dp
""",
    "a clause may cut them": """\
mesh dp = 2, tp = 2
dim B = 4, S = 2, D = 4, E = 4, C = 8
input x[B, S, D]
weight wr[D, E]
layer route: r[B, S, E] = softmax over E (x * wr)  partition B on dp
layer send:  xe[E, C, D] = dispatch(x, r)          partition B on dp, E on tp
layer back:  y[B, S, D] = combine(xe, r)           partition B on dp, E on tp
output y replicated on tp
""",
}


@pytest.mark.parametrize("law", MENDED)
def test_what_simulation_has_found_stays_mended(law):
    held(MENDED[law])

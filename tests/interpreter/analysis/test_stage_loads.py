"""What the busiest device sends and how long it takes where stages do different things, by hand: a
device takes part in the moves of its own stage."""

from fractions import Fraction

import pytest

from parspec.interpreter.analysis.loads import sent_by_busiest, time_of_busiest

X = 64 * 128 * 2  # bytes of [B, D] in bf16
AR = 2 * 3 * X // 4  # what a device of four sends for an All-Reduce of it
RS = AG = 3 * X // 4  # for a Reduce-Scatter, an All-Gather

LINKS = """
link wire { bandwidth = 1 GB/s  latency = 0 s }
device box { memory = 80 GB  flops = 1 Tflop/s  hbm = 1 TB/s }
mesh pp = 2 over wire, tp = 4 over wire on 8 box
dim B = 64, D = 128, D2 = D, L = 4
"""
PAIR = (
    LINKS
    + """
input x0[B, D]
weight wa[D, D2], wb[D2, D], wc[D, D2], wd[D2, D]
layer a: h[B, D2] = x0 * wa partition D2 on tp
layer b: x[B, D] = h * wb partition D2 on tp
layer act: xx[B, D] = gelu(x) partition B on tp
stack s[L]: xx -> y partition L on pp {
  weight g[D]
  layer n: y[B, D] = xx * g partition B on tp
}
layer c: k[B, D2] = y * wc partition D2 on tp
layer d: z[B, D] = k * wd partition D2 on tp
output z replicated on tp
"""
)
STACK = (
    LINKS
    + """
input x[B, D]
weight u[D, D2], v[D2, D]
stack s[L]: x -> y {
  weight a[D, D2], b[D2, D]
  layer up: h[B, D2] = x * a partition D2 on tp
  layer down: y[B, D] = h * b partition D2 on tp
}
layer c: k[B, D2] = y * u partition D2 on tp
layer d: z[B, D] = k * v partition D2 on tp
output z replicated on tp
"""
)


def at_work(analysis):
    return [move for move in analysis.moves if move.primitive is not None]


def test_moves_of_different_stages_do_not_add_up(analyzed):
    """Reduce-Scatter on the first stage, All-Gather and All-Reduce on the second; both take part in
    the Send of a quarter."""
    analysis = analyzed(
        PAIR
        + """
expect traffic per device <= 40.97 kB
expect traffic per device <= 40.95 kB
expect traffic on tp per device <= 1 B
expect traffic in s per device <= 4.1 kB
"""
    )
    moves = at_work(analysis)
    assert [(move.primitive, move.per_device, move.stages) for move in moves] == [
        ("Reduce-Scatter", RS, ((0, 1),)),
        ("Send", X // 4, ((0, 1), (1, 1))),
        ("All-Gather", AG, ((1, 1),)),
        ("All-Reduce", AR, ((1, 1),)),
    ]
    assert sent_by_busiest(moves) == AG + AR + X // 4 == 40960
    assert [(one.holds, one.value) for one in analysis.expects] == [
        (True, "41 kB"),
        (False, "41 kB"),
        (False, "36.9 kB"),  # AG + AR
        (True, "4.1 kB"),
    ]
    (failed, *_) = [f for f in analysis.findings if f.name == "expect_failed"]
    parts = ("All-Reduce z 24.6 kB", "All-Gather y 12.3 kB", "Send y 4.1 kB")
    assert dict(failed.data)["parts"] == parts


def test_times_are_of_one_device(analyzed):
    """At 1 GB/s and without latency a byte takes a nanosecond."""
    bounds = "expect communication <= 1 us\nexpect time <= 1 us\nexpect compute <= 1 us\n"
    analysis = analyzed(PAIR + bounds)
    sent = (AG + AR + X // 4) / 1e9
    assert analysis.totals.communication_time == pytest.approx(sent, rel=1e-12)
    assert time_of_busiest(at_work(analysis)) == analysis.totals.communication_time
    products = 2 * (2 * 64 * 128 * 128 / 4 / 1e12)
    turns = 2 * (2 * X // 4 + 128 * 2) / 1e12  # its operand, g and its result
    first, last = products + turns + 2 * X // 4 / 1e12, products + turns  # `act` on the first
    assert analysis.totals.compute_time == pytest.approx(first, rel=1e-12)
    assert analysis.totals.busy_time == pytest.approx(last + sent, rel=1e-12)
    assert analysis.totals.busy_time < analysis.totals.compute_time + sent
    values = [(expect.holds, expect.value) for expect in analysis.expects]
    assert values == [(False, "41 us"), (False, "42 us"), (False, "1.07 us")]
    assert analysis.totals.step_time is None


@pytest.mark.parametrize(
    ("dealt", "turns", "busiest"),
    [
        ("for s: partition L on pp", (2, 2), (2 + 2) * AR + X),
        ("stages pp: 3 s | 1 s + c + d", (3, 1), 3 * AR + X),
        ("stages pp: 1 s | 3 s + c + d", (1, 3), (3 + 2) * AR + X),
        ("stages pp: 1 s | 1 s | 1 s | 1 s + c + d", (2, 2), (2 + 2) * AR + X),
        ("stages pp: 2 s | 1 s | 1 s + c + d", (3, 1), (3 + 2) * AR + X),  # back on the first
    ],
)
def test_a_stage_pays_for_the_turns_that_it_runs(analyzed, dealt, turns, busiest):
    """An All-Reduce of the carry's addends in front of each turn and of `c`, one at the output, and
    the carry sent or received once, however many chunks a stage has."""
    analysis = analyzed(STACK + dealt)
    moves = at_work(analysis)
    (turning,) = [move for move in moves if move.times == 4]
    most = max(turns)
    assert turning.per_device == most * AR
    assert [share for _, share in turning.stages] == [Fraction(turn, most) for turn in turns]
    assert sent_by_busiest(moves) == busiest


def test_a_stack_on_one_stage_crosses_nothing(analyzed):
    analysis = analyzed(STACK + "stages pp: 4 s + c + d")
    (send,) = [move for move in at_work(analysis) if move.primitive == "Send"]
    assert (send.times, send.stages) == (0, ())
    assert sent_by_busiest(at_work(analysis)) == (4 + 2) * AR


def test_a_tied_weight_is_gathered_by_both_stages(analyzed):
    analysis = analyzed("""
      mesh pp = 2, dp = 4
      dim B = 64, D = 128, V = 1000, L = 2
      input tokens[B] : i32 partition B on dp
      weight emb[V, D] store V on dp
      layer embed: x[B, D] = lookup(tokens, emb)
      stack s[L]: x -> y partition L on pp {
        weight g[D]
        layer n: y[B, D] = x * g
      }
      layer logits: z[B, V] = y * emb
      output z
      expect traffic per device <= 197 kB
    """)
    gathered = 3 * 1000 * 128 * 2 // 4
    assert [(move.primitive, move.per_device, move.stages) for move in at_work(analysis)] == [
        ("All-Gather", gathered, ((0, 1),)),
        ("Send", X // 4, ((0, 1), (1, 1))),
        ("All-Gather", gathered, ((1, 1),)),
    ]
    assert sent_by_busiest(analysis.moves) == gathered + X // 4
    assert [expect.holds for expect in analysis.expects] == [True]


def test_without_stages_every_device_takes_part_in_everything(analyzed):
    analysis = analyzed("""
      mesh tp = 4
      dim B = 64, D = 128, D2 = D
      input x[B, D]
      weight a[D, D2], b[D2, D]
      layer up: h[B, D2] = x * a partition D2 on tp
      layer down: y[B, D] = h * b partition D2 on tp
      layer act: z[B, D] = gelu(y) replicated on tp
      output z partition B on tp
      output y replicated on tp
    """)
    moves = at_work(analysis)
    assert {move.stages for move in moves} == {((0, 1),)}
    assert sent_by_busiest(moves) == sum(move.per_device for move in moves)


def test_a_symbolic_number_of_stages_is_one(analyzed):
    analysis = analyzed(PAIR.replace("pp = 2 over wire, tp = 4 over wire on 8 box", "pp, tp = 4"))
    moves = at_work(analysis)
    assert sent_by_busiest(moves) == RS + AG + AR + X // 4
    assert analysis.stages == ()

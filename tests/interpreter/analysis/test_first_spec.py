"""The first spec of the language page, with numbers and with symbols."""

from parspec.interpreter.theory.formulas import evaluate, is_number, plain

SPEC = """
mesh N = 8

dim B = 4096          # tokens
dim D = 8192          # hidden
dim F = 28672         # feed-forward

input  x[B, D]
weight w_up[D, F], w_down[F, D]

layer up:   h[B, F] = x * w_up        partition F on N
layer act:  a[B, F] = gelu(h)
layer down: y[B, D] = a * w_down      partition F on N

output y replicated on N
expect traffic <= 1.2 GB
"""
M = 4096 * 8192 * 2


def states(analysis):
    return {
        (layer.name, state.role, state.tensor): str(state.layout.state("N"))
        for layer in analysis.layers
        for state in layer.states
    }


def test_states_are_what_the_comments_say(analyzed):
    assert states(analyzed(SPEC)) == {
        ("up", "in", "x"): "R",
        ("up", "in", "w_up"): "P(F)",
        ("up", "out", "h"): "P(F)",
        ("act", "in", "h"): "P(F)",
        ("act", "out", "a"): "P(F)",
        ("down", "in", "a"): "P(F)",
        ("down", "in", "w_down"): "P(F)",
        ("down", "out", "y"): "R(partial)",
    }


def test_the_activation_follows_and_strategies_are_named(analyzed):
    up, act, down = analyzed(SPEC).layers
    assert act.follows == (("N", "h"),)
    assert up.follows == down.follows == ()
    assert dict(up.strategy)["N"] == "tensor, column"
    assert dict(down.strategy)["N"] == "tensor, row"


def test_one_all_reduce_at_the_output(analyzed, complaints):
    analysis = analyzed(SPEC)
    (move,) = [m for m in analysis.moves if m.primitive]
    assert (move.primitive, move.layer, move.cause) == ("All-Reduce", "", "output")
    assert dict(move.traffic) == {
        "composed": 2 * (7 * M // 8 + 7 * M),
        "approx": 16 * M,
        "ring": 14 * M,
    }
    assert move.per_device == 14 * M // 8
    assert complaints(analysis) == []
    (expect,) = analysis.expects
    assert (expect.holds, expect.value) == (True, "1.06 GB")


def test_parameters_and_weights_at_rest(analyzed):
    totals = analyzed(SPEC).totals
    assert totals.parameters == 2 * 8192 * 28672
    assert totals.memory.weights == 2 * 8192 * 28672 * 2 // 8


def test_with_symbols_figures_are_formulas_that_evaluate_to_the_numbers(analyzed):
    symbolic = SPEC.replace("mesh N = 8", "mesh N")
    for size in ("4096", "8192", "28672"):
        symbolic = symbolic.replace(f" = {size} ", " ")
    analysis = analyzed(symbolic)
    assert states(analysis) == states(analyzed(SPEC))
    (move,) = [m for m in analysis.moves if m.primitive]
    assert not is_number(move.size)
    values = {"N": 8, "B": 4096, "D": 8192, "F": 28672}
    numbers = dict(next(m for m in analyzed(SPEC).moves if m.primitive).traffic)
    for name, amount in move.traffic:
        assert evaluate(amount, values) == numbers[name]
    assert eval(plain(dict(move.traffic)["approx"]), {}, values) == 16 * M
    (expect,) = analysis.expects
    assert expect.holds is None
    assert [f.name for f in analysis.findings if f.name == "not_evaluated"] == ["not_evaluated"]

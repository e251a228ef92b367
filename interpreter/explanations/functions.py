"""The functions that every spec knows."""

from __future__ import annotations

from collections.abc import Mapping

from parspec.interpreter.diagnostics.entry import enumeration
from parspec.interpreter.explanations.explanation import Explanation
from parspec.interpreter.spec.functions import FUNCTIONS, Function
from parspec.interpreter.theory.layouts import State
from parspec.interpreter.theory.rule import REDUCTIONS, STATISTICS, WHOLE

_POINTWISE = "Pointwise: partitioned and replicated operands pass through, a partial is reduced."
_MEANING: Mapping[str, str] = {
    "gelu": "The Gaussian error linear unit, x·Φ(x).",
    "silu": "x·sigmoid(x), also called swish.",
    "relu": "max(x, 0).",
    "sigmoid": "1/(1 + exp(−x)).",
    "tanh": "The hyperbolic tangent.",
    "exp": "The exponential function.",
    "square": "x².",
    "sqrt": "The square root.",
    "swiglu": "swiglu(g, u) is silu(g)·u, a gate and what it lets through.",
    "dropout": "dropout(x, 0.1) sets a share to zero; backward keeps a mask of 1 byte an element.",
    "rope": "Rotary positions, rope(q) or with tables of cosines and sines, rope(q, cos, sin).",
    "softmax": "`softmax over T (s)`: exp(s) over its sum along T.",
    "logsoftmax": "`logsoftmax over V (z)`: the logarithm of softmax.",
    "rmsnorm": "`rmsnorm over D (x, g)`: x over its root mean square along D, times a weight g.",
    "layernorm": "`layernorm over D (x, g, b)`: x less its mean, over its deviation, times g, "
    "plus b.",
    "sum": "`sum over F (h)`: the sum along F, which the result lacks.",
    "mean": "`mean over F (h)`: the mean along F, which the result lacks.",
    "max": "`max over F (h)`: the largest along F, which the result lacks.",
    "min": "`min over F (h)`: the least along F, which the result lacks.",
    "argmax": "`argmax over V (z)`: the index of the largest along V.",
    "cumsum": "`cumsum over S (x)`: running sums along S.",
    "sort": "`sort over V (z)`: sorted along V.",
    "topk": "`topk over E (r, 2)`: what is among the largest along E.",
    "lookup": "`lookup(tokens, table)`: the table's rows of these indices. With the rows cut, each "
    "node has those of its own slice and zeros elsewhere: a partial result; its gradient is a "
    "scatter-add.",
    "crossentropy": "`crossentropy over V (z, labels)`: the loss for each label, and the mean over "
    "the labels' dimensions that the result lacks (`l[]`: one number). Declared padding of V is "
    "masked.",
    "dispatch": "`dispatch(x, r)` takes tokens x[B, S, D] by router scores r[B, S, E] to slots "
    "[E, C, D] of their experts, C = capacity(...). Each block of tokens owns its range of slots, "
    "so C takes the axes of B, then of S, and nothing moves yet.",
    "combine": "`combine(y, r)` brings the experts' results y[E, C, D] back to tokens [B, S, D], "
    "weighted by the scores and summed over E and C. Slots have to lie as the tokens do, so what "
    "experts left P(E) comes by All-to-All.",
}

_EXAMPLES: Mapping[str, str] = {
    "swiglu": """\
mesh N = 8
dim B = 64, F = 128
input g[B, F], u[B, F]
layer act: h[B, F] = swiglu(g, u) partition F on N
output h
expect no communication
""",
    "lookup": """\
mesh tp = 4
dim B = 64, V = 1000, D = 32
input tokens[B] : i32
weight emb[V, D]
layer embed: x[B, D] = lookup(tokens, emb) partition V on tp
output x replicated on tp
expect x is R(partial) on tp
""",
    "crossentropy": """\
mesh tp = 4
dim B = 64, V = 1000
input z[B, V], labels[B] : i32
layer loss: l[] = crossentropy over V (z, labels) partition V on tp
output l
expect All-Reduce of z on tp
expect no All-Gather
""",
    "dispatch": """\
mesh ep = 4
dim B = 64, S = 16, D = 32, E = 8
dim C = capacity(tokens = B * S, experts = E, top = 2)
input x[B, S, D], r[B, S, E]
layer send: xe[E, C, D] = dispatch(x, r) partition B on ep
output xe
expect xe is P(C) on ep
""",
    "combine": """\
mesh ep = 4
dim B = 64, S = 16, D = 32, E = 8
dim C = capacity(tokens = B * S, experts = E, top = 2)
input r[B, S, E]
input ye[E, C, D] partition E on ep
layer collect: y[B, S, D] = combine(ye, r) partition B on ep
output y
expect All-to-All of ye on ep
""",
}


def _explained(name: str, function: Function) -> Explanation:
    text = _MEANING[name]
    behaviour = _behaviour(name, function)
    if behaviour:
        text = f"{text} {behaviour}"
    return Explanation("function", name, text, _EXAMPLES.get(name) or _example(name, function))


def _behaviour(name: str, function: Function) -> str:
    """What the function does to a cut operand."""
    if function.kind == "pointwise":
        return _POINTWISE
    if not function.along:
        return ""
    dim = "V" if name == "crossentropy" else "the dimension"
    if name in WHOLE:
        return "It needs the whole dimension on one node: cut along it, it is an error."
    if not function.keeps:
        return f"Cut along the dimension, it leaves {State('partial', kind=REDUCTIONS[name])}."
    statistics = enumeration(tuple(statistic for statistic, _ in STATISTICS[name]))
    return f"Cut along {dim}, it reduces its {statistics} in fp32, never the operand itself."


def _example(name: str, function: Function) -> str:
    if function.kind == "pointwise":
        return _pointwise(name)
    if name in WHOLE:
        return _whole(name)
    return _along(name) if function.keeps else _reducing(name)


def _pointwise(name: str) -> str:
    argument = "x, 0.1" if name == "dropout" else "x"
    return f"""\
mesh N = 8
dim B = 64, D = 32
input x[B, D]
layer f: y[B, D] = {name}({argument}) partition D on N
output y
expect no communication
"""


def _along(name: str) -> str:
    weights, arguments = _WEIGHTS.get(name, ("", "x"))
    return f"""\
mesh N = 8
dim B = 64, D = 32
input x[B, D]
{weights}layer f: y[B, D] = {name} over D ({arguments}) partition D on N
output y
expect y is P(D) on N
expect All-Reduce of x on N
expect no All-Gather
"""


def _reducing(name: str) -> str:
    state = State("partial", kind=REDUCTIONS[name])
    return f"""\
mesh N = 8
dim B = 64, F = 128
input h[B, F]
layer f: y[B] = {name} over F (h) partition F on N
output y replicated on N
expect y is {state} on N
expect All-Reduce of y on N
"""


def _whole(name: str) -> str:
    dims = "B" if name == "argmax" else "B, D"
    arguments = "x, 2" if name == "topk" else "x"
    return f"""\
mesh N = 8
dim B = 64, D = 32
input x[B, D] partition D on N
layer f: y[{dims}] = {name} over D ({arguments}) partition B on N
output y
expect All-to-All of x on N
"""


_WEIGHTS = {
    "rmsnorm": ("weight g[D]\n", "x, g"),
    "layernorm": ("weight g[D], b[D]\n", "x, g, b"),
}

FUNCTION_WORDS: tuple[Explanation, ...] = tuple(
    _explained(name, function) for name, function in FUNCTIONS.items()
)

"""The price lists, and the figures that a budget may be about."""

from __future__ import annotations

from collections.abc import Mapping

from parspec.interpreter.explanations.explanation import Explanation
from parspec.interpreter.spec.expects import FIGURES, OF_TRAINING
from parspec.interpreter.spec.sizes import Kind
from parspec.interpreter.theory.primitives import PRICE_LISTS, PRIMITIVES, PriceList

_REDUCED = """\
mesh N = 8
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
"""

_LISTS: Mapping[PriceList, tuple[str, str]] = {
    "composed": (
        "The article's prices and the default: a primitive costs what the first-order ones cost "
        "that it is logically made of. It overstates the wire by (N+1)/N, an All-to-All by 2: an "
        "All-Reduce of 4096 B on 8 nodes is 64512 B here and 57344 B in a ring.",
        "64512 B",
    ),
    "approx": (
        "The article's prices for many nodes: the leading term for N >> 1, so that (N−1)/N·M is M "
        "and (N−1)·M is N·M. An All-Reduce of 4096 B on 8 nodes is 65536 B.",
        "65536 B",
    ),
    "ring": (
        "What bandwidth-optimal collectives put on the wire. An All-Reduce of 4096 B on 8 nodes is "
        "2(N−1)·M = 57344 B. Bytes per device and times are those of a ring whatever the list.",
        "57344 B",
    ),
}

_UNITS: Mapping[Kind, str] = {
    "bytes": "bytes, `80 GB`",
    "s": "a time, `120 ms`",
    "share": "a share, `40%`",
    "count": "a number",
    "flop": "operations, `3 Pflop`",
}

_RUN = """\
import std.h100
mesh tp = 8 over nvlink on 8 h100
dim B = 4096, D = 8192, F = 28672
input x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = gelu(x * w)  partition F on tp
layer down: y[B, D] = h * v        partition F on tp
output y replicated on tp
"""

_TRAINED = """\
import std.h100
mesh dp = 8 over nvlink on 8 h100
dim B = 4096, D = 8192, F = 28672
input x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = gelu(x * w)  partition B on dp
layer down: y[B, D] = h * v        partition B on dp
output y
train adam { global_batch = B  microbatch = 512 }
"""

_FIGURES: Mapping[str, tuple[str, str]] = {
    "traffic": (
        "What all primitives move in the system, in the spec's price list; `per device`, what the "
        "busiest device sends or receives. Over all passes of a step unless one is named.",
        _REDUCED + "expect traffic on N <= 65 kB\n",
    ),
    "memory": (
        "Bytes on the busiest device: weights, gradients, optimizer state, activations, caches and "
        "buffers together.",
        _RUN + "expect memory <= 80 GB\n",
    ),
    "weights": (
        "Bytes of weights at rest on the busiest device. Two matrices of 8192 x 28672 in bf16 on 8 "
        "devices are 117 MB.",
        _RUN + "expect weights <= 118 MB\n",
    ),
    "gradients": (
        "Bytes of the weights' gradients on the busiest device, in the type that `grad` says.",
        _TRAINED + "expect gradients <= 2 GB\n",
    ),
    "optimizer": (
        "Bytes of optimizer state on the busiest device: master weights and moments, for Adam "
        "in fp32 12 bytes a parameter; `zero` shards them.",
        _TRAINED + "expect optimizer <= 6 GB\n",
    ),
    "activations": (
        "Bytes that forward keeps for backward on the busiest device, for all microbatches in "
        "flight; in inference, the largest set of variables that live at one time.",
        _RUN + "expect activations <= 1 GB\n",
    ),
    "buffers": (
        "Bytes of gathered copies on the busiest device: weights that `store` cuts, while they are "
        "in use.",
        _TRAINED.replace("v[F, D]\n", "v[F, D] store on dp\n") + "expect buffers <= 2 GB\n",
    ),
    "cache": (
        "Bytes of keys and values from earlier positions that inference keeps, on the busiest "
        "device.",
        """\
mesh tp = 4
dim B = 8, S = 1, T = 1024, G = 4, K = 16
input k[B, S, G, K], q[B, S, G, K]
cache kc[B, T, G, K]
layer keep:  kc[B, S, G, K] = k       partition G on tp
layer score: s[B, G, S, T] = q * kc   partition G on tp
output s
infer { phase = decode }
expect cache <= 300 kB
""",
    ),
    "time": (
        "`compute` and `communication` one after another; narrowed by `in` to some layers, by `on` "
        "to primitives of an axis. It needs a device and links.",
        _RUN + "expect time <= 10 ms\n",
    ),
    "step": (
        "Seconds of one optimizer step, or of one forward pass: computing, communication that "
        "nothing hides, and the bubble.",
        _RUN + "expect step <= 10 ms\n",
    ),
    "compute": (
        "Seconds in which the device that computes longest computes its layers, each for "
        "max(FLOPs / flops, bytes / hbm) a turn. With pipeline stages: the longest of the stages' "
        "times, each with the turns that it runs and the layers before or behind the stack that "
        "stand on it.",
        _RUN + "expect compute <= 10 ms\n",
    ),
    "communication": (
        "Seconds that primitives take on the busiest device, one after another: latencies and "
        "bytes over the bandwidth of the link, as in a ring; narrowed by `in` to some layers, by "
        "`on` to those of an axis.",
        _RUN + "expect communication <= 1 ms\n",
    ),
    "bubble": (
        "Time in which a pipeline's stages wait: (n−1)/m of the ideal for n stages and m "
        "microbatches, divided by the chunks of a stage. As a share, of the whole step.",
        """\
mesh pp = 4
dim B = 64, D = 32, D2 = D, L = 8
input x[B, D]
stack decoder[L]: x -> y partition L on pp {
  weight w[D, D2]
  layer fc: y[B, D2] = x * w
}
output y
train adam { global_batch = B  microbatches = 32  microbatch = 2 }
expect bubble <= 10%
""",
    ),
    "mfu": (
        "Model FLOPs utilisation: the operations that the model needs, over what the devices could "
        "do in the time of a step. Repeated and recomputed work does not count.",
        _TRAINED + "expect mfu >= 1%\n",
    ),
    "throughput": ("Tokens a second, over the whole mesh.", _TRAINED + "expect throughput >= 1\n"),
    "parameters": (
        "Number of weights' elements, padding left out; a stack's count for every turn. A bound "
        "may be written as the figure is printed (`470M`, `1.56B`); `==` then holds where the "
        "number rounds to it. A whole number is exact.",
        _RUN + "expect parameters == 469762048\nexpect parameters == 470M\n",
    ),
    "flops": (
        "Operations of a step on all devices together, repeated ones too: a product counts a "
        "multiplication and an addition for each element that it goes over, functions nothing.",
        _RUN + "expect flops <= 4 Tflop\n",
    ),
}


_AT_REST = frozenset(("weights", "cache", "parameters"))
_FORWARD = frozenset(("traffic", "time", "compute", "communication", "flops"))
_TRAINED_FORWARD = "evaluated of the forward pass alone, where the budget says `forward`"
_NOT_TRAINED = "not evaluated: it needs the backward pass"


def _price_list(name: PriceList) -> Explanation:
    text, total = _LISTS[name]
    prices = ((p.name, p.traffic.of(name).reader()) for p in PRIMITIVES.values())
    example = f"cost {name}\n{_REDUCED}expect traffic == {total}\n"
    return Explanation("price list", name, text, example, (), tuple(prices))


def _figure(name: str, kinds: tuple[Kind, ...]) -> Explanation:
    text, example = _FIGURES[name]
    bound = " or ".join(_UNITS[kind] for kind in kinds)
    facts = [("bound", bound)]
    if name not in _AT_REST:
        facts.append(("under `train`", _TRAINED_FORWARD if name in _FORWARD else _NOT_TRAINED))
    if name in OF_TRAINING:
        facts.append(("without it", "not evaluated: nothing trains"))
    return Explanation("figure", name, text, example, (), tuple(facts))


PRICES: tuple[Explanation, ...] = tuple(map(_price_list, PRICE_LISTS))
FIGURE_WORDS: tuple[Explanation, ...] = tuple(
    _figure(name, kinds) for name, kinds in FIGURES.items()
)

"""Generated specs of any length, in which everything is computed: decoder layers written out, each
with its weights, norms, attention, a gated feed-forward and residuals, on a mesh of two axes,
with a pattern, comments and expectations."""

from __future__ import annotations

HEAD = """# A generated plan.

import std.h100
mesh dp = 16 over ib, tp = 8 over nvlink

dim B = 64                   # sequences
dim S = 8192                 # positions
dim T = S                    # positions that are looked at
dim G = 8, R = 8, K = 128    # kv heads, queries a kv head, head size
dim H = G * R
dim D = 8192                 # hidden
dim F = 28672                # feed-forward

input x0[B, S, D]
for *: partition B on dp

"""
LAYER = """# decoder layer {0}
weight wq{0}[D, H, K], wk{0}[D, G, K], wv{0}[D, G, K], wo{0}[H, K, D]
weight gate{0}[D, F], up{0}[D, F], down{0}[F, D], norm{0}[D], post{0}[D]
layer n{0}: n{0}[B, S, D] = rmsnorm over D (x{0}, norm{0})
layer q{0}: q{0}[B, S, H, K] = n{0} * wq{0}                      partition H on tp
layer k{0}: k{0}[B, T, G, K] = n{0}[B, T, D] * wk{0}             partition G on tp
layer v{0}: v{0}[B, T, G, K] = n{0}[B, T, D] * wv{0}             partition G on tp
layer s{0}: s{0}[B, H, S, T] = q{0} * k{0}                       # scores
layer p{0}: p{0}[B, H, S, T] = softmax over T (s{0})
layer c{0}: c{0}[B, S, H, K] = p{0} * v{0}
layer o{0}: o{0}[B, S, D] = c{0} * wo{0}                         # row: partial sums
layer r{0}: a{0}[B, S, D] = x{0} + o{0}
layer m{0}: m{0}[B, S, D] = rmsnorm over D (a{0}, post{0})
layer g{0}: g{0}[B, S, F] = m{0} * gate{0}                       partition F on tp
layer u{0}: u{0}[B, S, F] = m{0} * up{0}                         partition F on tp
layer f{0}: f{0}[B, S, F] = swiglu(g{0}, u{0})
layer d{0}: d{0}[B, S, D] = f{0} * down{0}                       partition F on tp
layer e{0}: x{1}[B, S, D] = a{0} + d{0}

"""
TAIL = """output x{0} replicated on tp
expect no All-to-All
expect f0 is P(F) on tp
"""


def spec(lines: int) -> str:
    """A spec of at least so many lines."""
    parts = [HEAD]
    count = HEAD.count("\n") + TAIL.count("\n")
    layers = 0
    while count < lines:
        parts.append(LAYER.format(layers, layers + 1))
        count += LAYER.count("\n")
        layers += 1
    return "".join([*parts, TAIL.format(layers)])


def python(lines: int) -> str:
    """As many lines of Python."""
    body = (
        "def f{0}(x: int, y: int) -> int:\n    z = x * y + {0}\n    return z if z > x else y\n\n\n"
    )
    return "".join(body.format(number) for number in range(lines // 5))


def yaml(lines: int) -> str:
    """As many lines of YAML."""
    body = "layer{0}:\n  operands: [x{0}, w{0}]\n  partition:\n    tp: F\n  result: h{0}\n"
    return "---\n" + "".join(body.format(number) for number in range(lines // 5))


def json(lines: int) -> str:
    """As many lines of JSON."""
    body = (
        '  "layer{0}": {{\n    "operands": ["x{0}", "w{0}"],\n'
        '    "partition": "F on tp",\n    "result": "h{0}"\n  }}'
    )
    records = ",\n".join(body.format(number) for number in range(max(lines // 5, 1)))
    return f"{{\n{records}\n}}\n"

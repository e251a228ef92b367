"""Snippets: statements with places to fill in, for editors that take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

STATEMENTS: Mapping[str, str] = {
    "dim": "dim ${1:B} = ${2:4096}",
    "mesh": "mesh ${1:dp} = ${2:8}",
    "axis": "axis ${1:ep} = ${2:dp} * ${3:tp}",
    "link": "link ${1:wire} { bandwidth = ${2:50 GB/s}  latency = ${3:5 us} }",
    "device": "device ${1:box} { memory = ${2:80 GiB}  flops = ${3:989 Tflop/s}  "
    "hbm = ${4:3.35 TB/s} }",
    "dtype": "dtype ${1:bf16}",
    "input": "input ${1:x}[${2:B, D}]",
    "weight": "weight ${1:w}[${2:D, F}]",
    "cache": "cache ${1:k}[${2:B, T, G, K}]",
    "var": "var ${1:h}[${2:B, F}]",
    "output": "output ${1:y}",
    "layer": "layer ${1:up}: ${2:h}[${3:B, F}] = ${4:x * w}",
    "op": "op ${1:linear}(${2:X[B, I]}, ${3:W[I, O]}) -> ${4:Y[B, O]} = ${5:X * W}",
    "block": "block ${1:mlp}(${2:x[B, D]}) -> ${3:y} {\n  $0\n}",
    "stack": "stack ${1:decoder}[${2:L}]: ${3:x} -> ${4:y} {\n  $0\n}",
    "for": "for ${1:*}: ${2:partition} ${3:B} on ${4:dp}",
    "stages": "stages ${1:pp}: ${2:embed + 4 decoder} | ${3:4 decoder + loss}",
    "train": "train ${1|adam,sgd|} { global_batch = ${2:B}  microbatches = ${3:1} }",
    "infer": "infer { phase = ${1|prefill,decode|}  context = ${2:8192} }",
    "cost": "cost ${1|composed,approx,ring|}",
    "plan": "plan ${1:name} {\n  $0\n}",
    "expect": "expect ${1:traffic} <= ${2:1 GB}",
    "communication": "communication explicit",
    "import": "import ${1:std.h100}",
}
"""By the word that begins the statement."""

CLAUSES: Mapping[str, str] = {
    "partition": "partition ${1:F} on ${2:tp}",
    "replicated": "replicated on ${1:tp}",
    "centralized": "centralized on ${1:tp}",
    "partial": "partial on ${1:tp}",
    "store": "store on ${1:dp}",
    "at": "at ${1:pp}[${2:0}]",
    "padded": "padded to ${1:128}",
}
"""By the word that begins a part of a statement."""


CAPACITY = "capacity(tokens = ${1:B * S}, experts = ${2:E}, top = ${3:2}, factor = ${4:1.25})"
"""The size of an expert's share."""


def call(name: str, parameters: Sequence[str], *, over: str | None) -> str:
    """The call of a function with its parameters, along a dimension or not."""
    along = f" over ${{1:{over}}} " if over else ""
    given = enumerate(parameters, 2 if over else 1)
    return f"{name}{along}({', '.join(f'${{{place}:{each}}}' for place, each in given)})"

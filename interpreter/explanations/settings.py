"""The settings in braces: of `train` and `infer`, of `link` and `device`.

What a setting of `train` or `infer` takes, and its default, are `SETTINGS`'s own words.
"""

from __future__ import annotations

from collections.abc import Mapping

from parspec.interpreter.explanations.explanation import Explanation
from parspec.interpreter.spec.hardware import DEVICE_SETTINGS, LINK_SETTINGS
from parspec.interpreter.spec.settings import SETTINGS, Rule, Verb
from parspec.interpreter.spec.sizes import Kind

_TAKES = {
    "count": "a whole number",
    "batch": "a whole number or a dimension",
    "axes": "a number or a product of axes",
    "dtype": "an element type",
    "word": "",
}

_QUANTITIES: Mapping[Kind, str] = {
    "bytes": "bytes, `80 GB`",
    "bytes/s": "a bandwidth, `50 GB/s`",
    "s": "a time, `2 us`",
    "flop/s": "operations a second, `989 Tflop/s`",
    "share": "a share, `90%`",
    "count": "a whole number, `8`",
}


def _data_parallel(settings: str) -> str:
    return f"""\
mesh dp = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition B on dp
output h
train adam {{ {settings} }}
"""


def _pipelined(settings: str) -> str:
    return f"""\
mesh pp = 4
dim B = 64, D = 32, D2 = D, L = 8
input x[B, D]
stack decoder[L]: x -> y partition L on pp {{
  weight w[D, D2]
  layer fc: y[B, D2] = x * w
}}
output y
train adam {{ {settings} }}
"""


def _served(settings: str) -> str:
    return f"""\
mesh tp = 4
dim B = 8, S = 1, T = 1024, G = 4, K = 16
input k[B, S, G, K], q[B, S, G, K]
cache kc[B, T, G, K]
layer keep:  kc[B, S, G, K] = k       partition G on tp
layer score: s[B, G, S, T] = q * kc   partition G on tp
output s
infer {{ {settings} }}
"""


def _wired(settings: str) -> str:
    return f"""\
link wire {{ {settings} }}
mesh N = 8 over wire
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
"""


def _on_device(settings: str) -> str:
    return f"""\
device box {{ {settings} }}
mesh N = 8 on 8 box
dim B = 64, D = 32
input x[B, D]
layer act: y[B, D] = gelu(x) partition B on N
output y
"""


_OF_A_RUN: Mapping[str, tuple[str, str]] = {
    "global_batch": (
        "global_batch = dp x microbatch x microbatches, where dp is the product of the axes that "
        "split the batch in the layer that first reads it. A number is counted by the dimension of "
        "that size that all inputs have.",
        _data_parallel("global_batch = B  microbatch = 2  microbatches = 4"),
    ),
    "microbatch": (
        "Activations are kept for each microbatch in flight, so a smaller one takes less memory "
        "and a pipeline has a smaller bubble.",
        _data_parallel("global_batch = B  microbatch = 2"),
    ),
    "microbatches": (
        "Gradients are added up over them and reduced once a step. A pipeline of n stages waits "
        "(n−1)/m of the ideal time for m of them.",
        _pipelined("global_batch = B  microbatches = 32"),
    ),
    "schedule": (
        "`gpipe` runs all microbatches forward and then backward, all of them in flight; `1f1b` "
        "alternates, with at most n in flight on n stages; `interleaved` does so over several "
        "chunks a stage, which divides the bubble by their number.",
        _pipelined("global_batch = B  microbatches = 32  schedule = gpipe"),
    ),
    "chunks": (
        "A stage with v chunks has v parts of the stack that do not follow one another: n stages "
        "are crossed n·v−1 times a pass, and the bubble is (n−1)/(m·v).",
        _pipelined("global_batch = B  microbatches = 8\n  schedule = interleaved  chunks = 2"),
    ),
    "group": (
        "So many microbatches run through a chunk before the stage turns to the next one.",
        _pipelined(
            "global_batch = B  microbatches = 32\n  schedule = interleaved  chunks = 2  group = 8"
        ),
    ),
    "recompute": (
        "`full` keeps what enters a turn of a stack and computes the rest again; `selective` does "
        "so for attention only. Layers may say so themselves: `for decoder.act: recompute`.",
        _data_parallel("global_batch = B  microbatch = 8  recompute = full"),
    ),
    "zero": (
        "1 shards the optimizer's state over the replicas of a weight, with one Reduce-Scatter of "
        "gradients a step; 2 gradients too, with one a microbatch; both one All-Gather of weights "
        "a step. 3 is what `store` says weight by weight.",
        _data_parallel("global_batch = B  microbatch = 8  zero = 1"),
    ),
    "weight": (
        "It takes the place of the types in the spec.",
        _data_parallel("global_batch = B  microbatch = 8  weight = fp8"),
    ),
    "grad": (
        "Reductions of gradients move this type: fp32 twice the bytes of bf16.",
        _data_parallel("global_batch = B  microbatch = 8  grad = fp32"),
    ),
    "master": (
        "4 bytes a parameter in fp32; `none` where the weights themselves are updated.",
        _data_parallel("global_batch = B  microbatch = 8  master = none"),
    ),
    "moment1": (
        "The mean of gradients that Adam keeps; 4 bytes a parameter in fp32.",
        _data_parallel("global_batch = B  microbatch = 8  moment1 = bf16"),
    ),
    "moment2": (
        "The mean of squared gradients that Adam keeps; 4 bytes a parameter in fp32.",
        _data_parallel("global_batch = B  microbatch = 8  moment2 = bf16"),
    ),
    "gathered": (
        "`keep` leaves gathered copies until backward; `again` drops them and gathers once more: "
        "less memory, one more All-Gather.",
        _data_parallel("global_batch = B  microbatch = 8  gathered = again"),
    ),
    "compute": (
        "Unsaid, nothing is cast.",
        _data_parallel("global_batch = B  microbatch = 8  compute = bf16"),
    ),
    "divisor": (
        "What the launcher divides by. Right is the product of the axes that split dimensions of "
        "which the loss takes a mean; another is an error, with the ratio.",
        """\
mesh dp = 8
dim B = 64, D = 32, V = 1000
input x[B, D], labels[B] : i32
weight head[D, V]
layer logits: z[B, V] = x * head                        partition B on dp
layer loss:   l[] = crossentropy over V (z, labels)     partition B on dp
output l replicated on dp
train adam { global_batch = B  microbatch = 8  divisor = dp }
""",
    ),
    "phase": (
        "`prefill` runs over all positions of a prompt at once, `decode` adds some to a cache and "
        "reads all of it.",
        _served("phase = decode  context = 1024"),
    ),
    "context": (
        "A cache to which something is appended along a dimension of another size is an error.",
        _served("phase = decode  context = 1024"),
    ),
    "new_tokens": (
        "More than 1 where several positions are tried at once.",
        _served("phase = decode  context = 1024  new_tokens = 1"),
    ),
}

_OF_HARDWARE: Mapping[str, tuple[str, str, str]] = {
    "bandwidth": (
        "What one device sends in one direction, at best. Of NVLink's 900 GB/s an H100 sends 450. "
        "A link without it is an error.",
        "none",
        _wired("bandwidth = 450 GB/s"),
    ),
    "latency": (
        "Paid at each step of a ring: N−1 times for an All-Gather, 2(N−1) for an All-Reduce.",
        "0",
        _wired("bandwidth = 50 GB/s  latency = 5 us"),
    ),
    "start": (
        "Paid once for each collective, before its first step.",
        "0",
        _wired("bandwidth = 50 GB/s  start = 8 us"),
    ),
    "efficiency": (
        "The share of the bandwidth that collectives reach. Peak and efficiency stay apart.",
        "100%",
        _wired("bandwidth = 50 GB/s  efficiency = 90%"),
    ),
    "within": (
        "How many neighbours the link joins: 8 on a host. Axes over one link are laid out "
        "innermost first, and one that leaves the domain is priced at the link of the next axis "
        "outward.",
        "any number",
        _wired("bandwidth = 450 GB/s  within = 8"),
    ),
    "memory": (
        "What one device has. A plan that needs more is an error.",
        "unknown",
        _on_device("memory = 80 GiB"),
    ),
    "flops": (
        "Peak operations a second of one device, a multiplication and an addition being two.",
        "unknown",
        _on_device("flops = 989 Tflop/s"),
    ),
    "hbm": (
        "Bandwidth of a device's own memory; a layer takes no less than its bytes over this.",
        "unknown",
        _on_device("hbm = 3.35 TB/s"),
    ),
}


def _of_a_run() -> dict[str, list[tuple[Verb, Rule]]]:
    """The settings of a run by key, with the statements that have them."""
    by_key: dict[str, list[tuple[Verb, Rule]]] = {}
    for verb, rules in SETTINGS.items():
        for rule in rules:
            by_key.setdefault(rule.key, []).append((verb, rule))
    return by_key


def _run_setting(key: str, uses: list[tuple[Verb, Rule]]) -> Explanation:
    more, example = _OF_A_RUN[key]
    _, rule = uses[0]
    text = f"{rule.meaning[0].upper()}{rule.meaning[1:]}. {more}"
    takes = " or ".join(filter(None, (_TAKES[rule.takes], ", ".join(rule.words))))
    facts = (
        ("of", ", ".join(verb for verb, _ in uses)),
        ("takes", takes),
        ("default", rule.default),
    )
    words = tuple(word for word in rule.words if not word.isdecimal() and word != "none")
    return Explanation("setting", key, text, example, words, facts)


def _hardware_setting(statement: str, key: str, kind: Kind) -> Explanation:
    text, default, example = _OF_HARDWARE[key]
    facts = (("of", statement), ("takes", _QUANTITIES[kind]), ("default", default))
    return Explanation("setting", key, text, example, (), facts)


SETTING_WORDS: tuple[Explanation, ...] = (
    *(_run_setting(key, uses) for key, uses in _of_a_run().items()),
    *(_hardware_setting("link", key, kind) for key, kind in LINK_SETTINGS.items()),
    *(_hardware_setting("device", key, kind) for key, kind in DEVICE_SETTINGS.items()),
)

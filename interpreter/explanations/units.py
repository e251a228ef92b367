"""Units of quantities, suffixes of numbers, and element types."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from parspec.interpreter.explanations.explanation import Explanation
from parspec.interpreter.spec.settings import DTYPES
from parspec.interpreter.spec.sizes import UNITS, Kind

_BUDGET = """\
mesh N = 8
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
"""

_TIMED = """\
device box {{ memory = 80 GiB  flops = 989 Tflop/s  hbm = 3.35 TB/s }}
link wire {{ bandwidth = {bandwidth}  latency = 2 us }}
mesh N = 8 over wire on 8 box
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on N
output y replicated on N
"""

_TOLD: Mapping[Kind, tuple[str, str, str]] = {
    "bytes": (
        "bytes",
        "Bytes, with decimal prefixes (1 GB is 10^9 bytes) and binary ones (1 GiB is 2^30), and "
        "bits, 8 to a byte. A budget in bytes without a unit is an error.",
        _BUDGET + "expect traffic <= 65 kB\n",
    ),
    "bytes/s": (
        "bytes a second",
        "Bandwidths, of a link in one direction or of a device's memory. 400 Gbit/s are 50 GB/s.",
        _TIMED.format(bandwidth="400 Gbit/s"),
    ),
    "s": (
        "seconds",
        "Times: latencies, budgets of a step.",
        _TIMED.format(bandwidth="50 GB/s") + "expect time <= 1 ms\n",
    ),
    "flop": (
        "operations",
        "Floating-point operations; a multiplication and an addition are two.",
        _BUDGET + "expect flops <= 1 Mflop\n",
    ),
    "flop/s": (
        "operations a second",
        "The peak of a device: 989 Tflop/s are 989·10^12 operations a second.",
        _TIMED.format(bandwidth="50 GB/s"),
    ),
    "share": (
        "%",
        "A share: 90% is 0.9.",
        _TIMED.format(bandwidth="50 GB/s  efficiency = 90%"),
    ),
}

_SUFFIXES = Explanation(
    "unit",
    "Ki",
    "Suffixes of plain numbers, for sizes: Ki is 2^10, Mi 2^20, Gi 2^30, Ti 2^40. 8Ki is 8192. "
    "8_192 and 1e6 are numbers too.",
    """\
mesh N = 8
dim B = 8Ki, D = 32
input x[B, D]
layer act: y[B, D] = gelu(x) partition B on N
output y
""",
    ("Mi", "Gi", "Ti", "number"),
)


def _unit(kind: Kind) -> Explanation:
    name, text, example = _TOLD[kind]
    units = tuple(unit for unit, (of, _) in UNITS.items() if of == kind and unit != name)
    facts = (("units", ", ".join(units)),) if units else ()
    return Explanation("unit", name, text, example, units, facts)


def _types() -> Explanation:
    by_size: dict[Fraction, list[str]] = {}
    for name, size in DTYPES.items():
        by_size.setdefault(size, []).append(name)
    return Explanation(
        "unit",
        "element types",
        "What one element of a tensor takes. bf16 is the default; microscaling formats count "
        "their scales, one of 8 bits to 32 elements (nvfp4: to 16).",
        """\
mesh N = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F] : fp8
layer up: h[B, F] = x * w partition F on N
output h
""",
        ("types", *DTYPES),
        tuple((_in_bytes(size), ", ".join(names)) for size, names in by_size.items()),
    )


def _in_bytes(size: Fraction) -> str:
    return "1 byte" if size == 1 else f"{float(size):g} bytes"


UNIT_WORDS: tuple[Explanation, ...] = (*map(_unit, _TOLD), _SUFFIXES, _types())

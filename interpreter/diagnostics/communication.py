"""PAR3xx: what is moved, left partial or computed more than once."""

from __future__ import annotations

from parspec.interpreter.diagnostics.entry import Entry, Facts, Severity, plural, word
from parspec.interpreter.diagnostics.readable import share_text

_NOTABLE_SHARE = 0.05  # repeated work beyond this share of all executed FLOPs is a warning


def _partial_left(facts: Facts) -> str:
    tensor, axis = word(facts["tensor"]), word(facts["axis"])
    return (
        f"output {tensor} is left partial on {axis}: every node holds an addend; "
        f"`output {tensor} replicated on {axis}` adds them up"
    )


def _pad_reaches_reduction(facts: Facts) -> str:
    dim = word(facts["dim"])
    return (
        f"padding of {dim} ({plural(facts['pad'], 'element')}, to {word(facts['padded'])}) reaches "
        f"this reduction; `over {dim} masked (...)` leaves it out"
    )


def _repeated_work(facts: Facts) -> str:
    share, axis = facts.get("share"), word(facts["axis"])
    if not isinstance(share, (int, float)) or not share:
        return f"layer {word(facts['layer'])} is computed again on every node of {axis}"
    return (
        f"{share_text(share)} of all FLOPs are spent again on every node of {axis}, "
        f"most of them in layer {word(facts['layer'])}"
    )


def _repeated_work_severity(facts: Facts) -> Severity:
    share = facts.get("share")
    return "warning" if isinstance(share, (int, float)) and share > _NOTABLE_SHARE else "info"


def _double_reduce(facts: Facts) -> str:
    return (
        f"{word(facts['tensor'])} is complete on every node of {word(facts['axis'])}; "
        f"{word(facts['primitive'])} would make it {word(facts['factor'])} times as large"
    )


def _unpinned(facts: Facts) -> str:
    pin = f"{word(facts['primitive'])} of {word(facts['tensor'])} on {word(facts['axis'])}"
    return f"{pin} is inserted but not pinned; `expect {pin}` pins it"


ENTRIES = (
    Entry(
        code="PAR301",
        name="partial_left",
        severity="warning",
        message=_partial_left,
        explanation=(
            "The dimension that is summed away is partitioned, so each node has a full-sized "
            "addend of the result, not the result. Inside a plan the next reader gets it reduced; "
            "an output stays as it is produced."
        ),
        example="""\
mesh N = 8
dim B = 64, F = 32, D = 16
input a[B, F]
weight w[F, D]
layer down: y[B, D] = a * w partition F on N
output y
""",
        corrected="""\
mesh N = 8
dim B = 64, F = 32, D = 16
input a[B, F]
weight w[F, D]
layer down: y[B, D] = a * w partition F on N
output y replicated on N
""",
    ),
    Entry(
        code="PAR305",
        name="pad_reaches_reduction",
        severity="warning",
        message=_pad_reaches_reduction,
        explanation=(
            "Padding is declared for this dimension, and this function reads all of it: the "
            "result depends on what the padding holds, and so on the number of nodes. A product "
            "with a weight is safe (its padding is zero); crossentropy and lookup mask it "
            "themselves."
        ),
        example="""\
mesh tp = 2
dim B = 64, V = 50257 padded to tp
input z[B, V]
layer prob: p[B, V] = softmax over V (z) partition V on tp
output p
""",
        corrected="""\
mesh tp = 2
dim B = 64, V = 50257 padded to tp
input z[B, V]
layer prob: p[B, V] = softmax over V masked (z) partition V on tp
output p
""",
    ),
    Entry(
        code="PAR306",
        name="repeated_work",
        severity="info",
        raised=_repeated_work_severity,
        message=_repeated_work,
        explanation=(
            "Nothing that this layer reads is partitioned on the axis, so each of its nodes "
            "computes the same. A warning when more than 5 % of all executed FLOPs are such "
            "repetitions."
        ),
        example="""\
mesh N = 8
dim B = 64, D = 32, F = 16
input x[B, D]
weight w[D, F]
layer fc: y[B, F] = x * w
output y
""",
        corrected="""\
mesh N = 8
dim B = 64, D = 32, F = 16
input x[B, D]
weight w[D, F]
layer fc: y[B, F] = x * w partition B on N
output y
""",
    ),
    Entry(
        code="PAR307",
        name="unpinned",
        severity="error",
        message=_unpinned,
        explanation=(
            "Under `communication explicit` every inserted primitive is written down by an "
            "`expect`, so that none appears unseen. The fix writes it."
        ),
        example="""\
communication explicit
mesh N = 8
dim B = 64, F = 32, D = 16
input a[B, F]
weight w[F, D]
layer down: y[B, D] = a * w partition F on N
output y replicated on N
""",
        corrected="""\
communication explicit
mesh N = 8
dim B = 64, F = 32, D = 16
input a[B, F]
weight w[F, D]
layer down: y[B, D] = a * w partition F on N
output y replicated on N
expect All-Reduce of y on N
""",
    ),
    Entry(
        code="PAR309",
        name="double_reduce",
        severity="error",
        message=_double_reduce,
        explanation=(
            "Only partial variables are reduced. Here a reduction is pinned on an axis where every "
            "node has the complete value: adding these up multiplies it by their number."
        ),
        example="""\
mesh N = 8
dim B = 64, F = 32, D = 16
input a[B, F]
weight w[F, D]
layer down: y[B, D] = a * w partition B on N
output y
expect All-Reduce of y on N
""",
        corrected="""\
mesh N = 8
dim B = 64, F = 32, D = 16
input a[B, F]
weight w[F, D]
layer down: y[B, D] = a * w partition F on N
output y replicated on N
expect All-Reduce of y on N
""",
    ),
)

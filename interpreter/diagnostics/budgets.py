"""PAR4xx: what an `expect` asks for."""

from __future__ import annotations

from fractions import Fraction

from parspec.interpreter.diagnostics.entry import (
    Entry,
    Facts,
    axes,
    enumeration,
    items,
    listed,
    word,
)
from parspec.interpreter.diagnostics.readable import bytes_text


def _out_of_memory(facts: Facts) -> str:
    parts = items(facts["parts"])
    made = f" ({', '.join(map(word, parts))})" if parts else ""
    largest, ways = facts.get("largest"), facts.get("ways")
    fits = f"; it fits with {word(largest)} split {word(ways)} ways more" if largest else ""
    return (
        f"a device needs {_gigabytes(facts['per_device_GB'])}{made}, but {word(facts['device'])} "
        f"has {_gigabytes(facts['capacity_GB'])}{fits}"
    )


def _gigabytes(value: object) -> str:
    return bytes_text(Fraction(value) * 10**9) if isinstance(value, (int, float)) else "more"


def _failed(facts: Facts) -> str:
    parts = items(facts.get("parts"))
    made = f" = {' + '.join(map(word, parts))}" if parts else ""
    prices = facts.get("price_list")
    source = f" ({word(prices)} prices)" if prices else ""
    text, value = word(facts["text"]), word(facts["value"])
    figure = "there" if value == "none" or text.startswith("expect no ") else "it"
    instead = items(facts.get("instead"))
    but = f", but {enumeration(instead)}" if value == "none" and instead else ""
    return f"{text} does not hold: {figure} is {value}{made}{source}{but}"


def _state_mismatch(facts: Facts) -> str:
    return (
        f"{word(facts['tensor'])} is {word(facts['got'])} on {axes(facts['axis'])}, "
        f"not {word(facts['wants'])}"
    )


def _budget_without_unit(facts: Facts) -> str:
    suggestion = facts.get("suggestion")
    mend = f"; {word(suggestion)}?" if suggestion else ""
    return f"the bound of {word(facts['text'])} has no unit{mend}"


def _not_evaluated(facts: Facts) -> str:
    return f"{word(facts['text'])} is not evaluated: {listed(facts['reason'])}"


_PAIR = """\
mesh N = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F], v[F, D]
layer up: h[B, F] = x * w partition F on N
layer down: y[B, D] = h * v partition F on N
output y replicated on N
"""

ENTRIES = (
    Entry(
        code="PAR401",
        name="expect_failed",
        severity="error",
        message=_failed,
        explanation=(
            "The plan does not keep what this `expect` promises. The message has the real figure, "
            "what it is made of and the price list that it is counted in."
        ),
        example=_PAIR + "expect traffic <= 1 kB\n",
        mend=(("<= 1 kB", "<= 1 MB"),),
    ),
    Entry(
        code="PAR402",
        name="memory_expectation",
        severity="error",
        message=_failed,
        explanation="A device needs more memory, or less, than this `expect` promises.",
        example=_PAIR + "expect memory <= 1 kB\n",
        mend=(("<= 1 kB", "<= 1 MB"),),
    ),
    Entry(
        code="PAR403",
        name="input_state_mismatch",
        severity="error",
        message=_state_mismatch,
        explanation=(
            "The variable does not lie on the mesh as this `expect` says: partitioned P(d), "
            "replicated R, partial R(partial) or centralized C(k)."
        ),
        example=_PAIR + "expect x is P(B) on N\n",
        mend=(("is P(B)", "is R"),),
    ),
    Entry(
        code="PAR404",
        name="budget_without_unit",
        severity="error",
        message=_budget_without_unit,
        explanation="A bound on bytes or seconds says its unit: `1.2 GB`, `80 GiB`, `5 ms`.",
        example=_PAIR + "expect traffic <= 1000000\n",
        mend=(("1000000", "1 MB"),),
    ),
    Entry(
        code="PAR405",
        name="not_evaluated",
        severity="info",
        message=_not_evaluated,
        explanation=(
            "What this `expect` asks about is not a number here: a size is symbolic, or a figure "
            "is missing."
        ),
        example=_PAIR.replace("dim B = 64,", "dim B,") + "expect traffic <= 1 MB\n",
        mend=(("dim B,", "dim B = 64,"),),
    ),
    Entry(
        code="PAR406",
        name="out_of_memory",
        severity="error",
        message=_out_of_memory,
        explanation=(
            "The busiest device needs more memory than it has: weights and caches at rest, "
            "gathered copies of weights, and the activations that live at once. `store` splits "
            "weights at rest, `partition` what is computed and with it activations and caches."
        ),
        example="""\
device small { memory = 1 kB  flops = 1 Tflop/s  hbm = 1 TB/s }
mesh N = 8 on 8 small
dim B = 64, D = 32, F = 128
input x[B, D] partition B on N
weight w[D, F]
layer up: h[B, F] = x * w
output h
""",
        mend=(("= 1 kB", "= 1 MB"),),
    ),
    Entry(
        code="PAR407",
        name="state_mismatch",
        severity="error",
        message=_state_mismatch,
        explanation=(
            "The variable is not produced in the state that this `expect` says; what counts is the "
            "state as produced, before anything moves it."
        ),
        example="""\
mesh N = 8
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition F on N
output h
expect h is P(B) on N
""",
        mend=(("is P(B)", "is P(F)"),),
    ),
)

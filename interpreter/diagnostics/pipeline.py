"""PAR5xx: stages, the batch and the settings of a step."""

from __future__ import annotations

from parspec.interpreter.diagnostics.entry import (
    Entry,
    Facts,
    enumeration,
    plural,
    size_in_bytes,
    word,
)


def _layers_lost(facts: Facts) -> str:
    layers, stages = word(facts["layers"]), facts.get("stages")
    ways = f" on {plural(stages, 'stage')} of {word(facts['axis'])}" if stages else ""
    remainder = facts.get("remainder")
    why = f", {layers} mod {word(stages)} = {word(remainder)}" if remainder and stages else ""
    return (
        f"stack {word(facts['stack'])} has {plural(facts['layers'], 'layer')}, and "
        f"{word(facts['built'])} of them are built{ways}: {word(facts['lost'])} lost{why}"
    )


def _weight_not_on_stage(facts: Facts) -> str:
    extra = facts.get("extra_bytes")
    price = f"; a copy there takes {size_in_bytes(extra)}" if extra else ""
    return (
        f"{word(facts['tensor'])} lies on stage {enumeration(facts['stages'])} and is used on "
        f"stage {enumeration(facts['stage'])}; weights do not travel between stages{price}"
    )


def _conflicting_settings(facts: Facts) -> str:
    return f"{enumeration(facts['settings'])} do not agree: {word(facts['reason'])}"


ENTRIES = (
    Entry(
        code="PAR501",
        name="layers_lost",
        severity="error",
        message=_layers_lost,
        explanation=(
            "Every stage of a pipeline takes the same number of layers, so the stages divide "
            "them. Otherwise layers are not built at all. `uneven` gives the first stages one "
            "more; `stages` deals them out by hand."
        ),
        example="""\
mesh pp = 4
dim B = 32, D = 64, D2 = D, L = 30
input x[B, D]
stack decoder[L]: x -> y partition L on pp {
  weight w[D, D2]
  layer up: y[B, D2] = x * w
}
output y
""",
        corrected="""\
mesh pp = 4
dim B = 32, D = 64, D2 = D, L = 32
input x[B, D]
stack decoder[L]: x -> y partition L on pp {
  weight w[D, D2]
  layer up: y[B, D2] = x * w
}
output y
""",
    ),
    Entry(
        code="PAR504",
        name="weight_not_on_stage",
        severity="error",
        message=_weight_not_on_stage,
        explanation=(
            "A weight that is pinned lies on those stages only, and a layer on another stage "
            "reads it. Leave the pin out: a weight lies on every stage that uses it."
        ),
        example="""\
mesh pp = 2
dim D3 = D, D4 = D
weight out[D3, D4] at pp[0]
dim B = 32, D = 64, D2 = D, L = 32
input x[B, D]
stack decoder[L]: x -> y partition L on pp {
  weight w[D, D2]
  layer up: y[B, D2] = x * w
}
layer last: z[B, D4] = y[B, D3] * out
output z
""",
        corrected="""\
mesh pp = 2
dim D3 = D, D4 = D
weight out[D3, D4]
dim B = 32, D = 64, D2 = D, L = 32
input x[B, D]
stack decoder[L]: x -> y partition L on pp {
  weight w[D, D2]
  layer up: y[B, D2] = x * w
}
layer last: z[B, D4] = y[B, D3] * out
output z
""",
    ),
    Entry(
        code="PAR505",
        name="conflicting_settings",
        severity="error",
        message=_conflicting_settings,
        explanation="Settings may say more than is needed, as long as they agree.",
        example="""\
mesh N = 8
dim B = 64
input x[B] partition B on N
output x
train adam { global_batch = B }
infer { phase = prefill }
""",
        corrected="""\
mesh N = 8
dim B = 64
input x[B] partition B on N
output x
infer { phase = prefill }
""",
    ),
)

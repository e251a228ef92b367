"""PAR5xx: stages, the batch and the settings of a step."""

from __future__ import annotations

from parspec.interpreter.diagnostics.entry import (
    Entry,
    Facts,
    axes,
    choice,
    enumeration,
    items,
    nearest,
    plural,
    size_in_bytes,
    word,
)
from parspec.interpreter.diagnostics.findings import Datum

_FEW_CHUNKS = 16  # the sizes of so many are told one by one
_TIMES_AS_MANY = 8  # more stages than so are not offered for those that there are


def _layers_lost(facts: Facts) -> str:
    layers, stages, lost = facts["layers"], facts.get("stages"), facts["lost"]
    dealt = items(facts.get("dealt"))
    round_robin = len(set(dealt)) == 1 and isinstance(stages, int) and not len(dealt) % stages
    if dealt and not round_robin and isinstance(lost, int):
        return _dealt(facts, dealt, lost)
    ways = f" on {plural(stages, 'stage')} of {axes(facts['axis'])}" if stages else ""
    why = ""
    if facts.get("valid_chunk"):
        why = f"; chunks of {choice(facts['valid_chunk'])} take all"
    elif isinstance(layers, int) and isinstance(stages, int):
        why = f", {layers} mod {stages} = {layers % stages}"
        why += _larger_chunks(layers, len(dealt)) if dealt else _even_stages(layers, stages)
    stack = f"stack {word(facts['stack'])} has {plural(layers, 'layer')}"
    if isinstance(lost, int) and lost < 0:
        return f"{stack}, but {word(facts['built'])} are built{ways}: {-lost} too many{why}"
    return f"{stack}, and {word(facts['built'])} of them are built{ways}: {word(lost)} lost{why}"


def _dealt(facts: Facts, dealt: tuple[Datum, ...], lost: int) -> str:
    """Chunks as they were written one by one: by how much one of them is wrong."""
    sizes = f", {' + '.join(map(word, dealt))}" if 1 < len(dealt) <= _FEW_CHUNKS else ""
    kept = f"{lost} lost; let one of them take {lost} more"
    over = f"{-lost} too many; let one of them take {-lost} less"
    return (
        f"stack {word(facts['stack'])} has {plural(facts['layers'], 'layer')}, but the chunks on "
        f"{axes(facts['axis'])} hold {word(facts['built'])}{sizes}: {kept if lost > 0 else over}"
    )


def _larger_chunks(layers: int, chunks: int) -> str:
    """`; let 2 of the 4 chunks take 8 layers, the others 7`."""
    size, larger = divmod(layers, chunks)
    if not size or not larger:
        return ""
    return f"; let {larger} of the {chunks} chunks take {plural(size + 1, 'layer')}, others {size}"


def _even_stages(layers: int, stages: int) -> str:
    """`; 3 or 5 stages take all, or the stack is `uneven``: the nearest numbers of stages."""
    most = min(layers, _TIMES_AS_MANY * stages)
    sides = range(min(stages, layers), 1, -1), range(stages + 1, most + 1)
    found = (next((n for n in side if layers % n == 0), None) for side in sides)
    even = tuple(n for n in found if n is not None)
    return f"; {choice(even)} stages take all, or the stack is `uneven`" if even else ""


def _batch_mismatch(facts: Facts) -> str:
    parts = [
        f"{word(facts[key])} {label}"
        for key, label in (
            ("dp", "ranks"),
            ("microbatch", "samples"),
            ("microbatches", "microbatches"),
        )
        if facts.get(key) and (key != "dp" or facts[key] != 1)
    ]
    dim = word(facts.get("called") or facts["dim"])
    return (
        f"a batch of {word(facts['batch'])} does not come out even over {' x '.join(parts)}: "
        f"{word(facts['remainder'])} left over; {dim} = {nearest(facts)} would"
    )


def _schedule_constraint(facts: Facts) -> str:
    stages, group = facts["stages"], facts["group"]
    microbatches, remainder = word(facts["microbatches"]), facts["remainder"]
    if isinstance(group, int) and isinstance(stages, int) and group < stages:
        return f"a round of {plural(group, 'microbatch')} is shorter than the {stages} stages"
    return (
        f"{microbatches} microbatches in rounds of {word(group)} leave a round of "
        f"{word(remainder)} for {word(stages)} stages; {nearest(facts)} microbatches would do"
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


def _idle_stages(facts: Facts) -> str:
    axis, chunks, stages = axes(facts["axis"]), facts["chunks"], facts["stages"]
    idle = facts["idle"]
    which = f"stage {word(chunks)}"
    if isinstance(stages, int) and idle != 1:
        which = f"stages {word(chunks)} to {stages - 1}"
    verb = "has" if idle == 1 else "have"
    return (
        f"{plural(chunks, 'chunk')} for the {word(stages)} stages of {axis}: {which} {verb} "
        f"nothing to do"
    )


_PIPELINE = """\
mesh pp = 4
dim B = 32, D = 64, D2 = D, L = 32
input x[B, D]
stack decoder[L]: x -> y partition L on pp {
  weight w[D, D2]
  layer up: y[B, D2] = x * w
}
output y
"""

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
        example=_PIPELINE.replace("L = 32", "L = 30"),
        mend=(("L = 30", "L = 32"),),
    ),
    Entry(
        code="PAR502",
        name="batch_mismatch",
        severity="error",
        message=_batch_mismatch,
        explanation=(
            "global_batch = dp x microbatch x microbatches, where dp is the product of the axes "
            "that split the batch in the layer that first reads it, and a microbatch one rank's "
            "samples at a time."
        ),
        example=_PIPELINE + "train adam { global_batch = B  microbatches = 5 }\n",
        mend=(("microbatches = 5", "microbatches = 4"),),
    ),
    Entry(
        code="PAR503",
        name="schedule_constraint",
        severity="error",
        message=_schedule_constraint,
        explanation=(
            "An interleaved schedule sends the microbatches through each chunk of layers in rounds "
            "of `group`, as many as there are stages where nothing is said. A round with fewer "
            "microbatches than stages leaves stages waiting for the round before it."
        ),
        example=_PIPELINE.replace("B = 32", "B = 40")
        + """\
train adam { global_batch = B  microbatches = 10  schedule = interleaved  chunks = 2 }
""",
        mend=(("microbatches = 10", "microbatches = 8"),),
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
        mend=((" at pp[0]", ""),),
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
        mend=(("train adam { global_batch = B }\n", ""),),
    ),
    Entry(
        code="PAR506",
        name="idle_stages",
        severity="warning",
        message=_idle_stages,
        explanation=(
            "Chunks are dealt round to the stages, and there are fewer chunks than stages: the "
            "devices of the others hold and compute nothing. A stage that is meant to have "
            "nothing has the chunk `none`."
        ),
        example="""\
mesh pp = 4
dim B = 32, D = 64, D2 = D, L = 30
input x[B, D]
stack decoder[L]: x -> y {
  weight w[D, D2]
  layer up: y[B, D2] = x * w
}
output y
stages pp: 10 decoder | 10 decoder | 10 decoder
""",
        mend=(("10 decoder | 10 decoder | 10", "8 decoder | 8 decoder | 8 decoder | 6"),),
    ),
)

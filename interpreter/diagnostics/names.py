"""PAR1xx, names: what is declared, and what statements may say."""

from __future__ import annotations

from parspec.interpreter.diagnostics.entry import (
    Entry,
    Facts,
    chain,
    choice,
    items,
    listed,
    near,
    word,
)


def _unknown_name(facts: Facts) -> str:
    if facts.get("made") == "below":
        name = word(facts["name"])
        return f"tensor {name} is read before it is made; let this stand below what makes {name}"
    here = facts.get("here")
    meant = f"; here {word(here)}" if here else near(facts)
    return f"there is no {word(facts['kind'])} {word(facts['name'])}{meant}"


def _duplicate_name(facts: Facts) -> str:
    kind, name = word(facts["kind"]), word(facts["name"])
    fault = f"{kind if kind == name else f'{kind} {name}'} is declared twice"
    match items(facts.get("library")):
        case (one,):
            return (
                f"{fault}, here and in {word(one)}; call this one something else, or declare the "
                f"hardware here instead of `import {word(one)}`"
            )
        case (one, other):
            return (
                f"{fault}, in {word(one)} and in {word(other)}; import one of them and declare "
                "what the other has"
            )
    return fault


def _unused_name(facts: Facts) -> str:
    return f"{word(facts['kind'])} {word(facts['name'])} is never used"


def _unit_mismatch(facts: Facts) -> str:
    if facts["got"] == "no unit":
        return f"{word(facts['name'])} has no unit; it is in {word(facts['wants'])}"
    factor = facts.get("factor")
    missing = f"; the factor {word(factor)} is missing" if factor else ""
    return f"{word(facts['name'])} is in {word(facts['wants'])}, not {word(facts['got'])}{missing}"


def _wrong_arguments(facts: Facts) -> str:
    got = listed(facts["got"]) or "nothing"
    return f"{word(facts['function'])} takes {listed(facts['wants'])}, not {got}"


def _bad_setting(facts: Facts) -> str:
    written = f"{word(facts['setting'])} = {word(facts['value'])}"
    choices = items(facts.get("choices"))
    return f"{written} is not among its values; {choice(choices)} is" if choices else written


def _recursive_block(facts: Facts) -> str:
    return f"block {word(facts['name'])} uses itself: {chain(facts['cycle'])}"


def _misplaced(facts: Facts) -> str:
    return f"{word(facts['statement'])} cannot stand {word(facts['place'])}"


def _over_limit(facts: Facts) -> str:
    return f"more than {word(facts['limit'])} {word(facts['what'])}"


_NEST = """\
mesh N = 8
dim B = 64
input x[B] partition B on N
layer act: a[B] = {expression}
output a, x
"""

ENTRIES = (
    Entry(
        code="PAR101",
        name="unknown_name",
        severity="error",
        message=_unknown_name,
        explanation=(
            "Nothing of this kind is declared under this name. Dimensions, axes, tensors, layers, "
            "links, devices and plans have a namespace each; the place in a statement says which "
            "is meant."
        ),
        example="""\
mesh N = 8
dim B = 64
input x[B]
layer act: a[B] = gelu(x) partition B on N
output a
expect no All-Gather on M
""",
        corrected="""\
mesh N = 8
dim B = 64
input x[B]
layer act: a[B] = gelu(x) partition B on N
output a
expect no All-Gather on N
""",
    ),
    Entry(
        code="PAR102",
        name="duplicate_name",
        severity="error",
        message=_duplicate_name,
        explanation="One name stands for one thing of a kind. The first declaration holds.",
        example="""\
mesh N = 8
dim B = 64
input x[B], x[B]
layer act: a[B] = gelu(x) partition B on N
output a
""",
        corrected="""\
mesh N = 8
dim B = 64
input x[B]
layer act: a[B] = gelu(x) partition B on N
output a
""",
    ),
    Entry(
        code="PAR109",
        name="unused_name",
        severity="warning",
        message=_unused_name,
        explanation="What nobody reads and no `output` names takes no part in the plan.",
        example="""\
mesh N = 8
dim B = 64, D = 32
input x[B]
layer act: a[B] = gelu(x) partition B on N
output a
""",
        corrected="""\
mesh N = 8
dim B = 64
input x[B]
layer act: a[B] = gelu(x) partition B on N
output a
""",
    ),
    Entry(
        code="PAR113",
        name="unit_mismatch",
        severity="error",
        message=_unit_mismatch,
        explanation=(
            "Quantities carry units, and units are checked: a bandwidth is bytes per second, a "
            "memory bytes. `GB` is 10^9 bytes, `GiB` 2^30, `Gbit` an eighth of `GB`."
        ),
        example="""\
link ib { bandwidth = 50 GB  latency = 5 us }
mesh N = 8 over ib
dim B = 64
input x[B] partition B on N
output x
""",
        corrected="""\
link ib { bandwidth = 50 GB/s  latency = 5 us }
mesh N = 8 over ib
dim B = 64
input x[B] partition B on N
output x
""",
    ),
    Entry(
        code="PAR114",
        name="wrong_arguments",
        severity="error",
        message=_wrong_arguments,
        explanation="A function, an op or a block takes as many tensors as it says.",
        example="""\
mesh N = 8
dim B = 64
input x[B]
layer act: a[B] = gelu(x, x) partition B on N
output a
""",
        corrected="""\
mesh N = 8
dim B = 64
input x[B]
layer act: a[B] = gelu(x) partition B on N
output a
""",
    ),
    Entry(
        code="PAR115",
        name="bad_setting",
        severity="error",
        message=_bad_setting,
        explanation="A setting takes one of the values that it lists, or a quantity of its kind.",
        example="""\
mesh N = 8
dim B = 64
input x[B] partition B on N
output x
infer { phase = guess }
""",
        corrected="""\
mesh N = 8
dim B = 64
input x[B] partition B on N
output x
infer { phase = prefill }
""",
    ),
    Entry(
        code="PAR116",
        name="recursive_block",
        severity="error",
        message=_recursive_block,
        explanation="A block is written out where it is used, so it cannot use itself.",
        example="""\
mesh N = 8
dim B = 64
input x[B] partition B on N
block mlp(x[B]) -> y { layer a: y[B] = mlp(x) }
layer m: y[B] = mlp(x)
output y
""",
        corrected="""\
mesh N = 8
dim B = 64
input x[B] partition B on N
block mlp(x[B]) -> y { layer a: y[B] = gelu(x) }
layer m: y[B] = mlp(x)
output y
""",
    ),
    Entry(
        code="PAR117",
        name="misplaced",
        severity="error",
        message=_misplaced,
        explanation=(
            "A mesh, an import or a plan belongs to the whole file; a stack or a block holds "
            "variables and layers."
        ),
        example="""\
mesh N = 8
dim B = 64, L = 4
input x[B] partition B on N
stack s[L]: x -> y {
  mesh M = 2
  layer a: y[B] = gelu(x)
}
output y
""",
        corrected="""\
mesh N = 8
dim B = 64, L = 4
input x[B] partition B on N
stack s[L]: x -> y {
  layer a: y[B] = gelu(x)
}
output y
""",
    ),
    Entry(
        code="PAR119",
        name="over_limit",
        severity="error",
        message=_over_limit,
        explanation=(
            "Things may stand inside one another, but not deeper than people can follow, nor be "
            "more than any real spec has: so none can exhaust the machine that reads it."
        ),
        example=_NEST.format(expression="gelu(" * 70 + "x" + ")" * 70),
        corrected=_NEST.format(expression="gelu(gelu(x))"),
    ),
)

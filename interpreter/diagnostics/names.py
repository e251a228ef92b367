"""PAR1xx, names: what is declared, and what statements may say."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

from parspec.interpreter.diagnostics.entry import (
    Entry,
    Facts,
    chain,
    choice,
    enumeration,
    items,
    listed,
    near,
    word,
)
from parspec.interpreter.diagnostics.findings import Datum

Data: TypeAlias = tuple[Datum, ...]


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
            return f"{fault}, here and in {word(one)}; {_beside_library(kind, word(one))}"
        case (one, other):
            return (
                f"{fault}, in {word(one)} and in {word(other)}; import one of them and declare "
                "what the other has"
            )
    return fault


def _beside_library(kind: str, library: str) -> str:
    """How something can be declared that a file of the library declares, too."""
    if kind == "dimension":
        return "give it a size here, or leave it out"
    renamed = "call this one something else"
    if kind in ("link", "device"):
        return f"{renamed}, or declare the hardware here instead of `import {library}`"
    return renamed


def _unused_name(facts: Facts) -> str:
    return f"{word(facts['kind'])} {word(facts['name'])} is never used"


_SUM = "the same unit on both sides"
_OPERATORS = {
    "+": _SUM,
    "-": _SUM,
    "*": "a plain number on one side",
    "/": "a plain number on its right",
}
"""What an operator needs of its sides."""


_QUANTITIES = {"s": "in seconds", "share": "a share", "count": "a plain number"}
"""What a quantity is, of those kinds that are not called by their unit."""
_EXAMPLES = {
    "bytes": "1 GB",
    "bytes/s": "1 GB/s",
    "s": "1 ms",
    "flop": "1 Tflop",
    "flop/s": "1 Tflop/s",
    "share": "40%",
}
"""How a quantity of each kind is written."""


def _unit_mismatch(facts: Facts) -> str:
    if (needs := _OPERATORS.get(word(facts["name"]))) is not None:
        left = f"{word(facts['wants'])} and " if needs == _SUM else ""
        return f"{word(facts['name'])} needs {needs}, not {left}{word(facts['got'])}"
    name, wants, got = word(facts["name"]), word(facts["wants"]), word(facts["got"])
    is_in = _QUANTITIES.get(wants, f"in {wants}")
    example = f" (`{_EXAMPLES[wants]}`)" if wants in _EXAMPLES else ""
    if got == "no unit":
        return f"{name} has no unit; it is {is_in}{example}"
    factor = facts.get("factor")
    if factor and {wants, got} in ({"bytes", "bytes/s"}, {"flop", "flop/s"}):
        return f"{name} is {is_in}, not {got}; the factor {word(factor)} is missing"
    return f"{name} is {is_in}{example}, not {_QUANTITIES.get(got, got).removeprefix('in ')}"


def _wrong_arguments(facts: Facts) -> str:
    function, wants, given = word(facts["function"]), items(facts["wants"]), items(facts["got"])
    if optional := items(facts.get("optional")):
        needed = tuple(each for each in wants if each not in optional)
        takes = f"{function} takes {listed(needed)} and, if need be, {enumeration(optional)}"
        return f"{takes}; {_what_is_wrong(needed, wants, given)}"
    return f"{function} takes {listed(wants)}, not {listed(given) or 'nothing'}"


def _what_is_wrong(needed: Data, wants: Data, given: Data) -> str:
    """`top is missing, topk is none of them`."""
    faults = (
        (tuple(each for each in needed if each not in given), ("is missing", "are missing")),
        (tuple(e for e in given if e not in wants), ("is none of them", "are none of them")),
        (tuple(e for e, n in Counter(given).items() if n > 1), ("is given twice",) * 2),
    )
    return ", ".join(
        f"{enumeration(which)} {said[len(which) > 1]}" for which, said in faults if which
    )


def _bad_setting(facts: Facts) -> str:
    written = f"{word(facts['setting'])} = {word(facts['value'])}"
    choices = items(facts.get("choices"))
    return f"{written} is not among its values; {choice(choices)} is" if choices else written


def _recursive_block(facts: Facts) -> str:
    return f"block {word(facts['name'])} uses itself: {chain(facts['cycle'])}"


def _misplaced(facts: Facts) -> str:
    fault = "says nothing" if facts.get("idle") else "cannot stand"
    return f"{word(facts['statement'])} {fault} {word(facts['place'])}"


def _over_limit(facts: Facts) -> str:
    return f"more than {word(facts['limit'])} {word(facts['what'])}"


_TOO_DEEP = "gelu(" * 70 + "x" + ")" * 70

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
        mend=(("All-Gather on M", "All-Gather on N"),),
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
        mend=(("x[B], x[B]", "x[B]"),),
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
        mend=(("B = 64, D = 32", "B = 64"),),
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
        mend=(("50 GB ", "50 GB/s "),),
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
        mend=(("gelu(x, x)", "gelu(x)"),),
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
        mend=(("phase = guess", "phase = prefill"),),
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
        mend=(("= mlp(x) }", "= gelu(x) }"),),
    ),
    Entry(
        code="PAR117",
        name="misplaced",
        severity="error",
        message=_misplaced,
        explanation=(
            "A mesh, an import or a plan belongs to the whole file; a stack or a block holds "
            "variables and layers. `frozen` and `store` are about weights: a layer that reads none "
            "has nothing to freeze or to store (a warning)."
        ),
        raised=lambda facts: "warning" if facts.get("idle") else "error",
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
        mend=(("  mesh M = 2\n", ""),),
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
        example=f"""\
mesh N = 8
dim B = 64
input x[B] partition B on N
layer act: a[B] = {_TOO_DEEP}
output a, x
""",
        mend=((_TOO_DEEP, "gelu(gelu(x))"),),
    ),
)

"""PAR1xx: names, shapes and sizes."""

from __future__ import annotations

from parspec.interpreter.diagnostics.entry import (
    Entry,
    Facts,
    chain,
    choice,
    enumeration,
    items,
    listed,
    near,
    plural,
    word,
)


def _unknown_name(facts: Facts) -> str:
    return f"there is no {word(facts['kind'])} {word(facts['name'])}{near(facts)}"


def _duplicate_name(facts: Facts) -> str:
    return f"{word(facts['kind'])} {word(facts['name'])} is declared twice"


def _rank_mismatch(facts: Facts) -> str:
    name = word(facts["name"])
    return (
        f"{name} has {plural(facts['wants'], 'dimension')}, {name}[{listed(facts['declared'])}], "
        f"not {word(facts['got'])}: {name}[{listed(facts['written'])}]"
    )


def _global_size_mismatch(facts: Facts) -> str:
    return (
        f"index {word(facts['position'])} of {word(facts['name'])}: "
        f"{word(facts['dim'])} = {word(facts['size'])}, "
        f"but {word(facts['other'])} = {word(facts['other_size'])}"
    )


def _missing_sum(facts: Facts) -> str:
    suggestion = facts.get("suggestion")
    mend = f"; write {word(suggestion)}" if suggestion else ""
    return (
        f"{word(facts['name'])} lacks {enumeration(facts['dims'])}, and only a product of tensors "
        f"sums what its result lacks{mend}"
    )


def _dim_without_operand(facts: Facts) -> str:
    return f"{word(facts['name'])} has dimension {word(facts['dim'])}, which no operand has"


def _dim_not_in_layer(facts: Facts) -> str:
    return (
        f"layer {word(facts['layer'])} has no dimension {word(facts['dim'])}; "
        f"it has {listed(facts['dims'])}"
    )


def _repeated_dim(facts: Facts) -> str:
    dim = word(facts["dim"])
    return (
        f"{word(facts['name'])} has {dim} twice; "
        f"a second index over the same positions is `dim {dim}2 = {dim}`"
    )


def _unused_name(facts: Facts) -> str:
    return f"{word(facts['kind'])} {word(facts['name'])} is never used"


def _bad_size(facts: Facts) -> str:
    return f"{word(facts['name'])} = {word(facts['text'])}: {word(facts['reason'])}"


def _size_cycle(facts: Facts) -> str:
    return f"the size of {word(facts['name'])} needs itself: {chain(facts['cycle'])}"


def _resized(facts: Facts) -> str:
    return (
        f"{word(facts['name'])} has the size {word(facts['before'])} already; "
        f"only a plan may give it another, {word(facts['size'])}"
    )


def _unit_mismatch(facts: Facts) -> str:
    factor = facts.get("factor")
    missing = f"; the factor {word(factor)} is missing" if factor else ""
    return f"{word(facts['name'])} is in {word(facts['wants'])}, not {word(facts['got'])}{missing}"


def _wrong_arguments(facts: Facts) -> str:
    return (
        f"{word(facts['function'])} takes {word(facts['wants'])}; {word(facts['got'])} given here"
    )


def _bad_setting(facts: Facts) -> str:
    choices = items(facts.get("choices"))
    mend = f"; {choice(choices)} is" if choices else ""
    return f"{word(facts['setting'])} = {word(facts['value'])} is not a setting{mend}"


def _recursive_block(facts: Facts) -> str:
    return f"block {word(facts['name'])} uses itself: {chain(facts['cycle'])}"


def _misplaced(facts: Facts) -> str:
    return f"{word(facts['statement'])} cannot stand {word(facts['place'])}"


def _missing_index(facts: Facts) -> str:
    return f"{word(facts['name'])} needs its dimensions written out: {word(facts['reason'])}"


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
layer act: a[B] = gelu(x) partition B on M
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
        code="PAR103",
        name="rank_mismatch",
        severity="error",
        message=_rank_mismatch,
        explanation=(
            "Indices rename a tensor's dimensions by position, so there are as many as it has. A "
            "product of dims may be written as its factors on either side."
        ),
        example="""\
mesh N = 8
dim B = 64, D = 32
input x[B, D]
layer act: a[B, D] = gelu(x[B]) partition B on N
output a
""",
        corrected="""\
mesh N = 8
dim B = 64, D = 32
input x[B, D]
layer act: a[B, D] = gelu(x[B, D]) partition B on N
output a
""",
    ),
    Entry(
        code="PAR104",
        name="global_size_mismatch",
        severity="error",
        message=_global_size_mismatch,
        explanation=(
            "An index may go by another name, but not by another size: sizes in a spec are those "
            "of the whole variable, never of one device's slice."
        ),
        example="""\
mesh N = 8
dim B = 64, D = 32, E = 16
input x[B, D]
layer act: a[B, E] = gelu(x[B, E]) partition B on N
output a
""",
        corrected="""\
mesh N = 8
dim B = 64, D = 32, E = D
input x[B, D]
layer act: a[B, E] = gelu(x[B, E]) partition B on N
output a
""",
    ),
    Entry(
        code="PAR105",
        name="missing_sum",
        severity="error",
        message=_missing_sum,
        explanation=(
            "A product of two or more tensors sums over what its result lacks (einsum). Anything "
            "else has to say so: `sum over F (h)`."
        ),
        example="""\
mesh N = 8
dim B = 64, F = 32
input h[B, F]
layer s: t[B] = gelu(h) partition B on N
output t
""",
        corrected="""\
mesh N = 8
dim B = 64, F = 32
input h[B, F]
layer s: t[B] = sum over F (h) partition B on N
output t
""",
    ),
    Entry(
        code="PAR106",
        name="dim_without_operand",
        severity="error",
        message=_dim_without_operand,
        explanation=(
            "A result is indexed by what its operands are indexed by. The new factor of a product "
            "dim is the exception: it repeats (kv heads for each query head)."
        ),
        example="""\
mesh N = 8
dim B = 64, F = 32
input x[B]
layer act: a[B, F] = gelu(x) partition B on N
output a
""",
        corrected="""\
mesh N = 8
dim B = 64, F = 32
input x[B]
weight w[F]
layer act: a[B, F] = x * w partition B on N
output a
""",
    ),
    Entry(
        code="PAR107",
        name="dim_not_in_layer",
        severity="error",
        message=_dim_not_in_layer,
        explanation=(
            "A layer is partitioned along a dimension of its operands or of its result. A pattern "
            "(`for *: partition ...`) skips layers without the dimension; a layer's own clause "
            "must name one that it has."
        ),
        example="""\
mesh N = 8
dim B = 64, F = 32
input x[B], h[F]
layer act: a[B] = gelu(x) partition F on N
output a
output h
""",
        corrected="""\
mesh N = 8
dim B = 64, F = 32
input x[B], h[F]
layer act: a[B] = gelu(x) partition B on N
output a
output h
""",
    ),
    Entry(
        code="PAR108",
        name="repeated_dim",
        severity="error",
        message=_repeated_dim,
        explanation=(
            "A dimension stands once in a tensor. A second index over the same positions is a "
            "dimension of its own: `dim T = S` for keys, `dim D2 = D` for a square weight."
        ),
        example="""\
mesh N = 8
dim B = 64, D = 32
input x[B, D]
weight w[D, D]
layer fc: y[B, D] = x * w partition B on N
output y
""",
        corrected="""\
mesh N = 8
dim B = 64, D = 32, D2 = D
input x[B, D]
weight w[D, D2]
layer fc: y[B, D2] = x * w partition B on N
output y
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
        code="PAR110",
        name="bad_size",
        severity="error",
        message=_bad_size,
        explanation="A size is a whole number from 1 to 10^30, or a name, or arithmetic over these.",
        example="""\
mesh N = 8
dim B = 0
input x[B]
layer act: a[B] = gelu(x)
output a
""",
        corrected="""\
mesh N = 8
dim B = 64
input x[B] partition B on N
layer act: a[B] = gelu(x)
output a
""",
    ),
    Entry(
        code="PAR111",
        name="size_cycle",
        severity="error",
        message=_size_cycle,
        explanation="Sizes may be arithmetic over other sizes, as long as one of them is a number.",
        example="""\
mesh N = 8
dim B = 2 * C, C = 2 * B
input x[B], y[C]
output x
output y
""",
        corrected="""\
mesh N = 8
dim B = 64, C = 2 * B
input x[B], y[C]
output x
output y
""",
    ),
    Entry(
        code="PAR112",
        name="resized",
        severity="error",
        message=_resized,
        explanation=(
            "An importing file may give a symbolic dimension its size, once. Only a plan may give "
            "another size to a dimension that has one."
        ),
        example="""\
import "model.par"
dim B = 32
""",
        corrected="""\
import "model.par"
plan small { dim B = 32 }
""",
        beside=(("model.par", b"dim B = 64\ninput x[B]\noutput x\n"),),
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
        code="PAR118",
        name="missing_index",
        severity="error",
        message=_missing_index,
        explanation=(
            "A product of tensors sums over what its result lacks, so its result has to say which "
            "dimensions it has."
        ),
        example="""\
mesh N = 8
dim B = 64, D = 32, F = 16
input x[B, D] partition B on N
weight w[D, F]
layer fc: y = x * w
output y
""",
        corrected="""\
mesh N = 8
dim B = 64, D = 32, F = 16
input x[B, D] partition B on N
weight w[D, F]
layer fc: y[B, F] = x * w
output y
""",
    ),
)

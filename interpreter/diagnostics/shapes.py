"""PAR1xx, shapes: dimensions of variables and their sizes."""

from __future__ import annotations

from parspec.interpreter.diagnostics.entry import (
    Entry,
    Facts,
    chain,
    enumeration,
    listed,
    plural,
    word,
)


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
    mends = [word(facts[key]) for key in ("result", "suggestion") if facts.get(key)]
    mend = f"; write {' or '.join(mends)}" if mends else ""
    return (
        f"{word(facts['name'])} lacks {enumeration(facts['dims'])}, and only a product of tensors "
        f"sums what its result lacks{mend}"
    )


def _dim_without_operand(facts: Facts) -> str:
    name, dim, like = word(facts["name"]), word(facts["dim"]), facts.get("like")
    mend = f"; {dim} is as long as {like}: read `{word(facts['suggestion'])}`" if like else ""
    return f"{name} has dimension {dim}, which no operand has{mend}"


def _dim_not_in_layer(facts: Facts) -> str:
    name, dim = f"{word(facts['kind'])} {word(facts['name'])}", word(facts["dim"])
    if facts["kind"] == "stack":
        return f"{name} has no layer with dimension {dim}"
    has = f"; it has {listed(facts['dims'])}" if facts["dims"] else ""
    return f"{name} has no dimension {dim}{has}"


def _repeated_dim(facts: Facts) -> str:
    dim = word(facts["dim"])
    return (
        f"{word(facts['name'])} has {dim} twice; "
        f"a second index over the same positions is `dim {dim}2 = {dim}`"
    )


def _bad_size(facts: Facts) -> str:
    clause = word(facts.get("clause", "="))
    return f"{word(facts['name'])} {clause} {word(facts['text'])}: {word(facts['reason'])}"


def _size_cycle(facts: Facts) -> str:
    return f"the size of {word(facts['name'])} needs itself: {chain(facts['cycle'])}"


def _resized(facts: Facts) -> str:
    return (
        f"{word(facts['name'])} has the size {word(facts['before'])} already; "
        f"only a plan may give it another, {word(facts['size'])}"
    )


def _missing_index(facts: Facts) -> str:
    return f"{word(facts['name'])} needs its dimensions written out: {word(facts['reason'])}"


def _summed_alone(facts: Facts) -> str:
    tensor, dim = word(facts["tensor"]), word(facts["dim"])
    if "other" in facts:
        return (
            f"{tensor} has {dim} and {word(facts['other'])} has {word(facts['other_dim'])}, and "
            "both are summed away without contracting anything; are they meant to be one?"
        )
    return (
        f"{dim} of {tensor} is summed away, but no other factor has it: it contracts nothing; "
        f"`sum over {dim}` says that it is meant"
    )


ENTRIES = (
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
        mend=(("gelu(x[B])", "gelu(x[B, D])"),),
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
        mend=(("E = 16", "E = D"),),
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
        mend=(("gelu(h)", "sum over F (h)"),),
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
        mend=(
            (
                "layer act: a[B, F] = gelu(x) partition B on N\n",
                "weight w[F]\nlayer act: a[B, F] = x * w partition B on N\n",
            ),
        ),
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
input x[B] partition B on N
input h[F]
layer act: a[B] = gelu(x) partition F on N
output a
output h
""",
        mend=(("partition F on N", "partition B on N"),),
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
        mend=(
            ("D = 32", "D = 32, D2 = D"),
            ("w[D, D]", "w[D, D2]"),
            ("y[B, D]", "y[B, D2]"),
        ),
    ),
    Entry(
        code="PAR110",
        name="bad_size",
        severity="error",
        message=_bad_size,
        explanation="A size is a whole number from 1 to 10^30, a name, or arithmetic over these.",
        example="""\
mesh N = 8
dim B = 0
input x[B] partition B on N
layer act: a[B] = gelu(x)
output a
""",
        mend=(("dim B = 0", "dim B = 64"),),
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
        mend=(("B = 2 * C,", "B = 64,"),),
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
        mend=(("dim B = 32", "plan small { dim B = 32 }"),),
        beside=(("model.par", b"dim B = 64\ninput x[B]\noutput x\n"),),
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
        mend=(("fc: y =", "fc: y[B, F] ="),),
    ),
    Entry(
        code="PAR120",
        name="summed_alone",
        severity="warning",
        message=_summed_alone,
        explanation=(
            "A product sums over the dimensions that its result lacks. One that a single factor "
            "has is not contracted with anything, which is mostly a misnamed index or a dimension "
            "forgotten in the result."
        ),
        example="""\
mesh N = 8
dim B = 64, D = 32, F = 16
input x[B, D]
weight w[D, F]
layer fc: y[F] = x * w partition F on N
output y
""",
        mend=(("fc: y[F]", "fc: y[B, F]"),),
    ),
)

"""PAR3xx: what is moved, left partial or computed more than once."""

from __future__ import annotations

from parspec.interpreter.diagnostics.entry import (
    Entry,
    Facts,
    Severity,
    axes,
    enumeration,
    layer,
    plural,
    size_in_bytes,
    word,
)
from parspec.interpreter.diagnostics.readable import share_text

_NOTABLE_SHARE = 0.05  # repeated work beyond this share of all executed FLOPs is a warning


def _partial_left(facts: Facts) -> str:
    tensor, axis = word(facts["tensor"]), axes(facts["axis"])
    return (
        f"output {tensor} is left partial on {axis}: every node holds an addend; "
        f"`output {tensor} replicated on {axis}` adds them up"
    )


def _redundant_gather(facts: Facts) -> str:
    keep, clause = facts.get("keep"), facts.get("clause")
    stays = f"{word(keep)} is enough" if keep else "nothing would move"
    other = f"with `{word(clause)}` {stays}" if clause else "slices alone would move less"
    return f"{layer(facts['layer'])} {_moving(facts)}, and what reads it is sliced again; {other}"


def _unexpected_collective(facts: Facts) -> str:
    return (
        f"{layer(facts['layer'])} {_moving(facts)}, though it works on each slice of "
        f"{word(facts['dim'])} by itself; with `{word(facts['clause'])}` nothing would move there"
    )


def _hidden_comm(facts: Facts) -> str:
    axis, tensors = axes(facts["axis"]), enumeration(facts["tensor"])
    now, best = facts.get("bytes_per_device_now"), facts.get("bytes_per_device_best")
    much = "" if now is None else f" ({size_in_bytes(now)} a device)"
    less = "less" if best is None else size_in_bytes(best)
    start = f"{layer(facts['layer'])} has {tensors} moved on {axis}{much}; "
    if facts.get("before"):
        return f"{start}{enumeration(facts['before'])}, not yet repeated, would be {less}"
    clause = facts.get("clause")
    if clause:
        return f"{start}`{word(clause)}` moves {less}"
    return f"{start}left partial, it is reduced together with what it is added to"


def _moving(facts: Facts) -> str:
    """`asks for an All-Gather of x (6.29 MB) on dp`."""
    size = facts.get("bytes")
    much = "" if size is None else f" ({size_in_bytes(size)})"
    primitive = enumeration(facts["primitive"])
    return f"asks for {primitive} of {enumeration(facts['tensor'])}{much} on {axes(facts['axis'])}"


def _topology(facts: Facts) -> str:
    inside = facts["inside"]
    those = f" with {enumeration(inside)} inside it" if inside else ""
    return (
        f"{axes(facts['axis'])} = {word(facts['size'])}{those} spans {word(facts['domains'])} "
        f"domains of {word(facts['link'])} ({word(facts['within'])} neighbours){_priced(facts)}"
    )


def _slow_link(facts: Facts) -> str:
    return (
        f"{axes(facts['axis'])} = {word(facts['size'])} is longer than a domain of "
        f"{word(facts['link'])}, which joins {word(facts['within'])}: it spans "
        f"{word(facts['domains'])} domains{_priced(facts)}"
    )


def _priced(facts: Facts) -> str:
    link = facts["priced_at"]
    return "" if link == facts["link"] else f" and is priced at {word(link)}"


def _pad_reaches_reduction(facts: Facts) -> str:
    dim = word(facts["dim"])
    return (
        f"padding of {dim} ({plural(facts['pad'], 'element')}, to {word(facts['padded'])}) reaches "
        f"this reduction; `over {dim} masked (...)` leaves it out"
    )


def _repeated_work(facts: Facts) -> str:
    share, axis = facts.get("share"), axes(facts["axis"])
    if not isinstance(share, (int, float)) or not share:
        return f"{layer(facts['layer'])} is computed again on every node of {axis}"
    return (
        f"{share_text(share)} of all FLOPs are spent again on every node of {axis}, "
        f"most of them in {layer(facts['layer'])}"
    )


def _repeated_work_severity(facts: Facts) -> Severity:
    share = facts.get("share")
    return "warning" if isinstance(share, (int, float)) and share > _NOTABLE_SHARE else "info"


def _double_reduce(facts: Facts) -> str:
    return (
        f"{word(facts['tensor'])} is complete on every node of {axes(facts['axis'])}; "
        f"{word(facts['primitive'])} would make it {word(facts['factor'])} times as large"
    )


def _unpinned(facts: Facts) -> str:
    pin = f"{word(facts['primitive'])} of {word(facts['tensor'])} on {axes(facts['axis'])}"
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
        mend=(("output y", "output y replicated on N"),),
    ),
    Entry(
        code="PAR302",
        name="redundant_gather",
        severity="warning",
        message=_redundant_gather,
        explanation=(
            "The variable is gathered, nothing is computed with it, and everything that reads it "
            "takes slices on the same axis again. Leave it in its slices."
        ),
        example="""\
mesh N = 8
dim B = 64, D = 32, F = 16
input x[B, D] partition B on N
weight w[D, F]
layer keep: k[B, D] = x partition none on N
layer up: h[B, F] = k * w partition B on N
output h
""",
        mend=(("partition none", "partition B"),),
    ),
    Entry(
        code="PAR303",
        name="unexpected_collective",
        severity="warning",
        message=_unexpected_collective,
        explanation=(
            "The layer computes each slice of this dimension by itself, so it could work where the "
            "slices lie. Its clause has them gathered first, and every node computes all of them."
        ),
        example="""\
mesh N = 8
dim B = 64, S = 32
input x[B, S] partition B on N
layer order: y[B, S] = sort over S (x) partition none on N
output y partition B on N
""",
        mend=(("partition none", "partition B"),),
    ),
    Entry(
        code="PAR304",
        name="hidden_comm",
        severity="warning",
        message=_hidden_comm,
        explanation=(
            "Another clause, or another order of layers, gives the same result and moves less: a "
            "function along a partitioned dimension reduces statistics instead of gathering its "
            "operand, addends are added up before they are reduced, and what is repeated (kv heads "
            "for their query heads) moves before it is repeated. The whole plan is compared, not "
            "the layer alone."
        ),
        example="""\
mesh N = 2
dim B = 64, D = 32, V = 4096
input x[B, D], labels[B] : i32
weight head[D, V]
layer logits: z[B, V] = x * head partition V on N
layer loss: l[B] = crossentropy over V (z, labels) partition none on N
output l
""",
        mend=(("partition none", "partition V"),),
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
        mend=(("over V (z)", "over V masked (z)"),),
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
        mend=(("= x * w", "= x * w partition B on N"),),
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
        mend=(
            (
                "output y replicated on N\n",
                "output y replicated on N\nexpect All-Reduce of y on N\n",
            ),
        ),
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
        mend=(
            ("partition B", "partition F"),
            ("output y", "output y replicated on N"),
        ),
    ),
    Entry(
        code="PAR310",
        name="topology",
        severity="info",
        message=_topology,
        explanation=(
            "A link joins `within` neighbours. Axes over one link are laid out innermost first; "
            "this one reaches over the border of a domain, together with those inside it, and so "
            "runs at the speed of the next axis outward. Legal, and worth knowing."
        ),
        example="""\
link node { bandwidth = 300 GB/s  latency = 2 us  within = 8 }
link net { bandwidth = 25 GB/s  latency = 5 us }
mesh pp = 2 over net, dp = 4 over node, tp = 4 over node
dim B = 64, S = 32, F = 16
input x[B, S, F] partition B on dp
layer act: y[B, S, F] = gelu(x) partition S on pp, F on tp
output y
""",
        mend=(("over node,", "over net,"),),
    ),
    Entry(
        code="PAR311",
        name="slow_link",
        severity="warning",
        message=_slow_link,
        explanation=(
            "The axis has more nodes than its link joins, whatever lies inside it, so its "
            "primitives cannot run on that link alone. They are priced at the link of the next "
            "axis outward, if there is one."
        ),
        example="""\
link node { bandwidth = 300 GB/s  latency = 2 us  within = 8 }
mesh tp = 16 over node
dim B = 64, F = 32
input x[B, F] partition F on tp
output x
""",
        mend=(("tp = 16", "tp = 8"),),
    ),
)

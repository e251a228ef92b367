"""PAR2xx: how variables and layers are spread over the mesh."""

from __future__ import annotations

from parspec.interpreter.diagnostics.entry import (
    Entry,
    Facts,
    axes,
    chain,
    choice,
    enumeration,
    items,
    layer,
    listed,
    near,
    nearest,
    plural,
    size_in_bytes,
    word,
)
from parspec.interpreter.diagnostics.findings import Datum
from parspec.interpreter.diagnostics.readable import bytes_text, seconds_text

_LARGE = 1000  # elements of a dimension that nobody sizes to divide, as a vocabulary
_FEW = 3  # degrees, 1 among them, that hardly help


def _indivisible(facts: Facts) -> str:
    dim, size, axis = word(facts["dim"]), word(facts["size"]), axes(facts["axis"])
    ways, unit = facts["ways"], facts.get("unit")
    if unit in (None, 1, ways):
        fault, divisor = f"{dim} = {size} does not split {word(ways)} ways on {axis}", ways
    else:
        fault, divisor = f"{dim} = {size} on {axis} is no multiple of {word(unit)}", unit
    remainder = f"{size} mod {word(divisor)} = {word(facts['remainder'])}"
    return f"{fault}: {remainder}{_degrees(facts.get('valid'))}{_neighbours(facts)}"


def _degrees(valid: Datum) -> str:
    """`; 1, 2, 4 do`; nothing where only 1 does."""
    degrees = items(valid)
    return f"; {listed(degrees)} do" if len(degrees) > 1 else ""


def _neighbours(facts: Facts) -> str:
    """`; heads = 51 or 54 would`, for a large dimension that few degrees fit also what pads it."""
    size, unit, dim = facts["size"], facts.get("unit") or facts["ways"], word(facts["dim"])
    large = isinstance(size, int) and size >= _LARGE
    few = len(items(facts.get("valid"))) <= _FEW
    padded = f"; `{dim} padded to {word(unit)}` splits" if large and few else ""
    sizes = nearest(facts)
    return f"; {dim} = {sizes} would{padded}" if sizes else padded


def _block_split(facts: Facts) -> str:
    unit, local, remainder = word(facts["unit"]), word(facts["local"]), facts.get("remainder")
    less = remainder in (None, facts["local"])
    why = f"{local} < {unit}" if less else f"{local} mod {unit} = {word(remainder)}"
    valid = facts.get("valid") or facts.get("valid_without_replication")
    replicas = facts.get("replicas")
    copies = f", or {word(replicas)} copies of each unit" if replicas else ""
    return (
        f"a slice of {word(facts['dim'])} on {axes(facts['axis'])} is {local} and does not hold "
        f"whole units of {unit}: {why}{_degrees(valid)}{copies}"
    )


def _axis_reused(facts: Facts) -> str:
    dim, other, axis = facts["dim"], facts["other"], axes(facts["axis"])
    already = f"partitions {word(other)} of" if other is not None else "stores"
    as_well = f"partition {word(dim)}" if dim is not None else "store it"
    mend = f"; a second `for` can, for layers without {word(other)}"
    apart = facts.get("bearer") == "pattern" and None not in (dim, other)
    return (
        f"axis {axis} {already} {word(facts['layer'])} already; it cannot {as_well} as well"
        f"{mend if apart else ''}"
    )


def _too_many_nodes(facts: Facts) -> str:
    dim, size, ways = word(facts["dim"]), word(facts["size"]), word(facts["ways"])
    fault = f"{dim} = {size} does not split {ways} ways on {axes(facts['axis'])}"
    return f"{fault}: there are more nodes than elements{_degrees(facts.get('valid'))}"


def _operands_disagree(facts: Facts) -> str:
    choices = [item for item in items(facts["choices"]) if isinstance(item, tuple)]
    prices = items(facts.get("prices"))
    told = [
        f"P({word(dim)}) of {word(tensor)}{_price(prices, position)}"
        for position, (tensor, dim, *_) in enumerate(choices)
    ]
    return (
        f"on {axes(facts['axis'])} {layer(facts['layer'])} could follow {' or '.join(told)}; "
        "a `partition` clause says which"
    )


def _price(prices: tuple[Datum, ...], position: int) -> str:
    price = prices[position] if position < len(prices) else None
    return "" if price is None else f" ({size_in_bytes(price)} a device)"


def _mesh_product(facts: Facts) -> str:
    least = facts.get("min_devices")
    if facts.get("region") is not None:
        needed = f"; {word(least)} devices would do" if least else ""
        return f"{_pieces(facts)} does not fit a region of {word(facts['region'])} nodes{needed}"
    devices = plural(facts["devices"], "device")
    idle = facts.get("idle")
    rest = f"; {word(idle)} would be idle" if idle else ""
    needed = f"; at least {word(least)} are needed" if least else ""
    return f"the mesh has {plural(facts['product'], 'node')}, but there are {devices}{rest}{needed}"


def _pieces(facts: Facts) -> str:
    """`edp = 2, ep = 8`, those that come out at least 1."""
    names = word(facts["axis"]).split(", ")
    sized = [f"{name} = {word(facts[name])}" for name in names if facts.get(name)]
    return ", ".join(sized or names)


def _uneven_split(facts: Facts) -> str:
    return (
        f"{word(facts['dim'])} splits unevenly on {axes(facts['axis'])}: "
        f"slices of {listed(facts['sizes'])}"
    )


def _unmatched_pattern(facts: Facts) -> str:
    """What it means, or what there is."""
    lacks, there = items(facts.get("lacks")), items(facts.get("there"))
    why = f": none of its layers has {choice(lacks)}" if lacks else ""
    known = f"; there are {enumeration(there)}" if len(there) > 1 else ""
    alone = f"; there is {word(there[0])}" if len(there) == 1 else ""
    return f"pattern {word(facts['pattern'])} matches nothing{why}{near(facts)}{known}{alone}"


def _carry_unsettled(facts: Facts) -> str:
    return (
        f"carry {word(facts['carry'])} of stack {word(facts['stack'])} does not settle: "
        f"{chain(facts['states'])}"
    )


def _conflicting_states(facts: Facts) -> str:
    return (
        f"on {axes(facts['axis'])} it cannot be {word(facts['first'])} and "
        f"{word(facts['second'])} at once"
    )


def _needs_whole(facts: Facts) -> str:
    return (
        f"{word(facts['function'])} in {layer(facts['layer'])} needs {word(facts['dim'])} "
        f"whole; it cannot be partitioned on {axes(facts['axis'])}"
    )


def _stage_out_of_range(facts: Facts) -> str:
    axis, stages = axes(facts["axis"]), facts["stages"]
    last = f"{axis}[{stages - 1}]" if isinstance(stages, int) else "the last"
    return (
        f"there is no stage {axis}[{word(facts['stage'])}]: {axis} has "
        f"{plural(stages, 'stage')}, {axis}[0] to {last}"
    )


def _hole(facts: Facts) -> str:
    choices = [item for item in items(facts["choices"]) if isinstance(item, tuple)]
    price = next((cost for name, cost in choices if name == facts["dim"]), None)
    flaws = _flaws(facts, facts["dim"])
    told = [_choice(name, cost, facts) for name, cost in choices]
    equal = tuple(n for n, cost in choices if cost == price and _flaws(facts, n) == flaws)
    tie = f"; {enumeration(equal)} cost the same" if price is not None and len(equal) > 1 else ""
    sent = "a device sends " if facts["unit"] == "B" and price is not None else ""
    by = "time" if facts["unit"] == "s" else "bytes"
    return (
        f"`?` on {axes(facts['axis'])} is filled with {word(facts['dim'])}, by {by} the cheapest "
        f"for {word(facts['layer'])}{_lacking(facts, flaws)} ({sent}{', '.join(told)}{tie})"
    )


_FLAWS = {
    "too_large": ("does not fit", "fits"),
    "over_budget": ("breaks a budget of memory", "keeps the budgets of memory"),
    "repeating": ("repeats work", ""),
}
"""What speaks against a choice, and of what puts it behind others what is said of those without."""


def _flaws(facts: Facts, name: Datum) -> tuple[str, ...]:
    """What speaks against a choice."""
    return tuple(said for key, (said, _) in _FLAWS.items() if name in items(facts.get(key, ())))


def _lacking(facts: Facts, flaws: tuple[str, ...]) -> str:
    """`, though it does not fit`; ` that fits`, where other choices do not."""
    if flaws:
        return f", though it {enumeration(flaws)}"
    without = tuple(said for key, (_, said) in _FLAWS.items() if said and facts.get(key))
    return f" that {enumeration(without)}" if without else ""


def _choice(name: Datum, cost: Datum, facts: Facts) -> str:
    """`F: 33 kB`, the name alone where the cost is symbolic, and what is against it."""
    told = word(name)
    if isinstance(cost, (int, float)):
        told = f"{told}: {seconds_text(cost) if facts['unit'] == 's' else bytes_text(cost)}"
    flaws = _flaws(facts, name)
    return f"{told} but {enumeration(flaws)}" if flaws else told


ENTRIES = (
    Entry(
        code="PAR201",
        name="indivisible",
        severity="error",
        message=_indivisible,
        explanation=(
            "Every node gets a slice of the same size, so the number of nodes divides the "
            "dimension. Where it does not: another number of nodes, `padded to` a multiple "
            "(the waste is reported), or `uneven` (the last slices are short or empty). The "
            "degrees that the message lists fit every dimension partitioned on that axis."
        ),
        example="""\
mesh tp = 3
dim B = 64, H = 52
input x[B, H]
layer act: a[B, H] = gelu(x) partition H on tp
output a
""",
        mend=(("tp = 3", "tp = 4"),),
    ),
    Entry(
        code="PAR202",
        name="block_split",
        severity="error",
        message=_block_split,
        explanation=(
            "A dimension with a `unit` (the size of a head, a quantisation block) is cut between "
            "units only. Fewer nodes keep units whole; or each unit lies on several nodes."
        ),
        example="""\
mesh tp = 8
dim B = 64, F = 1536 unit 128
input x[B, F]
layer act: a[B, F] = gelu(x) partition F on tp
output a
""",
        mend=(("tp = 8", "tp = 6"),),
    ),
    Entry(
        code="PAR203",
        name="axis_reused",
        severity="error",
        message=_axis_reused,
        explanation=(
            "The nodes of one axis each take one slice along one dimension. Two dimensions need "
            "two axes (`axis a = ..., b = ... of tp` cuts one in two); where no layer has both, a "
            "second `for` says the second. A view is the axes that it "
            "covers, and a weight cannot be stored on an axis that cuts it already."
        ),
        example="""\
mesh tp = 8
dim B = 64, D = 32
input x[B, D]
layer act: a[B, D] = gelu(x) partition B on tp, D on tp
output a
""",
        mend=(
            ("mesh tp = 8", "mesh dp = 2, tp = 4"),
            ("B on tp", "B on dp"),
        ),
    ),
    Entry(
        code="PAR204",
        name="too_many_nodes",
        severity="error",
        message=_too_many_nodes,
        explanation="A slice holds at least one element.",
        example="""\
mesh tp = 16
dim B = 64, H = 8
input x[B, H]
layer act: a[B, H] = gelu(x) partition H on tp
output a
""",
        mend=(("tp = 16", "tp = 8"),),
    ),
    Entry(
        code="PAR205",
        name="operands_disagree",
        severity="error",
        message=_operands_disagree,
        explanation=(
            "A layer without a clause follows what arrives partitioned. Where operands arrive "
            "partitioned along different dimensions, the choice is the author's: each costs "
            "another communication."
        ),
        example="""\
mesh N = 8
dim B = 64, D = 32
input x[B, D] partition B on N
input h[B, D] partition D on N
layer add: y[B, D] = x + h
output y
""",
        mend=(("= x + h", "= x + h partition B on N"),),
    ),
    Entry(
        code="PAR206",
        name="mesh_product",
        severity="error",
        message=_mesh_product,
        explanation=(
            "The axes of a mesh, outermost first, multiply to the number of devices; a new cut of "
            "some axes multiplies to theirs. `rest` fills what is left."
        ),
        example="""\
device box { memory = 80 GB }
mesh dp = 4, tp = 4 on 8 box
dim B = 64
input x[B] partition B on dp * tp
output x
""",
        mend=(("dp = 4,", "dp = 2,"),),
    ),
    Entry(
        code="PAR207",
        name="uneven_split",
        severity="warning",
        message=_uneven_split,
        explanation=(
            "A weight stored along a dimension that does not divide lies in slices of different "
            "sizes, some perhaps empty; the busiest device decides."
        ),
        example="""\
mesh N = 8
dim B = 64, A = 2, D = 1024
input x[B, A]
weight w[A, D] store A on N
layer fc: y[B, D] = x * w partition B on N
output y
""",
        mend=(("store A", "store D"),),
    ),
    Entry(
        code="PAR208",
        name="unmatched_pattern",
        severity="warning",
        message=_unmatched_pattern,
        explanation=(
            "A `for` clause that names nothing does nothing; most likely a name changed. Of "
            "alternatives (`decoder.{up,down}`) each names something."
        ),
        example="""\
mesh N = 8
dim B = 64
input x[B]
layer act: a[B] = gelu(x)
for act, down: partition B on N
output a
""",
        mend=(("act, down:", "act:"),),
    ),
    Entry(
        code="PAR209",
        name="carry_unsettled",
        severity="error",
        message=_carry_unsettled,
        explanation=(
            "All turns of a stack are alike, so a turn has to leave its carry in the state in "
            "which it found it, within four turns. An explicit redistribution as the body's last "
            "layer pins it."
        ),
        example="""\
mesh N = 2
dim L = 4, B = 64, D = B
input x[B, D] partition B on N
stack flip[L]: x -> y {
  layer turn: y[B, D] = gelu(x[D, B])
}
output y
""",
        mend=(
            ("turn: y", "turn: t"),
            ("x[D, B])", "x[D, B])\n  layer back: y[B, D] = t partition B on N"),
        ),
    ),
    Entry(
        code="PAR210",
        name="conflicting_states",
        severity="error",
        message=_conflicting_states,
        explanation="On one axis a variable is in one state.",
        example="""\
mesh N = 8
dim B = 64
input x[B] partition B on N replicated on N
output x
""",
        mend=((" replicated on N", ""),),
    ),
    Entry(
        code="PAR211",
        name="stage_out_of_range",
        severity="error",
        message=_stage_out_of_range,
        explanation="Stages are counted from 0.",
        example="""\
mesh pp = 2
dim B = 64
input x[B]
layer act: a[B] = gelu(x) at pp[2]
output a
""",
        mend=(("at pp[2]", "at pp[1]"),),
    ),
    Entry(
        code="PAR212",
        name="needs_whole",
        severity="error",
        message=_needs_whole,
        explanation=(
            "Every element of the result depends on the whole dimension, and no statistic of "
            "slices would do (a sort, a running sum), so each node needs all of it."
        ),
        example="""\
mesh N = 8
dim B = 64, S = 128
input x[B, S]
layer order: y[B, S] = sort over S (x) partition S on N
output y
""",
        mend=(("partition S", "partition B"),),
    ),
    Entry(
        code="PAR213",
        name="hole",
        severity="info",
        message=_hole,
        explanation=(
            "A hole leaves the choice of a dimension to the tool. Every choice is priced by "
            "analysing the whole plan with it; the fix writes the cheapest. Choices that do not "
            "fit the device or the budgets of memory come last. What counts is time where the "
            "device and the links are known; else bytes, after what repeats no work."
        ),
        example="""\
mesh N = 8
dim B = 64, F = 128, D = 32
input x[B, F] partition F on N
weight w[F, D]
layer down: y[B, D] = x * w partition ? on N
output y replicated on N
""",
        mend=(("partition ?", "partition F"),),
    ),
)

"""Random specs as text: graphs of operators on random meshes, partitioned at random.

Whoever draws passes the `Random`: a seeded one, or Hypothesis' own, which shrinks what it finds.
Many of the specs are wrong in ways that the checks report; whoever draws leaves those out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from math import prod
from random import Random

POINTWISE = ("gelu", "silu", "relu", "tanh", "sigmoid", "exp", "dropout")
KEEPING = ("softmax", "logsoftmax", "rmsnorm", "layernorm")
REDUCING = ("sum", "mean", "max", "min")
WHOLE = ("cumsum", "sort", "argmax")


@dataclass
class Drawing:
    """A spec in the making: lines, the dims, and the variables that a layer may read."""

    random: Random
    axes: dict[str, int]
    lines: list[str] = field(default_factory=list)
    dims: list[str] = field(default_factory=list)
    padded: set[str] = field(default_factory=set)
    sizes: dict[str, int] = field(default_factory=dict)
    open: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    numbers: count = field(default_factory=lambda: count(1))
    indent: str = ""
    pipeline: str | None = None
    view: str = ""

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def pick(self, options):
        options = list(options)
        return options[self.random.randrange(len(options))]

    def some(self, options, least: int, most: int):
        left = list(options)
        wanted = min(len(left), least + self.random.randrange(most - least + 1))
        return [left.pop(self.random.randrange(len(left))) for _ in range(wanted)]

    def name(self, letter: str) -> str:
        return f"{letter}{next(self.numbers)}"

    def write(self, line: str) -> None:
        self.lines.append(self.indent + line)


def random_spec(random: Random) -> str:
    """The text of a random spec."""
    names = ["a", "b", "c"][: 1 + random.randrange(3)]
    most = {1: 4, 2: 4, 3: 3}[len(names)]
    drawing = Drawing(random, {name: 2 + random.randrange(most - 1) for name in names})
    over = ""
    if drawing.chance(25):
        over = " over wire"
        drawing.write("link wire { bandwidth = 50 GB/s  latency = 5 us  start = 8 us }")
    drawing.write("mesh " + ", ".join(f"{a} = {n}{over}" for a, n in drawing.axes.items()))
    if drawing.chance(15):
        drawing.pipeline = "a"
    elif len(names) > 1 and drawing.chance(20):
        drawing.view = f"axis v = {names[0]} * {names[1]}"
        drawing.write(drawing.view)
    _dims(drawing)
    for _ in range(1 + random.randrange(2)):
        _input(drawing)
    for _ in range(1 + random.randrange(4)):
        _layer(drawing)
    if drawing.pipeline or drawing.chance(35):
        _stack(drawing)
        for _ in range(random.randrange(3)):
            _layer(drawing)
    for name in sorted(drawing.unread):
        drawing.write(f"output {name}{_rest(drawing, drawing.open[name], 60)}")
    return "\n".join(drawing.lines) + "\n"


def _dims(drawing: Drawing) -> None:
    nodes = prod(drawing.axes.values())
    for name in "BSDFK"[: 3 + drawing.random.randrange(3)]:
        match drawing.random.randrange(8):
            case 0 | 1:
                size = 2 + drawing.random.randrange(12)
                text = f"dim {name} = {size} uneven"
            case 2:
                size = 3 + drawing.random.randrange(10)
                text = f"dim {name} = {size} padded to {drawing.pick((nodes, 2, 4))}"
                drawing.padded.add(name)
            case 3:
                size = 2 * nodes
                text = f"dim {name} = {size} unit 2"
            case _:
                size = drawing.pick((nodes, 2 * nodes, 12))
                text = f"dim {name} = {size}"
        drawing.write(text)
        drawing.dims.append(name)
        drawing.sizes[name] = size
    if drawing.chance(25):
        groups, repeats = drawing.pick(((2, 6), (2, 4), (3, 4), (2, 12)))
        drawing.write(f"dim G = {groups}, R = {repeats}, H = G * R")
        drawing.dims.append("H")


def _input(drawing: Drawing) -> None:
    name = drawing.name("x")
    dims = tuple(drawing.some(drawing.dims, 1, 3))
    drawing.write(f"input {name}[{', '.join(dims)}]{_dtype(drawing)}{_rest(drawing, dims, 40)}")
    _open(drawing, name, dims)


def _rest(drawing: Drawing, dims: tuple[str, ...], percent: int, partial: bool = True) -> str:
    """State clauses of a variable at rest."""
    said = []
    free = list(dims)
    for axis in drawing.axes:
        if axis == drawing.pipeline or not drawing.chance(percent):
            continue
        match drawing.random.randrange(8):
            case 0:
                said.append(f"centralized on {axis}")
            case 1 if partial:
                said.append(f"partial on {axis}")
            case 2:
                said.append(f"replicated on {axis}")
            case _ if free:
                said.append(f"partition {drawing.pick(free)} on {axis}")
    return "".join(f" {clause}" for clause in said)


def _dtype(drawing: Drawing) -> str:
    return drawing.pick((" : f32", " : fp8", "", ""))


def _open(drawing: Drawing, name: str, dims: tuple[str, ...]) -> None:
    drawing.open[name] = dims
    drawing.unread.add(name)


def _read(drawing: Drawing, *names: str) -> None:
    drawing.unread.difference_update(names)


def _layer(drawing: Drawing) -> None:
    """One layer of a random kind over what is there."""
    often = (_matmul, _matmul, _residual, _along)
    every = (_matmul, _three, _between, _residual, _bias, _scale, _pointwise, _copy, _taken)
    make = drawing.pick((*often, *every, _along, _reducing, _whole, _lookup, _loss))
    make(drawing)


def _give(
    drawing: Drawing, expression: str, dims: tuple[str, ...], all_dims, name: str = ""
) -> str:
    out = name or drawing.name("h")
    text = f"layer l{next(drawing.numbers)}: {out}[{', '.join(dims)}] = {expression}"
    drawing.write(text + _clauses(drawing, tuple(dict.fromkeys(all_dims))))
    _open(drawing, out, dims)
    return out


def _clauses(drawing: Drawing, dims: tuple[str, ...]) -> str:
    axes = [axis for axis in drawing.axes if axis != drawing.pipeline]
    if not drawing.chance(60) or not axes or not dims:
        return ""
    if len(axes) > 1 and drawing.chance(20):
        chosen = drawing.some(axes, 2, 3)
        return f" partition {drawing.pick(dims)} on {' * '.join(chosen)}"
    if drawing.view and drawing.chance(30):
        return f" partition {drawing.pick(dims)} on v"
    said = []
    for axis in drawing.some(axes, 1, len(axes)):
        match drawing.random.randrange(12):
            case 0:
                said.append(f"partition none on {axis}")
            case 1:
                said.append(f"centralized on {axis}")
            case _:
                said.append(f"partition {drawing.pick(dims)} on {axis}")
    return "".join(f" {clause}" for clause in said)


def _weight(drawing: Drawing, dims: tuple[str, ...]) -> str:
    name = drawing.name("w")
    axis = drawing.pick(drawing.axes)
    rest = ""
    if drawing.chance(20) and axis != drawing.pipeline:
        rest = f" store {drawing.pick(dims)} on {axis}" if drawing.chance(60) else ""
        rest = rest or f" partition {drawing.pick(dims)} on {axis}"
    if drawing.chance(8) and axis != drawing.pipeline:
        rest = f" store on {axis}"
    drawing.write(f"weight {name}[{', '.join(dims)}]{_dtype(drawing)}{rest}")
    return name


def _matmul(drawing: Drawing) -> None:
    x = drawing.pick(drawing.open)
    dims = drawing.open[x]
    gone = drawing.pick(dims) if dims and drawing.chance(85) else None
    new = [dim for dim in drawing.dims if dim not in dims]
    come = drawing.pick(new) if new and drawing.chance(85) else None
    wanted = tuple(dim for dim in (gone, come) if dim) or dims
    if not wanted:
        return
    weight = _weight(drawing, wanted)
    out = tuple(dim for dim in dims if dim != gone) + ((come,) if come else ())
    _read(drawing, x)
    _give(drawing, f"{x} * {weight}", out, (*out, *dims))


def _between(drawing: Drawing) -> None:
    """A product of two activations, as attention has it."""
    x, z = drawing.pick(drawing.open), drawing.pick(drawing.open)
    if x == z:
        return
    every = dict.fromkeys((*drawing.open[x], *drawing.open[z]))
    out = tuple(dim for dim in every if drawing.chance(70))[:3]
    if len(every) > 4:
        return
    _read(drawing, x, z)
    _give(drawing, f"{x} * {z}", out, every)


def _residual(drawing: Drawing) -> None:
    x = drawing.pick(drawing.open)
    same = [z for z, dims in drawing.open.items() if dims == drawing.open[x] and z != x]
    if not same:
        return _pointwise(drawing)
    z = drawing.pick(same)
    _read(drawing, x, z)
    sign = drawing.pick((" + ", " - ", " + 2 * "))
    _give(drawing, f"{x}{sign}{z}", drawing.open[x], drawing.open[x])
    return None


def _bias(drawing: Drawing) -> None:
    x = drawing.pick(drawing.open)
    dims = drawing.open[x]
    if not dims:
        return
    bias = _weight(drawing, (drawing.pick(dims),))
    _read(drawing, x)
    _give(drawing, f"{x} + {bias}", dims, dims)


def _pointwise(drawing: Drawing) -> None:
    x = drawing.pick(drawing.open)
    _read(drawing, x)
    function = drawing.pick(POINTWISE)
    _give(drawing, f"{function}({x})", drawing.open[x], drawing.open[x])


def _scale(drawing: Drawing) -> None:
    x = drawing.pick(drawing.open)
    _read(drawing, x)
    expression = drawing.pick((f"-2 * {x}", f"{x} * 3", f"{x} + 1"))
    _give(drawing, expression, drawing.open[x], drawing.open[x])


def _copy(drawing: Drawing) -> None:
    x = drawing.pick(drawing.open)
    _read(drawing, x)
    _give(drawing, x, drawing.open[x], drawing.open[x])


def _masked(drawing: Drawing, dim: str) -> str:
    return " masked" if dim in drawing.padded else ""


def _along(drawing: Drawing) -> None:
    x = drawing.pick(drawing.open)
    dims = drawing.open[x]
    if not dims:
        return
    dim = drawing.pick(dims)
    function = drawing.pick(KEEPING)
    weights = ""
    if function in ("rmsnorm", "layernorm") and drawing.chance(60):
        weights = f", {_weight(drawing, (dim,))}"
    _read(drawing, x)
    expression = f"{function} over {dim}{_masked(drawing, dim)} ({x}{weights})"
    _give(drawing, expression, dims, dims)


def _reducing(drawing: Drawing) -> None:
    x = drawing.pick(drawing.open)
    dims = drawing.open[x]
    if not dims:
        return
    dim = drawing.pick(dims)
    _read(drawing, x)
    out = tuple(other for other in dims if other != dim)
    function = drawing.pick(REDUCING)
    _give(drawing, f"{function} over {dim}{_masked(drawing, dim)} ({x})", out, dims)


def _whole(drawing: Drawing) -> None:
    x = drawing.pick(drawing.open)
    dims = drawing.open[x]
    if not dims:
        return
    dim = drawing.pick(dims)
    _read(drawing, x)
    function = drawing.pick(WHOLE)
    rest = tuple(other for other in dims if other != dim)
    out = rest if function == "argmax" else dims
    _give(drawing, f"{function} over {dim}{_masked(drawing, dim)} ({x})", out, rest)


def _three(drawing: Drawing) -> None:
    """A product of three: an activation and two weights, the first of which may be left whole."""
    x = drawing.pick(drawing.open)
    dims = drawing.open[x]
    new = [dim for dim in drawing.dims if dim not in dims]
    if not dims or not new:
        return
    gone, come = drawing.pick(dims), drawing.pick(new)
    first, second = _weight(drawing, (gone,)), _weight(drawing, (gone, come))
    _read(drawing, x)
    out = (*(dim for dim in dims if dim != gone), come)
    _give(drawing, f"{x} * {first} * {second}", out, (*dims, come))


def _taken(drawing: Drawing) -> None:
    """A slice that a number takes."""
    x = drawing.pick(drawing.open)
    dims = drawing.open[x]
    if len(dims) < 2 or "H" in dims:
        return
    gone = drawing.pick(dims)
    _read(drawing, x)
    out = tuple(dim for dim in dims if dim != gone)
    index = ", ".join("0" if dim == gone else dim for dim in dims)
    _give(drawing, f"tanh({x}[{index}])", out, out)


def _lookup(drawing: Drawing) -> None:
    if drawing.indent:
        return  # inputs stand outside
    tokens = drawing.name("t")
    dims = tuple(drawing.some([d for d in drawing.dims if d != "H"], 1, 2))
    new = [dim for dim in drawing.dims if dim not in dims]
    if len(new) < 2:
        return
    by, wide = drawing.some(new, 2, 2)
    drawing.write(f"input {tokens}[{', '.join(dims)}]{_rest(drawing, dims, 30, partial=False)}")
    table = _weight(drawing, (by, wide))
    _give(drawing, f"lookup({tokens}, {table})", (*dims, wide), (*dims, by, wide))


def _loss(drawing: Drawing) -> None:
    logits = drawing.pick(drawing.open)
    dims = drawing.open[logits]
    if len(dims) < 2 or drawing.indent:
        return
    over = drawing.pick(dims)
    rest = tuple(dim for dim in dims if dim != over)
    labels = drawing.name("y")
    drawing.write(f"input {labels}[{', '.join(rest)}]{_rest(drawing, rest, 30, partial=False)}")
    _read(drawing, logits)
    out = rest if drawing.chance(40) else rest[1:] if drawing.chance(50) else ()
    _give(drawing, f"crossentropy over {over} ({logits}, {labels})", out, dims)


def _stack(drawing: Drawing) -> None:
    """A stack over one of the variables: some layers, and one that gives its dims again."""
    entry = drawing.pick(drawing.open)
    dims = drawing.open[entry]
    turns = 2 + drawing.random.randrange(2)
    where = ""
    if drawing.pipeline:
        turns = drawing.axes[drawing.pipeline] * (1 + drawing.random.randrange(2))
        where = f" partition L on {drawing.pipeline}"
    carry, last = entry, drawing.name("h")
    drawing.write(f"dim L = {turns}")
    drawing.write(f"stack body[L]: {carry} -> {last}{where} {{")
    _read(drawing, entry)
    outside, unread = dict(drawing.open), set(drawing.unread)
    drawing.indent = "  "
    drawing.open = {carry: dims} if drawing.chance(60) else dict(outside)
    for _ in range(1 + drawing.random.randrange(3)):
        _layer(drawing)
    same = [name for name, has in drawing.open.items() if has == dims]
    x = same[-1]
    others = [name for name in same if name != x]
    expression = f"tanh({x})" if drawing.chance(50) or not others else f"{x} + {others[0]}"
    _give(drawing, expression, dims, dims, last)
    drawing.indent = ""
    drawing.write("}")
    read_inside = unread - drawing.unread
    drawing.open = {**outside, last: dims}
    drawing.unread = (unread - read_inside - {carry}) | {last}

"""Analyses made by hand: the Megatron pair on N = 8 nodes, as numbers and as formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from specs import MEGATRON

from parspec.grammar.parser import parse
from parspec.grammar.span import Span
from parspec.interpreter.analysis.result import (
    Analysis,
    Cuts,
    ExpectResult,
    LayerResult,
    Memory,
    Move,
    StateOf,
    TensorResult,
    Totals,
)
from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix, Related, Site
from parspec.interpreter.spec.model import (
    Axis,
    Dim,
    Layer,
    Mesh,
    Model,
    Operand,
    Part,
    Stack,
    Template,
    Tensor,
)
from parspec.interpreter.theory.formulas import Amount, product, symbol
from parspec.interpreter.theory.layouts import EVERYWHERE, Layout, layout
from parspec.interpreter.theory.operators import Operator
from parspec.interpreter.theory.primitives import ALL_REDUCE, PRICE_LISTS, per_device, traffic

FILE = "mlp.par"
TEXT = MEGATRON

SPLIT_F = layout({"F": ("N",)})
PARTIAL = layout(partial={"N": "sum"})
NO_MEMORY = Memory(None, None, None, None, None, None, None)


def site(text: str, word: str, file: str = FILE, occurrence: int = 0) -> Site:
    """Where a word stands in a text."""
    start = -1
    for _ in range(occurrence + 1):
        start = text.index(word, start + 1)
    at, key = max((at, chunk.key) for at, chunk in parse(text).placed() if at <= start)
    inside = start - at
    return Site(file, key, Span(inside, inside + len(word)))


def dim(name: str, size: Amount) -> Dim:
    return Dim(name, size, size, (name,), 1, False, False, name)


def model(text: str = TEXT, file: str = FILE, plan: str | None = None, nodes: Amount = 8) -> Model:
    return Model(
        file=file,
        plan=plan,
        plans=(),
        dims=(dim("B", 4096), dim("D", 8192), dim("F", 28672)),
        mesh=Mesh((Axis("N", nodes, None),)),
        links=(),
        devices=(),
        parts=(),
        outputs=(),
        templates=(),
        expects=(),
        stages=(),
        settings=None,
        cost="composed",
        explicit=False,
        explicit_site=None,
        doubt=frozenset(),
        documents=((file, parse(text)),),
        findings=(),
    )


def layer(name: str, strategy: str, ins: dict[str, Layout], out: tuple[str, Layout]) -> LayerResult:
    states = [StateOf(tensor, "in", where) for tensor, where in ins.items()]
    return LayerResult(
        name=name,
        turns=1,
        busiest_turns=1,
        partition=(("N", "F"),),
        follows=(("N", "h"),) if name == "act" else (),
        strategy=(("N", strategy),),
        states=(*states, StateOf(out[0], "out", out[1])),
        bytes_per_device=155_189_248,
        flops_per_device=240_518_168_576,
        time=None,
    )


def tensor(name: str, role: str, dims: str, size: Amount, where: Layout) -> TensorResult:
    return TensorResult(name, name, role, tuple(dims), "bf16", size, where, None)


def all_reduce(size: Amount, nodes: Amount, times: Amount = 1, groups: Amount = 1) -> Move:
    prices = tuple(
        (prices, product((times, groups, traffic(ALL_REDUCE, prices, size, nodes))))
        for prices in PRICE_LISTS
    )
    return Move(
        direction="forward",
        layer="",
        tensor="y",
        axes=("N",),
        before="R(partial)",
        after="R",
        primitive="All-Reduce",
        order=4,
        times=times,
        group=nodes,
        groups=groups,
        size=size,
        traffic=prices,
        per_device=per_device(ALL_REDUCE, size, nodes),
        time=None,
        cause="output",
        statistic=None,
        site=site(TEXT, "y", occurrence=3),
    )


class Listed(NamedTuple):
    """What is listed of a model of one part."""

    layers: tuple[LayerResult, ...]
    tensors: tuple[TensorResult, ...]
    moves: tuple[Move, ...]

    @property
    def partitions(self) -> list[tuple[str, Cuts]]:
        return [(layer.name, layer.partition) for layer in self.layers]


def analysis(**changes: object) -> Analysis:
    """The pair: 1.06 GB of traffic by one All-Reduce."""
    return relisted(_analysis(model(), 2 * 4096 * 8192, 8), **changes)


def relisted(made: Analysis, **changes: object) -> Analysis:
    """An analysis made by hand that lists other things, or says others."""
    (part,) = made.parts
    listed = {name: changes.pop(name) for name in Listed._fields if name in changes}
    return replace(made, parts=(part._replace(**listed),), **changes)


def symbolic() -> Analysis:
    """The pair on any number of nodes."""
    return _analysis(model(nodes=symbol("N")), 2 * 4096 * 8192, symbol("N"))


def _analysis(of: Model, size: Amount, nodes: Amount) -> Analysis:
    move = all_reduce(size, nodes)
    spent = dict(move.traffic)["composed"]
    weight = 2 * 8192 * 28672
    return Analysis(
        model=of,
        parts=(
            Listed(
                layers=(
                    layer(
                        "up", "tensor, column", {"x": EVERYWHERE, "w_up": SPLIT_F}, ("h", SPLIT_F)
                    ),
                    layer("act", "split F", {"h": SPLIT_F}, ("a", SPLIT_F)),
                    layer("down", "tensor, row", {"a": SPLIT_F, "w_down": SPLIT_F}, ("y", PARTIAL)),
                ),
                tensors=(
                    tensor("x", "input", "BD", size, EVERYWHERE),
                    tensor("w_up", "weight", "DF", weight, SPLIT_F),
                    tensor("w_down", "weight", "FD", weight, SPLIT_F),
                    tensor("h", "activation", "BF", 2 * 4096 * 28672, SPLIT_F),
                    tensor("a", "activation", "BF", 2 * 4096 * 28672, SPLIT_F),
                    tensor("y", "activation", "BD", size, PARTIAL),
                ),
                moves=(move,),
            ),
        ),
        to_outputs=(),
        totals=Totals(
            parameters=2 * 8192 * 28672,
            traffic=(("forward", spent), ("backward", None), ("update", None)),
            by_axis=(("N", spent),),
            by_primitive=(("All-Reduce", spent),),
            memory=replace(NO_MEMORY, weights=117_440_512, total=400_000_000),
            compute_time=None,
            communication_time=None,
            bubble_time=None,
            step_time=None,
            tokens_per_second=None,
            mfu=None,
        ),
        stages=(),
        expects=(ExpectResult("traffic <= 1.2 GB", True, "1.06 GB", site(TEXT, "expect")),),
        findings=(),
    )


def unknown_axis(text: str, word: str, file: str = FILE, plan: str | None = None) -> Finding:
    """`unknown_name` at a word, with the declaration beside it and a fix."""
    where = site(text, word, file)
    return Finding(
        "unknown_name",
        where,
        data=(("kind", "axis"), ("name", word), ("near", ("N",))),
        related=(Related(site(text, "N", file), "an axis is declared here"),),
        fixes=(Fix(f"Replace `{word}` with `N`", (Edit(where, "N"),)),),
        plan=plan,
    )


def linear_model() -> Model:
    """`op linear` in a stack over L, on square weights."""
    operator = Operator("einsum", (("B", "I"), ("I", "O")), ("B", "O"))
    square = Operator("einsum", (("B", "D"), ("D", "D2")), ("B", "D2"))
    names = {
        "x": ("input", ("B", "D")),
        "w": ("weight", ("D", "D2")),
        "h": ("carry", ("B", "D")),
        "y": ("activation", ("B", "D2")),
    }
    layer = Layer(
        name="net.fc",
        parent="net.fc",
        operator=square,
        operands=(Operand("h", ("B", "D")), Operand("w", ("D", "D2"))),
        out="y",
        assignments=(),
        template="linear",
        bound=(("B", "B"), ("I", "D"), ("O", "D2")),
    )
    base = model()
    sized = {dim.name: dim for dim in base.dims} | {
        "D": Dim("D", symbol("D"), symbol("D"), ("D",), 1, False, False, "D"),
        "D2": Dim("D2", symbol("D"), symbol("D"), ("D2",), 1, False, False, "D"),
    }
    variables = tuple(
        Tensor(name, name, role, dims, dims, "bf16") for name, (role, dims) in names.items()
    )
    return replace(
        base,
        dims=tuple(sized.values()),
        templates=(Template("linear", ("X", "W"), "Y", operator),),
        parts=(Part((Stack("net", "L", "x", "h", "y", (), False, (layer,)),), variables),),
    )

"""The statements of a `.par` text with their clauses: frozen nodes that say what was written and
where. Nodes carry no meaning: the model gives them one.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parspec.grammar.expressions import Expression, Name, Number, Path, Size
from parspec.grammar.span import Span
from parspec.grammar.values import value

# -- clauses -------------------------------------------------------------------------------------


@value
class AxisUse:
    """An axis as a clause names it (`tp`, `tp.0`), with how its slices are dealt out."""

    path: Path
    dealt: Literal["zigzag", "ring"] | None
    span: Span


@value
class Cut:
    """One item of `partition`: `S on cp zigzag * tp`, `none on tp`, `? on tp`; major axis first."""

    dim: Name | Literal["none", "?"]
    axes: tuple[AxisUse, ...]
    span: Span


@value
class PartitionClause:
    """`partition DIM on AXIS, DIM on AXIS`."""

    cuts: tuple[Cut, ...]
    span: Span


@value
class StateClause:
    """`replicated on tp, dp`, `centralized on tp`, `partial on tp`, `partial max on tp`."""

    state: Literal["replicated", "centralized", "partial"]
    kind: Name | None  # of a partial, when written
    axes: tuple[AxisUse, ...]
    span: Span


@value
class StoreClause:
    """`store D on dp`, or `store on dp * cp` without a dim (flattened)."""

    dim: Name | None
    axes: tuple[AxisUse, ...]
    span: Span


@value
class AtClause:
    """`at pp[0]`: on one pipeline stage."""

    axis: Path
    stage: Number
    span: Span


@value
class FlagClause:
    """`frozen` or `recompute`."""

    flag: Literal["frozen", "recompute"]
    span: Span


@value
class UnevenClause:
    """`uneven` behind a stack's `partition L on pp`: the first stages take one layer more."""

    span: Span


Clause: TypeAlias = (
    PartitionClause | StateClause | StoreClause | AtClause | FlagClause | UnevenClause
)


# -- statements ----------------------------------------------------------------------------------


@value
class DimItem:
    """One dimension of a `dim` statement; size None is symbolic."""

    name: Name
    size: Size | None
    unit: Size | None
    padded: Size | None  # `padded to 128 * tp`
    uneven: bool
    span: Span


@value
class DimStatement:
    """`dim B = 4096, D`."""

    items: tuple[DimItem, ...]


@value
class AxisItem:
    """`tp = 8 over nvlink`; size None is symbolic."""

    name: Name
    size: Size | None
    link: Name | None
    span: Span


@value
class MeshStatement:
    """`mesh pp = 4 over ib, tp = 8 over nvlink on 256 h100`."""

    axes: tuple[AxisItem, ...]
    devices: Size | None
    device: Name | None


@value
class AxisStatement:
    """Another view: `axis ep = dp * tp` (of is ()), `axis edp = rest, ep = 8 of dp * cp * tp`."""

    items: tuple[AxisItem, ...]
    of: tuple[Path, ...]


@value
class Setting:
    """`key = value`; the value is a quantity, a word, a word that starts with a digit (`1f1b`)
    or a product of names."""

    key: Name
    value: Size
    span: Span


@value
class LinkStatement:
    """`link ib { bandwidth = 50 GB/s  latency = 5 us }`."""

    name: Name
    settings: tuple[Setting, ...]


@value
class DeviceStatement:
    """`device h100 { memory = 80 GiB  flops = 989 Tflop/s  hbm = 3.35 TB/s }`."""

    name: Name
    settings: tuple[Setting, ...]


@value
class DtypeStatement:
    """`dtype bf16`."""

    dtype: Name


@value
class TensorItem:
    """`w[D, F] : fp8`."""

    name: Name
    dims: tuple[Name, ...]
    dtype: Name | None
    span: Span


@value
class TensorStatement:
    """`input`, `weight`, `cache` or `var` with its list; the clauses hold for the whole list."""

    role: Literal["input", "weight", "cache", "var"]
    items: tuple[TensorItem, ...]
    clauses: tuple[Clause, ...]


@value
class OutputStatement:
    """`output y replicated on N`; several may be listed."""

    tensors: tuple[Path, ...]
    clauses: tuple[Clause, ...]


@value
class LayerStatement:
    """`layer up: h[B, F] : f32 = x * w  partition F on tp`; out_dims None where left out."""

    name: Name
    out: Name
    out_dims: tuple[Name, ...] | None
    dtype: Name | None
    expression: Expression | None  # None only in a half-typed layer
    clauses: tuple[Clause, ...]


@value
class OpStatement:
    """`op linear(X[B, I], W[I, O]) -> Y[B, O] = X * W`."""

    name: Name
    parameters: tuple[TensorItem, ...]
    out: TensorItem
    expression: Expression


@value
class PointwiseStatement:
    """`op swish: pointwise`."""

    name: Name


@value
class BlockStatement:
    """The header of `block attention(q[B, S], ...) -> c fused {`."""

    name: Name
    parameters: tuple[TensorItem, ...]
    out: Name
    fused: bool


@value
class StackStatement:
    """The header of `stack decoder[L]: x -> y partition L on pp {`."""

    name: Name
    dim: Name
    carry_in: Name
    carry_out: Name
    clauses: tuple[Clause, ...]


@value
class PlanStatement:
    """The header of `plan NAME {`."""

    name: Name


@value
class Portion:
    """`4 decoder` or `embed`: so many layers of a stack, or a layer (count None)."""

    count: Number | None
    path: Path


@value
class Chunks:
    """`14 of 4 decoder`: so many equal chunks, each of these portions; () is `none`."""

    repeat: Number | None
    portions: tuple[Portion, ...]
    span: Span


@value
class StagesStatement:
    """`stages pp: embed + 4 decoder | 14 of 4 decoder | 1 decoder + loss`."""

    axis: Path
    chunks: tuple[Chunks, ...]


@value
class Pattern:
    """`decoder.{q,k,v}`: the alternatives of each part; `*` is the alternative `*`."""

    parts: tuple[tuple[Name, ...], ...]
    span: Span


@value
class ForStatement:
    """`for decoder.{q,k,v}, head: partition H on tp`."""

    patterns: tuple[Pattern, ...]
    clauses: tuple[Clause, ...]


@value
class TrainStatement:
    """`train adam { global_batch = B  microbatches = 32 }`."""

    optimizer: Name | None
    settings: tuple[Setting, ...]


@value
class InferStatement:
    """`infer { phase = decode  context = 8192 }`."""

    settings: tuple[Setting, ...]


@value
class CostStatement:
    """`cost ring`."""

    price_list: Name


@value
class CommunicationStatement:
    """`communication explicit`."""

    mode: Name


@value
class ImportStatement:
    """`import "model.par"` (quoted) or `import std.h100`."""

    target: str
    quoted: bool
    span: Span


@value
class GradientUse:
    """`grad(w)` or a plain tensor path where an `expect` names a tensor."""

    path: Path
    gradient: bool
    span: Span


@value
class Scope:
    """What narrows an `expect`: `in decoder`, `on tp`, `per device`, `forward`. `again` is where
    one of the last two is said for the second time."""

    within: tuple[Path, ...]
    axes: tuple[AxisUse, ...]
    per_device: bool
    passes: Literal["forward", "backward", "update"] | None
    again: Span | None = None


@value
class BudgetExpect:
    """`expect traffic(decoder) on tp per device < 2 GB forward`; the subject in parentheses is in
    `arguments`."""

    figure: Name
    arguments: tuple[Path, ...]
    comparison: Literal["<", "<=", ">", ">=", "=="]
    bound: Size
    scope: Scope


@value
class PrimitiveExpect:
    """`expect no All-Gather in decoder`, `expect All-Reduce of grad(w) on dp`."""

    absent: bool
    primitive: Name | None  # None: `expect no communication`; the name as written, with its hyphens
    tensor: GradientUse | None
    scope: Scope


@value
class StateWord:
    """`P(F)`, `R`, `R(partial)`, `R(partial max)`, `C(0,3)` as written."""

    head: Name
    arguments: tuple[Name | Number, ...]
    span: Span


@value
class StateExpect:
    """`expect h is P(F) on tp`."""

    tensor: GradientUse
    state: StateWord
    scope: Scope


@value
class ExpectStatement:
    """`expect ...`."""

    condition: BudgetExpect | PrimitiveExpect | StateExpect


Statement: TypeAlias = (
    DimStatement
    | MeshStatement
    | AxisStatement
    | LinkStatement
    | DeviceStatement
    | DtypeStatement
    | TensorStatement
    | OutputStatement
    | LayerStatement
    | OpStatement
    | PointwiseStatement
    | BlockStatement
    | StackStatement
    | PlanStatement
    | StagesStatement
    | ForStatement
    | TrainStatement
    | InferStatement
    | CostStatement
    | CommunicationStatement
    | ImportStatement
    | ExpectStatement
)

"""The syntax tree of a `.par` text: frozen nodes that say what was written and where.

A text is split into *chunks* at the keywords that begin statements; each chunk holds one
statement. Every span is relative to the start of its chunk, so a chunk that merely moves keeps
its nodes. Nodes carry no meaning: `H` is a name here, a product of dims only in the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from parspec.grammar.values import value


class Span(NamedTuple):
    """Half-open range of code points, relative to the chunk it stands in."""

    start: int
    end: int


@value
class Name:
    """An identifier where it stands."""

    text: str
    span: Span


@value
class Path:
    """A dotted name: `decoder.up`, `tp.0`, `std.h100`; one part when there is no dot."""

    parts: tuple[Name, ...]
    span: Span

    @property
    def text(self) -> str:
        """The parts joined by dots."""
        return ".".join(part.text for part in self.parts)


# -- sizes and quantities ------------------------------------------------------------------------


@value
class Number:
    """A number, exact, with the unit as written (`80 GB`, `5%`, `8Ki` has no unit but 8192)."""

    value: Fraction
    unit: str | None
    span: Span


@value
class Arithmetic:
    """`left op right` over sizes, with op one of `+ - * /`."""

    operator: Literal["+", "-", "*", "/"]
    left: Size
    right: Size
    span: Span


@value
class Capacity:
    """`capacity(tokens = B * S, experts = E, top = 2, factor = 1.25)`: slots per expert."""

    arguments: tuple[tuple[Name, Size], ...]
    span: Span


@value
class Rest:
    """`rest`: what fills a product."""

    span: Span


Size: TypeAlias = Number | Name | Arithmetic | Capacity | Rest


# -- tensors and expressions ---------------------------------------------------------------------


@value
class Index:
    """One index of a tensor: a dimension's name, or a number that takes that slice."""

    name: Name | Number
    span: Span


@value
class TensorUse:
    """A tensor in an expression; `indices` is None where they are left out, () for `t[]`."""

    path: Path
    indices: tuple[Index, ...] | None
    span: Span


@value
class Scalar:
    """A number in an expression."""

    value: Fraction
    span: Span


@value
class Product:
    """`a * b * c`; an einsum where two or more factors are tensors. `a / 2` divides by a scalar."""

    factors: tuple[Expression, ...]
    span: Span


@value
class Term:
    """A term of a sum with its sign, 1 or -1."""

    sign: int
    value: Expression


@value
class Sum:
    """`a + b - c`."""

    terms: tuple[Term, ...]
    span: Span


@value
class Call:
    """`f(x, ...)` or `f over D, E masked (x, ...)`; also the use of a template or a block."""

    function: Name
    over: tuple[Name, ...]
    masked: bool
    arguments: tuple[Expression, ...]
    span: Span


Expression: TypeAlias = TensorUse | Scalar | Product | Sum | Call


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


# -- documents -----------------------------------------------------------------------------------


@value
class SyntaxFault:
    """One syntax error: a sentence, where it shows, what may stand there instead, and a mend.

    `replacement` is the text to put in place of `span`, where a mend is certain enough to offer.
    `help` is a second sentence that says how to mend it, or "".
    """

    message: str
    span: Span
    expected: tuple[str, ...]
    help: str = ""
    replacement: str | None = None


@value
class Parsed:
    """What one chunk's text means: the statement as far as it was understood, its faults, the
    words that were skipped (their names are not reported as unknown or unused elsewhere), and the
    comments beside its items, by the name that they document."""

    statement: Statement | None
    faults: tuple[SyntaxFault, ...]
    skipped: tuple[str, ...]
    notes: tuple[tuple[str, str], ...]


TOP = -1
"""The key of whatever chunk comes first."""


@value
class Chunk:
    """A statement's text with what it means. `key` names it in its document, also after edits
    elsewhere; in a text parsed afresh keys count chunks in reading order (preorder). `note`: the
    comment above it. It does not know where it stands: `Document.start_of` does."""

    key: int
    text: str
    parsed: Parsed
    note: str
    body: tuple[Chunk, ...]

    @property
    def statement(self) -> Statement | None:
        """The statement as far as it was understood."""
        return self.parsed.statement

    def preorder(self) -> Iterator[Chunk]:
        """The chunk and all those inside it, in reading order."""
        pending = [self]
        while pending:
            here = pending.pop()
            yield here
            pending += reversed(here.body)


@dataclass(frozen=True)
class Run:
    """Some consecutive outermost `chunks`, the same value for as long as no edit touches it: what
    is computed from a run need not be computed again. `every`: all its chunks in reading order;
    `offsets`: where each of these starts, from the start of the run."""

    chunks: tuple[Chunk, ...]
    every: tuple[Chunk, ...]
    offsets: tuple[int, ...]

    @cached_property
    def offset_of(self) -> Mapping[int, int]:
        """Where the chunks start, by key."""
        return {chunk.key: at for chunk, at in zip(self.every, self.offsets, strict=True)}

    @cached_property
    def faulty(self) -> tuple[Chunk, ...]:
        """The chunks with a syntax error."""
        return tuple(chunk for chunk in self.every if chunk.parsed.faults)

    @cached_property
    def skipped(self) -> frozenset[str]:
        """The words that could not be placed."""
        return frozenset(word for chunk in self.every for word in chunk.parsed.skipped)

    @cached_property
    def importing(self) -> tuple[tuple[int, ImportStatement], ...]:
        """The outermost imports, each with where its chunk starts, from the start of the run."""
        return tuple(
            (self.offset_of[chunk.key], chunk.statement)
            for chunk in self.chunks
            if isinstance(chunk.statement, ImportStatement)
        )


@dataclass(frozen=True)
class Document:
    """A parsed text: its runs with the offsets at which they start, the comment that documents the
    file, the first key that is free. `regular`: braces match, so that a part of the text reads the
    same by itself."""

    text: str
    runs: tuple[Run, ...]
    starts: tuple[int, ...]
    note: str
    free_key: int
    regular: bool

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """The outermost chunks."""
        return tuple(chunk for run in self.runs for chunk in run.chunks)

    @cached_property
    def every(self) -> tuple[Chunk, ...]:
        """All chunks in reading order."""
        return tuple(chunk for run in self.runs for chunk in run.every)

    @cached_property
    def faulty(self) -> tuple[Chunk, ...]:
        """The chunks with a syntax error."""
        return tuple(chunk for run in self.runs for chunk in run.faulty)

    def start_of(self, key: int) -> int:
        """The offset of the first character of a chunk; 0 where it has no such chunk."""
        if key == TOP:
            return self.starts[0] if self.starts else 0
        for run, start in zip(self.runs, self.starts, strict=True):
            if key in run.offset_of:
                return start + run.offset_of[key]
        return 0

    def importing(self) -> Iterator[tuple[int, ImportStatement]]:
        """Every outermost import, with where its chunk starts."""
        for run, start in zip(self.runs, self.starts, strict=True):
            for offset, statement in run.importing:
                yield start + offset, statement

    def placed(self) -> Iterator[tuple[int, Chunk]]:
        """Every chunk with its start, in reading order."""
        for run, start in zip(self.runs, self.starts, strict=True):
            for chunk, offset in zip(run.every, run.offsets, strict=True):
                yield start + offset, chunk

"""The model: a spec with every name resolved, every size computed, every clause given to its axis.

Frozen values without syntax: what the analysis runs the theory over. Dimensions of tensors and
operators are *leaves*: a product of dims is spelled out as its factors. Where something stands is
kept beside it and never compared, so that equal content means an equal model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Literal, TypeAlias

from parspec.grammar.document import Document
from parspec.grammar.syntax import ExpectStatement
from parspec.grammar.values import the_one, value
from parspec.interpreter.diagnostics.findings import NOWHERE, Finding, Site
from parspec.interpreter.theory.formulas import Amount
from parspec.interpreter.theory.operators import Operator


def site_field() -> Site:
    """A field that says where something stands; two values are equal wherever they stand."""
    return field(default=NOWHERE, compare=False)


def note_field() -> str:
    """A field for the comment that documents something; it does not take part in comparisons."""
    return field(default="", compare=False)


@value
class Dim:
    """A dimension. `size` is what was declared (a symbol where it has none), `extent` what a whole
    variable holds (padding included). `factors` are its leaves, major first, itself if it is one.
    A slice holds a whole number of `unit`; `positions` is the dimension whose positions it
    indexes (`dim T = S`: S for both), itself if nothing else."""

    name: str
    size: Amount
    extent: Amount
    factors: tuple[str, ...]
    unit: int
    padded: bool
    uneven: bool
    positions: str
    note: str = note_field()
    site: Site = site_field()


@value
class Link:
    """A link. bandwidth: bytes/s in one direction; latency, start: s; efficiency: 0..1; within: how
    many neighbours it joins, None for any number."""

    name: str
    bandwidth: Fraction
    latency: Fraction
    start: Fraction
    efficiency: Fraction
    within: int | None
    note: str = note_field()
    site: Site = site_field()


@value
class Device:
    """A device. memory: bytes; flops: operations/s; hbm: bytes/s; None where not given."""

    name: str
    memory: Amount | None
    flops: Fraction | None
    hbm: Fraction | None
    note: str = note_field()
    site: Site = site_field()


@value
class Axis:
    """A mesh axis; its size is a symbol where it has none; `link` by name."""

    name: str
    size: Amount
    link: str | None
    note: str = note_field()
    site: Site = site_field()


@value
class View:
    """Another name for mesh axes (`axis ep = dp * tp`: of = ("dp", "tp"), pieces = None), or one
    piece of a new cut of their product (`pieces`: all pieces outermost first, with sizes)."""

    name: str
    size: Amount
    of: tuple[str, ...]
    pieces: tuple[tuple[str, Amount], ...] | None
    link: str | None
    note: str = note_field()
    site: Site = site_field()


@value
class Mesh:
    """The axes, outermost first; the device by name and how many of them, where said. `poisoned`:
    names of axes and views that were declared with a mistake that has been reported; a view that
    cannot be understood at all is among them only."""

    axes: tuple[Axis, ...] = ()
    views: tuple[View, ...] = ()
    device: str | None = None
    devices: Amount | None = None
    site: Site | None = field(default=None, compare=False)
    poisoned: frozenset[str] = frozenset()

    def in_order(self, axes: Iterable[str]) -> tuple[str, ...]:
        """Axes and places of axes (`tp.0`) as they lie in the mesh, outermost first: one order for
        what is summed over the same ones."""
        places = {axis.name: place for place, axis in enumerate(self.axes)}

        def place(axis: str) -> tuple[int, int]:
            name, _, part = axis.partition(".")
            return places.get(name, len(places)), int(part or 0)

        return tuple(sorted(axes, key=place))


@value
class Assignment:
    """What a clause says of one axis, for a layer or for a variable at rest.

    saying: `partition` (along `dim`, a leaf or a product; `sequence` are the axes written with it,
    major first), `none` (not partitioned there), `hole` (`?`), `replicated`, `centralized`,
    `partial` (of `kind`), `store` (`dim` None: flattened). `dealt`: zigzag or ring.
    origin: the layer's own clause, a pattern's, or a clause on the layer that called a block.
    """

    axis: str
    saying: Literal["partition", "none", "hole", "replicated", "centralized", "partial", "store"]
    dim: str | None = None
    sequence: tuple[str, ...] = ()
    dealt: Literal["zigzag", "ring"] | None = None
    kind: str | None = None
    origin: Literal["own", "pattern", "call"] = "own"
    site: Site = site_field()


@value
class Stage:
    """`at pp[0]`."""

    axis: str
    index: int
    site: Site = site_field()


@value
class Tensor:
    """A variable. `name` is unique in the model (`decoder.h`, `decoder.attn.s`), `label` what the
    spec calls it where it is declared (`h`). role: `carry` is a stack's carry as its body reads
    it; `activation` a layer's output or a `var`. dims as declared, leaves spelled out; neither
    holds the stack's dimension. `stacked`: the stack dimensions that it has one slice for each
    turn of, outermost first (weights and caches). `rest`: how it lies at rest, as far as said.
    `aliases`: further names it answers to in pins."""

    name: str
    label: str
    role: Literal["input", "weight", "cache", "activation", "carry"]
    dims: tuple[str, ...]
    leaves: tuple[str, ...]
    dtype: str
    stacked: tuple[str, ...] = ()
    rest: tuple[Assignment, ...] = ()
    stage: Stage | None = None
    frozen: bool = False
    aliases: tuple[str, ...] = ()
    note: str = note_field()
    site: Site = site_field()


@value
class Operand:
    """A variable as a layer reads it: `leaves` by position of the variable's own leaves, renamed
    where the spec renames; None where a number takes that slice of it. `factor`: the number of
    its sign and scale in a sum."""

    tensor: str
    leaves: tuple[str | None, ...]
    factor: Fraction = Fraction(1)
    site: Site = site_field()


@value
class Layer:
    """One operator with its variables and what clauses say of it, one assignment an axis.

    `name` is unique (`decoder.up`, `decoder.attn.score`); an inner expression is a layer of its
    own under `parent`'s clauses, named `decoder.up.1`. `fused`: the fused group that it belongs to
    (its name), or None. `operator.inputs` are the operands' leaves without slices taken.
    `template`: the `op` it was made from, with the dims bound to the template's (template's dim,
    leaf). `offset`: the number that a sum adds (the operator is then pointwise, `shift`)."""

    name: str
    parent: str
    operator: Operator
    operands: tuple[Operand, ...]
    out: str
    assignments: tuple[Assignment, ...]
    stage: Stage | None = None
    fused: str | None = None
    recompute: bool = False
    template: str | None = None
    bound: tuple[tuple[str, str], ...] = ()
    offset: Fraction = Fraction(0)
    note: str = note_field()
    site: Site = site_field()


@value
class Stack:
    """Layers repeated along `dim`. `entry` is the variable that comes in from outside, `carry` the
    same as the body reads it, `last` the variable that one turn leaves to the next and to what
    follows. `assignments` of its dimension (pipeline); `uneven`: first stages take one more."""

    name: str
    dim: str
    entry: str
    carry: str
    last: str
    assignments: tuple[Assignment, ...]
    uneven: bool
    items: tuple[Layer | Stack, ...]
    note: str = note_field()
    site: Site = site_field()


Item: TypeAlias = Layer | Stack


@dataclass(frozen=True, eq=False)
class Part:
    """What a passage of statements makes: layers and stacks in order, and the variables that it
    declares. After an edit it is the very same value where the passage means the same."""

    items: tuple[Item, ...]
    tensors: tuple[Tensor, ...]

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """Its layers in order, those inside stacks once."""
        return tuple(layers_of(self.items))

    @cached_property
    def named(self) -> Mapping[str, Tensor]:
        """Its variables by name."""
        return {tensor.name: tensor for tensor in self.tensors}

    @cached_property
    def used(self) -> frozenset[str]:
        """The variables that its layers and stacks read or give."""
        return frozenset(name for item in self.items for name in _used(item))

    @cached_property
    def idle(self) -> tuple[str, ...]:
        """The variables that are not declared and that it neither reads nor gives."""
        declared = ("input", "weight", "cache")
        made = (tensor.name for tensor in self.tensors if tensor.role not in declared)
        return tuple(name for name in made if name not in self.used)

    @cached_property
    def stacks(self) -> tuple[Stack, ...]:
        """Its stacks, outer ones first."""
        return tuple(stack for item in self.items for stack in _stacks(item))

    @cached_property
    def stage_axes(self) -> tuple[str, ...]:
        """The axes on whose nodes layers outside stacks are placed."""
        placed = (item.stage for item in self.items if isinstance(item, Layer))
        return tuple(dict.fromkeys(stage.axis for stage in placed if stage is not None))

    @cached_property
    def turns(self) -> frozenset[str]:
        """The dimensions that its stacks repeat along or its variables have a slice for."""
        own = (dim for tensor in self.tensors for dim in tensor.stacked)
        return the_one(frozenset((*own, *(stack.dim for stack in self.stacks))))


def layers_of(items: Iterable[Item]) -> Iterator[Layer]:
    """All layers in order, those inside stacks once."""
    for item in items:
        if isinstance(item, Layer):
            yield item
        else:
            yield from layers_of(item.items)


def _used(item: Item) -> Iterator[str]:
    if isinstance(item, Layer):
        yield from (operand.tensor for operand in item.operands)
        yield item.out
    else:
        yield from (item.entry, item.carry, item.last)
        for inner in item.items:
            yield from _used(inner)


def _stacks(item: Item) -> Iterator[Stack]:
    if isinstance(item, Stack):
        yield item
        for inner in item.items:
            yield from _stacks(inner)


@value
class Output:
    """`output y replicated on N`."""

    tensor: str
    rest: tuple[Assignment, ...]
    stage: Stage | None
    site: Site = site_field()


@value
class Expect:
    """A budget or a pin with its names resolved. `tensor` by unique name; `within` the paths
    of layers, stacks or calls of blocks that `in` or parentheses narrow it to, with all that is
    inside them (None: everything); `bound` in
    bytes, seconds, a count or a share; `slack`: how far from a bound a figure may be that has to
    equal it."""

    statement: ExpectStatement
    text: str
    tensor: str | None
    within: tuple[str, ...] | None
    axes: tuple[str, ...]
    bound: Amount | None
    slack: Fraction = Fraction(0)
    site: Site = site_field()


@value
class Settings:
    """`train` or `infer` with checked keys; a value is an amount, a word or axes."""

    verb: Literal["train", "infer"]
    optimizer: str | None
    values: tuple[tuple[str, Amount | str | tuple[str, ...]], ...]
    sites: tuple[tuple[str, Site], ...] = field(default=(), compare=False)
    site: Site = site_field()


@value
class Template:
    """`op linear(X[B, I], W[I, O]) -> Y[B, O] = X * W`: the parameters that the operator reads, in
    its order, result name, operator over the template's own dims."""

    name: str
    parameters: tuple[str, ...]
    out: str
    operator: Operator
    note: str = note_field()
    site: Site = site_field()


@value
class Stages:
    """`stages pp: ...` with names resolved: for each chunk in order what it holds, as (layer or
    stack, count of its layers; 1 for a layer)."""

    axis: str
    chunks: tuple[tuple[tuple[str, int], ...], ...]
    site: Site = site_field()


@dataclass(frozen=True)
class Model:
    """A whole spec under one plan (or none), its layers and stacks with their variables in parts.
    `doubt`: the keywords of the statements in which
    there is an error, so that what they say may be missing (`?`: of a statement of any kind)."""

    file: str
    plan: str | None
    plans: tuple[str, ...]
    dims: tuple[Dim, ...]
    mesh: Mesh
    links: tuple[Link, ...]
    devices: tuple[Device, ...]
    parts: tuple[Part, ...] = field(compare=False, repr=False)
    outputs: tuple[Output, ...]
    templates: tuple[Template, ...]
    expects: tuple[Expect, ...]
    stages: tuple[Stages, ...]
    settings: Settings | None
    cost: Literal["composed", "approx", "ring"]
    explicit: bool
    explicit_site: Site | None = field(compare=False)
    documents: tuple[tuple[str, Document], ...] = field(compare=False)
    findings: tuple[Finding, ...] = field(compare=False)
    doubt: frozenset[str] = field(default=frozenset(), compare=False)

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Its layers and stacks in order."""
        return tuple(chain.from_iterable([part.items for part in self.parts]))

    @cached_property
    def tensors(self) -> tuple[Tensor, ...]:
        """Its variables."""
        return tuple(chain.from_iterable([part.tensors for part in self.parts]))

    @cached_property
    def called(self) -> Mapping[str, Tensor]:
        """Its variables by their names and by their paths as they are written, the first of
        each."""
        found: dict[str, Tensor] = {}
        for tensor in self.tensors:
            found.setdefault(tensor.name, tensor)
            found.setdefault(tensor.label, tensor)
        return found

    def __eq__(self, other: object) -> bool:
        """Has it the same content, in whatever parts?"""
        if not isinstance(other, Model):
            return NotImplemented
        compared = [field.name for field in fields(self) if field.compare]
        return all(
            getattr(self, name) == getattr(other, name) for name in (*compared, "items", "tensors")
        )

    @property
    def trains(self) -> bool:
        """Whether a step has a backward pass and an update."""
        return self.settings is not None and self.settings.verb == "train"

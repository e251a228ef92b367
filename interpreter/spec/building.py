"""Building: the model under construction while a spec's statements are walked."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from parspec.grammar.syntax import FlagClause, StoreClause
from parspec.grammar.values import changed, value
from parspec.interpreter.spec.drafts import DraftItem, DraftLayer, Unit, own_name
from parspec.interpreter.spec.limits import (
    ALL_STATEMENTS,
    SIZE_TERMS,
    TREE_STATEMENTS,
)

if TYPE_CHECKING:
    from parspec.grammar.span import Span
    from parspec.grammar.syntax import Clause
    from parspec.interpreter.diagnostics.findings import Site
    from parspec.interpreter.spec.clauses import Said
    from parspec.interpreter.spec.indices import Dimensions
    from parspec.interpreter.spec.model import Layer, Tensor
    from parspec.interpreter.spec.scopes import Here, Scope


@dataclass(slots=True)
class Expansion:
    """How many statements and layers calls of blocks have written out: the outermost call that is
    being written out, and all. `stopped`: they were too many, and no call writes out more."""

    tree: int = 0
    every: int = 0
    stopped: bool = False

    def add(self, count: int) -> None:
        """So many more."""
        self.tree += count
        self.every += count

    @property
    def full(self) -> bool:
        """Whether nothing more is written out."""
        return self.stopped or self.tree > TREE_STATEMENTS or self.every > ALL_STATEMENTS


LAYER_LIMIT = 200_000  # layers of a model with all blocks written out


@value
class Result:
    """What the result of a layer, or of a block, is called.

    inside: its name where it is made; unique, label: its names in the model; shown: the dimensions
    that a caller gives it (None: its own); dtype: the type that a caller gives it; aliases: names
    that it answers to beside.
    """

    inside: str
    unique: str
    label: str
    shown: Dimensions | None
    dtype: str | None
    aliases: tuple[str, ...]
    note: str
    site: Site


@value
class Body:
    """Where statements stand: their scope, the named things around it, the fused group of its
    layers, other names for their dimensions, what a caller calls its result, and the items
    made so far."""

    scope: Scope
    chain: tuple[Unit, ...] = ()
    fused: str | None = None
    renamed: tuple[tuple[str, str], ...] = ()
    result: Result | None = None
    items: list[DraftItem] = field(default_factory=list)


@dataclass(slots=True)
class Building:
    """What the walk has made so far.

    tensors by unique name; units: every named layer and stack by path; broken: the paths of those
    that were left out; active: the blocks being written out; expansion: how much they have written.
    Of the passage that is being walked, said: what the clauses at declarations say of variables;
    declared: where each variable is declared, with its name.
    """

    tensors: MutableMapping[str, Tensor] = field(default_factory=dict)
    units: MutableMapping[str, Unit] = field(default_factory=dict)
    broken: MutableMapping[str, None] = field(default_factory=dict)
    active: list[tuple[str, Site]] = field(default_factory=list)
    said: dict[str, Said] = field(default_factory=dict)
    declared: dict[Site, str] = field(default_factory=dict)
    expansion: Expansion = field(default_factory=Expansion)
    layers: int = 0

    def room(self, layers: int, expanded: int) -> bool:
        """Is there room for so much more?"""
        written = self.expansion.every + expanded
        return not (
            self.expansion.stopped or written > ALL_STATEMENTS or self.layers + layers > LAYER_LIMIT
        )

    def alias(self, tensor: str, name: str) -> None:
        """A variable answers to one more name."""
        known = self.tensors.get(tensor)
        if known is not None and name not in (known.name, *known.aliases):
            self.tensors[tensor] = changed(known, aliases=(*known.aliases, name))

    def add_layer(self, layer: Layer, unit: Unit, body: Body, here: Here, span: Span) -> bool:
        """A new layer of a named one, where there is room for it (else `over_limit`)."""
        if self.active:
            self.expansion.add(1)
            if self.expansion.full:
                return False
        if here.world.terms(layer.operator.dims) > SIZE_TERMS:
            what = f"terms in the formula of the work of {unit.path[-1]}"
            here.report("over_limit", span, what=what, limit=SIZE_TERMS)
            return False
        self.layers += 1
        if self.layers > LAYER_LIMIT:
            if self.layers == LAYER_LIMIT + 1:
                what = "layers with all blocks written out"
                here.report("over_limit", span, what=what, limit=LAYER_LIMIT)
            return False
        renamed = body.renamed + layer.bound
        body.items.append(DraftLayer(layer, (*body.chain, unit), renamed))
        return True

    def check_dims(self, unit: Unit, made: tuple[DraftLayer, ...], here: Here) -> None:
        """`dim_not_in_layer` for a clause that names a dimension which no layer made for the
        named thing has."""
        if not made or unit.name in self.broken or self.layers > LAYER_LIMIT:
            return
        factors = dict(here.world.products)
        reported: set[str] = set()
        for part in unit.said.assignments:
            dim = part.dim
            if dim is None or dim in reported or dim == unit.dim:
                continue
            if not any(own_name(draft, dim, factors) for draft in made):
                reported.add(dim)
                have = made[-1].layer.operator.dims if unit.kind == "layer" else ()
                here.report(
                    "dim_not_in_layer",
                    part.site.span,
                    kind=unit.kind,
                    name=unit.path[-1],
                    dim=dim,
                    dims=have,
                )

    def check_weights(
        self, unit: Unit, clauses: Iterable[Clause], made: tuple[DraftLayer, ...], here: Here
    ) -> None:
        """`misplaced` for a clause about weights where no layer made for the named thing reads
        one."""
        about = [clause for clause in clauses if _is_about_weights(clause)]
        if not about or not made or unit.name in self.broken or self.layers > LAYER_LIMIT:
            return
        read = {operand.tensor for draft in made for operand in draft.layer.operands}
        if any(name not in self.tensors or self.tensors[name].role == "weight" for name in read):
            return
        place = f"on {unit.kind} {unit.path[-1]}, which reads no weight"
        for clause in about:
            word = "store" if isinstance(clause, StoreClause) else "frozen"
            here.report("misplaced", clause.span, statement=word, place=place, idle=True)


def _is_about_weights(clause: Clause) -> bool:
    frozen = isinstance(clause, FlagClause) and clause.flag == "frozen"
    return frozen or isinstance(clause, StoreClause)

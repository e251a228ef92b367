"""Scopes: what a name means at a place of a spec, and what was found wrong there.

A stack's body and a block's expansion have a scope of their own: inner names are local, outer ones
are readable, and from outside an inner name is reached by its path (`decoder.q`). What depends
on something that has been reported already is *broken*: known by name, and left out silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from parspec.grammar.span import Span
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Datum, Finding, Site
from parspec.interpreter.spec.ledger import Ledger
from parspec.interpreter.spec.limits import terms
from parspec.interpreter.spec.names import near, unknown_but_for

if TYPE_CHECKING:
    from parspec.grammar.expressions import Name
    from parspec.grammar.syntax import BlockStatement, OpStatement, PointwiseStatement
    from parspec.interpreter.spec.dims import Dims, Products
    from parspec.interpreter.spec.indices import Dimensions
    from parspec.interpreter.spec.sources import Placed
    from parspec.interpreter.theory.formulas import Amount


Role: TypeAlias = Literal["input", "weight", "cache", "activation", "carry"]


@value
class Facts:
    """What is asked about single dimensions and names, each in a ledger, so that a passage depends
    on what it asked and on nothing else: the leaves of dimensions, their sizes, how many terms a
    size has, the positions that they index, those that cannot be trusted, the names that are not
    reported, and those that are not outside the body of the plan that is looked at."""

    leaves: Ledger[str, tuple[str, ...]]
    sizes: Ledger[str, Amount]
    terms: Ledger[str, int]
    positions: Ledger[str, str]
    poisoned: Ledger[str, None]
    skipped: Ledger[str, None]
    planned: Ledger[tuple[str, str], None]

    @property
    def ledgers(self) -> Mapping[str, Ledger[Any, Any]]:
        """All of them by name."""
        return {
            "leaves": self.leaves,
            "sizes": self.sizes,
            "terms": self.terms,
            "positions": self.positions,
            "poisoned": self.poisoned,
            "skipped": self.skipped,
            "planned": self.planned,
        }


def facts(dims: Dims, skipped: frozenset[str], planned: frozenset[tuple[str, str]]) -> Facts:
    """The facts about a spec's dimensions."""
    every = dims.items
    return Facts(
        Ledger({dim.name: dim.factors for dim in every}),
        Ledger({dim.name: dim.size for dim in every}),
        Ledger({dim.name: terms(dim.size) for dim in every}),
        Ledger({dim.name: dim.positions for dim in every}),
        Ledger(dict.fromkeys(dims.poisoned)),
        Ledger(dict.fromkeys(skipped)),
        Ledger(dict.fromkeys(planned)),
    )


@value
class World:
    """What holds everywhere in a spec. `turns`: the dimensions that stacks repeat along;
    `template_dims`: the dimensions that ops call their own; `dtype`: the type of tensors that have
    none of their own, `weights`: of all weights where `infer` gives one; `context`: the positions
    that it says caches hold; `plain`: whether every size is of one term, so that products of sizes
    are, too."""

    dims: Dims = field(compare=False)
    facts: Facts = field(compare=False)
    products: Products
    axes: tuple[str, ...]
    turns: frozenset[str]
    template_dims: frozenset[str]
    dtype: str
    weights: str | None
    context: Amount | None
    plain: bool = field(init=False)

    def __post_init__(self) -> None:
        plain = all(terms(dim.size) == 1 for dim in self.dims.items)
        object.__setattr__(self, "plain", plain)

    def has_axis(self, path: str) -> bool:
        """Is it an axis or a view, or one place of it (`tp.0`)?"""
        name, _, place = path.partition(".")
        return name in self.axes and (not place or place.isdecimal())

    def same_size(self, left: str, right: str) -> bool:
        """Have two leaves one size? A size that is not known is not reported again."""
        if left == right or left in self.facts.poisoned or right in self.facts.poisoned:
            return True
        return self.size(left) is not None and self.size(left) == self.size(right)

    def size(self, leaf: str) -> Amount | None:
        """The declared size of a leaf; None of a template's own dimension."""
        return self.facts.sizes.get(leaf)

    def terms(self, leaves: Iterable[str]) -> int:
        """How many terms the product of the leaves' sizes has at most."""
        if self.plain:
            return 1
        return prod(self.facts.terms.get(leaf, 1) for leaf in leaves)

    def same_positions(self, left: str, right: str) -> bool:
        """Do two dimensions index the same positions?"""
        position = self.facts.positions.get(left)
        return position is not None and position == self.facts.positions.get(right)


@value
class Seen:
    """A tensor as a scope sees it.

    `leaves` are by position of the tensor's own leaves, None where a slice was taken; `dims` are
    the remaining ones as written. `turns`: the stack dimensions along
    which it has one slice for each turn. `settled` is False for a `var` that no layer has given.
    `doubted`: its dimensions do not follow from the expression behind it, which has been said; it
    is believed to have them, and what does not fit them is not said.
    """

    tensor: str
    role: Role
    dims: Dimensions
    leaves: tuple[str | None, ...]
    turns: tuple[str, ...]
    site: Site
    settled: bool = True
    doubted: bool = False


@value
class Broken:
    """A name whose declaration is wrong: that has been said where it stands."""

    site: Site


Entry: TypeAlias = Seen | Broken


@dataclass(frozen=True, slots=True, eq=False)
class Callee:
    """An op or a block with the scope in which it is declared. A call of one that is not `sound` is
    broken: what is wrong is said at the declaration."""

    statement: OpStatement | PointwiseStatement | BlockStatement
    placed: Placed
    scope: Scope
    sound: bool = True

    @property
    def site(self) -> Site:
        """Where its name is declared."""
        return self.placed.at(self.statement.name.span)


@dataclass(slots=True, eq=False)
class Scope:
    """The names of the whole spec, of a stack's body, or of one expansion of a block or an op.

    `turns`: the stack dimensions around it, outermost first; `bound`: a template's own dimensions
    with the leaves that they stand for.
    """

    path: tuple[str, ...] = ()
    outer: Scope | None = None
    turns: tuple[str, ...] = ()
    bound: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tensors: MutableMapping[str, Entry] = field(default_factory=dict)
    layers: MutableMapping[str, Site] = field(default_factory=dict)
    callees: MutableMapping[str, Callee] = field(default_factory=dict)
    inner: MutableMapping[str, Scope] = field(default_factory=dict)

    def around(self) -> Iterator[Scope]:
        """This scope and those around it, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def unique(self, name: str) -> str:
        """A name's path in the model."""
        return ".".join((*self.path, name)) if self.path else name

    def tensor(self, parts: tuple[str, ...]) -> Entry | None:
        """What a tensor's path names here; None where nothing is called that."""
        if len(parts) == 1:
            return self._entry(parts[0])
        first, *rest = parts
        inner = next((s.inner[first] for s in self.around() if first in s.inner), None)
        for part in rest[:-1]:
            inner = None if inner is None else inner.inner.get(part)
        return None if inner is None else inner.tensors.get(rest[-1])

    def _entry(self, name: str) -> Entry | None:
        scope: Scope | None = self
        while scope is not None:
            entry = scope.tensors.get(name)
            if entry is not None:
                return entry
            scope = scope.outer
        return None

    def tensor_names(self) -> Iterator[str]:
        """Every tensor's name that may be used here without a path."""
        for scope in self.around():
            yield from scope.tensors

    def paths_to(self, name: str) -> Iterator[str]:
        """The paths by which variables of that name in the stacks and blocks here may be read."""
        for scope in self.around():
            yield from (
                f"{part}.{name}" for part, each in scope.inner.items() if name in each.tensors
            )

    def made_like(self, other: Seen) -> Iterator[str]:
        """The variables that the layers of this scope give, of the same dimensions as another, the
        last one first."""
        for name, entry in reversed(tuple(self.tensors.items())):
            made = isinstance(entry, Seen) and entry.role == "activation" and entry.settled
            if made and isinstance(entry, Seen) and entry.dims.groups == other.dims.groups:
                yield name

    def callee(self, name: str) -> Callee | None:
        """The op or block of that name."""
        return next((s.callees[name] for s in self.around() if name in s.callees), None)

    def callee_names(self) -> Iterator[str]:
        """Every op's and block's name that may be used here."""
        for scope in self.around():
            yield from scope.callees


@value
class Notes:
    """What is noted on the way: findings, and the declarations that something reads."""

    found: list[Finding] = field(default_factory=list)
    read: set[Site] = field(default_factory=set)


@value
class Here:
    """The place of one statement: its text, its scope, and where notes are kept."""

    world: World
    scope: Scope
    placed: Placed
    notes: Notes

    def at(self, span: Span) -> Site:
        """The site of a span of the statement."""
        placed = self.placed
        return Site(placed.file, placed.chunk.key, span)

    def unheard(self) -> Here:
        """The same place, where nothing that is found is said."""
        return Here(self.world, self.scope, self.placed, Notes(read=self.notes.read))

    def report(self, name: str, span: Span, /, **data: Datum) -> None:
        """Adds a finding."""
        self.notes.found.append(Finding(name, self.at(span), tuple(data.items())))

    def is_quiet(self, kind: str, name: Name) -> bool:
        """Is nothing said of a name: as it stands in text that was skipped, or as a plan declares
        such a thing, which may be the one that is meant?"""
        facts = self.world.facts
        return name.text in facts.skipped or (
            self.placed.plan is None and (kind, name.text) in facts.planned
        )

    def report_unknown(self, kind: str, name: Name, names: Iterator[str] | tuple[str, ...]) -> None:
        """Adds `unknown_name`, unless nothing is said of the name."""
        self.report_meant(kind, name, near(name.text, names))

    def report_meant(self, kind: str, name: Name, close: tuple[str, ...]) -> None:
        """Adds `unknown_name` with the names that may be meant, unless nothing is said of it."""
        if not self.is_quiet(kind, name):
            found = unknown_but_for(kind, name.text, self.at(name.span), close)
            self.notes.found.append(found)

    def leaves(self, dim: str) -> tuple[str, ...] | None:
        """The leaves of a dimension as it is called here; None where it is unknown."""
        scope: Scope | None = self.scope
        while scope is not None:
            if dim in scope.bound:
                return scope.bound[dim]
            scope = scope.outer
        return self.world.facts.leaves.get(dim)

    def bound_pairs(self) -> tuple[tuple[str, str], ...]:
        """The dimensions of the op being written out, with the leaves that they stand for."""
        return tuple((dim, leaf) for dim, group in self.scope.bound.items() for leaf in group)

    def dim_names(self) -> Iterator[str]:
        """Every dimension's name that may be used here."""
        for scope in self.scope.around():
            yield from scope.bound
        yield from self.world.facts.leaves

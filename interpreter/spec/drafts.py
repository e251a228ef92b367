"""Drafts: layers and stacks before their clauses are settled.

Each knows the named things that it stands in: a clause on any of these may reach it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parspec.grammar.values import value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parspec.interpreter.diagnostics.findings import Site
    from parspec.interpreter.spec.clauses import Said
    from parspec.interpreter.spec.model import Layer, Stack


@value
class Unit:
    """A named layer (also one that calls a block) or a stack, with its own clauses. `dim` is what
    a stack repeats along."""

    path: tuple[str, ...]
    kind: Literal["layer", "stack"]
    said: Said
    site: Site
    dim: str | None = None

    @property
    def name(self) -> str:
        """Its path joined by dots."""
        return ".".join(self.path)


@value
class DraftLayer:
    """A layer without assignments. `chain`: what it stands in, outermost first, itself last.
    `renamed`: other names for its dimensions, a caller's or a template's, with its own."""

    layer: Layer
    chain: tuple[Unit, ...]
    renamed: tuple[tuple[str, str], ...]


@value
class DraftStack:
    """A stack without assignments and without its items."""

    stack: Stack
    chain: tuple[Unit, ...]
    items: tuple[DraftItem, ...]


DraftItem: TypeAlias = DraftLayer | DraftStack


def layers_of(items: tuple[DraftItem, ...] | list[DraftItem]) -> tuple[DraftLayer, ...]:
    """Every layer among the items and in their stacks, in order."""
    found: list[DraftLayer] = []
    for item in items:
        found.extend((item,) if isinstance(item, DraftLayer) else layers_of(item.items))
    return tuple(found)


def own_name(draft: DraftLayer, dim: str, factors: Mapping[str, tuple[str, ...]]) -> str | None:
    """The name under which a layer has a dimension (or a factor of it): the same, or what a
    caller's or a template's dimension is called inside. None if it lacks it. `factors`: those of
    products of dimensions."""
    have = draft.layer.operator.dims
    if not draft.renamed:
        return None if frozenset(factors.get(dim, (dim,))).isdisjoint(have) else dim
    names = [dim]
    for name in names:
        leaves = factors.get(name, (name,))
        if not frozenset(leaves).isdisjoint(have):
            return name
        inside = [new for old, new in draft.renamed if old in (name, *leaves)]
        whole = (product for product, parts in factors.items() if parts == tuple(inside))
        names += [new for new in (*whole, *inside) if new not in names]
    return None

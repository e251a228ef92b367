"""Layouts: how one variable lies on the mesh, one state for each axis.

On one mesh axis a variable is partitioned along a dimension, `P(d)`; replicated, `R`; partial,
`R(partial)`: every node holds a full-sized addend; or centralized, `C(k)`: node k has it and the
others nothing. A layout puts these together: which axes cut which dimension, in which order
(major first), on which axes the variable is partial or centralized. On every axis that is not
mentioned it is replicated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias

from parspec.grammar.values import value

Node: TypeAlias = int | str
TURN: Node = "k"  # the stage that a turn of a pipelined stack runs on
FLAT = "flat"  # the dimension that a flattened store cuts: all elements of a variable in one row


@value
class State:
    """A variable's state on one axis. `dim` of a partition, and how its slices are `dealt` where
    that is not in order; `kind` of a partial (`sum`, `max`, `min`); `nodes` of a centralized
    one."""

    letter: Literal["P", "R", "partial", "C"]
    dim: str | None = None
    kind: str | None = None
    nodes: tuple[Node, ...] = ()
    dealt: Literal["zigzag"] | None = None

    def __str__(self) -> str:
        """`P(d)`, `R`, `R(partial)`, `R(partial max)` or `C(k)`."""
        match self.letter:
            case "P":
                return f"P({self.dim})"
            case "partial":
                return "R(partial)" if self.kind == "sum" else f"R(partial {self.kind})"
            case "C":
                return f"C({','.join(map(str, self.nodes))})"
        return "R"


REPLICATED = State("R")


@dataclass(frozen=True)
class Layout:
    """States on all axes, in one canonical form: equal layouts compare equal.

    `cuts` lists dimensions by name with the axes that cut them, major first; `partial` axes with
    their kinds and `central` axes with their nodes, both by axis name.
    """

    cuts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    partial: tuple[tuple[str, str], ...] = ()
    central: tuple[tuple[str, tuple[Node, ...]], ...] = ()
    zigzag: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Layout):
            return NotImplemented
        return self._hash == other._hash and self._states == other._states

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Computed once: what was found of a layout is looked up by it."""
        return hash(self._states)

    @property
    def _states(self) -> tuple[object, ...]:
        return self.cuts, self.partial, self.central, self.zigzag

    def state(self, axis: str) -> State:
        """The state on one axis."""
        for dim, axes in self.cuts:
            if axis in axes:
                return State("P", dim=dim, dealt="zigzag" if axis in self.zigzag else None)
        for partial_axis, kind in self.partial:
            if partial_axis == axis:
                return State("partial", kind=kind)
        for central_axis, nodes in self.central:
            if central_axis == axis:
                return State("C", nodes=nodes)
        return REPLICATED

    def axes(self, dim: str) -> tuple[str, ...]:
        """The axes that cut a dimension, major first."""
        for name, axes in self.cuts:
            if name == dim:
                return axes
        return ()

    def mentioned(self) -> tuple[str, ...]:
        """All axes on which the variable is not replicated."""
        cut = tuple(axis for _, axes in self.cuts for axis in axes)
        return cut + tuple(a for a, _ in self.partial) + tuple(a for a, _ in self.central)

    def order(self) -> dict[str, tuple[str, ...]]:
        """The dimensions that several axes cut, with those axes, major first."""
        return {dim: axes for dim, axes in self.cuts if len(axes) > 1}

    def renamed(self, names: Mapping[str, str]) -> Layout:
        """The same layout with dimensions renamed."""
        if all(names.get(dim, dim) == dim for dim, _ in self.cuts):
            return self
        cuts = {names.get(dim, dim): axes for dim, axes in self.cuts}
        return layout(cuts, self.partial, self.central, self.zigzag)

    def only(self, dims: Collection[str]) -> Layout:
        """The layout of a variable that has only these dimensions: what cuts others is dropped."""
        if all(dim in dims for dim, _ in self.cuts):
            return self
        cuts = {dim: axes for dim, axes in self.cuts if dim in dims}
        return layout(cuts, self.partial, self.central, self.zigzag)

    def without(self, axes: Collection[str]) -> Layout:
        """The same layout, replicated on these axes."""
        cuts = ((dim, tuple(a for a in cutting if a not in axes)) for dim, cutting in self.cuts)
        return _the_one(
            tuple((dim, left) for dim, left in cuts if left),
            tuple((axis, kind) for axis, kind in self.partial if axis not in axes),
            tuple((axis, nodes) for axis, nodes in self.central if axis not in axes),
            tuple(axis for axis in self.zigzag if axis not in axes),
        )

    def complete(self) -> Layout:
        """The same layout where the variable is no addend: replicated where it is partial."""
        return _the_one(self.cuts, (), self.central, self.zigzag)

    def at(self, nodes: Mapping[str, Node]) -> Layout:
        """The same layout, centralized on one node of each of these axes."""
        left = self.without(nodes)
        central = dict(left.central) | {axis: (node,) for axis, node in nodes.items()}
        return _the_one(left.cuts, left.partial, tuple(sorted(central.items())), left.zigzag)


def layout(
    cuts: Mapping[str, tuple[str, ...]] | None = None,
    partial: Mapping[str, str] | Iterable[tuple[str, str]] = (),
    central: Mapping[str, tuple[Node, ...]] | Iterable[tuple[str, tuple[Node, ...]]] = (),
    zigzag: Iterable[str] = (),
) -> Layout:
    """A layout in canonical form; dimensions that nothing cuts are left out, and of the axes in
    zigzag those that cut nothing."""
    cut = {axis for axes in (cuts or {}).values() for axis in axes} if zigzag else ()
    return _the_one(
        tuple(sorted((dim, tuple(axes)) for dim, axes in (cuts or {}).items() if axes)),
        tuple(sorted(dict(partial).items())) if partial else (),
        tuple(sorted(dict(central).items())) if central else (),
        tuple(sorted(axis for axis in zigzag if axis in cut)) if zigzag else (),
    )


@lru_cache(maxsize=512)
def _the_one(
    cuts: tuple[tuple[str, tuple[str, ...]], ...],
    partial: tuple[tuple[str, str], ...],
    central: tuple[tuple[str, tuple[Node, ...]], ...],
    zigzag: tuple[str, ...],
) -> Layout:
    """Of equal layouts the first: a model has few, and they are compared again and again."""
    return Layout(cuts, partial, central, zigzag)


EVERYWHERE = Layout()  # replicated on every axis

"""The grid: mesh axes broken into the pieces that layouts speak of.

Most axes are one piece and keep their name. An axis that a view cuts anew (`ep = 8 of dp`), or
whose nodes are shared out over the factors of a product of dims (8 kv heads on 16 nodes), falls
into nested pieces `tp.0`, `tp.1`, outermost first. A view is the pieces that it covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

from parspec.interpreter.analysis.topology import departures
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.model import (
    Assignment,
    Dim,
    Item,
    Mesh,
    Model,
    Stack,
    Tensor,
)
from parspec.interpreter.theory.formulas import Amount, ceil_divide
from parspec.interpreter.theory.layouts import Node
from parspec.interpreter.theory.sharing import share_out
from parspec.interpreter.theory.space import Extent, Space, Wire


@dataclass(frozen=True)
class Pieces:
    """The pieces of each mesh axis and of each view, with their nodes, and the leaves of each
    dimension with the whole units that count where a product is handed out: all that layouts
    depend on."""

    axes: tuple[tuple[str, tuple[str, ...]], ...]
    views: tuple[tuple[str, tuple[str, ...]], ...]
    nodes: tuple[tuple[str, Amount], ...]
    factors: tuple[tuple[str, tuple[tuple[str, Amount], ...]], ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Computed once: what was found on pieces is looked up by them."""
        return hash((self.axes, self.views, self.nodes, self.factors))

    @cached_property
    def sizes(self) -> Mapping[str, Amount]:
        """Piece to number of nodes, outermost first."""
        return dict(self.nodes)

    @cached_property
    def rank(self) -> Mapping[str, int]:
        """Piece to its place in the mesh, outermost 0."""
        return {piece: place for place, piece in enumerate(self.sizes)}

    @cached_property
    def covers(self) -> Mapping[str, tuple[str, ...]]:
        """The pieces of an axis or view, outermost first; a piece covers itself."""
        return {p: (p,) for p in self.sizes} | dict(self.axes) | dict(self.views)

    @cached_property
    def leaves(self) -> Mapping[str, tuple[tuple[str, Amount], ...]]:
        """The leaves of each dimension, major first, with their units."""
        return dict(self.factors)

    def shares(self, assignment: Assignment, within: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """The (leaf, piece) pairs that `partition DIM on AXIS` asks for, leaves that `within` lacks
        left out: a product hands the axis to its factors, major first, as far as sizes divide."""
        assert assignment.dim is not None
        factors = self.leaves[assignment.dim]
        have = set(within)
        if len(factors) == 1:
            leaf = factors[0][0]
            return tuple((leaf, piece) for piece in self.covers[assignment.axis] if leaf in have)
        room = [units for _, units in factors]
        pairs: list[tuple[str, str]] = []
        for axis in assignment.sequence or (assignment.axis,):
            for piece in self.covers[axis]:
                nodes = self.sizes[piece]
                taker = share_out(room, nodes).at
                room[taker] = ceil_divide(room[taker], nodes)
                leaf = factors[taker][0]
                if axis == assignment.axis and leaf in have:
                    pairs.append((leaf, piece))
        return tuple(pairs)

    def shown(self, pieces: Iterable[str]) -> tuple[str, ...]:
        """Axis names for pieces: an axis whose pieces are all there is named whole, in place of its
        first piece."""
        given = tuple(pieces)
        names: dict[str, None] = {}
        for piece in given:
            axis = self.axis_of[piece]
            names[axis if set(self.covers[axis]) <= set(given) else piece] = None
        return tuple(names)

    def nodes_at(self, pieces: Iterable[str], number: int) -> dict[str, Node]:
        """The node on each of these pieces, outermost first, of the node `number` of all of them;
        the outermost takes what there is no room for."""
        outermost, *inner = pieces
        found: dict[str, Node] = {}
        for piece in reversed(inner):
            nodes = self.sizes[piece]
            number, found[piece] = divmod(number, nodes) if isinstance(nodes, int) else (0, number)
        return {outermost: number, **found}

    def place(self, axis: str) -> int:
        """The place of an axis or piece in the mesh, outermost 0."""
        return self.rank[self.covers[axis][0]]

    @cached_property
    def axis_of(self) -> Mapping[str, str]:
        """The mesh axis that a piece belongs to."""
        return {piece: axis for axis, pieces in self.axes for piece in pieces}


@dataclass(frozen=True)
class Grid(Pieces):
    """The pieces, and the space over them: every size. `sites`: where the dimensions are declared,
    as equal ones may stand elsewhere."""

    space: Space
    dims: tuple[Dim, ...]
    sites: tuple[Site, ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.space, self.sites))

    @cached_property
    def pieces(self) -> Pieces:
        """What layouts depend on."""
        return Pieces(self.axes, self.views, self.nodes, self.factors)

    @cached_property
    def by_name(self) -> Mapping[str, Dim]:
        """Dimensions by name."""
        return {dim.name: dim for dim in self.dims}

    @cached_property
    def padded(self) -> bool:
        """Whether a dimension is padded."""
        return any(dim.padded for dim in self.dims)

    def units(self, leaf: str) -> Amount:
        """How many whole units a leaf has."""
        return units_of(self.by_name[leaf])


class Asked(NamedTuple):
    """A dimension and the axes that a clause cuts it on, major first."""

    dim: str
    axes: tuple[str, ...]


Marks: TypeAlias = dict[str, set[int]]  # axis to where it is cut: how many nodes lie outside


class Broken(NamedTuple):
    """A mesh in pieces: the pieces of each axis with their sizes, and those that a view covers."""

    axes: Mapping[str, tuple[tuple[str, Amount], ...]]
    views: Mapping[str, tuple[str, ...]]

    @property
    def sizes(self) -> dict[str, Amount]:
        """Sizes of all pieces, outermost first."""
        return dict(part for parts in self.axes.values() for part in parts)

    @property
    def covers(self) -> dict[str, tuple[str, ...]]:
        """The pieces of each axis and view."""
        axes = {axis: tuple(name for name, _ in parts) for axis, parts in self.axes.items()}
        return axes | dict(self.views)


def build_grid(model: Model) -> Grid:
    """The grid of a model."""
    return grid_over(model, asked_of(model.items, model.tensors))


def grid_over(model: Model, asked: Iterable[Asked]) -> Grid:
    """The grid of a model whose layers, stacks and variables ask for these cuts: its mesh, broken
    where views and products of dims ask for it."""
    mesh = model.mesh
    marks: Marks = {axis.name: set() for axis in mesh.axes}
    sizes = {axis.name: axis.size for axis in mesh.axes}
    for view in mesh.views:
        if view.pieces is not None:
            _mark_view(view.of, view.pieces, sizes, marks)
    outputs = (said for output in model.outputs for said in output.rest)
    by_name = {dim.name: dim for dim in model.dims}
    _mark_products(by_name, {*asked, *_asked(outputs)}, _broken(mesh, marks), marks)
    broken = _broken(mesh, marks)
    covers = {axis: broken.covers[axis] for axis in broken.axes}
    nodes = tuple(broken.sizes.items())
    space = Space(
        nodes,
        tuple((dim.name, Extent(dim.extent, dim.unit)) for dim in model.dims),
        _wires(model, covers, broken.views),
    )
    return _the_one(
        Grid(
            tuple(covers.items()),
            tuple(broken.views.items()),
            nodes,
            tuple((dim.name, _leaves(dim, by_name)) for dim in model.dims),
            space,
            model.dims,
            tuple(dim.site for dim in model.dims),
        )
    )


def _leaves(dim: Dim, by_name: Mapping[str, Dim]) -> tuple[tuple[str, Amount], ...]:
    """The leaves of a dimension with their units, which count in a product only."""
    if len(dim.factors) == 1:
        return ((dim.factors[0], 1),)
    return tuple((leaf, units_of(by_name[leaf])) for leaf in dim.factors)


def asked_of(items: Iterable[Item], tensors: Iterable[Tensor]) -> frozenset[Asked]:
    """The cuts that clauses of layers and stacks and of variables at rest ask for."""
    found: set[Asked] = set()
    for item in items:
        found.update(_asked(item.assignments))
        if isinstance(item, Stack):
            found |= asked_of(item.items, ())
    for tensor in tensors:
        found.update(_asked(tensor.rest))
    return frozenset(found)


def _asked(clauses: Iterable[Assignment]) -> Iterator[Asked]:
    for said in clauses:
        if said.dim is not None:
            yield Asked(said.dim, said.sequence or (said.axis,))


@lru_cache(maxsize=64)
def _the_one(grid: Grid) -> Grid:
    """Of grids that are equal the first, so that what is known of one is found without comparing
    all that is in it."""
    return grid


def _broken(mesh: Mesh, marks: Marks) -> Broken:
    """A mesh broken where its axes are marked."""
    axes = {axis.name: _pieces(axis.name, axis.size, marks[axis.name]) for axis in mesh.axes}
    unviewed = Broken(axes, {})
    return Broken(axes, _views(mesh, unviewed.covers, unviewed.sizes))


def _mark_products(
    dims: Mapping[str, Dim], asked: Iterable[Asked], broken: Broken, marks: Marks
) -> None:
    """Note where products of dims cut the axes that they are partitioned on."""
    covers, sizes = broken.covers, broken.sizes
    outside: dict[str, tuple[str, int]] = {}  # piece to its axis and how many nodes lie outside
    for axis, parts in broken.axes.items():
        nodes = 1
        for piece, size in parts:
            outside[piece] = (axis, nodes)
            nodes *= size if isinstance(size, int) else 1
    for name, axes in asked:
        dim = dims.get(name)
        if dim is None or len(dim.factors) == 1:
            continue
        room = [units_of(dims[leaf]) for leaf in dim.factors]
        for piece in (piece for axis in axes for piece in covers.get(axis, ())):
            axis, nodes = outside[piece]
            for place, given in share_out(room, sizes[piece]).given:
                room[place] = ceil_divide(room[place], given)
                if isinstance(given, int):
                    nodes *= given
                    marks[axis].add(nodes)


def _mark_view(
    of: tuple[str, ...],
    pieces: tuple[tuple[str, Amount], ...],
    sizes: Mapping[str, Amount],
    marks: Mapping[str, set[int]],
) -> None:
    """Note where a new cut of a product of axes falls inside one of them."""
    outer = 1
    borders = []
    for _, size in pieces[:-1]:
        if not isinstance(size, int):
            return
        outer *= size
        borders.append(outer)
    before = 1
    for axis in of:
        size = sizes.get(axis, 1)
        if not isinstance(size, int):
            return
        for border in borders:
            inside, rest = divmod(border, before)
            if rest == 0 and 1 < inside < size and size % inside == 0:
                marks[axis].add(inside)
        before *= size


def _pieces(name: str, size: Amount, marks: set[int]) -> tuple[tuple[str, Amount], ...]:
    """An axis as nested pieces with their sizes; itself where nothing cuts it."""
    if not isinstance(size, int) or not marks:
        return ((name, size),)
    parts: list[int] = []
    before = 1
    for mark in [*sorted(marks - {1, size}), size]:
        if mark % before == 0:
            parts.append(mark // before)
            before = mark
    if len(parts) == 1:
        return ((name, size),)
    return tuple((f"{name}.{place}", part) for place, part in enumerate(parts))


def _views(
    mesh: Mesh, covers: Mapping[str, tuple[str, ...]], sizes: Mapping[str, Amount]
) -> dict[str, tuple[str, ...]]:
    """The pieces that each view covers; a name that an axis has stays the axis'."""
    found: dict[str, tuple[str, ...]] = {}
    for view in mesh.views:
        under = [piece for axis in view.of for piece in found.get(axis, covers.get(axis, ()))]
        if view.pieces is None:
            found[view.name] = tuple(under)
            continue
        for name, size in view.pieces:
            taken: list[str] = []
            ways: Amount = 1
            while under and ways != size:
                piece = under.pop(0)
                ways *= sizes[piece]
                taken.append(piece)
            found[name] = tuple(taken)
    return {name: pieces for name, pieces in found.items() if name not in covers}


def _wires(
    model: Model, covers: Mapping[str, tuple[str, ...]], views: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, Wire], ...]:
    """The wire of each piece: of the view that names a link for it, else of its axis. An axis that
    leaves its link's domain has the next one outward's."""
    links = {link.name: link for link in model.links}
    slower = {one.axis.name: one.priced_at for one in departures(model.mesh.axes, model.links)}
    cut_anew = {
        piece: links[view.link]
        for view in model.mesh.views
        if view.link in links and view.pieces is not None
        for piece in views.get(view.name, ())
    }
    return tuple(
        (
            piece,
            Wire(
                link.name,
                link.bandwidth,
                link.latency,
                link.start,
                link.efficiency,
            ),
        )
        for axis in model.mesh.axes
        for piece in covers[axis.name]
        if (link := cut_anew.get(piece) or slower.get(axis.name) or links.get(axis.link or ""))
    )


def units_of(dim: Dim) -> Amount:
    """How many whole units a dimension has."""
    return ceil_divide(dim.extent, dim.unit)

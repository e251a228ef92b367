"""The grid: mesh axes broken into the pieces that layouts speak of.

Most axes are one piece and keep their name. An axis that a view cuts anew (`ep = 8 of dp`), or
whose nodes are shared out over the factors of a product of dims (8 kv heads on 16 nodes), falls
into nested pieces `tp.0`, `tp.1`, outermost first. A view is the pieces that it covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from parspec.interpreter.analysis.topology import departures
from parspec.interpreter.spec.model import Assignment, Dim, Item, Layer, Mesh, Model, Stack
from parspec.interpreter.theory.formulas import Amount, ceil_divide
from parspec.interpreter.theory.sharing import share_out
from parspec.interpreter.theory.space import Extent, Space, Wire


@dataclass(frozen=True)
class Grid:
    """The pieces of each mesh axis and of each view, and the space over these pieces."""

    axes: tuple[tuple[str, tuple[str, ...]], ...]
    views: tuple[tuple[str, tuple[str, ...]], ...]
    space: Space
    dims: tuple[Dim, ...]

    @cached_property
    def covers(self) -> Mapping[str, tuple[str, ...]]:
        """The pieces of an axis or view, outermost first; a piece covers itself."""
        return {p: (p,) for p in self.space.sizes} | dict(self.axes) | dict(self.views)

    @cached_property
    def by_name(self) -> Mapping[str, Dim]:
        """Dimensions by name."""
        return {dim.name: dim for dim in self.dims}

    def shares(self, assignment: Assignment, within: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """The (leaf, piece) pairs that `partition DIM on AXIS` asks for, leaves that `within` lacks
        left out: a product hands the axis to its factors, major first, as far as sizes divide."""
        assert assignment.dim is not None
        dim = self.by_name[assignment.dim]
        have = set(within)
        if len(dim.factors) == 1:
            leaf = dim.factors[0]
            return tuple((leaf, piece) for piece in self.covers[assignment.axis] if leaf in have)
        room = [self.units(leaf) for leaf in dim.factors]
        pairs: list[tuple[str, str]] = []
        for axis in assignment.sequence or (assignment.axis,):
            for piece in self.covers[axis]:
                nodes = self.space.sizes[piece]
                taker = share_out(room, nodes).at
                room[taker] = ceil_divide(room[taker], nodes)
                if axis == assignment.axis and dim.factors[taker] in have:
                    pairs.append((dim.factors[taker], piece))
        return tuple(pairs)

    def units(self, leaf: str) -> Amount:
        """How many whole units a leaf has."""
        return units_of(self.by_name[leaf])

    def shown(self, pieces: Iterable[str]) -> tuple[str, ...]:
        """Axis names for pieces: an axis whose pieces are all there is named whole, in place of its
        first piece."""
        given = tuple(pieces)
        names: dict[str, None] = {}
        for piece in given:
            axis = self.axis_of[piece]
            names[axis if set(self.covers[axis]) <= set(given) else piece] = None
        return tuple(names)

    def place(self, axis: str) -> int:
        """The place of an axis or piece in the mesh, outermost 0."""
        return self.space.rank[self.covers[axis][0]]

    @cached_property
    def axis_of(self) -> Mapping[str, str]:
        """The mesh axis that a piece belongs to."""
        return {piece: axis for axis, pieces in self.axes for piece in pieces}


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
    """The grid of a model: its mesh, broken where views and products of dims ask for it."""
    mesh = model.mesh
    marks: Marks = {axis.name: set() for axis in mesh.axes}
    sizes = {axis.name: axis.size for axis in mesh.axes}
    for view in mesh.views:
        if view.pieces is not None:
            _mark_view(view.of, view.pieces, sizes, marks)
    _mark_products(model, _broken(mesh, marks), marks)
    broken = _broken(mesh, marks)
    covers = {axis: broken.covers[axis] for axis in broken.axes}
    space = Space(
        tuple(broken.sizes.items()),
        tuple((dim.name, Extent(dim.extent, dim.unit)) for dim in model.dims),
        _wires(model, covers, broken.views),
    )
    return Grid(tuple(covers.items()), tuple(broken.views.items()), space, model.dims)


def _broken(mesh: Mesh, marks: Marks) -> Broken:
    """A mesh broken where its axes are marked."""
    axes = {axis.name: _pieces(axis.name, axis.size, marks[axis.name]) for axis in mesh.axes}
    unviewed = Broken(axes, {})
    return Broken(axes, _views(mesh, unviewed.covers, unviewed.sizes))


def _mark_products(model: Model, broken: Broken, marks: Marks) -> None:
    """Note where products of dims cut the axes that they are partitioned on."""
    dims = {dim.name: dim for dim in model.dims}
    covers, sizes = broken.covers, broken.sizes
    outside: dict[str, tuple[str, int]] = {}  # piece to its axis and how many nodes lie outside
    for axis, parts in broken.axes.items():
        nodes = 1
        for piece, size in parts:
            outside[piece] = (axis, nodes)
            nodes *= size if isinstance(size, int) else 1
    for assignment in _assignments(model):
        dim = dims.get(assignment.dim or "")
        if dim is None or len(dim.factors) == 1:
            continue
        room = [units_of(dims[leaf]) for leaf in dim.factors]
        for name in assignment.sequence or (assignment.axis,):
            for piece in covers.get(name, ()):
                axis, nodes = outside[piece]
                for place, given in share_out(room, sizes[piece]).given:
                    room[place] = ceil_divide(room[place], given)
                    if isinstance(given, int):
                        nodes *= given
                        marks[axis].add(nodes)


def _assignments(model: Model) -> Iterator[Assignment]:
    """Every clause: of stacks and layers, of variables at rest and of outputs."""
    items = list(model.items)
    for item in items:
        yield from item.assignments
        if isinstance(item, Stack):
            items += item.items
    for tensor in model.tensors:
        yield from tensor.rest
    for output in model.outputs:
        yield from output.rest


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
    """The pieces that each view covers."""
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
    return found


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


def layers_of(items: Iterable[Item]) -> Iterable[Layer]:
    """All layers in order, those inside stacks once."""
    for item in items:
        if isinstance(item, Layer):
            yield item
        else:
            yield from layers_of(item.items)

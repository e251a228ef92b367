"""Division: whether dimensions divide into the slices that a layer's clauses ask for.

A leaf divides when each axis in turn cuts what the one before it left into equal whole units. A
product of dims hands the nodes to its factors, major first: a factor takes all that is left, or is
used up by a part of it. Zigzag deals two chunks to a node, so the chunks must divide as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import lcm, prod
from typing import NamedTuple, TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.analysis.alike import Alike, alike
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.diagnostics.findings import Datum, Finding, Related, Site
from parspec.interpreter.spec.model import Assignment, Dim, Mesh
from parspec.interpreter.theory.formulas import Amount
from parspec.interpreter.theory.sharing import share_out

HIGHEST_DEGREE = 4096  # valid degrees are listed up to here


@value
class Cut:
    """A dimension on all the axes that cut it in one layer, major first, as a clause asks."""

    dim: Dim
    axes: tuple[str, ...]
    ways: tuple[int, ...]
    zigzag: int | None  # the place of the axis that deals two chunks to a node

    @property
    def multiple(self) -> int:
        """What the size must be a multiple of, units apart."""
        total = prod(self.ways)
        if self.zigzag is None:
            return total
        inside = prod(self.ways[self.zigzag + 1 :])
        return total // inside * lcm(2, inside)


@dataclass(frozen=True, slots=True, eq=False)
class _Asks:
    """What the clauses of a layer ask: cuts, each with the place of the clause that first asks for
    its dimension, and whether all of them divide."""

    cuts: tuple[tuple[int, Cut], ...]
    divide: bool


@value
class _Asked:
    """What one clause of a layer asks of a dimension."""

    layer: str
    said: Assignment
    cut: Cut


@dataclass(frozen=True, eq=False)
class Division:
    """What the layers of a part ask: every cut, and those that do not divide, where each layer
    asks."""

    asks: tuple[_Asks, ...]
    at_fault: tuple[_Asked, ...]


Written: TypeAlias = tuple[tuple[str, Amount], ...]


def written_sizes(mesh: Mesh) -> Written:
    """The sizes that are written of views that do not fit their mesh: they count as such."""
    return tuple((view.name, view.size) for view in mesh.views if view.name in mesh.poisoned)


class Clauses(NamedTuple):
    """The clauses of a layer, and how they cut it."""

    said: tuple[Assignment, ...]
    cuts: tuple[tuple[str, tuple[str, ...]], ...]


def clauses_in(layers: Iterable[Placed]) -> Alike[Clauses]:
    """The clauses of the layers of a part."""
    return alike(Clauses(one.layer.assignments, one.placement.cuts) for one in layers)


def division_in(
    layers: Sequence[Placed], clauses: Alike[Clauses], grid: Grid, written: Written
) -> Division:
    """What the layers of a part ask with these clauses."""
    asks = tuple([_asks(*one, grid, written) for one in clauses.different])
    if all(asked.divide for asked in asks):
        return Division(asks, ())
    at_fault = (
        _Asked(placed.layer.parent, placed.layer.assignments[place], cut)
        for placed, asked in zip(layers, clauses.each(asks), strict=True)
        if not asked.divide
        for place, cut in asked.cuts
    )
    return Division(asks, tuple(one for one in at_fault if fault_of(one.cut, grid) is not None))


def division_findings(parts: Sequence[Division], grid: Grid) -> list[Finding]:
    """A finding for each dimension that does not divide on an axis, where a clause first asks."""
    at_fault: dict[tuple[str, tuple[str, ...]], list[_Asked]] = {}
    for one in (one for part in parts for one in part.at_fault):
        at_fault.setdefault((one.cut.dim.name, one.cut.axes), []).append(one)
    if not at_fault:
        return []
    on_axis: dict[str, dict[Cut, None]] = {}
    for cut in (cut for part in parts for asks in part.asks for _, cut in asks.cuts):
        for axis in cut.axes:
            on_axis.setdefault(axis, {})[cut] = None
    return [_finding(same, on_axis.get(same[0].said.axis, {}), grid) for same in at_fault.values()]


def _finding(same: Sequence[_Asked], others: Mapping[Cut, None], grid: Grid) -> Finding:
    """What is wrong with a cut that several layers ask for, where the first clause asks; `others`
    are all cuts on its axis."""
    said, cut = same[0].said, same[0].cut
    fault = fault_of(cut, grid)
    assert fault is not None
    name, facts = fault
    data: dict[str, Datum] = {"dim": cut.dim.name, "axis": ",".join(cut.axes), **facts}
    if name in ("indivisible", "too_many_nodes"):
        data["valid"] = valid_degrees(cut, said.axis, others, grid)
    elif name == "block_split":
        key = "valid_without_replication" if facts.get("replicas") else "valid"
        data[key] = valid_degrees(cut, said.axis, others, grid)
    declared = Related(cut.dim.site, f"{cut.dim.name} is declared here")
    also: dict[Site, Related] = {}
    for one in same:
        if one.said.site != said.site:
            asks = Related(one.said.site, f"layer {one.layer} asks the same")
            also.setdefault(one.said.site, asks)
    return Finding(name, said.site, tuple(data.items()), (declared, *also.values()))


@lru_cache(maxsize=512)
def _asks(
    clauses: tuple[Assignment, ...],
    cuts: tuple[tuple[str, tuple[str, ...]], ...],
    grid: Grid,
    written: Written,
) -> _Asks:
    """What clauses ask of the dimensions of a layer that is cut so, each dimension once."""
    asked = tuple(_cuts(clauses, dict(cuts), grid, dict(written)))
    return _Asks(asked, all(fault_of(cut, grid) is None for _, cut in asked))


def _cuts(
    clauses: Sequence[Assignment],
    placed: Mapping[str, tuple[str, ...]],
    grid: Grid,
    written: Mapping[str, Amount],
) -> Iterator[tuple[int, Cut]]:
    said = [a for a in clauses if a.saying == "partition" and a.axis in grid.covers]
    seen: set[str] = set()
    for place, one in enumerate(clauses):
        if one not in said or one.dim is None or one.dim in seen:
            continue
        seen.add(one.dim)
        dim = grid.by_name[one.dim]
        same = [a for a in said if a.dim == one.dim]
        axes = _axes_of(dim, same, placed.get(dim.name, ()), grid)
        sizes = [written.get(axis, grid.space.group(grid.covers[axis])) for axis in axes]
        ways = tuple(size for size in sizes if isinstance(size, int) and size > 0)
        if len(ways) != len(sizes) or not isinstance(dim.extent, int):
            continue
        dealt = {a.axis for a in same if a.dealt == "zigzag"}
        zigzag = next((i for i, axis in enumerate(axes) if axis in dealt), None)
        yield place, Cut(dim, axes, ways, zigzag)


def _axes_of(
    dim: Dim, said: Sequence[Assignment], placed: tuple[str, ...], grid: Grid
) -> tuple[str, ...]:
    """All axes that cut a dimension in a layer, followed ones among them, major first; `placed`
    are those that do where it is a leaf."""
    if len(dim.factors) > 1:
        return max((a.sequence for a in said), key=len) or tuple(a.axis for a in said)
    views = {grid.covers[a.axis]: a.axis for a in said}
    names: list[str] = []
    left = list(placed)
    while left:
        view = next((v for v in views if v and tuple(left[: len(v)]) == v), (left[0],))
        names.append(views.get(view, view[0]))
        del left[: len(view)]
    return tuple(names) or tuple(a.axis for a in said)


def fault_of(cut: Cut, grid: Grid) -> tuple[str, dict[str, Datum]] | None:
    """The name and the facts of what is wrong with a cut, if anything is."""
    dim, ways = cut.dim, prod(cut.ways)
    size = dim.extent
    assert isinstance(size, int)
    if dim.uneven or dim.padded or ways == 1:
        return None
    if cut.zigzag is not None:
        return _indivisible(size, ways, cut.multiple) if size % cut.multiple else None
    if len(dim.factors) > 1:
        return _product_fault(cut, size, grid)
    if size % (ways * dim.unit) == 0:
        return None
    if dim.unit > 1:
        local = -(-size // ways)
        return "block_split", {"local": local, "unit": dim.unit, "remainder": local % dim.unit}
    if ways > size:
        return "too_many_nodes", {"size": size, "ways": ways}
    return _indivisible(size, ways, ways)


def _indivisible(size: int, ways: int, multiple: int) -> tuple[str, dict[str, Datum]]:
    below = size // multiple * multiple
    facts: dict[str, Datum] = {
        "size": size,
        "ways": ways,
        "remainder": size % multiple,
        "below": below or None,
        "above": below + multiple,
        "padded": below + multiple,
        "waste": round((below + multiple - size) / size, 4),
        "unit": multiple,
    }
    return "indivisible", facts


def _product_fault(cut: Cut, size: int, grid: Grid) -> tuple[str, dict[str, Datum]] | None:
    ways = prod(cut.ways)
    shares = share_out([grid.units(leaf) for leaf in cut.dim.factors], ways)
    if shares.left == 1:
        return None
    unit = grid.by_name[cut.dim.factors[shares.at]].unit
    if unit > 1:
        local = -(-size // ways)
        facts: dict[str, Datum] = {"local": local, "unit": unit, "remainder": local % unit}
        return "block_split", facts | {"replicas": shares.left}
    return _indivisible(size, ways, ways)


def valid_degrees(cut: Cut, axis: str, others: Mapping[Cut, None], grid: Grid) -> tuple[int, ...]:
    """Degrees of an axis for which every dimension that it cuts divides."""
    cuts = [cut, *others]
    size = cut.dim.extent
    assert isinstance(size, int)
    return tuple(
        degree
        for degree in range(1, min(size, HIGHEST_DEGREE) + 1)
        if size % degree == 0 and all(_divides(one, axis, degree, grid) for one in cuts)
    )


def _divides(cut: Cut, axis: str, degree: int, grid: Grid) -> bool:
    ways = tuple(
        degree if name == axis else size for name, size in zip(cut.axes, cut.ways, strict=True)
    )
    return fault_of(Cut(cut.dim, cut.axes, ways, cut.zigzag), grid) is None

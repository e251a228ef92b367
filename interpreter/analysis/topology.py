"""Topology: axes that do not stay inside the domain that their link joins.

A link with `within = 8` joins 8 neighbours. The axes over it are laid out innermost first; one
whose nodes reach further with those inside it leaves the domain, and runs at the speed of the next
axis outward.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Datum, Finding, Related
from parspec.interpreter.spec.model import Axis, Link, Model


@value
class Departure:
    """An axis of `size` nodes that leaves its link's domain of `within`. inside: the axes over the
    same link that lie inside it; domains: how many one group of the axis spans, with those;
    priced_at: the link whose speed it has."""

    axis: Axis
    size: int
    link: Link
    within: int
    inside: tuple[str, ...]
    domains: int
    priced_at: Link


@value
class _Reach:
    """How far the axes over one link reach, from the innermost to one of them."""

    nodes: int
    axes: tuple[str, ...]


def departures(axes: tuple[Axis, ...], links: Iterable[Link]) -> tuple[Departure, ...]:
    """The axes (given outermost first) that leave their domains. Nothing is known of an axis of
    symbolic size and of those outside it over the same link."""
    by_name = {link.name: link for link in links}
    inside = _inside(axes, by_name)
    found: list[Departure] = []
    outward: Link | None = None  # what the next axis outward is priced at
    for axis in axes:
        link = by_name.get(axis.link or "")
        reach = inside.get(axis.name)
        outward = link if reach is None else outward or link
        if link is None or link.within is None or outward is None:
            continue
        if reach is not None and isinstance(axis.size, int):
            domains = -(-reach.nodes * axis.size // link.within)
            found.append(
                Departure(axis, axis.size, link, link.within, reach.axes, domains, outward)
            )
    return tuple(found)


def _inside(axes: tuple[Axis, ...], links: Mapping[str, Link]) -> dict[str, _Reach]:
    """The axes that leave their domains, each with what lies inside it."""
    reached: dict[str, _Reach | None] = {}
    leaving: dict[str, _Reach] = {}
    for axis in reversed(axes):
        link = links.get(axis.link or "")
        if link is None or link.within is None:
            continue
        reach = reached.get(link.name, _Reach(1, ()))
        if reach is None or not isinstance(axis.size, int):
            reached[link.name] = None
            continue
        nodes = reach.nodes * axis.size
        if axis.size > 1 and nodes > link.within:
            leaving[axis.name] = reach
        reached[link.name] = _Reach(nodes, (axis.name, *reach.axes))
    return leaving


def topology_findings(model: Model) -> tuple[Finding, ...]:
    """`topology` for an axis that leaves its domain with those inside it, `slow_link` for one that
    is longer than the domain by itself. Nothing is said of a mesh whose sizes are in doubt."""
    mesh = model.mesh
    if not mesh.poisoned.isdisjoint(axis.name for axis in mesh.axes):
        return ()
    found = departures(mesh.axes, model.links)
    leaving = {one.axis.name for one in found}
    return tuple(_finding(one, leaving) for one in found)


def _finding(one: Departure, leaving: set[str]) -> Finding:
    """The finding, with its figures by the names of the axes as well: `dp_nodes`, `tp_in_node`."""
    axis, link = one.axis, one.link
    data: dict[str, Datum] = {
        "axis": axis.name,
        "size": one.size,
        "link": link.name,
        "within": one.within,
        "inside": one.inside,
        "domains": one.domains,
        "priced_at": one.priced_at.name,
        f"{axis.name}_nodes": one.domains,
    }
    data |= {f"{name}_in_node": name not in leaving for name in one.inside}
    related = (Related(link.site, f"{link.name} joins {one.within} neighbours"),)
    name = "slow_link" if one.size > one.within else "topology"
    return Finding(name, axis.site, tuple(data.items()), related)

"""Views of a mesh: `axis` statements, which name products of axes or cut them anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from parspec.grammar.expressions import Name, Path, Rest
from parspec.grammar.span import Span
from parspec.grammar.syntax import AxisItem, AxisStatement
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix
from parspec.interpreter.spec.library_declarations import unknown_hardware
from parspec.interpreter.spec.limits import SIZE_TERMS, over, terms_together
from parspec.interpreter.spec.model import Mesh, View
from parspec.interpreter.spec.names import dependency_order, duplicate, in_force, unknown
from parspec.interpreter.spec.sizes import TOO_LONG, Problem, amount, flaw, product_names, shortened
from parspec.interpreter.spec.sources import Placed, Statements, of_kind
from parspec.interpreter.theory.formulas import Amount, is_number, product, symbol

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Datum


@value
class _Item:
    """One item of an `axis` statement."""

    statement: AxisStatement
    item: AxisItem
    placed: Placed

    @property
    def parts(self) -> tuple[tuple[str, Span], ...] | None:
        """The axes that it is made of, major first; None where it is no product of axes."""
        written: tuple[Name | Path, ...] | None = self.statement.of
        if not written:
            written = product_names(self.item.size)
        return None if written is None else tuple((part.text, part.span) for part in written)


@value
class _Made:
    """The axes that a view is made of, major first, and the pieces they are cut into, if any."""

    parts: tuple[str, ...]
    pieces: tuple[tuple[str, Amount], ...] | None


def resolve_views(
    statements: Statements,
    mesh: Mesh,
    links: set[str],
    overrides: Mapping[str, int],
    skipped: frozenset[str],
) -> tuple[Mesh, tuple[Finding, ...]]:
    """The mesh with its views, in any order of declaration. `links` are the declared ones.

    A product of views is the product of their axes; a piece of a cut stands for itself. Findings:
    `duplicate_name`, `unknown_name`, `bad_size`, `size_cycle`, and `mesh_product` where the pieces
    of a cut do not multiply to what they cut.
    """
    declared = [
        (item.name, _Item(statement, item, placed), placed)
        for statement, placed in of_kind(statements, AxisStatement)
        for item in statement.items
    ]
    if not declared:
        return mesh, ()
    holds, repeated = in_force("axis", declared)
    viewing = _Viewing(mesh, links, overrides, skipped, findings=list(repeated))
    items = {name: item for name, (item, _) in holds.items()}
    viewing.run(items)
    views = (viewing.views[name] for name in items if name in viewing.views)
    poisoned = frozenset(viewing.poisoned)
    return replace(mesh, views=tuple(views), poisoned=poisoned), tuple(viewing.findings)


@dataclass(slots=True)
class _Viewing:
    """The views known so far, and what was found."""

    mesh: Mesh
    links: set[str]
    overrides: Mapping[str, int]
    skipped: frozenset[str]
    sizes: dict[str, Amount] = field(init=False)
    poisoned: set[str] = field(init=False)
    views: dict[str, View] = field(default_factory=dict)
    cuts: dict[tuple[str, int], _Made | None] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sizes = {axis.name: axis.size for axis in self.mesh.axes}
        self.poisoned = set(self.mesh.poisoned)

    def run(self, items: dict[str, _Item]) -> None:
        """Resolves all items."""
        axes = {axis.name: axis for axis in self.mesh.axes}
        for name, item in items.items():
            if name in axes:
                site = item.placed.at(item.item.name.span)
                self.findings.append(duplicate("axis", name, site, axes[name].site))
        items = {name: item for name, item in items.items() if name not in axes}
        uses = {name: tuple(part for part, _ in item.parts or ()) for name, item in items.items()}
        order, cycles = dependency_order(uses)
        for cycle in cycles:
            first = items[cycle[0]]
            data = (("name", cycle[0]), ("cycle", (*cycle, cycle[0])))
            site = first.placed.at(first.item.name.span)
            self.findings.append(Finding("size_cycle", site, data))
            self.poisoned.update(cycle)
        circular = {name for cycle in cycles for name in cycle}
        for name in order:
            if not self.poisoned.isdisjoint(uses[name]):
                self.poisoned.add(name)
            if name not in circular:
                self.view(items[name], (*self.sizes, *items))

    def view(self, item: _Item, known: tuple[str, ...]) -> None:
        """Adds the view of one item, or says what is wrong with it."""
        name = item.item.name.text
        made = self.cut(item, known) if item.statement.of else self.product(item, known)
        if made is None:
            self.poisoned.add(name)
            return
        if terms_together(self.sizes[part] for part in made.parts) > SIZE_TERMS:
            self.bad(item, TOO_LONG)
            return
        whole = product(self.sizes[part] for part in made.parts)
        self.sizes[name] = whole if made.pieces is None else dict(made.pieces)[name]
        self.views[name] = View(
            name,
            self.sizes[name],
            made.parts,
            made.pieces,
            self.link(item),
            note=item.placed.note(name),
            site=item.placed.at(item.item.name.span),
        )

    def parts(self, item: _Item, known: tuple[str, ...]) -> tuple[str, ...] | None:
        """The mesh axes (or pieces of cuts) that it is made of, major first."""
        if item.parts is None and item.placed.chunk.parsed.faults:
            return None
        if item.parts is None:
            self.bad(item, "say which axes it cuts, as in `ep = 8 of dp`")
            return None
        flat: list[str] = []
        for part, span in item.parts:
            if part not in self.sizes:
                if part not in self.skipped and part not in self.poisoned:
                    names = (name for name in known if name != item.item.name.text)
                    site = item.placed.at(span)
                    self.findings.append(unknown("axis", part, site, names))
                return None
            view = self.views.get(part)
            flat += view.of if view is not None and view.pieces is None else (part,)
        if repeated := next((part for part in flat if flat.count(part) > 1), None):
            self.bad(item, f"`{repeated}` is in it twice")
            return None
        return tuple(flat)

    def product(self, item: _Item, known: tuple[str, ...]) -> _Made | None:
        """A product of axes, whose size is theirs."""
        parts = self.parts(item, known)
        if parts is not None and item.item.name.text in self.overrides:
            self.bad(item, "it is a product of axes: set those")
        return None if parts is None else _Made(parts, None)

    def cut(self, item: _Item, known: tuple[str, ...]) -> _Made | None:
        """The cut that an item is a piece of; each is worked out once."""
        key = (item.placed.file, item.placed.chunk.key)
        if key not in self.cuts:
            parts = self.parts(item, known)
            self.cuts[key] = None if parts is None else _Made(parts, self.pieces(item, parts))
        return self.cuts[key]

    def pieces(self, item: _Item, parts: tuple[str, ...]) -> tuple[tuple[str, Amount], ...]:
        """The pieces of a cut with their sizes, outermost first."""
        if terms_together(self.sizes[part] for part in parts) > SIZE_TERMS:
            self.bad(item, TOO_LONG)
            return tuple(
                (piece.name.text, symbol(piece.name.text)) for piece in item.statement.items
            )
        region = product(self.sizes[part] for part in parts)
        found = len(self.findings)
        sizes: dict[str, Amount] = {}
        rest: list[_Item] = []
        for piece in item.statement.items:
            own = replace(item, item=piece)
            if isinstance(piece.size, Rest) and piece.name.text not in self.overrides:
                rest.append(own)
            else:
                sizes[piece.name.text] = self.size(own)
        for extra in rest[1:]:
            self.bad(extra, "one piece alone can fill the rest")
        if terms_together((region, *sizes.values())) > SIZE_TERMS:
            self.bad(item, TOO_LONG)
        names = [piece.name.text for piece in item.statement.items]
        if len(self.findings) > found:
            self.poisoned.update(names)
            return tuple((name, symbol(name)) for name in names)
        given = product(sizes.values())
        if not is_number(given) or not is_number(region):
            left = over(region, given)
            if left is None:
                self.bad(item, TOO_LONG)
            sizes.update((own.item.name.text, left or symbol(own.item.name.text)) for own in rest)
        elif region != given and (not rest or region % given):
            self.findings.append(self.mismatch(item, rest, sizes, int(region), int(given)))
            self.poisoned.update(names)
        else:
            sizes.update((own.item.name.text, region // given) for own in rest)
        return tuple((name, sizes.get(name, symbol(name))) for name in names)

    def size(self, item: _Item) -> Amount:
        """The size of a piece; a symbol where it has none or a wrong one."""
        name, written = item.item.name.text, item.item.size
        value: Amount | Problem = symbol(name)
        if name in self.overrides:
            value = self.overrides[name]
        elif written is not None:
            value = amount(written, self.sizes.get)
        if isinstance(value, Problem) and value.reason == "name":
            if value.name not in self.skipped:
                site = item.placed.at(value.span)
                self.findings.append(unknown("axis", value.name, site, self.sizes))
            self.poisoned.add(name)
        elif reason := value.sentence if isinstance(value, Problem) else flaw(value):
            self.bad(item, reason)
        return symbol(name) if isinstance(value, Problem) or name in self.poisoned else value

    def mismatch(
        self, item: _Item, rest: list[_Item], sizes: dict[str, Amount], region: int, given: int
    ) -> Finding:
        """`mesh_product` for a cut: the devices that it needs beside those that there are."""
        total = product(axis.size for axis in self.mesh.axes)
        devices = total if self.mesh.devices is None else self.mesh.devices
        outside = total // region if is_number(total) else 1
        pieces = {name: size for name, size in sizes.items() if isinstance(size, int)}
        pieces |= {own.item.name.text: region // given for own in rest}
        axis = ", ".join(sizes)
        data: dict[str, Datum] = {**pieces, "axis": axis, "region": region}
        data["product"] = outside * given
        if is_number(devices):
            data["devices"] = int(devices)
        data["min_devices"] = outside * -(-region // given) * given
        span = Span(item.statement.items[0].span.start, item.statement.of[-1].span.end)
        return Finding(
            "mesh_product", item.placed.at(span), tuple(data.items()), fixes=self.fixes(item, rest)
        )

    def fixes(self, item: _Item, rest: list[_Item]) -> tuple[Fix, ...]:
        """Where no piece fills the rest, names one that does."""
        if rest:
            return ()
        first = item.statement.items[0]
        name = f"{'_'.join(part.text for part in item.statement.of)}_rest".replace(".", "_")
        site = item.placed.at(Span(first.span.start, first.span.start))
        return (Fix(f"Name what is left `{name}`", (Edit(site, f"{name} = rest, "),)),)

    def link(self, item: _Item) -> str | None:
        link = item.item.link
        if link is None or link.text in self.links:
            return None if link is None else link.text
        if link.text not in self.skipped:
            site = item.placed.at(link.span)
            self.findings.append(unknown_hardware("link", link.text, site, self.links))
        return None

    def bad(self, item: _Item, reason: str) -> None:
        """`bad_size` of an item, which is poisoned."""
        name = item.item.name.text
        span = item.item.name.span if item.item.size is None else item.item.size.span
        text = "" if item.item.size is None else shortened(item.placed.text(span))
        data = (("name", name), ("text", text), ("reason", reason))
        self.findings.append(Finding("bad_size", item.placed.at(span), data))
        self.poisoned.add(name)

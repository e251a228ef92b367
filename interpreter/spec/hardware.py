"""Hardware: links, devices, and the mesh that is laid over them.

Quantities are checked for their kind and kept in base units. An axis whose size is wrong keeps its
name with a symbol for a size, and is poisoned: nothing more is reported about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

from parspec.grammar.expressions import Name, Number, Rest, Size
from parspec.grammar.span import Span
from parspec.grammar.syntax import AxisItem, DeviceStatement, LinkStatement, MeshStatement, Setting
from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix, Site
from parspec.interpreter.spec.keys import bad_setting, distinct
from parspec.interpreter.spec.library_declarations import unknown_hardware
from parspec.interpreter.spec.limits import MESH_AXES, SIZE_TERMS, over, terms_together
from parspec.interpreter.spec.model import Axis, Device, Link, Mesh
from parspec.interpreter.spec.names import dependency_order, duplicate, in_force, unknown
from parspec.interpreter.spec.sizes import (
    TOO_LONG,
    UNITS,
    Kind,
    Problem,
    amount,
    flaw,
    missing_factor,
    names_in,
    quantity,
    shortened,
)
from parspec.interpreter.spec.sources import Placed, Statements, of_kind
from parspec.interpreter.spec.views import resolve_views
from parspec.interpreter.theory.formulas import Amount, is_number, product, symbol

LINK_SETTINGS: Mapping[str, Kind] = {
    "bandwidth": "bytes/s",
    "latency": "s",
    "start": "s",
    "efficiency": "share",
    "within": "count",
}
DEVICE_SETTINGS: Mapping[str, Kind] = {"memory": "bytes", "flops": "flop/s", "hbm": "bytes/s"}
_EXAMPLES: Mapping[Kind, str] = {
    "bytes": "80 GB",
    "bytes/s": "50 GB/s",
    "s": "2 us",
    "flop/s": "989 Tflop/s",
    "share": "90%",
    "count": "8",
}


def resolve_links(
    statements: Statements, skipped: frozenset[str]
) -> tuple[tuple[Link, ...], tuple[Finding, ...]]:
    """The links; latency and start are 0, efficiency is 1 and any number is joined when unsaid.

    A link without a usable bandwidth is left out. Findings: `duplicate_name`, `unknown_name`,
    `unit_mismatch`, `bad_setting`, `wrong_arguments` for a link without bandwidth.
    """
    holds, repeated = in_force(
        "link", ((link.name, link, at) for link, at in of_kind(statements, LinkStatement))
    )
    links: list[Link] = []
    findings = list(repeated)
    for name, (statement, placed) in holds.items():
        values, found = _quantities(statement.settings, placed, LINK_SETTINGS, skipped)
        findings += found
        written = any(setting.key.text == "bandwidth" for setting in statement.settings)
        if not written and not placed.chunk.parsed.faults:
            got = tuple(setting.key.text for setting in statement.settings)
            data = (("function", f"link {name}"), ("wants", ("bandwidth",)), ("got", got))
            findings.append(Finding("wrong_arguments", placed.at(statement.name.span), data))
        if "bandwidth" in values:
            within = values.get("within")
            links.append(
                Link(
                    name,
                    values["bandwidth"],
                    values.get("latency", Fraction(0)),
                    values.get("start", Fraction(0)),
                    values.get("efficiency", Fraction(1)),
                    None if within is None else int(within),
                    note=placed.note(name),
                    site=placed.at(statement.name.span),
                )
            )
    return tuple(links), tuple(findings)


def resolve_devices(
    statements: Statements, skipped: frozenset[str]
) -> tuple[tuple[Device, ...], tuple[Finding, ...]]:
    """The devices; what is unsaid or wrong is None. Findings as for links."""
    holds, repeated = in_force(
        "device", ((device.name, device, at) for device, at in of_kind(statements, DeviceStatement))
    )
    devices: list[Device] = []
    findings = list(repeated)
    for name, (statement, placed) in holds.items():
        values, found = _quantities(statement.settings, placed, DEVICE_SETTINGS, skipped)
        findings += found
        devices.append(
            Device(
                name,
                values.get("memory"),
                values.get("flops"),
                values.get("hbm"),
                note=placed.note(name),
                site=placed.at(statement.name.span),
            )
        )
    return tuple(devices), tuple(findings)


def _quantities(
    settings: tuple[Setting, ...],
    placed: Placed,
    kinds: Mapping[str, Kind],
    skipped: frozenset[str],
) -> tuple[dict[str, Fraction], list[Finding]]:
    """The values in braces by key, in base units, and what is wrong with the others."""
    by_key, repeated = distinct(settings, placed, kinds, skipped)
    values: dict[str, Fraction] = {}
    findings = list(repeated)
    for key, setting in by_key.items():
        value = _quantity(setting, placed, kinds[key])
        if isinstance(value, Finding):
            findings.append(value)
        else:
            values[key] = value
    return values, findings


def _quantity(setting: Setting, placed: Placed, wants: Kind) -> Fraction | Finding:
    """One value in base units; a share may be written as a plain number."""
    if not isinstance(setting.value, Number):
        return bad_setting(setting, placed, (_EXAMPLES[wants],))
    site = placed.at(setting.value.span)
    written = quantity(setting.value)
    if isinstance(written, Problem):
        return unknown("unit", written.name, site, UNITS)
    if written.kind != wants and (wants, written.kind) != ("share", "count"):
        got = "no unit" if setting.value.unit is None else written.kind
        factor = missing_factor(wants, written.kind)
        data = (("name", setting.key.text), ("wants", wants), ("got", got), ("factor", factor))
        return Finding("unit_mismatch", site, data)
    value = written.value
    if wants == "count" and (value.denominator != 1 or value < 1):
        return bad_setting(setting, placed, ("a whole number from 1",))
    if wants == "share" and not 0 < value <= 1:
        return bad_setting(setting, placed, ("more than 0%, at most 100%",))
    if wants != "s" and value <= 0:
        return bad_setting(setting, placed, (f"more than 0, as in {_EXAMPLES[wants]}",))
    return value


def axis_sizes(mesh: Mesh) -> dict[str, Amount]:
    """The sizes of all axes and views by name."""
    return {axis.name: axis.size for axis in mesh.axes} | {v.name: v.size for v in mesh.views}


def resolve_mesh(
    statements: Statements,
    links: tuple[Link, ...],
    devices: tuple[Device, ...],
    overrides: Mapping[str, int],
    skipped: frozenset[str],
) -> tuple[Mesh, tuple[Finding, ...]]:
    """The mesh with its views; one of a plan takes the place of one outside it.

    `overrides` take the place of written axis sizes and have to meet the number of devices like
    those. Findings: `duplicate_name`, `unknown_name`, `bad_size`, `size_cycle`, `mesh_product`.
    """
    links_declared = {link.name.text for link, _ in of_kind(statements, LinkStatement)}
    devices_declared = {device.name.text for device, _ in of_kind(statements, DeviceStatement)}
    holds, repeated = in_force(
        "mesh",
        (
            (Name("mesh", _span(statement)), statement, placed)
            for statement, placed in of_kind(statements, MeshStatement)
        ),
    )
    findings = list(repeated)
    mesh = Mesh()
    if "mesh" in holds:
        statement, placed = holds["mesh"]
        laying = _Laying(
            statement, placed, overrides, skipped, links_declared, {link.name for link in links}
        )
        mesh = laying.mesh(devices_declared, {device.name for device in devices})
        findings += laying.findings
    views, found = resolve_views(statements, mesh, links_declared, overrides, skipped)
    return views, (*findings, *found)


def _span(statement: MeshStatement) -> Span:
    """From the first axis to the end of the last, or of the device."""
    ends = [axis.span.end for axis in statement.axes]
    ends += [statement.device.span.end] if statement.device else []
    start = statement.axes[0].span.start if statement.axes else 0
    return Span(start, max(ends, default=0))


@dataclass(slots=True)
class _Laying:
    """One `mesh` statement, what is known of it so far, and what was found."""

    statement: MeshStatement
    placed: Placed
    overrides: Mapping[str, int]
    skipped: frozenset[str]
    links_declared: set[str]
    links_usable: set[str]
    sizes: dict[str, Amount] = field(default_factory=dict)
    poisoned: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    @property
    def site(self) -> Site:
        return self.placed.at(_span(self.statement))

    def mesh(self, devices_declared: set[str], devices_usable: set[str]) -> Mesh:
        """The mesh without views."""
        items = self.items()
        rest = self.sized(items)
        count = self.count()
        if rest is not None:
            self.fill(rest, items, count)
        elif count is not None and not self.poisoned:
            self.check(items, count)
        device = self.statement.device
        if device and device.text not in devices_declared and device.text not in self.skipped:
            site = self.placed.at(device.span)
            self.findings.append(unknown_hardware("device", device.text, site, devices_declared))
        return Mesh(
            tuple(self.axis(item) for item in items.values()),
            device=device.text if device and device.text in devices_usable else None,
            devices=count,
            site=self.site,
            poisoned=frozenset(self.poisoned),
        )

    def items(self) -> dict[str, AxisItem]:
        items: dict[str, AxisItem] = {}
        for item in self.statement.axes:
            first = items.setdefault(item.name.text, item)
            if first is not item:
                sites = self.placed.at(item.name.span), self.placed.at(first.name.span)
                self.findings.append(duplicate("axis", item.name.text, *sites))
        if len(items) > MESH_AXES:
            self.excess("axes of a mesh", MESH_AXES, items)
            items = dict(islice(items.items(), MESH_AXES))
        return items

    def excess(self, what: str, limit: int, names: Iterable[str]) -> None:
        """`over_limit` of the whole mesh, whose axes are poisoned."""
        data = (("what", what), ("limit", limit))
        self.findings.append(Finding("over_limit", self.site, data))
        self.poisoned.update(names)

    def axis(self, item: AxisItem) -> Axis:
        link = item.link
        if link and link.text not in self.links_declared and link.text not in self.skipped:
            site = self.placed.at(link.span)
            self.findings.append(unknown_hardware("link", link.text, site, self.links_declared))
        return Axis(
            item.name.text,
            self.sizes[item.name.text],
            link.text if link and link.text in self.links_usable else None,
            note=self.placed.note(item.name.text),
            site=self.placed.at(item.name.span),
        )

    def sized(self, items: dict[str, AxisItem]) -> AxisItem | None:
        """Sizes all axes but the one that fills the rest, which it returns."""
        uses = {
            name: () if name in self.overrides else tuple(n.text for n in names_in(item.size))
            for name, item in items.items()
        }
        order, cycles = dependency_order(uses)
        for cycle in cycles:
            site = self.placed.at(items[cycle[0]].name.span)
            data = (("name", cycle[0]), ("cycle", (*cycle, cycle[0])))
            self.findings.append(Finding("size_cycle", site, data))
            self.poisoned.update(cycle)
        rest: AxisItem | None = None
        for name in order:
            item = items[name]
            self.sizes[name] = symbol(name)
            if not self.poisoned.isdisjoint(uses[name]):
                self.poisoned.add(name)
            if name in self.poisoned:
                continue
            if name in self.overrides:
                self.override(item)
            elif isinstance(item.size, Rest) and rest is None:
                rest = item
            elif isinstance(item.size, Rest):
                self.bad(item, item.size, "one axis alone can fill the rest")
            elif item.size is not None:
                value = self.whole(item, item.size)
                self.sizes[name] = symbol(name) if value is None else value
        if terms_together(self.sizes.values()) > SIZE_TERMS:
            self.excess("terms in the formula of the devices", SIZE_TERMS, items)
            self.sizes = {name: symbol(name) for name in items}
        return rest

    def override(self, item: AxisItem) -> None:
        name, size = item.name.text, self.overrides[item.name.text]
        if reason := flaw(size):
            data = (("name", name), ("text", shortened(str(size))), ("reason", reason))
            self.findings.append(Finding("bad_size", self.placed.at(item.name.span), data))
            self.poisoned.add(name)
        else:
            self.sizes[name] = size

    def whole(self, item: AxisItem, size: Size) -> Amount | None:
        """The value of a size, or None after saying what is wrong."""
        value = amount(size, self.sizes.get)
        if isinstance(value, Problem):
            if value.reason != "name":
                self.bad(item, size, value.sentence)
            elif value.name not in self.skipped:
                site = self.placed.at(value.span)
                self.findings.append(unknown("axis", value.name, site, self.sizes))
            self.poisoned.add(item.name.text)
            return None
        if reason := flaw(value):
            self.bad(item, size, reason)
            return None
        return value

    def bad(self, item: AxisItem, size: Size, reason: str) -> None:
        text = shortened(self.placed.text(size.span))
        data = (("name", item.name.text), ("text", text), ("reason", reason))
        self.findings.append(Finding("bad_size", self.placed.at(size.span), data))
        self.poisoned.add(item.name.text)

    def count(self) -> Amount | None:
        """The number of devices, None where it is not said or wrong."""
        size = self.statement.devices
        if size is None:
            return None
        value = amount(size, self.sizes.get)
        reason = value.sentence if isinstance(value, Problem) else flaw(value)
        if reason is None and not isinstance(value, Problem):
            return value
        device = self.statement.device.text if self.statement.device else "devices"
        text = shortened(self.placed.text(size.span))
        data = (("name", device), ("text", text), ("reason", reason))
        self.findings.append(Finding("bad_size", self.placed.at(size.span), data))
        return None

    def fill(self, rest: AxisItem, items: dict[str, AxisItem], count: Amount | None) -> None:
        """Gives the axis that fills the rest what the others leave of the devices."""
        name = rest.name.text
        if count is None:
            if self.statement.devices is None and rest.size is not None:
                self.bad(rest, rest.size, "nothing says of how many devices: `on 256 h100`")
            self.poisoned.add(name)
            return
        others = product(size for axis, size in self.sizes.items() if axis != name)
        if self.poisoned:
            self.poisoned.add(name)
        elif not is_number(others) or not is_number(count):
            size = over(count, others)
            self.sizes[name] = symbol(name) if size is None else size
            if size is None and rest.size is not None:
                self.bad(rest, rest.size, TOO_LONG)
        elif count % others == 0:
            self.sizes[name] = count // others
        else:
            self.poisoned.add(name)
            self.findings.append(self.mismatch(items, int(others), int(count)))

    def check(self, items: dict[str, AxisItem], count: Amount) -> None:
        """The axes must multiply to the number of devices."""
        size = product(self.sizes.values())
        if is_number(size) and is_number(count) and size != count:
            self.findings.append(self.mismatch(items, int(size), int(count)))

    def mismatch(self, items: dict[str, AxisItem], size: int, count: int) -> Finding:
        """`mesh_product`, with what would fit: for an axis the size with which the others come
        out even, or the number of devices. What is overridden cannot be mended in the text."""
        fitting = self.fitting(items, size, count)
        short = ("idle", count % size) if size < count else ("min_devices", size)
        sizes = ((f"fix_{item.name.text}", fits) for item, fits in fitting)
        fixes = [
            self.fix(f"Let `{item.name.text}` fill the rest: {fits}", item.size.span, "rest")
            for item, fits in fitting
            if item.size is not None and item.name.text not in self.overrides
        ]
        if (written := self.statement.devices) is not None:
            counts = [
                self.fix(f"Use {devices} devices", written.span, str(devices))
                for devices in self.counts(items, size, count)
            ]
            fixes = [*counts, *fixes] if size < count else [*fixes, *counts]
        overridden = tuple(name for name in items if name in self.overrides)
        told = (("overridden", overridden),) if overridden else ()
        data = (("product", size), ("devices", count), short, *sizes, *told)
        return Finding("mesh_product", self.site, data, fixes=tuple(fixes))

    def fitting(
        self, items: dict[str, AxisItem], size: int, count: int
    ) -> list[tuple[AxisItem, int]]:
        """The axes that could fill the rest, innermost first, with the sizes that they would have;
        none where one does already."""
        if self.fills(items):
            return []
        known = [(item, self.sizes[name]) for name, item in items.items()]
        others = [(item, size // own) for item, own in known if isinstance(own, int)]
        return [(item, count // rest) for item, rest in reversed(others) if count % rest == 0]

    def fills(self, items: dict[str, AxisItem]) -> bool:
        """Does an axis fill the rest?"""
        return any(
            isinstance(item.size, Rest) and name not in self.overrides
            for name, item in items.items()
        )

    def counts(self, items: dict[str, AxisItem], size: int, count: int) -> tuple[int, ...]:
        """The numbers of devices that come out even: the product, or the multiples of it nearest
        to what is there where an axis fills the rest."""
        if not self.fills(items):
            return (size,)
        below = count // size * size
        return (below, below + size) if below else (size,)

    def fix(self, title: str, span: Span, text: str) -> Fix:
        return Fix(title, (Edit(self.placed.at(span), text),))

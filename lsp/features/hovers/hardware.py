"""Hover on a link or a device: its figures, and what the plan makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from parspec.interpreter.diagnostics.readable import bytes_text, flops_text, share_text
from parspec.interpreter.output.wording.quantities import in_bytes, in_seconds, sized
from parspec.interpreter.spec.model import Device, Link
from parspec.interpreter.theory.formulas import is_number
from parspec.lsp.facts import Facts
from parspec.lsp.features.hovers.moves import by_primitive
from parspec.lsp.features.hovers.subject import Place, Subject, paragraph
from parspec.lsp.features.prices import DOT, cost
from parspec.lsp.features.prose import Block, Code, code, note
from parspec.lsp.features.written import comment


def link(name: str, place: Place) -> Subject | None:
    """A link by name."""
    found = place.facts.links.get(name)
    if found is None:
        return None
    head: tuple[Block, ...] = (
        Code(f"link {name}"),
        *paragraph(DOT.join(_of_link(found))),
        note(comment(name, found.site, place.snapshot)),
    )
    return Subject(head, partial(_on_link, name), partial(_link_brief, name))


def _of_link(found: Link) -> Iterator[str]:
    yield f"**{bytes_text(found.bandwidth)}/s**, {share_text(found.efficiency)} of it used"
    yield f"latency {in_seconds(float(found.latency))} a step"
    if found.start:
        yield f"start {in_seconds(float(found.start))} a collective"
    if found.within is not None:
        yield f"joins {found.within} devices"


def _axes(name: str, facts: Facts) -> list[str]:
    """The axes over a link."""
    return [axis.name for axis in facts.axes.values() if axis.link == name]


def _link_brief(name: str, facts: Facts) -> str:
    axes = _axes(name, facts)
    return f"under {' '.join(map(code, axes))}" if axes else ""


def _on_link(name: str, facts: Facts) -> Iterator[Block]:
    axes = _axes(name, facts)
    if not axes:
        return
    sizes = (code(sized(axis, facts.axes[axis].size)) for axis in axes)
    moves = [move for move in facts.at_work if set(axes).intersection(_whole(move.axes))]
    price = f": **{cost(moves, facts).told()}**" if moves else ""
    yield from paragraph(f"under {' '.join(sizes)}{price}")
    if moves:
        yield by_primitive(moves, facts)


def _whole(axes: tuple[str, ...]) -> Iterator[str]:
    """Axes for pieces of them."""
    for axis in axes:
        yield axis
        yield axis.partition(".")[0]


def device(name: str, place: Place) -> Subject | None:
    """A device by name."""
    found = place.facts.devices.get(name)
    if found is None:
        return None
    head: tuple[Block, ...] = (
        Code(f"device {name}"),
        *paragraph(DOT.join(_of_device(found))),
        note(comment(name, found.site, place.snapshot)),
    )
    return Subject(head, partial(_on_device, name), partial(_device_brief, name))


def _of_device(found: Device) -> Iterator[str]:
    if found.memory is not None:
        yield f"**memory {in_bytes(found.memory)}**"
    if found.flops is not None:
        yield f"{flops_text(found.flops)}/s"
    if found.hbm is not None:
        yield f"hbm {bytes_text(found.hbm)}/s"


def _device_brief(name: str, facts: Facts) -> str:
    if facts.model.mesh.device != name:
        return ""
    total, whole = facts.analysis.totals.memory.total, facts.devices[name].memory
    if total is None:
        return ""
    share = ""
    if is_number(total) and is_number(whole) and whole:
        share = f" of {in_bytes(whole)} ({share_text(total / whole)})"
    return f"holds {in_bytes(total)}{share}"


def _on_device(name: str, facts: Facts) -> Iterator[Block]:
    yield from paragraph(_device_brief(name, facts))

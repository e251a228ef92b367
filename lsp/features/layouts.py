"""Layouts in words and in columns, an axis each."""

from __future__ import annotations

from collections.abc import Iterable

from parspec.interpreter.spec.model import Mesh
from parspec.interpreter.theory.layouts import REPLICATED, Layout
from parspec.lsp.features.prose import code


def columns(layouts: Iterable[Layout], mesh: Mesh) -> tuple[str, ...]:
    """The axes of the mesh in its order, a divided one by those of its pieces that layouts speak
    of."""
    pieces: dict[str, set[str]] = {}
    for layout in layouts:
        for name in layout.mentioned():
            pieces.setdefault(name.partition(".")[0], set()).add(name)
    return tuple(
        name for axis in mesh.axes for name in sorted(pieces.get(axis.name, set()) or {axis.name})
    )


def states(layout: Layout, mesh: Mesh) -> str:
    """`P(B)` on `dp`, `P(F)` on `tp`; where it is replicated is left out, unless it is everywhere.
    "" without a mesh."""
    by_state: dict[str, list[str]] = {}
    for axis in columns((layout,), mesh):
        state = layout.state(axis)
        if state != REPLICATED:
            by_state.setdefault(str(state), []).append(axis)
    if not by_state:
        return f"**{code('R')}** on every axis" if mesh.axes else ""
    return ", ".join(
        f"**{code(state)}** on {' '.join(map(code, axes))}" for state, axes in by_state.items()
    )

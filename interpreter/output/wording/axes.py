"""Axes and their pieces in words: what an axis falls into, and what a layer does on either.

What is said of a layer names an axis where all that it says of it is alike, else its pieces
(`dp.0`); here both are answered for, whichever of the two is asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from parspec.interpreter.analysis.grid import Grid, build_grid
from parspec.interpreter.analysis.result import LayerResult
from parspec.interpreter.output.wording.quantities import sized
from parspec.interpreter.spec.model import Axis, Model, View


def strategy_on(layer: LayerResult, name: str) -> str | None:
    """The strategy of a layer on an axis or a piece; None on one of a single node, and on a piece
    that it does not partition where it partitions another of the axis."""
    cut = {axis for axis, _ in layer.partition if axis_of(axis) == axis_of(name)}
    if cut and cut.isdisjoint((name, axis_of(name))) and name != axis_of(name):
        return None
    return said_on(layer.strategy, name)


def said_on(said: Iterable[tuple[str, str]], name: str) -> str | None:
    """What is said on an axis or a piece: on a piece what is said on all of its axis, on an axis
    what is said on any piece of it; None for nothing."""
    known = dict(said)
    axis = axis_of(name)
    if name in known or name != axis:
        return known.get(name, known.get(axis))
    return ", ".join(dict.fromkeys(known[piece] for piece in pieces_of(known, axis))) or None


def pieces_of(names: Iterable[str], axis: str) -> tuple[str, ...]:
    """Those of some names that are pieces of an axis."""
    return tuple(name for name in names if name != axis and axis_of(name) == axis)


def axis_of(name: str) -> str:
    """The axis of a piece; an axis is its own."""
    return name.partition(".")[0]


def mesh_of(model: Model) -> tuple[str, ...]:
    """The axes, `dp = 16 over ib (dp.0 edp = 2, dp.1 ep = 8)`: with the pieces that they fall into
    and the views that these are; then the views that are more than a piece, `ep = 8 of dp * tp`."""
    grid = build_grid(model)
    views = model.mesh.views
    axes = (_with_pieces(axis, pieces_told(axis.name, grid, views)) for axis in model.mesh.axes)
    others = (
        f"{linked(view)} of {' * '.join(grid.shown(grid.covers.get(view.name, ())))}"
        for view in views
        if piece_of(view, grid) is None
    )
    return (*axes, *others)


def every_piece(model: Model) -> tuple[str, ...]:
    """The pieces of all axes that fall into some."""
    grid = build_grid(model)
    return tuple(
        piece
        for axis in model.mesh.axes
        for piece in pieces_told(axis.name, grid, model.mesh.views)
    )


def pieces_told(axis: str, grid: Grid, views: Iterable[View]) -> tuple[str, ...]:
    """The pieces of an axis: `dp.1 ep = 8 over nvlink`, by the views that they are and their size;
    none where it is whole."""
    pieces = grid.covers.get(axis, ())
    if len(pieces) < 2:
        return ()
    named = {piece: [view for view in views if piece_of(view, grid) == piece] for piece in pieces}
    return tuple(
        f"{piece} {', '.join(map(linked, named[piece]))}"
        if named[piece]
        else sized(piece, grid.sizes[piece])
        for piece in pieces
    )


def piece_of(view: View, grid: Grid) -> str | None:
    """The piece of an axis that a view is; None for one that is more or a whole axis."""
    (piece, *more) = grid.covers.get(view.name) or ("",)
    return None if more or axis_of(piece) == piece else piece


def _with_pieces(axis: Axis, pieces: tuple[str, ...]) -> str:
    return f"{linked(axis)} ({', '.join(pieces)})" if pieces else linked(axis)


def linked(axis: Axis | View) -> str:
    """`tp = 8 over nvlink`."""
    return sized(axis.name, axis.size) + (f" over {axis.link}" if axis.link else "")

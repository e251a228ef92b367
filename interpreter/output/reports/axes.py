"""The axes that a report has a column or a key for."""

from __future__ import annotations

from parspec.interpreter.analysis.result import Analysis


def axes_of(analysis: Analysis) -> tuple[str, ...]:
    """The axes that layouts speak of: the mesh's in its order, a divided one by its parts."""
    mesh = [axis.name for axis in analysis.model.mesh.axes]
    layouts = [tensor.layout for tensor in analysis.tensors]
    layouts += [state.layout for layer in analysis.layers for state in layer.states]
    mentioned = {axis for layout in layouts for axis in layout.mentioned()}
    parts = sorted(mentioned.difference(mesh))
    divided = {part.rpartition(".")[0] for part in parts} - mentioned
    places = {axis: place for place, axis in enumerate(mesh)}
    names = [axis for axis in mesh if axis not in divided] + parts
    return tuple(sorted(names, key=lambda name: places.get(name.partition(".")[0], len(places))))

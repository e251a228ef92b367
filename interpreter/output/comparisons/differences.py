"""What plans say differently: mesh, hardware, sizes, settings, each layer's strategy, and on axes
that all of them have how variables lie at rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from parspec.interpreter.analysis.result import Analysis, LayerResult, TensorResult
from parspec.interpreter.diagnostics.readable import bytes_text, share_text
from parspec.interpreter.output.comparisons.members import members
from parspec.interpreter.output.comparisons.values import Difference, Variant
from parspec.interpreter.output.comparisons.words import capacity
from parspec.interpreter.output.wording.axes import axis_of, linked, pieces_of
from parspec.interpreter.output.wording.facts import device_of
from parspec.interpreter.output.wording.quantities import how_many, in_seconds
from parspec.interpreter.spec.model import Dim, Link, Model, layers_of
from parspec.interpreter.theory.formulas import Amount, reader

_AT_REST = ("input", "weight", "cache")


def differences(variants: Sequence[Variant]) -> tuple[Difference, ...]:
    """What not all variants say, from the mesh to the single variable."""
    analyses = [variant.analysis for variant in variants]
    said = (*_overall([one.model for one in analyses]), *_layers(analyses), *_tensors(analyses))
    return tuple(each for each in said if len(set(each.values)) > 1)


def _overall(models: Sequence[Model]) -> Iterator[Difference]:
    yield _plain("step", map(_step, models))
    yield _plain("prices", (model.cost for model in models))
    yield _plain("mesh", (", ".join(map(linked, model.mesh.axes)) or "none" for model in models))
    yield _plain("axes", map(_views, models))
    yield _plain("devices", map(_devices, models))
    yield _plain("device", map(_device, models))
    yield from _shared("link", [_links_used(model) for model in models])
    yield from _named("dim", [{dim.name: _dim(dim) for dim in model.dims} for model in models])
    yield from _named("setting", [_settings(model) for model in models])


def _plain(subject: str, values: Iterable[str | None]) -> Difference:
    return Difference(subject, None, (), tuple(values))


def _named(kind: str, tables: Sequence[Mapping[str, str]]) -> Iterator[Difference]:
    """One for each name in any of the tables."""
    for name in dict.fromkeys(name for table in tables for name in table):
        yield _plain(f"{kind} {name}", [table.get(name) for table in tables])


def _shared(kind: str, tables: Sequence[Mapping[str, str]]) -> Iterator[Difference]:
    """One for each name in all of the tables."""
    for one in _named(kind, tables):
        if None not in one.values:
            yield one


def _step(model: Model) -> str:
    if model.settings is None:
        return "one forward pass"
    verb, optimizer = model.settings.verb, model.settings.optimizer
    return verb if optimizer is None else f"{verb} {optimizer}"


def _views(model: Model) -> str | None:
    """`ep = 8 over nvlink of dp * tp`; None where there are no views."""
    views = (f"{linked(view)} of {' * '.join(view.of)}" for view in model.mesh.views)
    return ", ".join(views) or None


def _devices(model: Model) -> str:
    mesh = model.mesh
    number = "" if mesh.devices is None else how_many(mesh.devices)
    return f"{number} {mesh.device or ''}".strip() or "not said"


def _device(model: Model) -> str | None:
    """What the mesh's device can do."""
    device = device_of(model)
    if device is None:
        return None
    facts = (
        ("memory", None if device.memory is None else capacity(device.memory)),
        ("flops", None if device.flops is None else f"{how_many(device.flops)}/s"),
        ("hbm", None if device.hbm is None else f"{bytes_text(device.hbm)}/s"),
    )
    return ", ".join(f"{name} {text}" for name, text in facts if text is not None)


def _links_used(model: Model) -> dict[str, str]:
    used = {axis.link for axis in model.mesh.axes} | {view.link for view in model.mesh.views}
    return {link.name: _link(link) for link in model.links if link.name in used}


def _link(link: Link) -> str:
    facts = [
        f"{bytes_text(link.bandwidth)}/s at {share_text(link.efficiency)}",
        f"latency {in_seconds(float(link.latency))}",
        f"start {in_seconds(float(link.start))}",
    ]
    return ", ".join(facts if link.within is None else [*facts, f"within {link.within}"])


def _dim(dim: Dim) -> str:
    size = reader(dim.size)
    facts = [
        "symbolic" if size == dim.name else size,
        f"padded to {reader(dim.extent)}" if dim.extent != dim.size else "",
        f"unit {dim.unit}" if dim.unit != 1 else "",
        "uneven" if dim.uneven else "",
    ]
    return ", ".join(fact for fact in facts if fact)


def _settings(model: Model) -> dict[str, str]:
    values = () if model.settings is None else model.settings.values
    return {name: _setting(value) for name, value in values}


def _setting(value: Amount | str | tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return " * ".join(value)
    return value if isinstance(value, str) else reader(value)


def _layers(analyses: Sequence[Analysis]) -> Iterator[Difference]:
    """Layers that not all have; then of those that all have the strategies axis by axis, and what
    is computed again."""
    written = [
        {layer.name: layer for layer in layers_of(one.model.items) if layer.name == layer.parent}
        for one in analyses
    ]
    placed = [{layer.name: layer for layer in one.layers} for one in analyses]
    yield from _grouped("layer", None, [dict.fromkeys(table, "there") for table in written])
    everywhere = [set(table) for table in written] + [set(table) for table in placed]
    shared = [name for name in written[0] if all(name in names for names in everywhere)]
    for axis in _axes(analyses):
        has_axis = [_has(one, axis) for one in analyses]
        yield from _grouped(
            "strategy",
            axis,
            [
                {name: _strategy(layers[name], axis) for name in shared} if there else {}
                for layers, there in zip(placed, has_axis, strict=True)
            ],
            shared,
        )
    yield from _grouped(
        "activations",
        None,
        [{n: "recomputed" if table[n].recompute else "kept" for n in shared} for table in written],
    )


def _axes(analyses: Sequence[Analysis]) -> tuple[str, ...]:
    """The axes of all meshes, each once."""
    return tuple(dict.fromkeys(axis.name for one in analyses for axis in one.model.mesh.axes))


def _has(analysis: Analysis, axis: str) -> bool:
    return any(own.name == axis for own in analysis.model.mesh.axes)


def _strategy(layer: LayerResult, axis: str) -> str:
    """`tensor, column (F)`: the strategy and the dimensions that the axis partitions; `data (B),
    expert (E)` where those of its pieces are different."""
    strategies = dict(layer.strategy)
    pieces = () if axis in strategies else pieces_of(strategies, axis)
    return ", ".join(_strategy_on(layer, name) for name in pieces or (axis,))


def _strategy_on(layer: LayerResult, name: str) -> str:
    """The strategy on an axis or on a piece that has one of its own."""
    cut = [dim for axis, dim in layer.partition if name in (axis, axis_of(axis))]
    strategy = dict(layer.strategy).get(name, "not partitioned")
    zigzag = {axis for state in layer.states for axis in state.layout.zigzag}
    dealt = any(name in (axis, axis_of(axis)) for axis in zigzag)
    told = [*(dim for dim in cut if strategy != f"split {dim}"), *(["zigzag"] if dealt else [])]
    return f"{strategy} ({' '.join(told)})" if told else strategy


def _tensors(analyses: Sequence[Analysis]) -> Iterator[Difference]:
    """Types, then how inputs, weights and caches lie at rest, axis by axis."""
    tensors = [{tensor.name: tensor for tensor in one.tensors} for one in analyses]
    shared = [name for name in tensors[0] if all(name in table for table in tensors)]
    yield from _grouped("type", None, [{n: table[n].dtype for n in shared} for table in tensors])
    resting = [name for name in shared if tensors[0][name].role in _AT_REST]
    for axis in _axes(analyses):
        if all(_has(one, axis) for one in analyses):
            states = [{name: _state(table[name], axis) for name in resting} for table in tensors]
            yield from _grouped("at rest", axis, states)
    frozen = [{tensor.name: tensor.frozen for tensor in one.model.tensors} for one in analyses]
    weights = [name for name in resting if tensors[0][name].role == "weight"]
    yield from _grouped(
        "weights",
        None,
        [{n: "frozen" if table.get(n) else "trained" for n in weights} for table in frozen],
    )


def _state(tensor: TensorResult, axis: str) -> str:
    parts = [part for part in tensor.layout.mentioned() if axis_of(part) == axis]
    return ", ".join(dict.fromkeys(str(tensor.layout.state(part)) for part in parts)) or "R"


def _grouped(
    subject: str,
    axis: str | None,
    tables: Sequence[Mapping[str, str]],
    everyone: Iterable[str] | None = None,
) -> Iterator[Difference]:
    """One for all names of which the tables say the same; a table without a name says None."""
    names = tuple(dict.fromkeys(name for table in tables for name in table))
    alike: dict[tuple[str | None, ...], list[str]] = {}
    for name in names:
        alike.setdefault(tuple(table.get(name) for table in tables), []).append(name)
    for values, group in alike.items():
        yield Difference(subject, axis, members(group, everyone or names), values)

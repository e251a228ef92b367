"""The operators of a spec that tables are made for: its templates, and layers written without one.

A template's tables are about the layers that are made from it: they say which parameters are
weights, which stack the layers stand in, and which dimensions are one between layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from parspec.grammar.values import value
from parspec.interpreter.analysis.hints import hints_of
from parspec.interpreter.analysis.kinds import Kinds, kinds_of
from parspec.interpreter.analysis.sections import infer
from parspec.interpreter.spec.model import Item, Layer, Model, Stack, Template
from parspec.interpreter.theory.formulas import Amount, symbol
from parspec.interpreter.theory.operators import Operator
from parspec.interpreter.theory.strategies import Kind, Strategies, derive


@value
class Tabled:
    """An operator with its tables; `variables` are the operands' names, then the result's."""

    name: str
    variables: tuple[str, ...]
    operator: Operator
    stack: str | None
    tables: Strategies


@value
class _Use:
    """A layer with the dimension of the innermost stack around it."""

    layer: Layer
    stack: str | None


def tabled(model: Model) -> tuple[Tabled, ...]:
    """Templates in the order of the spec, then each further operator once, by its first layer."""
    uses = tuple(_uses(model.items, None))
    inferred = infer(model)
    hints = [hints_of(section.inference) for section in inferred.sections]
    kinds = kinds_of(model.dims, hints)
    tables = [_of_template(template, uses, kinds, model) for template in model.templates]
    seen: set[Operator] = set()
    for use in uses:
        if use.layer.template is None and use.layer.operator not in seen:
            seen.add(use.layer.operator)
            tables.append(_of_layer(use, kinds, model))
    return tuple(tables)


def _uses(items: tuple[Item, ...], stack: str | None) -> Iterator[_Use]:
    for item in items:
        if isinstance(item, Stack):
            yield from _uses(item.items, item.dim)
        else:
            yield _Use(item, stack)


def _of_template(template: Template, uses: tuple[_Use, ...], kinds: Kinds, model: Model) -> Tabled:
    use = next((use for use in uses if use.layer.template == template.name), None)
    weights = _guessed_weights(template)
    stack = None
    named: dict[str, Kind] = {}
    if use is not None:
        weights = _weights(use.layer, template.parameters, model)
        stack = use.stack
        named = _named({dim: kinds.get(leaf) for dim, leaf in use.layer.bound})
    variables = (*template.parameters, template.out)
    bound = {} if use is None else dict(use.layer.bound)
    chained = _chained(template.operator, weights, template.parameters, bound, model)
    tables = derive(
        template.parameters,
        weights,
        template.out,
        template.operator,
        stack,
        chained=chained or {},
        kinds=named,
    )
    tables = _tables(tables, chained)
    return Tabled(template.name, variables, template.operator, stack, tables)


def _of_layer(use: _Use, kinds: Kinds, model: Model) -> Tabled:
    labels = {tensor.name: tensor.label for tensor in model.tensors}
    layer = use.layer
    parameters = tuple(labels[operand.tensor] for operand in layer.operands)
    result = labels.get(layer.out, layer.out)
    weights = _weights(layer, parameters, model)
    chained = _chained(layer.operator, weights, parameters, {}, model)
    tables = derive(
        parameters,
        weights,
        result,
        layer.operator,
        use.stack,
        chained=chained or {},
        kinds=_named(kinds),
    )
    tables = _tables(tables, chained)
    return Tabled(layer.name, (*parameters, result), layer.operator, use.stack, tables)


def _named(kinds: Mapping[str, str | None]) -> dict[str, Kind]:
    """Kinds as strategies know them; without a plan, positions are those of a sequence."""
    named: dict[str, Kind] = {}
    for dim, kind in kinds.items():
        match kind:
            case "position":
                named[dim] = "sequence"
            case "layer" | "batch" | "vocabulary" | "head" | "expert" | "hidden":
                named[dim] = kind
    return named


def _weights(layer: Layer, parameters: tuple[str, ...], model: Model) -> frozenset[str]:
    roles = {tensor.name: tensor.role for tensor in model.tensors}
    return frozenset(
        parameter
        for parameter, operand in zip(parameters, layer.operands, strict=True)
        if roles[operand.tensor] == "weight"
    )


def _guessed_weights(template: Template) -> frozenset[str]:
    """Of a template that no layer uses: the parameters without the result's first dimension."""
    first = template.operator.output[:1]
    return frozenset(
        parameter
        for parameter, dims in zip(template.parameters, template.operator.inputs, strict=True)
        if first and first[0] not in dims
    )


def _chained(
    operator: Operator,
    weights: frozenset[str],
    parameters: tuple[str, ...],
    bound: Mapping[str, str],
    model: Model,
) -> Mapping[str, Amount] | None:
    """The sizes that hold between layers, where the next layer's operand is this one's result:
    dimensions in one place are of one size, that of the operand's (I = O = D). None where they are
    not, so that no layer follows on its like. `bound`: what dimensions of a template stand for."""
    sizes = {dim.name: dim.size for dim in model.dims}
    names = {dim.name: dim.positions for dim in model.dims}
    for parameter, dims in zip(parameters, operator.inputs, strict=True):
        if parameter in weights or len(dims) != len(operator.output):
            continue
        chained: dict[str, Amount] = {}
        for out, into in zip(operator.output, dims, strict=True):
            one, other = bound.get(out, out), bound.get(into, into)
            if out == into or one not in sizes or other not in sizes:
                continue
            if sizes[one] != sizes[other]:
                return None
            chained |= dict.fromkeys((out, into), symbol(names[other]))
        return chained
    return {}


def _tables(derived: Strategies, chained: Mapping[str, Amount] | None) -> Strategies:
    """The tables without what is between layers, where no layer follows on its like."""
    if chained is not None:
        return derived
    return replace(derived, strategies=tuple(replace(s, between=None) for s in derived.strategies))

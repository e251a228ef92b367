"""The operators of a spec that tables are made for: its templates, and layers written without one.

A template's tables are about the layers that are made from it: they say which parameters are
weights, which stack the layers stand in, and which dimensions are one between layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from parspec.interpreter.analysis.kinds import Kinds, kinds_of
from parspec.interpreter.spec.model import Item, Layer, Model, Stack, Template
from parspec.interpreter.theory.formulas import Amount, symbol
from parspec.interpreter.theory.operators import Operator
from parspec.interpreter.theory.strategies import Kind, Strategies, derive


@dataclass(frozen=True, slots=True)
class Tabled:
    """An operator with its tables; `variables` are the operands' names, then the result's."""

    name: str
    variables: tuple[str, ...]
    operator: Operator
    stack: str | None
    tables: Strategies


@dataclass(frozen=True, slots=True)
class _Use:
    """A layer with the dimension of the innermost stack around it."""

    layer: Layer
    stack: str | None


def tabled(model: Model) -> tuple[Tabled, ...]:
    """Templates in the order of the spec, then each further operator once, by its first layer."""
    uses = tuple(_uses(model.items, None))
    kinds = kinds_of(model, {tensor.name: tensor for tensor in model.tensors})
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
    tables = derive(
        template.parameters,
        weights,
        template.out,
        template.operator,
        stack,
        chained=_chained(template.operator, weights, template.parameters),
        kinds=named,
    )
    return Tabled(template.name, variables, template.operator, stack, tables)


def _of_layer(use: _Use, kinds: Kinds, model: Model) -> Tabled:
    labels = {tensor.name: tensor.label for tensor in model.tensors}
    layer = use.layer
    parameters = tuple(labels[operand.tensor] for operand in layer.operands)
    result = labels.get(layer.out, layer.out)
    weights = _weights(layer, parameters, model)
    tables = derive(
        parameters,
        weights,
        result,
        layer.operator,
        use.stack,
        chained=_chained(layer.operator, weights, parameters),
        kinds=_named(kinds),
    )
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
    operator: Operator, weights: frozenset[str], parameters: tuple[str, ...]
) -> Mapping[str, Amount]:
    """The article's assumption between layers: where the result's dimension is another than the
    operand's in its place, both are of one size, D (unless the operator has a D of its own)."""
    for parameter, dims in zip(parameters, operator.inputs, strict=True):
        if parameter not in weights and len(dims) == len(operator.output):
            pairs = [pair for pair in zip(operator.output, dims, strict=True) if pair[0] != pair[1]]
            own = {dim for pair in pairs for dim in pair}
            return dict.fromkeys(own, symbol("D")) if "D" not in operator.dims else {}
    return {}

"""What dimensions index, found from how the model uses them, and the strategies' names.

No dimension is known by its name: a vocabulary is what a table is looked up by or a loss is taken
along, experts are batched with weights, heads are batched between activations and appear in
weights, positions come in pairs (queries and keys) or follow a batch dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from parspec.interpreter.analysis.grid import Grid, layers_of
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.pipeline import stacks_of
from parspec.interpreter.spec.model import Layer, Model, Tensor
from parspec.interpreter.theory.layouts import TURN
from parspec.interpreter.theory.strategies import Kind, strategy_name

Kinds: TypeAlias = Mapping[str, str]  # leaf to `position` or one of strategies.Kind


def kinds_of(model: Model, tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """The kind of every leaf that has one; later rules beat earlier ones."""
    layers = tuple(layers_of(model.items))
    weighted = {leaf for t in model.tensors if t.role == "weight" for leaf in t.leaves}
    kinds: dict[str, str] = dict.fromkeys(weighted, "hidden")
    for tensor in model.tensors:
        if tensor.role == "input":
            kinds |= _input_kinds(tensor, weighted)
    for dim in model.dims:
        if dim.positions != dim.name and dim.name not in weighted:
            kinds |= {dim.name: "position", dim.positions: "position"}
    kinds |= dict.fromkeys(_heads(layers, tensors, weighted), "head")
    for layer in layers:
        kinds |= dict.fromkeys(_experts(layer, tensors), "expert")
        kinds |= dict.fromkeys(_vocabularies(layer), "vocabulary")
    return kinds | {stack.dim: "layer" for stack in stacks_of(model.items)}


def _input_kinds(tensor: Tensor, weighted: set[str]) -> dict[str, str]:
    """An input's first dimension is its batch, further ones that no weight has its positions."""
    free = [leaf for leaf in tensor.leaves if leaf not in weighted]
    return {leaf: "position" if place else "batch" for place, leaf in enumerate(free)}


def _between_activations(layer: Layer, tensors: Mapping[str, Tensor]) -> bool:
    """Whether a layer contracts activations with one another, as attention does."""
    return (
        layer.operator.kind == "einsum"
        and bool(layer.operator.summed)
        and all(tensors[operand.tensor].role != "weight" for operand in layer.operands)
    )


def _heads(layers: Iterable[Layer], tensors: Mapping[str, Tensor], weighted: set[str]) -> set[str]:
    products = [layer.operator for layer in layers if _between_activations(layer, tensors)]
    kept = {leaf for operator in products for leaf in operator.output}
    summed = {leaf for operator in products for leaf in operator.summed}
    return (kept & weighted) - summed


def _experts(layer: Layer, tensors: Mapping[str, Tensor]) -> set[str]:
    """Dimensions that a product has in an activation, in a weight and in its result."""
    operator = layer.operator
    if operator.kind in ("dispatch", "combine"):
        tokens = operator.inputs[0] if operator.kind == "dispatch" else operator.output
        return set(operator.inputs[1]) - set(tokens)
    if operator.kind != "einsum":
        return set()
    weights: set[str] = set()
    others: set[str] = set()
    for operand, dims in zip(layer.operands, operator.inputs, strict=True):
        (weights if tensors[operand.tensor].role == "weight" else others).update(dims)
    return weights & others & set(operator.output)


def _vocabularies(layer: Layer) -> tuple[str, ...]:
    if layer.operator.kind == "lookup":
        return layer.operator.inputs[1][:1]
    return layer.operator.over if layer.operator.kind == "crossentropy" else ()


def context_axes(
    placed: Iterable[Placed], kinds: Kinds, tensors: Mapping[str, Tensor]
) -> frozenset[str]:
    """Axes along which attention has to see positions of other nodes, or a clause deals them so."""
    found: set[str] = set()
    for one in placed:
        dealt = {said.axis for said in one.layer.assignments if said.dealt is not None}
        attends = _between_activations(one.layer, tensors)
        for dim, axes in one.placement.cuts:
            if kinds.get(dim) == "position":
                found |= set(axes) if attends else dealt & set(axes)
    return frozenset(found)


def strategies(
    placed: Placed,
    kinds: Kinds,
    context: frozenset[str],
    tensors: Mapping[str, Tensor],
    grid: Grid,
) -> tuple[tuple[str, str], ...]:
    """The strategy of a layer on every axis of more than one node."""
    weights = [tensors[operand.tensor].role == "weight" for operand in placed.layer.operands]
    named = []
    for axis, pieces in grid.axes:
        if grid.space.sizes.get(axis) == 1:
            continue
        piece = next((p for p in pieces if placed.placement.dim(p)), pieces[0])
        dim = placed.placement.dim(piece)
        letters = [where.state(piece).letter for where in placed.inputs]
        name = strategy_name(
            [letter for letter, weight in zip(letters, weights, strict=True) if not weight],
            [letter for letter, weight in zip(letters, weights, strict=True) if weight],
            placed.output.state(piece).letter,
            dim,
            _kind(dim, piece, placed, kinds, context),
        )
        named.append((axis, name))
    return tuple(named)


def _kind(
    dim: str | None, axis: str, placed: Placed, kinds: Kinds, context: frozenset[str]
) -> Kind | None:
    """The kind that names depend on: the stage of a pipelined stack is its layer's."""
    if placed.output.state(axis).nodes == (TURN,):
        return "layer"
    match kinds.get(dim or ""):
        case "position":
            return "context" if axis in context else "sequence"
        case "layer" | "batch" | "vocabulary" | "head" | "expert" | "hidden" as kind:
            return kind
    return None

"""Hints: what the layers and variables of one part say of the dimensions that they have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from parspec.grammar.values import the_one
from parspec.interpreter.analysis.inference import Inference, Placed
from parspec.interpreter.spec.model import Layer, Tensor


class Hints(NamedTuple):
    """What a part says of dimensions: `weighted` leaves; the leaves of each input; what products of
    activations keep and sum; experts and vocabularies in the order of layers; dims of stacks; and
    where positions would be `seen` on other nodes, as (dimension, axis): by attention, or as a
    clause deals them."""

    weighted: frozenset[str]
    inputs: tuple[tuple[str, ...], ...]
    kept: frozenset[str]
    summed: frozenset[str]
    named: Mapping[str, str]
    turns: tuple[str, ...]
    seen: frozenset[tuple[str, str]]


def hints_of(inference: Inference) -> Hints:
    """The hints of a part."""
    own, tensors = inference.part.tensors, inference.tensors
    layers = [placed.layer for placed in inference.layers]
    products = [layer.operator for layer in layers if _between_activations(layer, tensors)]
    named: dict[str, str] = {}
    for layer in layers:
        named |= dict.fromkeys(_experts(layer, tensors), "expert")
        named |= dict.fromkeys(_vocabularies(layer), "vocabulary")
    return Hints(
        the_one(
            frozenset(leaf for tensor in own if tensor.role == "weight" for leaf in tensor.leaves)
        ),
        tuple(tensor.leaves for tensor in own if tensor.role == "input"),
        the_one(frozenset(leaf for operator in products for leaf in operator.output)),
        the_one(frozenset(leaf for operator in products for leaf in operator.summed)),
        named,
        tuple(stack.dim for stack in inference.part.stacks),
        the_one(frozenset(pair for one in inference.layers for pair in _seen(one, tensors))),
    )


def _seen(placed: Placed, tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, str]]:
    """The dimensions of a layer with axes on which it has to see all of them, or deals them so."""
    dealt = {said.axis for said in placed.layer.assignments if said.dealt is not None}
    attends = _between_activations(placed.layer, tensors)
    for dim, axes in placed.placement.cuts if attends or dealt else ():
        yield from ((dim, axis) for axis in axes if attends or axis in dealt)


def _between_activations(layer: Layer, tensors: Mapping[str, Tensor]) -> bool:
    """Whether a layer contracts activations with one another, as attention does."""
    return (
        layer.operator.kind == "einsum"
        and bool(layer.operator.summed)
        and all(tensors[operand.tensor].role != "weight" for operand in layer.operands)
    )


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

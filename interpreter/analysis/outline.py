"""Outline: what a part says by itself, before anything is inferred."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parspec.grammar.values import the_one
from parspec.interpreter.analysis.grid import Asked, asked_of
from parspec.interpreter.spec.model import Layer, Part, Stack, Tensor


@dataclass(frozen=True, eq=False)
class Outline:
    """A part's variables and stacks by name, its layers in order, those inside stacks once.

    names: of its variables; outside: the variables of other parts that it reads or gives; asked:
    the cuts that its clauses ask for; dims: those that its layers have; said_of: the variables that
    clauses say something of; holes: the layers with a clause that leaves its dimension open.
    """

    tensors: Mapping[str, Tensor]
    stacks: Mapping[str, Stack]
    layers: tuple[Layer, ...]
    names: tuple[str, ...]
    outside: tuple[str, ...]
    asked: frozenset[Asked]
    dims: frozenset[str]
    said_of: tuple[Tensor, ...]
    holes: tuple[Layer, ...]


def outline_of(part: Part) -> Outline:
    """The outline of a part."""
    return Outline(
        part.named,
        {stack.name: stack for stack in part.stacks},
        part.layers,
        tuple(part.named),
        tuple(sorted(part.used - part.named.keys())),
        the_one(asked_of(part.items, part.tensors)),
        the_one(frozenset(dim for layer in part.layers for dim in layer.operator.dims)),
        tuple(tensor for tensor in part.tensors if tensor.rest),
        tuple(layer for layer in part.layers if any(s.saying == "hole" for s in layer.assignments)),
    )

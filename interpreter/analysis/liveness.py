"""Liveness: the most bytes of inputs and activations that live at once in a forward pass.

A variable lives from the layer that makes it to the last that reads it, an output to the end. What
a stack reads from outside lives through all its turns, its carry from the start of a turn, and what
a turn leaves to the end of it. A copy in another layout lives while its reader runs; a fused group
reads all that it reads to its end and keeps only what it is read for outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.moves import Pricing, output_layout
from parspec.interpreter.analysis.sizes import bytes_of
from parspec.interpreter.theory.formulas import Amount, generic, total
from parspec.interpreter.theory.layouts import Layout


@dataclass(frozen=True, slots=True)
class _Life:
    """Bytes that live from one layer to another, both by their places in the walk."""

    size: Amount
    first: int
    last: int


def peak_live(pricing: Pricing, origins: Mapping[str, Layout]) -> Amount:
    """The peak, bytes on a device; `origins` are the layouts that variables have before anybody
    moves them."""
    layers = pricing.inference.layers
    inside = fused_inside(layers)
    lives = [
        *_variables(pricing, origins, inside),
        *_copies(pricing, origins, inside),
        *_outputs(pricing, origins),
    ]
    peak = _peak(lives, len(layers))
    return total(life.size for life in lives if life.first <= peak <= life.last)


def _peak(lives: Iterable[_Life], layers: int) -> int:
    """The place of the first layer at which most lives; symbolic sizes at a fixed point."""
    changes = [generic(0)] * (layers + 2)
    for life in lives:
        changes[life.first] += generic(life.size)
        changes[life.last + 1] -= generic(life.size)
    living = list(accumulate(changes))
    return living.index(max(living))


def _variables(
    pricing: Pricing, origins: Mapping[str, Layout], inside: frozenset[str]
) -> Iterator[_Life]:
    """Inputs and carries that are read, and what layers make."""
    layers = pricing.inference.layers
    last = _last_uses(pricing)
    first = {stack: place for place, one in reversed([*enumerate(layers)]) for stack in one.stacks}
    turns = {pricing.stacks[stack].carry: place for stack, place in first.items()}
    for tensor in pricing.model.tensors:
        if tensor.role in ("input", "carry") and tensor.name in last:
            size = bytes_of(tensor, origins[tensor.name], pricing.grid)
            yield _Life(size, turns.get(tensor.name, 0), last[tensor.name])
    for place, placed in enumerate(layers):
        made = pricing.tensors[placed.layer.out]
        if made.role == "activation" and made.name not in inside:
            size = bytes_of(made, placed.made, pricing.grid)
            yield _Life(size, place, max(place, last.get(made.name, place)))


def _copies(
    pricing: Pricing, origins: Mapping[str, Layout], inside: frozenset[str]
) -> Iterator[_Life]:
    """Variables as layers read them, where that is not how they lie."""
    for place, placed in enumerate(pricing.inference.layers):
        for operand, where in zip(placed.layer.operands, placed.read, strict=True):
            tensor = pricing.tensors[operand.tensor]
            counts = tensor.role in ("input", "carry", "activation") and tensor.name not in inside
            if counts and where != origins[tensor.name]:
                yield _Life(bytes_of(tensor, where, pricing.grid), place, place)


def _outputs(pricing: Pricing, origins: Mapping[str, Layout]) -> Iterator[_Life]:
    """Outputs where they must lie, beside how they are produced, at the end."""
    end = len(pricing.inference.layers)
    for output in pricing.model.outputs:
        made, wanted = output_layout(pricing, origins, output)
        if made != wanted:
            yield _Life(bytes_of(pricing.tensors[output.tensor], wanted, pricing.grid), end, end)


def peak_gathered(pricing: Pricing, origins: Mapping[str, Layout]) -> Amount:
    """The most bytes of weights that one layer needs in another layout than they lie in at rest."""
    weights = [
        total(
            bytes_of(tensor, where, pricing.grid)
            for operand, where in zip(placed.layer.operands, placed.read, strict=True)
            for tensor in [pricing.tensors[operand.tensor]]
            if tensor.role == "weight" and _grows(origins[tensor.name], where)
        )
        for placed in pricing.inference.layers
    ]
    return max(weights, key=generic, default=0)


def _grows(rest: Layout, used: Layout) -> bool:
    """Whether a use needs more of a variable than what lies on a device."""
    cut = {axis for _, axes in rest.cuts for axis in axes}
    return not cut <= {axis for _, axes in used.cuts for axis in axes}


def _last_uses(pricing: Pricing) -> dict[str, int]:
    """The place of the last layer up to which each variable is kept."""
    inference = pricing.inference
    ends = {stack: place for place, one in enumerate(inference.layers) for stack in one.stacks}
    groups = {one.layer.fused: place for place, one in enumerate(inference.layers)}
    last: dict[str, int] = {}
    for place, placed in enumerate(inference.layers):
        for operand in placed.layer.operands:
            made = inference.stack_of.get(operand.tensor, ())
            around = [stack for stack in placed.stacks if stack not in made]
            whole = groups[placed.layer.fused] if placed.layer.fused is not None else place
            until = ends[around[0]] if around else whole
            last[operand.tensor] = max(until, last.get(operand.tensor, 0))
    for stack, end in ends.items():
        left = pricing.stacks[stack].last
        last[left] = max(end, last.get(left, 0))
    return last | {output.tensor: len(inference.layers) for output in pricing.model.outputs}


def fused_inside(layers: Sequence[Placed]) -> frozenset[str]:
    """Variables that are made and read only inside one fused group."""
    group_of = {p.layer.out: p.layer.fused for p in layers if p.layer.fused is not None}
    outside = {
        operand.tensor
        for p in layers
        for operand in p.layer.operands
        if group_of.get(operand.tensor) not in (None, p.layer.fused)
    }
    read = {operand.tensor for p in layers for operand in p.layer.operands}
    return frozenset(name for name in group_of if name in read and name not in outside)

"""What a plan costs, and what another one saves.

A plan is cheaper if it moves less or computes less and no other figure is worse: bytes in the
system, bytes and seconds on the busiest device, FLOPs of all layers on a device. Gradients that
have to be reduced count as far as they can be told from the forward pass: a weight's is partial on
each axis that splits a dimension which the weight lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from parspec.grammar.values import value
from parspec.interpreter.analysis.loads import sent_by_busiest
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics.readable import bytes_text, count_text
from parspec.interpreter.output.wording.facts import at_work
from parspec.interpreter.spec.model import Model, layers_of
from parspec.interpreter.theory.formulas import Amount, is_number, total
from parspec.interpreter.theory.primitives import ALL_REDUCE, per_device

_MORE_MEMORY = Fraction(101, 100)  # memory that is said beside a saving grows by this at least


@value
class Cost:
    """traffic: bytes in the system, in the plan's price list; sent: bytes on the busiest device,
    gradients included; flops: of all layers on a device; memory: bytes on a device; time: seconds
    of all moves. None is not known."""

    traffic: Fraction
    sent: Fraction
    flops: Fraction | None
    memory: Fraction | None
    time: float | None


def cost(analysis: Analysis) -> Cost | None:
    """The cost of a plan; None where sizes are symbolic."""
    moves = at_work(analysis.moves)
    traffic = _number(total(dict(move.traffic)[analysis.model.cost] for move in moves))
    sent = _number(total((sent_by_busiest(moves), *_gradients(analysis))))
    if traffic is None or sent is None:
        return None
    return Cost(
        traffic,
        sent,
        _flops(analysis),
        _number(analysis.totals.memory.total),
        analysis.totals.communication_time,
    )


def saving(now: Cost, then: Cost, model: Model) -> str | None:
    """What another plan saves, in words; None where it is not cheaper. What it saves is the exact
    difference of the totals that a report prints."""
    if _more(then.sent, now.sent) or _more(then.flops, now.flops) or _more(then.time, now.time):
        return None
    if then.traffic < now.traffic:
        step = "forward" if model.trains else "a step"
        saved = f"saves {bytes_text(now.traffic - then.traffic)} {step}"
    elif then.traffic > now.traffic or now.flops is None or then.flops is None:
        return None
    elif then.flops < now.flops:
        saved = f"saves {count_text(now.flops - then.flops)}flop a device"
    else:
        return None
    return saved + _memory(now, then)


def _memory(now: Cost, then: Cost) -> str:
    if now.memory is None or then.memory is None or then.memory < now.memory * _MORE_MEMORY:
        return ""
    return f", takes {bytes_text(then.memory - now.memory)} more memory a device"


def _more(one: Fraction | float | None, other: Fraction | float | None) -> bool:
    return one is not None and other is not None and one > other


def _number(amount: Amount | None) -> Fraction | None:
    return Fraction(amount) if amount is not None and is_number(amount) else None


def _flops(analysis: Analysis) -> Fraction | None:
    spent = [
        None if layer.flops_per_device is None else layer.flops_per_device * layer.turns
        for layer in analysis.layers
    ]
    known = [each for each in spent if each is not None]
    return _number(total(known)) if len(known) == len(spent) else None


def _gradients(analysis: Analysis) -> Iterator[Amount]:
    """Bytes on a device to reduce the gradients of the weights, in training."""
    if not analysis.model.trains:
        return
    sizes = {axis.name: axis.size for axis in analysis.model.mesh.axes}
    tensors = {tensor.name: tensor for tensor in analysis.model.tensors}
    bytes_of = {tensor.name: tensor.size for tensor in analysis.tensors}
    cuts = {layer.name: layer.partition for layer in analysis.layers}
    for layer in layers_of(analysis.model.items):
        for operand in layer.operands:
            tensor = tensors[operand.tensor]
            if tensor.role != "weight" or tensor.frozen:
                continue
            for axis, dim in cuts.get(layer.name, ()):
                if dim not in operand.leaves:
                    nodes = sizes.get(axis, 1)
                    yield per_device(ALL_REDUCE, bytes_of[tensor.name], nodes)

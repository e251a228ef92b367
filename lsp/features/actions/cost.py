"""What a plan costs, and what another one saves.

A plan is cheaper if it takes less time, where that is known of both. Where it is not, if it moves
less or computes less and no other figure is worse: bytes in the system, bytes on the busiest
device, FLOPs of all layers on a device. Gradients that have to be reduced are not in a time; they
count as far as they can be told from the forward pass: a weight's is partial on each axis that
splits a dimension which the weight lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from parspec.grammar.values import value
from parspec.interpreter.analysis.loads import sent_by_busiest
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics.readable import bytes_text, count_text, seconds_text
from parspec.interpreter.output.wording.facts import at_work
from parspec.interpreter.spec.model import Model, layers_of
from parspec.interpreter.theory.formulas import Amount, is_number, total
from parspec.interpreter.theory.primitives import ALL_REDUCE, per_device

_MORE_MEMORY = Fraction(101, 100)  # memory that is said beside a saving grows by this at least


@value
class Cost:
    """traffic: bytes in the system, in the plan's price list; sent: bytes on the busiest device,
    gradients included; flops: of all layers on a device; memory: bytes on a device, in training
    of weights alone; time: seconds of a step, where nobody knows how its parts overlap those of
    the device that is busy longest in a forward pass. None is not known."""

    traffic: Fraction
    sent: Fraction
    flops: Fraction | None
    memory: Fraction | None
    time: float | None


def cost(analysis: Analysis) -> Cost | None:
    """The cost of a plan; None where sizes are symbolic."""
    moves, totals = at_work(analysis.moves), analysis.totals
    memory = totals.memory
    traffic = _number(total(dict(move.traffic)[analysis.model.cost] for move in moves))
    sent = _number(total((sent_by_busiest(moves), *_gradients(analysis))))
    if traffic is None or sent is None:
        return None
    return Cost(
        traffic,
        sent,
        _flops(analysis),
        _number(memory.weights if analysis.model.trains else memory.total),
        totals.busy_time if totals.step_time is None else totals.step_time,
    )


def saving(now: Cost, then: Cost, model: Model) -> str | None:
    """What another plan saves, in words, and what it takes for that; None where it is not cheaper.
    What it saves is the exact difference of the totals that a report prints."""
    if now.time is None or then.time is None:
        saved = _work_saved(now, then, model)
    else:
        saved = _time_saved(now, now.time, then, then.time, model)
    return None if saved is None else saved + _memory(now, then, model)


def _time_saved(
    now: Cost, time_now: float, then: Cost, time_then: float, model: Model
) -> str | None:
    """Time, if so much that it shows; in training only where gradients do not cost more."""
    shows = time_then < time_now and seconds_text(time_then) != seconds_text(time_now)
    if not shows or (model.trains and then.sent > now.sent):
        return None
    moved = then.traffic - now.traffic
    more = "more" if moved > 0 else "less"
    told = f", moves {bytes_text(abs(moved))} {more}" if moved else ""
    return f"saves {seconds_text(time_now - time_then)} {_step(model)}{told}"


def _work_saved(now: Cost, then: Cost, model: Model) -> str | None:
    """Bytes, or else FLOPs."""
    if then.sent > now.sent or then.traffic > now.traffic or _more(then.flops, now.flops):
        return None
    if then.traffic < now.traffic:
        return f"saves {bytes_text(now.traffic - then.traffic)} {_step(model)}"
    if now.flops is None or then.flops is None or then.flops == now.flops:
        return None
    return f"saves {count_text(now.flops - then.flops)}flop a device"


def _step(model: Model) -> str:
    return "forward" if model.trains else "a step"


def _memory(now: Cost, then: Cost, model: Model) -> str:
    if now.memory is None or then.memory is None or then.memory < now.memory * _MORE_MEMORY:
        return ""
    weights = " for weights" if model.trains else ""
    return f", takes {bytes_text(then.memory - now.memory)} more memory{weights} a device"


def _more(one: Fraction | None, other: Fraction | None) -> bool:
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

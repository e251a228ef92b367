"""What an analysis says: the one immutable value that commands and the editor read.

Everything is data: names, layouts, amounts. An amount is an exact number, or a formula over the
names of dimensions and axes where a size is symbolic; None is "not computed", never 0. Bytes are
bytes, times seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum, isfinite
from typing import Literal, TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Finding, Site
from parspec.interpreter.spec.model import Model
from parspec.interpreter.theory.formulas import Amount
from parspec.interpreter.theory.layouts import Layout

Shares: TypeAlias = tuple[tuple[int, Amount], ...]
"""Pipeline stages that take part in something, each with its part of what the busiest has."""

ONE_STAGE: Shares = ((0, 1),)  # that of a plan without stages

Pass: TypeAlias = Literal["forward", "backward", "update"]
Cause: TypeAlias = Literal["operand", "output", "statistic", "stage", "carry"]


@value
class StateOf:
    """A variable's layout at a layer: as the layer reads it (`in`) or as it leaves it (`out`), with
    dimensions as the layer names them."""

    tensor: str
    role: Literal["in", "out"]
    layout: Layout
    direction: Pass = "forward"


@value
class Move:
    """One step of a variable from a layout to another: `primitive` takes `tensor` from the state
    `before` to the state `after` on `axes` (several when it is fused over them), in front of
    `layer`: a layer, the stack whose carry it brings or whose stages it joins, "" at an output. A
    free one has no primitive, is of order 0 and costs nothing.

    size: bytes of the variable as the axes' group sees it (M); group: nodes of a group (N); times:
    how often a forward pass does it; groups: how many groups do it at once. traffic: bytes in the
    system for all of them, by price list. per_device: bytes, time: seconds, both of the busiest
    device, in all the turns that it runs; time is None where an axis has no link or a size is
    symbolic. statistic: what is moved where it is not the variable itself (the maximum of a
    softmax). stages: the pipeline stages whose devices take part, each with its part of per_device
    and of time; a plan without stages is one.
    """

    direction: Pass
    layer: str
    tensor: str
    axes: tuple[str, ...]
    before: str
    after: str
    primitive: str | None
    order: int
    times: Amount
    group: Amount
    groups: Amount
    size: Amount
    traffic: tuple[tuple[str, Amount], ...]  # composed, approx, ring
    per_device: Amount
    time: float | None
    cause: Cause
    statistic: str | None
    site: Site
    stages: Shares = ONE_STAGE


@value
class LayerResult:
    """A layer: `turns` it is run in a step; partition: axis to dimension; follows: axis to the
    variable it follows there; strategy: axis to name. bytes_per_device of operands and result,
    flops_per_device of one turn; time of the busiest device's turns, s."""

    name: str
    turns: Amount
    partition: tuple[tuple[str, str], ...]
    follows: tuple[tuple[str, str], ...]
    strategy: tuple[tuple[str, str], ...]
    states: tuple[StateOf, ...]
    bytes_per_device: Amount | None
    flops_per_device: Amount | None
    time: float | None


@value
class TensorResult:
    """A variable: all its bytes (every turn's slice of a stacked one), its layout at rest (inputs,
    weights, caches) or as produced, and what the busiest device holds of it there, of a stacked one
    in all turns that it runs."""

    name: str
    label: str
    role: Literal["input", "weight", "cache", "activation", "carry"]
    dims: tuple[str, ...]
    dtype: str
    size: Amount
    layout: Layout
    per_device: Amount | None


@value
class Memory:
    """Bytes on the busiest device; None is not computed."""

    weights: Amount | None
    gradients: Amount | None
    optimizer: Amount | None
    activations: Amount | None
    cache: Amount | None
    buffers: Amount | None
    total: Amount | None


@value
class Totals:
    """Sums over one step. traffic by pass in the model's price list; by_axis (fused ones under
    `dp,tp`) and by_primitive over all passes; times in seconds, each of the device that takes
    longest: compute_time, communication_time, and busy_time, both of them one after the other."""

    parameters: Amount
    traffic: tuple[tuple[Pass, Amount | None], ...]
    by_axis: tuple[tuple[str, Amount], ...]
    by_primitive: tuple[tuple[str, Amount], ...]
    memory: Memory
    compute_time: float | None
    communication_time: float | None
    bubble_time: float | None
    step_time: float | None
    tokens_per_second: float | None
    mfu: float | None
    busy_time: float | None = None


@value
class StageResult:
    """A pipeline stage, what it holds in words and its memory."""

    stage: int
    holds: tuple[str, ...]
    memory: Memory


@value
class ExpectResult:
    """An `expect`: whether it holds (None: not evaluated) and the real value in words."""

    text: str
    holds: bool | None
    value: str
    site: Site


@value
class Analysis:
    """A spec, understood. `findings` are all of them: the model's and the analysis' own."""

    model: Model
    layers: tuple[LayerResult, ...]
    tensors: tuple[TensorResult, ...]
    moves: tuple[Move, ...]
    totals: Totals
    stages: tuple[StageResult, ...]
    expects: tuple[ExpectResult, ...]
    findings: tuple[Finding, ...]


def exact_sum(figures: Iterable[float | None]) -> tuple[float | None, ...]:
    """Few figures with exactly the sum of these, so that sums of parts sum up to that of the whole;
    None among them where one is not computed."""
    left = list(figures)
    rounded = sum_known(left)
    if rounded is None or not isfinite(rounded):
        return (rounded,)
    found = []
    while rounded:
        found.append(rounded)
        left.append(-rounded)
        rounded = sum_known(left)
    return tuple(found)


def sum_known(figures: Iterable[float | None]) -> float | None:
    """The sum of figures, rounded once, so that it is the same in whatever order; None where one
    of them is not computed."""
    asked = list(figures)
    known = [figure for figure in asked if figure is not None]
    return fsum(known) if len(known) == len(asked) else None

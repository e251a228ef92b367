"""What an analysis says: the one immutable value that commands and the editor read.

Everything is data: names, layouts, amounts. An amount is an exact number, or a formula over the
names of dimensions and axes where a size is symbolic; None is "not computed", never 0. Bytes are
bytes, times seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain
from math import fsum, isfinite
from typing import Literal, Protocol, TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Finding, Site
from parspec.interpreter.spec.model import Model
from parspec.interpreter.theory.formulas import Amount
from parspec.interpreter.theory.layouts import Layout

Shares: TypeAlias = tuple[tuple[int, Amount], ...]
"""Pipeline stages that take part in something, each with its part of what the busiest has."""

Cuts: TypeAlias = tuple[tuple[str, str], ...]
"""The dimension that each axis cuts, in mesh order."""

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
    """A layer: `turns` it is run in a step, `busiest_turns` on the device that runs it most;
    partition: axis to dimension; follows: axis to the variable it follows there; strategy: axis to
    name. bytes_per_device of operands and result, flops_per_device of one turn; time of the busiest
    device's turns, s."""

    name: str
    turns: Amount
    busiest_turns: Amount
    partition: Cuts
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
    `dp,tp`, in the order of the mesh) and by_primitive over all passes; times in seconds, each of
    the device that takes longest: compute_time, communication_time, and busy_time, both of them one
    after the other."""

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


class Listed(Protocol):
    """What is listed of one part of a model, in the order of its statements; whoever looks at it
    first may have it made."""

    @property
    def layers(self) -> tuple[LayerResult, ...]:
        """Its layers."""
        ...

    @property
    def partitions(self) -> Iterable[tuple[str, Cuts]]:
        """Its layers by name, with what each is partitioned along."""
        ...

    @property
    def tensors(self) -> tuple[TensorResult, ...]:
        """The variables that it declares."""
        ...

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves in front of its layers."""
        ...


@dataclass(frozen=True, eq=False)
class Analysis:
    """A spec, understood. `parts`: what is listed of each part of the model; `to_outputs`: the
    moves that bring outputs to where they must lie; `findings` are all of them: the model's and
    the analysis' own."""

    model: Model
    parts: tuple[Listed, ...]
    to_outputs: tuple[Move, ...]
    totals: Totals
    stages: tuple[StageResult, ...]
    expects: tuple[ExpectResult, ...]
    findings: tuple[Finding, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Analysis) and self._content == other._content

    def __hash__(self) -> int:
        return hash((self.model, self.totals, self.findings))

    @cached_property
    def layers(self) -> tuple[LayerResult, ...]:
        """All layers, those inside stacks once."""
        return tuple(chain.from_iterable([part.layers for part in self.parts]))

    @cached_property
    def tensors(self) -> tuple[TensorResult, ...]:
        """All variables."""
        return tuple(chain.from_iterable([part.tensors for part in self.parts]))

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """All moves."""
        return (*chain.from_iterable([part.moves for part in self.parts]), *self.to_outputs)

    @property
    def _content(self) -> tuple[object, ...]:
        """All that it says, however it is parted."""
        said = [getattr(self, one.name) for one in fields(self) if one.name != "parts"]
        return (*said, self.layers, self.tensors, self.moves)


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
    of them is not computed, or the sum is beyond all floats."""
    asked = list(figures)
    known = [figure for figure in asked if figure is not None]
    if len(known) != len(asked):
        return None
    try:
        return fsum(known)
    except OverflowError:
        return None

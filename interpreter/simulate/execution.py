"""Execution: a plan carried out on a machine of devices, each with its own arrays only.

Variables are laid out as they lie at rest, moved by the plan's steps and by nothing else, and
every layer is computed on each device from exactly the operands that the dimension rule gives it.
Every result is held against the reference, every primitive's bytes are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from parspec.grammar.values import value
from parspec.interpreter.analysis.inference import Placed
from parspec.interpreter.analysis.sections import Inferred
from parspec.interpreter.analysis.serving import Served
from parspec.interpreter.simulate.collectives import all_reduce
from parspec.interpreter.simulate.kernels import Kernel, Task, kernel
from parspec.interpreter.simulate.machine import Array, Device, Impossible, Machine, Positions
from parspec.interpreter.simulate.parts import Part
from parspec.interpreter.simulate.program import Program, Turns, appended, read
from parspec.interpreter.simulate.proof import Difference
from parspec.interpreter.simulate.reference import Results
from parspec.interpreter.simulate.spreads import Spread, at_rest, at_stages, difference
from parspec.interpreter.simulate.steps import carried_out
from parspec.interpreter.spec.model import Item, Layer, Operand, Stack, Tensor
from parspec.interpreter.spec.settings import DTYPES
from parspec.interpreter.theory.layouts import Layout, layout
from parspec.interpreter.theory.redistribution import Step
from parspec.interpreter.theory.rule import Statistic

STATISTIC_BYTES = 4  # statistics are reduced in fp32

Scope: TypeAlias = tuple[str, ...]  # the stacks whose turns repeat something
Entry: TypeAlias = tuple[str, str, str, str]  # layer, tensor, cause, primitive


class Differs(Exception):
    """A result is not the reference's."""

    def __init__(self, what: Difference) -> None:
        super().__init__(what.layer)
        self.what = what


@dataclass(frozen=True)
class Plan:
    """What the analysis says of a program: states, moves, and what moves outputs."""

    inferred: Inferred
    outputs: tuple[tuple[str, tuple[Step, ...]], ...]


@value
class _Here:
    """Where the execution is: the stacks around, their turns, the stage of each pipeline axis."""

    stacks: Scope = ()
    turns: Turns = ()
    stages: Mapping[str, int] = field(default_factory=dict)


@dataclass
class Execution:
    """A plan at work. `sent`: bytes by entry; `at`: the layer that is being computed."""

    program: Program
    plan: Plan
    machine: Machine
    drawn: Mapping[str, Array]
    expected: Results
    random: np.random.Generator
    sent: dict[Entry, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    results: int = 0
    at: str = ""

    def __post_init__(self) -> None:
        self._at_hand: dict[tuple[str, Scope], list[Spread]] = {}
        self._loaded: dict[tuple[str, Scope], Turns] = {}
        self._made_in: dict[str, Scope] = {}
        self._placed = self.plan.inferred.by_name
        self._served: dict[tuple[str, Scope], list[Served]] = {}
        for served in self.plan.inferred.served:
            self._served.setdefault((served.need.tensor, served.stacks), []).append(served)
        self._last: dict[str, tuple[str, Turns]] = {}

    def run(self) -> None:
        """Run everything. Raises Impossible or Differs at the first fault."""
        self._items(self.program.model.items, _Here())
        for tensor, steps in self.plan.outputs:
            self._output(tensor, steps)

    # -- the program

    def _items(self, items: Iterable[Item], here: _Here) -> None:
        for item in items:
            if isinstance(item, Layer):
                self._layer(item, here)
            else:
                self._stack(item, here)

    def _stack(self, stack: Stack, here: _Here) -> None:
        self.at = stack.name
        course = self.plan.inferred.pipeline.courses.get(stack.name)
        stages: list[int] = []
        if course is not None:
            if len(course.axes) != 1:
                raise Impossible("a pipeline over several axes has no single row of stages")
            stages = [stage for stage, count in course.chunks for _ in range(count)]
        state = self.plan.inferred.produced[stack.carry]
        carry, entry = self.program.tensors[stack.carry], self.program.tensors[stack.entry]
        spread: Spread | None = None
        for turn in range(self.program.turns(stack.name)):
            self.at = stack.name
            inside = dict(here.stages)
            if course is not None:
                inside |= dict.fromkeys(course.axes, stages[turn])
            now = _Here((*here.stacks, stack.name), (*here.turns, turn), inside)
            wanted = at_stages(state, inside)
            if spread is None:
                spread = self._entering(entry, carry, wanted, here)
            elif course is not None and stages[turn] != stages[turn - 1]:
                spread = self._sent_on(stack, spread, course.axes[0], stages[turn])
            if spread.where != wanted and not spread.covers(wanted):
                raise Impossible(f"a turn leaves {spread.where} where the next needs {wanted}")
            self._made(carry, spread, now)
            self._items(stack.items, now)
            spread = self._left(stack.last, now).renamed(carry.leaves)
        self._leave(stack, here)

    def _entering(self, entry: Tensor, carry: Tensor, wanted: Layout, here: _Here) -> Spread:
        """The carry of the first turn; an input of which turns leave addends is one addend."""
        own = _renamed(wanted, carry.leaves, entry.leaves)
        if entry.role not in ("input", "weight"):
            return self._brought(entry, own, here).renamed(carry.leaves)
        where = layout(dict(own.cuts), (), dict(own.central))
        spread = self._brought(entry, where, here)
        for place, (axis, _) in enumerate(own.partial):
            after = layout(dict(own.cuts), own.partial[: place + 1], dict(own.central))
            spread, _ = carried_out(Step(None, (axis,), spread.where, after), spread, self.machine)
        return spread.renamed(carry.leaves)

    def _sent_on(self, stack: Stack, spread: Spread, axis: str, stage: int) -> Spread:
        """The carry on the next stage."""
        before = spread.where
        after = layout(dict(before.cuts), before.partial, {**dict(before.central), axis: (stage,)})
        last = self.program.tensors[stack.last]
        return self._step(
            Step("Send", (axis,), before, after), spread, last, (stack.name, last.name, "stage")
        )

    def _leave(self, stack: Stack, here: _Here) -> None:
        """What was made inside is as its last turn left it, and moved to consumers outside."""
        inner = (*here.stacks, stack.name)
        for name, made in list(self._made_in.items()):
            if made[: len(inner)] == inner and (name, made) in self._at_hand:
                spread = self._at_hand.pop((name, made))[0]
                self._made_in[name] = here.stacks
                self._at_hand[name, here.stacks] = [spread]
                self._serve(self.program.tensors[name], here)

    def _layer(self, layer: Layer, here: _Here) -> None:
        self.at = layer.name
        placed = self._placed[layer.name]
        wanted = [at_stages(where, here.stages) for where in placed.inputs]
        operands = [
            self._operand(operand, where, here)
            for operand, where in zip(layer.operands, wanted, strict=True)
        ]
        output = at_stages(placed.output, here.stages)
        central = dict(output.central)
        kernels: dict[Device, Kernel] = {}
        for device in self.machine.devices:
            if self.machine.holds(device, layout(central=central)):
                parts = tuple(
                    self._part(dims, arrays, where, device)
                    for (dims, arrays), where in zip(operands, wanted, strict=True)
                )
                rows = self._rows(layer.operator.output, output, device)
                task = Task(layer.operator, parts, rows, self.machine.dims, float(layer.offset))
                kernels[device] = kernel(task)
        results = self._computed(kernels, placed, output)
        out = self.program.tensors[layer.out]
        self._last[out.name] = (layer.name, here.turns)
        spread = Spread(layer.operator.output, output, results)
        if out.role == "cache":
            spread = self._appended(out, spread, here)
        else:
            spread = spread.renamed(out.leaves)
        self._check(spread, layer.name, out, self.expected[layer.name, here.turns])
        self._made(out, spread, here)

    def _part(
        self, dims: tuple[str, ...], arrays: Mapping[Device, Array], where: Layout, device: Device
    ) -> Part:
        if device not in arrays:
            raise Impossible("a device that computes has no operand")
        return Part(dims, arrays[device], self._rows(dims, where, device))

    def _rows(self, dims: tuple[str, ...], where: Layout, device: Device) -> tuple[Positions, ...]:
        return tuple(self.machine.positions(dim, where.axes(dim), device) for dim in dims)

    def _computed(
        self, kernels: Mapping[Device, Kernel], placed: Placed, output: Layout
    ) -> dict[Device, Array]:
        """All kernels in step; the statistics that they yield are reduced as the plan says."""
        planned = {statistic.name: statistic for statistic in placed.statistics}
        results: dict[Device, Array] = {}
        answers: dict[Device, Array] = {}
        while len(results) < len(kernels):
            shares: dict[Device, Array] = {}
            name = ""
            for device, work in kernels.items():
                try:
                    name, shares[device] = (
                        work.send(answers[device]) if device in answers else next(work)
                    )
                except StopIteration as end:
                    results[device] = end.value
            answers = shares
            if shares and name in planned:
                answers = self._reduced(planned[name], shares, placed)
        return results

    def _reduced(
        self, statistic: Statistic, shares: Mapping[Device, Array], placed: Placed
    ) -> dict[Device, Array]:
        reduced: dict[Device, Array] = {}
        for members in self.machine.groups(statistic.axes):
            present = [member for member in members if member in shares]
            if not present:
                continue
            exchange = all_reduce([shares[member] for member in present], statistic.kind)
            entry = (placed.layer.name, placed.layer.operands[0].tensor, "statistic", "All-Reduce")
            self.sent[entry] += exchange.sent * STATISTIC_BYTES
            for member, array in zip(present, exchange.arrays, strict=True):
                assert array is not None
                reduced[member] = array
        return reduced

    # -- variables

    def _operand(
        self, operand: Operand, where: Layout, here: _Here
    ) -> tuple[tuple[str, ...], Mapping[Device, Array]]:
        tensor = self.program.tensors[operand.tensor]
        names = {r: own for own, r in zip(tensor.leaves, operand.leaves, strict=True) if r}
        spread = self._brought(tensor, where.renamed(names), here)
        dims = tuple(leaf for leaf in operand.leaves if leaf is not None)
        return dims, {device: read(part, operand)[1] for device, part in spread.parts.items()}

    def _brought(self, tensor: Tensor, wanted: Layout, here: _Here) -> Spread:
        """A variable in a layout in which it is at hand."""
        self._load(tensor, here)
        at_hand = [
            spread
            for depth in range(len(here.stacks), -1, -1)
            for spread in self._at_hand.get((tensor.name, here.stacks[:depth]), ())
        ]
        found = next((spread for spread in at_hand if spread.covers(wanted)), None)
        if found is None:
            has = "; ".join(str(spread.where) for spread in at_hand) or "nowhere"
            raise Impossible(f"{tensor.label} is wanted as {wanted} and lies {has}")
        kept = {d: part for d, part in found.parts.items() if self.machine.holds(d, wanted)}
        return Spread(found.dims, wanted, kept)

    def _load(self, tensor: Tensor, here: _Here) -> None:
        """Lay out an input, a weight or a cache as it lies at rest, once for each of its slices."""
        if tensor.role not in ("input", "weight", "cache"):
            return
        scope = here.stacks if tensor.stacked else ()
        key = (tensor.name, scope)
        turns = here.turns[: len(scope)]
        if self._loaded.get(key) == turns or (tensor.name in self._made_in and not tensor.stacked):
            return
        self._loaded[key] = turns
        where = at_stages(self.plan.inferred.uses[tensor.name].origin, here.stages)
        whole = self._whole(tensor, here)
        self._at_hand[key] = [at_rest(whole, tensor.leaves, where, self.machine, self.random)]
        self._serve(tensor, _Here(scope, turns, here.stages))

    def _whole(self, tensor: Tensor, here: _Here) -> Array:
        place = self.program.slice_of(tensor, here.stacks, here.turns)
        return np.asarray(self.drawn[tensor.name][place])

    def _made(self, tensor: Tensor, spread: Spread, here: _Here) -> None:
        """A variable comes into being: what consumers in the same turn need of it is moved."""
        for key in [key for key in self._at_hand if key[0] == tensor.name]:
            del self._at_hand[key]
        self._loaded[tensor.name, here.stacks] = here.turns
        self._made_in[tensor.name] = here.stacks
        self._at_hand[tensor.name, here.stacks] = [spread]
        self._serve(tensor, here)

    def _left(self, name: str, here: _Here) -> Spread:
        """What a turn leaves to the next one."""
        return self._at_hand[name, here.stacks][0]

    def _appended(self, cache: Tensor, spread: Spread, here: _Here) -> Spread:
        """New entries behind the history that each device has; nothing is moved for it."""
        names = dict(zip(spread.dims, cache.leaves, strict=True))
        where = spread.where.renamed(names)
        longer = [new for new, old in names.items() if self._shorter(new, old)]
        if any(spread.where.axes(dim) for dim in longer):
            raise Impossible(f"{cache.label} is appended to along a partitioned dimension")
        history = at_rest(self._whole(cache, here), cache.leaves, where, self.machine, self.random)
        parts = {d: appended(history.parts[d], part) for d, part in spread.parts.items()}
        return Spread(cache.leaves, where, parts)

    def _shorter(self, new: str, old: str) -> bool:
        return self.machine.dims[new].size != self.machine.dims[old].size

    def _serve(self, tensor: Tensor, here: _Here) -> None:
        """Take the steps that the plan has for consumers in these stacks."""
        at_hand = self._at_hand[tensor.name, here.stacks]
        for served in self._served.get((tensor.name, here.stacks), ()):
            cause = "carry" if served.need.operand < 0 else "operand"
            for planned in served.steps:
                step = _now(planned, here.stages)
                source = next((s for s in at_hand if s.where == step.source), None)
                if source is None:
                    raise Impossible(f"{tensor.label} does not lie {step.source}")
                entry = (served.need.layer, tensor.name, cause)
                at_hand.append(self._step(step, source, tensor, entry))

    def _step(
        self, step: Step, spread: Spread, tensor: Tensor, entry: tuple[str, str, str]
    ) -> Spread:
        moved, elements = carried_out(step, spread, self.machine)
        if step.primitive is not None:
            self.sent[(*entry, step.primitive)] += elements * DTYPES[tensor.dtype]
        return moved

    # -- against the reference

    def _output(self, name: str, steps: tuple[Step, ...]) -> None:
        self.at = ""
        tensor = self.program.tensors[name]
        self._load(tensor, _Here())
        spread = self._at_hand[name, ()][0]
        for step in steps:
            if spread.where != step.source:
                raise Impossible(f"{tensor.label} lies {spread.where}, not {step.source}")
            spread = self._step(step, spread, tensor, ("", name, "output"))
        whole = self.expected[self._last[name]] if name in self._last else self.drawn[name]
        self._check(spread, "", tensor, whole)

    def _check(self, spread: Spread, layer: str, tensor: Tensor, whole: Array) -> None:
        if self.program.slots & set(spread.dims):
            return  # compared after `combine`
        self.results += 1
        found = difference(spread, whole, self.machine)
        if found is not None:
            device, off = found
            where = tuple(zip(self.machine.axes, device, strict=True))
            raise Differs(Difference(layer, tensor.label, where, off))


def _now(step: Step, stages: Mapping[str, int]) -> Step:
    source, target = at_stages(step.source, stages), at_stages(step.target, stages)
    return Step(step.primitive, step.axes, source, target)


def _renamed(where: Layout, old: tuple[str, ...], new: tuple[str, ...]) -> Layout:
    return where.renamed(dict(zip(old, new, strict=True)))

"""Dataflow: which layers give what a layer reads, and which read what it gives.

From the model, so blocks and stacks are followed through: a step is a layer as it is written (its
unnamed inner operators are part of it), or a variable that no layer gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.model import Layer, Model, Stack, Tensor, layers_of
from parspec.lsp.features.meaning import at
from parspec.lsp.ranges import Location
from parspec.lsp.snapshot import Snapshot


@value
class Step:
    """A layer or a variable by its unique name, where it is declared, and under which plan."""

    name: str
    kind: str
    label: str
    detail: str
    location: Location
    plan: str | None


class Flow(NamedTuple):
    """Another step, and where the variables are declared that go from one to the other: in the file
    of the step that gives them."""

    step: Step
    through: tuple[Location, ...]


def steps_at(snapshot: Snapshot, offset: int) -> tuple[Step, ...]:
    """The layers of the name at an offset, or those that give the tensor of that name; more than
    one where a block is called more than once."""
    here = at(snapshot, offset)
    if here is None or here.site is None:
        return ()
    flows = _Flows(snapshot, snapshot.analysis_at(offset))
    return tuple(flows.steps(flows.at_sites(frozenset(here.sites))))


def producers(snapshot: Snapshot, name: str, plan: str | None) -> tuple[Flow, ...]:
    """What gives what a step reads."""
    flows = _flows(snapshot, plan)
    return () if flows is None else flows.to(name)


def consumers(snapshot: Snapshot, name: str, plan: str | None) -> tuple[Flow, ...]:
    """What reads what a step gives."""
    flows = _flows(snapshot, plan)
    return () if flows is None else flows.out_of(name)


def _flows(snapshot: Snapshot, plan: str | None) -> _Flows | None:
    chosen = (each for each in snapshot.analyses if each.model.plan == plan)
    analysis = next(chosen, None)
    return None if analysis is None else _Flows(snapshot, analysis)


class _Flows:
    """The layers of a model by what they read and give."""

    def __init__(self, snapshot: Snapshot, analysis: Analysis) -> None:
        self._snapshot = snapshot
        self._model = analysis.model
        self._tensors: Mapping[str, Tensor] = {t.name: t for t in self._model.tensors}
        self._layers: dict[str, list[Layer]] = {}
        self._giver: dict[str, str] = {}
        self._readers: dict[str, dict[str, None]] = {}
        self._entering: dict[str, tuple[str, ...]] = {}
        self._carries: dict[str, list[str]] = {}
        for layer in layers_of(self._model.items):
            self._layers.setdefault(layer.parent, []).append(layer)
            self._giver.setdefault(layer.out, layer.parent)
            for operand in layer.operands:
                self._readers.setdefault(operand.tensor, {})[layer.parent] = None
        for stack in _stacks(self._model):
            self._entering[stack.carry] = tuple(dict.fromkeys((stack.entry, stack.last)))
            for source in self._entering[stack.carry]:
                self._carries.setdefault(source, []).append(stack.carry)

    # -- steps -----------------------------------------------------------------------------------

    def at_sites(self, sites: frozenset[Site]) -> Iterator[str]:
        """The names of the layers that are declared somewhere, or that give what is."""
        for name, layers in self._layers.items():
            if layers[-1].site in sites:
                yield name
        for tensor in self._tensors.values():
            if tensor.site in sites and tensor.role != "carry":
                yield self._giver.get(tensor.name, tensor.name)

    def steps(self, names: Iterable[str]) -> Iterator[Step]:
        """Steps by their names, each once."""
        for name in dict.fromkeys(names):
            step = self._step(name)
            if step is not None:
                yield step

    def _step(self, name: str) -> Step | None:
        model, layers = self._model, self._layers.get(name)
        tensor = self._tensors.get(layers[-1].out if layers else name)
        site = layers[-1].site if layers else tensor.site if tensor else None
        location = None if site is None else self._snapshot.location(site)
        if location is None:
            return None
        kind = "layer" if layers else tensor.role if tensor else "layer"
        dims = f"[{', '.join(tensor.dims)}]" if tensor else ""
        detail = f"{tensor.label}{dims}" if tensor else ""
        return Step(name, kind, name, detail, location, model.plan)

    # -- flows -----------------------------------------------------------------------------------

    def _made(self, name: str) -> list[Layer]:
        """The layers that a step is: those inside where it is the use of a block."""
        known = self._layers.get(name)
        if known is not None:
            return known
        inside = (layers for step, layers in self._layers.items() if step.startswith(f"{name}."))
        return [layer for layers in inside for layer in layers]

    def to(self, name: str) -> tuple[Flow, ...]:
        """What gives what a step reads."""
        own = self._made(name)
        read = dict.fromkeys(operand.tensor for layer in own for operand in layer.operands)
        given = {layer.out for layer in own}
        through: dict[str, list[str]] = {}
        for tensor in read:
            for source in () if tensor in given else self._sources(tensor):
                through.setdefault(self._giver.get(source, source), []).append(source)
        return tuple(self._flow(through))

    def out_of(self, name: str) -> tuple[Flow, ...]:
        """What reads what a step gives."""
        own = self._made(name)
        steps = {name, *(layer.parent for layer in own)}
        given = [layer.out for layer in own] or [name]
        through: dict[str, list[str]] = {}
        for tensor in given:
            for reader in self._all_readers(tensor):
                if reader not in steps:
                    through.setdefault(reader, []).append(tensor)
        return tuple(self._flow(through))

    def _flow(self, through: Mapping[str, list[str]]) -> Iterator[Flow]:
        for name, tensors in through.items():
            step = self._step(name)
            if step is not None:
                sites = (self._tensors[each].site for each in tensors if each in self._tensors)
                found = (self._snapshot.location(site) for site in sites)
                yield Flow(step, tuple(dict.fromkeys(each for each in found if each)))

    def _sources(self, tensor: str) -> Iterator[str]:
        """The variables that one is: of a carry what enters the stack and what a turn leaves."""
        seen: dict[str, None] = {}
        pending = [tensor]
        while pending:
            here = pending.pop()
            if here in seen:
                continue
            seen[here] = None
            if here in self._entering:
                pending += reversed(self._entering[here])
            else:
                yield here

    def _all_readers(self, tensor: str) -> Iterator[str]:
        """The layers that read a variable, also as the carry of a stack."""
        seen: dict[str, None] = {}
        pending = [tensor]
        while pending:
            here = pending.pop()
            if here not in seen:
                seen[here] = None
                yield from self._readers.get(here, ())
                pending += self._carries.get(here, ())


def _stacks(model: Model) -> Iterator[Stack]:
    return (stack for part in model.parts for stack in part.stacks)

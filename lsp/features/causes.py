"""Causes: which clauses of a file bring the primitives of a model that it imports.

A primitive comes of the clause that cuts what is moved, at the layer that gives it or, where that
follows, at the one that it follows; else of the clause of the layer that needs it otherwise. What
moves inside a layer or between stages comes of the clause of that layer or stack.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from parspec.grammar.span import Span
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.spec.model import Assignment, Layer, Tensor
from parspec.lsp.facts import Facts

_FAR = 64  # layers that are looked at for what another one follows

Caused: TypeAlias = Mapping[int, Mapping[Span, list[Move]]]


def caused(file: str, facts: Facts) -> Caused:
    """The moves at what stands in other files, by the clauses of a file that bring them: by the key
    of the statement and the span of the clause in it."""
    elsewhere = [move for move in facts.at_work if move.site.file != file]
    if not elsewhere:
        return {}
    makers = _Makers(facts)
    found: dict[int, dict[Span, list[Move]]] = {}
    for move in elsewhere:
        said = next((each for each in makers.causes(move) if each.site.file == file), None)
        if said is not None:
            found.setdefault(said.site.chunk, {}).setdefault(said.site.span, []).append(move)
    return found


class _Makers:
    """What gives each variable, and what clauses say of it."""

    def __init__(self, facts: Facts) -> None:
        parts = facts.model.parts
        self._covers = facts.grid.covers
        self._layers = {layer.name: layer for part in parts for layer in part.layers}
        self._stacks = {stack.name: stack for part in parts for stack in part.stacks}
        self._tensors: dict[str, Tensor] = {
            tensor.name: tensor for part in parts for tensor in part.tensors
        }
        self._makers = {layer.out: layer for layer in self._layers.values()}
        for stack in self._stacks.values():
            if stack.last in self._makers:
                self._makers[stack.carry] = self._makers[stack.last]

    def causes(self, move: Move) -> Iterator[Assignment]:
        """The clauses that a move may come of, the likeliest first."""
        pieces = frozenset(chain.from_iterable(self._covers[axis] for axis in move.axes))
        tensor, maker = self._tensors.get(move.tensor), self._makers.get(move.tensor)
        if move.cause not in ("statistic", "stage"):
            yield from self._on(pieces, () if tensor is None else tensor.rest)
            yield from () if maker is None else self._followed(maker, pieces)
        layer, stack = self._layers.get(move.layer), self._stacks.get(move.layer)
        yield from () if layer is None else self._followed(layer, pieces)
        yield from () if stack is None else self._on(pieces, stack.assignments)

    def _followed(self, layer: Layer, pieces: Collection[str]) -> Iterator[Assignment]:
        """What a layer's clauses say of axes, else those of the layers that it reads from."""
        pending, seen = [layer], {layer.name}
        while pending and len(seen) < _FAR:
            here = pending.pop()
            said = next(self._on(pieces, here.assignments), None)
            if said is not None:
                yield said
                return
            makers = (self._makers.get(operand.tensor) for operand in here.operands)
            for maker in makers:
                if maker is not None and maker.name not in seen:
                    seen.add(maker.name)
                    pending.insert(0, maker)

    def _on(self, pieces: Collection[str], said: Iterable[Assignment]) -> Iterator[Assignment]:
        return (
            one for one in said if any(each in pieces for each in self._covers.get(one.axis, ()))
        )

"""The primitives of plans, matched by pass, layer, variable and axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from parspec.interpreter.analysis.loads import sent_by_busiest, time_of_busiest
from parspec.interpreter.analysis.result import Analysis, Move, Pass
from parspec.interpreter.output.comparisons.values import Exchange, Variant
from parspec.interpreter.output.wording.facts import at_work
from parspec.interpreter.theory.formulas import total

_Key: TypeAlias = tuple[Pass, str, str, tuple[str, ...], str | None]


def exchanges(variants: Sequence[Variant]) -> tuple[Exchange, ...]:
    """All exchanges of the variants; those whose traffic differs most come first."""
    tables = [_by_key(variant.analysis) for variant in variants]
    labels = {
        tensor.name: tensor.label for variant in variants for tensor in variant.analysis.tensors
    }
    costs = [variant.analysis.model.cost for variant in variants]
    found = [
        _exchange(key, [table.get(key, ()) for table in tables], costs, labels)
        for key in dict.fromkeys(key for table in tables for key in table)
    ]
    return tuple(sorted(found, key=lambda exchange: exchange.weight, reverse=True))


def _by_key(analysis: Analysis) -> dict[_Key, tuple[Move, ...]]:
    found: dict[_Key, tuple[Move, ...]] = {}
    for move in at_work(analysis.moves):
        axes = analysis.model.mesh.in_order(move.axes)
        key = (move.direction, move.layer, move.tensor, axes, move.statistic)
        found[key] = (*found.get(key, ()), move)
    return found


def _exchange(
    key: _Key, moves: Sequence[tuple[Move, ...]], costs: Sequence[str], labels: dict[str, str]
) -> Exchange:
    direction, layer, tensor, axes, statistic = key
    return Exchange(
        direction,
        layer,
        tensor,
        labels.get(tensor, tensor),
        axes,
        statistic,
        tuple(moves),
        tuple(
            total(dict(move.traffic)[cost] for move in own)
            for own, cost in zip(moves, costs, strict=True)
        ),
        tuple(map(sent_by_busiest, moves)),
        tuple(map(time_of_busiest, moves)),
    )

"""The primitives of plans, matched by pass, layer, variable and axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from parspec.interpreter.analysis.loads import sent_by_busiest, time_of_busiest
from parspec.interpreter.analysis.result import Analysis, Move
from parspec.interpreter.output.comparisons.values import Exchange, Variant
from parspec.interpreter.output.wording.facts import at_work
from parspec.interpreter.theory.formulas import total

_Key: TypeAlias = tuple[str, str, str, tuple[str, ...], str | None]


def exchanges(variants: Sequence[Variant]) -> tuple[Exchange, ...]:
    """All exchanges of the variants; those whose traffic differs most come first."""
    tables = [_by_key(variant.analysis) for variant in variants]
    labels = {
        tensor.name: tensor.label for variant in variants for tensor in variant.analysis.tensors
    }
    costs = [variant.analysis.model.cost for variant in variants]
    found = [
        _exchange([table.get(key, ()) for table in tables], costs, labels)
        for key in dict.fromkeys(key for table in tables for key in table)
    ]
    return tuple(sorted(found, key=lambda exchange: exchange.weight, reverse=True))


def _by_key(analysis: Analysis) -> dict[_Key, tuple[Move, ...]]:
    found: dict[_Key, tuple[Move, ...]] = {}
    for move in at_work(analysis.moves):
        key = (move.direction, move.layer, move.tensor, move.axes, move.statistic)
        found[key] = (*found.get(key, ()), move)
    return found


def _exchange(
    moves: Sequence[tuple[Move, ...]], costs: Sequence[str], labels: dict[str, str]
) -> Exchange:
    one = next(move for own in moves for move in own)
    return Exchange(
        one.direction,
        one.layer,
        one.tensor,
        labels.get(one.tensor, one.tensor),
        one.axes,
        one.statistic,
        tuple(moves),
        tuple(
            total(dict(move.traffic)[cost] for move in own)
            for own, cost in zip(moves, costs, strict=True)
        ),
        tuple(map(sent_by_busiest, moves)),
        tuple(map(time_of_busiest, moves)),
    )

"""Prices: what moves cost, in the one form that hovers, hints and lenses share:
`7.9 GB · 0.9 GB/device · 2.1 ms`. The figures are those that `parspec report` prints."""

from __future__ import annotations

from collections.abc import Iterable

from parspec.grammar.values import value
from parspec.interpreter.analysis.loads import sent_by_busiest, time_of_busiest
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.output.wording.pricing import measures, one_priced, traffic
from parspec.interpreter.output.wording.quantities import SYMBOLIC, in_bytes, in_seconds
from parspec.interpreter.theory.formulas import Amount, is_number, total
from parspec.interpreter.theory.primitives import PriceList
from parspec.lsp.facts import Facts

DOT = " · "
_LONGEST = 24  # characters of a formula in a line


@value
class Cost:
    """What moves cost together: bytes in the system, bytes of the busiest device, seconds."""

    traffic: Amount
    per_device: Amount
    time: float | None

    def told(self) -> str:
        """`7.9 GB · 0.9 GB/device · 2.1 ms`, without a time where it is not known."""
        traffic, per_device, time = self.figures()
        known = () if self.time is None else (time,)
        return DOT.join((traffic, f"{per_device}/device", *known))

    def figures(self) -> tuple[str, str, str]:
        """The three, apart."""
        return short(self.traffic), short(self.per_device), in_seconds(self.time)


def cost(moves: Iterable[Move], facts: Facts) -> Cost:
    """The cost of all of some moves, at the prices of their model."""
    asked = tuple(moves)
    return Cost(
        total(traffic(move, facts.model.cost) for move in asked),
        sent_by_busiest(asked),
        time_of_busiest(asked),
    )


def doubted(told: str, facts: Facts) -> str:
    """Figures, and the errors because of which they may be others."""
    return DOT.join(filter(None, (told, facts.doubt)))


def short(amount: Amount | None) -> str:
    """Bytes, where a long formula has no room."""
    text = in_bytes(amount)
    if amount is None or is_number(amount) or len(text) <= _LONGEST:
        return text
    return SYMBOLIC


def formula(move: Move, prices: PriceList) -> str:
    """How the traffic of a primitive comes about: its price, and what that speaks of."""
    return DOT.join(part for part in (one_priced(move, prices), measures(move, prices)) if part)

"""Templates: prices over the size of a group and the size of a variable, as a reader writes them.

A template keeps its terms as they are told, `(N−1)/N·M + (N−1)·M`; its value for given sizes is an
amount like any other.
"""

from __future__ import annotations

from collections import Counter

from parspec.grammar.values import value
from parspec.interpreter.theory.formulas import Amount, divide, total


@value
class Term:
    """`times · (N−1)^others · N^nodes · M^size`, a term of a price."""

    times: int = 1
    others: int = 0
    nodes: int = 0
    size: int = 0


@value
class Template:
    """A price over the group size N and the size M of a variable, written as a reader writes it:
    `(N−1)/N·M + (N−1)·M`. The sum of two adds up what they have in common."""

    terms: tuple[Term, ...]

    def __add__(self, other: Template) -> Template:
        times: Counter[tuple[int, int, int]] = Counter()
        for term in self.terms + other.terms:
            times[term.others, term.nodes, term.size] += term.times
        terms = [Term(count, *powers) for powers, count in times.items()]
        return Template(tuple(sorted(terms, key=lambda term: term.nodes)))

    def leading(self) -> Template:
        """What is left for N >> 1: N−1 is N, and only the highest power of N counts."""
        powers = [Term(t.times, 0, t.others + t.nodes, t.size) for t in self.terms]
        highest = max(term.nodes for term in powers)
        return Template(tuple(term for term in powers if term.nodes == highest))

    def value(self, nodes: Amount, size: Amount = 1) -> Amount:
        """The price for N = nodes and M = size."""
        first, *others = (_term_value(term, nodes, size) for term in self.terms)
        return total((first, *others)) if others else first

    def reader(self) -> str:
        """`(N−1)/N·M + (N−1)·M`."""
        return " + ".join(_written(term, "·", "−") for term in self.terms)

    def plain(self) -> str:
        """`(N-1)/N*M + (N-1)*M`: an expression that a program can evaluate."""
        return " + ".join(_written(term, "*", "-") for term in self.terms)


def _term_value(term: Term, nodes: Amount, size: Amount) -> Amount:
    value: Amount = term.times * size if term.size else term.times
    if term.others:
        value = value * (nodes - 1) ** term.others
    if term.nodes > 0:
        value = value * nodes**term.nodes
    return divide(value, nodes**-term.nodes) if term.nodes < 0 else value


def _written(term: Term, times: str, minus: str) -> str:
    """`2(N−1)/N·M`: each N−1 is over an N, as far as there are such; further N divide M."""
    number = [str(term.times)] if term.times != 1 else []
    others = [f"(N{minus}1)"] * term.others
    front = ["".join(number + others)] if others and times == "·" else number + others
    front += ["N"] * max(term.nodes, 0)
    below = max(-term.nodes, 0)
    paired = min(term.others, below)
    sizes = ["M"] * term.size
    factors = [times.join(front) + "/N" * paired, *sizes] if front else sizes or ["1"]
    return times.join(factors) + "/N" * (below - paired)

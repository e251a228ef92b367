"""What parspec says of a program of the oracle, in the oracle's own terms.

Two runs are alike if they move the same bytes with the same primitives on the same axes. Two ways
of writing one thing count as one: an All-Gather or a Reduce-Scatter fused over several axes moves
what one on each of them does; and a Permute may deliver copies (XLA's `collective-permute` to
several nodes), which is a Permute with an All-Gather of what it moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from oracle_cases import Case, Collective, Run
from oracle_spec import spec

from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.resolve import resolve
from parspec.interpreter.theory.formulas import Amount


@dataclass(frozen=True, slots=True)
class Outcome:
    """A program's spec and analysis, the primitives at work, and the state in which each output is
    handed over, by axis."""

    text: str
    analysis: Analysis
    run: Run
    outputs: tuple[Mapping[str, str], ...]

    @property
    def errors(self) -> list[str]:
        """Messages of the errors."""
        found = self.analysis.findings
        return [catalogue.message(one) for one in found if catalogue.severity(one) == "error"]


def outcome(case: Case) -> Outcome:
    """Analyse the spec of a program."""
    text = spec(case)
    analysis = analyze(resolve(f"{case.id}.par", text, DiskReader()))
    collectives = tuple(
        Collective(move.primitive, move.axes, _whole(move.times), _whole(move.per_device))
        for move in analysis.moves
        if move.primitive is not None
    )
    run = Run(collectives, sum(one.moved for one in collectives))
    outputs = tuple(
        _handed_over(analysis, output.tensor, case.mesh) for output in analysis.model.outputs
    )
    return Outcome(text, analysis, run, outputs)


def _whole(amount: Amount) -> int:
    """A program has no symbols, and a device moves no fraction of a byte."""
    assert isinstance(amount, int)
    return amount


def _handed_over(analysis: Analysis, name: str, axes: Mapping[str, int]) -> dict[str, str]:
    """The states of an output: as produced, and then as its own moves leave it."""
    produced = next(tensor.layout for tensor in analysis.tensors if tensor.name == name)
    states = {axis: str(produced.state(axis)) for axis in axes}
    for move in analysis.moves:
        if move.cause == "output" and move.tensor == name:
            states |= dict.fromkeys(move.axes, move.after)
    return states


def alike(one: Run, other: Run) -> bool:
    """Whether two runs move the same bytes with the same primitives on the same axes."""
    return _bytes(one) == _bytes(other) and _kinds(one) == _kinds(other)


def _bytes(run: Run) -> Counter[str]:
    """Bytes that a device sends or receives, by primitive."""
    moved: Counter[str] = Counter()
    for one in run.collectives:
        moved["Permute" if _is_copying(one, run) else one.primitive] += one.moved
    return moved


def _kinds(run: Run) -> Counter[tuple[str, str]]:
    """How often each primitive works on which axes."""
    kinds: Counter[tuple[str, str]] = Counter()
    for one in run.collectives:
        if _is_copying(one, run):
            continue
        each = one.primitive in ("All-Gather", "Reduce-Scatter")
        for axes in one.axes if each else [",".join(sorted(one.axes))]:
            kinds[one.primitive, axes] += one.times
    return kinds


def _is_copying(one: Collective, run: Run) -> bool:
    """Whether an All-Gather makes the copies of what a Permute moved."""
    permuted = {a for other in run.collectives if other.primitive == "Permute" for a in other.axes}
    return one.primitive == "All-Gather" and set(one.axes) <= permuted

"""Analysis: the theory run over a model, put together into the one value that everyone reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat

from parspec.interpreter.analysis.checks import check_all
from parspec.interpreter.analysis.costs import Costs, traffic_of
from parspec.interpreter.analysis.division import written_sizes
from parspec.interpreter.analysis.doubts import without_doubtful
from parspec.interpreter.analysis.expects import judge
from parspec.interpreter.analysis.figures import Figures
from parspec.interpreter.analysis.flops import speed_of
from parspec.interpreter.analysis.hints import hints_of
from parspec.interpreter.analysis.holes import Cost, fill, keeps_memory
from parspec.interpreter.analysis.kinds import naming_of
from parspec.interpreter.analysis.known import Known
from parspec.interpreter.analysis.liveness import (
    Leaving,
    Lives,
    leaving_by_stage,
    peak_live,
)
from parspec.interpreter.analysis.loads import busy_in, busy_together, longest
from parspec.interpreter.analysis.memory import Peak, memory, over_memory
from parspec.interpreter.analysis.moves import to_outputs
from parspec.interpreter.analysis.part_result import PartResult, result_of, unsized_of
from parspec.interpreter.analysis.pins import unpinned
from parspec.interpreter.analysis.result import (
    Analysis,
    Memory,
    Move,
    StageResult,
    Totals,
    sum_known,
)
from parspec.interpreter.analysis.sections import Inferred, infer
from parspec.interpreter.analysis.stints import times_at
from parspec.interpreter.spec.model import Model
from parspec.interpreter.theory.formulas import Amount, numeric, total


def analyze(model: Model, known: Known | None = None) -> Analysis:
    """The analysis of a model; holes are filled with their cheapest choice first.

    What is `known` from the last analysis of the same file is not computed again; the result is the
    same without it.
    """
    known = Known() if known is None else known
    filled = fill(model, _price, known)
    inferred = infer(filled.model, known)
    analysis = _analyze(inferred, known)
    return replace(analysis, findings=(*analysis.findings, *filled.findings))


def _price(model: Model, known: Known) -> Cost:
    """What a plan without holes costs."""
    inferred = infer(model, known)
    parts = _parts(inferred, known)
    costs, moves = [part.costs for part in parts], tuple(to_outputs(inferred))
    times = chain.from_iterable([(*one.layer_time, *one.move_time) for one in costs])
    busiest, _ = _memory(inferred, parts)
    return Cost(
        not over_memory(model, busiest),
        keeps_memory(model, busiest),
        sum_known((*times, *(move.time for move in moves))),
        total((*(one.sent for one in costs), *(move.per_device for move in moves))),
        total(one.flops for one in costs),
    )


def _parts(inferred: Inferred, known: Known) -> tuple[PartResult, ...]:
    """What is found of each part."""
    model, sections = inferred.model, inferred.sections
    hints = known.each(hints_of, [section.inference for section in sections])
    naming = known.recall(naming_of, model.dims, hints, inferred.grid.pieces)
    unsized = known.each(unsized_of, [section.routed for section in sections])
    everywhere = naming, speed_of(model), written_sizes(model.mesh)
    return known.each(result_of, sections, unsized, everywhere=everywhere)


def _analyze(inferred: Inferred, known: Known) -> Analysis:
    """The analysis of a model without holes."""
    model, parts = inferred.model, _parts(inferred, known)
    costs = [part.costs for part in parts]
    outward = tuple(to_outputs(inferred))
    busiest, stages = _memory(inferred, parts)
    totals = _totals(inferred, parts, costs, outward, busiest)
    at_outputs = tuple(move for move in outward if move.primitive is not None)
    figures = Figures(inferred, costs, at_outputs, totals, known)
    checks = check_all(inferred, parts, known)
    expects, judged = judge(model.expects, figures, checks)
    fits = over_memory(model, busiest)
    own = without_doubtful((*checks, *fits, *judged, *unpinned(figures)), model)
    return Analysis(model, parts, outward, totals, stages, expects, (*model.findings, *own))


def _memory(
    inferred: Inferred, parts: Sequence[PartResult]
) -> tuple[Memory, tuple[StageResult, ...]]:
    """Memory of the busiest device, and of each pipeline stage where there are stages."""
    peaks = _peaks(inferred, [part.lives for part in parts])
    return memory(inferred, (part.resting for part in parts), peaks)


def _peaks(inferred: Inferred, parts: Sequence[Mapping[int, Lives]]) -> tuple[Peak | None, ...]:
    """The peak of each stage, where no backward pass adds to it."""
    if inferred.model.trains:
        return (None,) * len(inferred.seating.stages)
    known: dict[tuple[tuple[Lives, ...], Leaving], Peak] = {}  # many stages are alike
    found = []
    for stage, leaving in enumerate(leaving_by_stage(inferred)):
        lives = tuple([part[stage] for part in parts if stage in part])
        if (lives, leaving) not in known:
            gathered = max([one.gathered for one in lives if one.gathered], key=numeric, default=0)
            known[lives, leaving] = Peak(peak_live(lives, leaving), gathered)
        found.append(known[lives, leaving])
    return tuple(found)


def _totals(
    inferred: Inferred,
    parts: Sequence[PartResult],
    costs: Sequence[Costs],
    outward: Sequence[Move],
    busiest: Memory,
) -> Totals:
    model = inferred.model
    paid = [move for move in outward if move.primitive is not None]
    traffic = [*(cost.traffic for cost in costs), traffic_of(zip(paid, repeat(1)))]
    priced = [
        (axes, primitive, amounts[model.cost])
        for one in traffic
        for (axes, primitive), amounts in one.items()
    ]
    busy = busy_together([*(cost.busy for cost in costs), busy_in(paid)])
    stints = tuple(chain.from_iterable([cost.computing for cost in costs]))
    computing = times_at(stints, inferred.seating)
    communication = longest(busy)
    return Totals(
        total(part.parameters for part in parts),
        (
            ("forward", total(amount for _, _, amount in priced)),
            ("backward", None),
            ("update", None),
        ),
        _grouped(
            (",".join(model.mesh.in_order(axes.split(","))), each) for axes, _, each in priced
        ),
        _grouped((primitive, amount) for _, primitive, amount in priced),
        busiest,
        longest({}, computing),
        communication,
        None,
        _step(inferred, costs, paid, communication),
        None,
        None,
        longest(busy, computing),
    )


def _step(
    inferred: Inferred, costs: Sequence[Costs], paid: Iterable[Move], communication: float | None
) -> float | None:
    """Seconds of all layers and moves one after another; None where a schedule says in which order
    devices do what. `communication`: of the busiest device, which without stages is of all."""
    if inferred.model.trains or inferred.pipeline.courses:
        return None
    layers = sum_known(chain.from_iterable([cost.layer_time for cost in costs]))
    if inferred.seating.staged:
        moving = chain.from_iterable([cost.move_time for cost in costs])
        communication = sum_known((*moving, *(move.time for move in paid)))
    return sum_known((layers, communication))


def _grouped(parts: Iterable[tuple[str, Amount]]) -> tuple[tuple[str, Amount], ...]:
    sums: dict[str, Amount] = {}
    for name, amount in parts:
        sums[name] = sums.get(name, 0) + amount
    return tuple(sums.items())

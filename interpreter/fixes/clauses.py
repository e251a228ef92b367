"""Clauses that do not fit, contradict one another or are missing."""

from __future__ import annotations

from collections.abc import Iterator

from parspec.grammar.expressions import Call, calls
from parspec.grammar.span import Span
from parspec.grammar.syntax import (
    AtClause,
    Clause,
    ForStatement,
    LayerStatement,
    OutputStatement,
    PartitionClause,
    StackStatement,
    StateClause,
    StoreClause,
)
from parspec.interpreter.diagnostics.entry import items, size_in_bytes, word
from parspec.interpreter.diagnostics.findings import Fix
from parspec.interpreter.fixes.case import Case, fix
from parspec.interpreter.spec.functions import FUNCTIONS


def foreign_dim(case: Case) -> Iterator[Fix]:
    """The clause without a dimension that its layer lacks."""
    yield fix(f"Remove `{case.at.text(case.span)}`", case.at.without_cut(case.span))


def reused_axis(case: Case) -> Iterator[Fix]:
    """The second of two clauses that give an axis to two dimensions in a `for` of its own, which
    the first beats in layers that have both; or one of the two removed, the second first."""
    pattern = _pattern(case)
    if pattern and case.facts.get("dim") is not None:
        apart = f"for {pattern}: partition {case.at.text(case.span)}"
        without = case.at.without_cut(case.span)
        if isinstance(case.at.chunk.statement, ForStatement):
            yield fix(f"Write `{apart}` above", without, case.at.above(apart))
        else:
            yield fix(f"Write `{apart}` below", without, case.at.outermost.below(apart))
    yield from foreign_dim(case)
    for clause in case.at.clauses:
        if not isinstance(clause, PartitionClause):
            continue
        for cut in clause.cuts:
            axes = [use.path.text for use in cut.axes]
            dim = cut.dim if isinstance(cut.dim, str) else cut.dim.text
            if dim == case.text("other") and axes == [case.text("axis")]:
                yield fix(f"Remove `{case.at.text(cut.span)}`", case.at.without_cut(cut.span))


def _pattern(case: Case) -> str:
    """The pattern by which a clause's `for`, or its layer which calls a block, reaches layers; ""
    in another statement, and in a block's body, which patterns reach only where it is called."""
    match case.at.chunk.statement:
        case ForStatement(patterns=patterns):
            return case.at.text(Span(patterns[0].span.start, patterns[-1].span.end))
        case LayerStatement(name=name, expression=Call(function=function)):
            around = [header.statement for header in reversed(case.at.around)]
            stacks = [header.name.text for header in around if isinstance(header, StackStatement)]
            if function.text not in FUNCTIONS and len(stacks) == len(around):
                return ".".join((*stacks, name.text))
    return ""


def two_states(case: Case) -> Iterator[Fix]:
    """One of the two states that an axis cannot have at once removed, the second first."""
    axis = case.text("axis")
    for clause in reversed(case.at.clauses):
        match clause:
            case PartitionClause(cuts=cuts):
                found = [(cut.span, cut.axes) for cut in cuts]
            case StateClause(axes=axes) | StoreClause(axes=axes):
                found = [(clause.span, axes)]
            case _:
                found = []
        for span, axes in found:
            if [use.path.text for use in axes] == [axis]:
                yield fix(f"Remove `{case.at.text(span)}`", case.at.without_cut(span))


def stage(case: Case) -> Iterator[Fix]:
    """The last stage in place of one that there is not."""
    stages = case.facts.get("stages")
    if isinstance(stages, int):
        yield case.write(f"at {case.text('axis')}[{stages - 1}]")


def whole_dim(case: Case) -> Iterator[Fix]:
    """No partition where the function needs the dimension whole."""
    yield case.write(f"none on {case.text('axis')}")


def partial_output(case: Case) -> Iterator[Fix]:
    """The addends of an output added up, or left as they are because the spec says so."""
    statement = case.at.chunk.statement
    if not isinstance(statement, OutputStatement):
        return
    axis = case.text("axis")
    spans = [path.span for path in statement.tensors]
    for state in ("replicated", "partial"):
        clause = f"{state} on {axis}"
        if len(spans) == 1:
            yield fix(f"Write `{clause}`", case.at.with_clause(clause))
        elif case.span in spans:
            output = f"output {case.at.text(case.span)} {clause}"
            without = case.at.without(spans, spans.index(case.span))
            yield fix(f"Write `{output}`", without, case.at.below(output))


def choices(case: Case) -> Iterator[Fix]:
    """The layer cut along each dimension that it could follow, the cheapest first."""
    if not isinstance(case.at.chunk.statement, LayerStatement):
        return
    axis, prices = case.text("axis"), items(case.facts.get("prices"))
    dims = [word(items(choice)[1]) for choice in items(case.facts.get("choices"))]
    priced = sorted(zip(dims, prices, strict=True), key=lambda each: _order(each[1]))
    for dim, price in dict(priced).items():
        moved = "" if price is None else f": it moves {size_in_bytes(price)} a device"
        cut = f"{dim} on {axis}"
        yield fix(f"Write `partition {cut}`{moved}", case.at.with_cut(cut))


def _order(price: object) -> float:
    return float(price) if isinstance(price, (int, float)) else float("inf")


def off_stage(case: Case) -> Iterator[Fix]:
    """A weight that may lie on every stage that uses it."""
    for weight in case.related():
        for clause in weight.clauses:
            if isinstance(clause, AtClause) or _is_central(clause):
                more = size_in_bytes(case.facts.get("extra_bytes"))
                title = f"Let {case.text('tensor')} lie on every stage that uses it: {more} more"
                yield fix(title, weight.without_part(clause.span))


def _is_central(clause: Clause) -> bool:
    return isinstance(clause, StateClause) and clause.state == "centralized"


def masked(case: Case) -> Iterator[Fix]:
    """Padding left out of what a function takes along its dimension."""
    statement = case.at.chunk.statement
    if not isinstance(statement, LayerStatement):
        return
    for call in calls(statement.expression):
        over = [dim.text for dim in call.over]
        if call.function.text == case.text("function") and case.text("dim") in over:
            end = call.over[-1].span.end
            title = f"Write `over {', '.join(over)} masked`"
            yield fix(title, case.at.insert(end, " masked"))
            return


def needless(case: Case) -> Iterator[Fix]:
    """A clause removed without which less is moved."""
    if case.facts.get("clause", "") is None and not case.finding.fixes:
        yield from foreign_dim(case)


def misplaced(case: Case) -> Iterator[Fix]:
    """A statement moved out of the body that it stands in, or a clause removed."""
    if case.span.start or not case.at.around:
        for clause in case.at.clauses:
            if clause.span == case.span:
                yield fix(f"Remove `{case.at.text(case.span)}`", case.at.without_cut(case.span))
        return
    text = case.at.chunk.text[: case.at.code_end]
    yield fix(f"Move `{_one_line(text)}` out", case.at.removed(), case.at.outermost.above(text))
    yield fix(f"Remove `{_one_line(text)}`", case.at.removed())


def _one_line(text: str) -> str:
    return " ".join(text.split())


def stored(case: Case) -> Iterator[Fix]:
    """Weights that are most of what does not fit, stored on an axis with nodes enough."""
    ways, around = case.facts.get("ways"), case.at.around
    if case.text("largest") != "weights" or not isinstance(ways, int):
        return
    beside = [one for one in case.statements() if one.around == around]
    for axis in case.model.mesh.axes:
        if isinstance(axis.size, int) and axis.size >= ways:
            clause = f"for *: store on {axis.name}"
            yield fix(f"Write `{clause}`", beside[-1].below(clause))

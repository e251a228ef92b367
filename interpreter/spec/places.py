"""Places: which statements may stand in a stack, a block or a plan, and what ops and blocks a body
declares for the statements beside them, before or after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from types import NoneType
from typing import TYPE_CHECKING

from parspec.grammar import syntax
from parspec.grammar.span import Span
from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.memo import Memo
from parspec.interpreter.spec.names import duplicate
from parspec.interpreter.spec.scopes import Callee, Scope
from parspec.interpreter.spec.sources import Passage, Placed

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Site

KEYWORDS: Mapping[type, str] = {
    syntax.DimStatement: "dim",
    syntax.MeshStatement: "mesh",
    syntax.AxisStatement: "axis",
    syntax.LinkStatement: "link",
    syntax.DeviceStatement: "device",
    syntax.DtypeStatement: "dtype",
    syntax.OutputStatement: "output",
    syntax.LayerStatement: "layer",
    syntax.OpStatement: "op",
    syntax.PointwiseStatement: "op",
    syntax.BlockStatement: "block",
    syntax.StackStatement: "stack",
    syntax.PlanStatement: "plan",
    syntax.StagesStatement: "stages",
    syntax.ForStatement: "for",
    syntax.TrainStatement: "train",
    syntax.InferStatement: "infer",
    syntax.CostStatement: "cost",
    syntax.CommunicationStatement: "communication",
    syntax.ExpectStatement: "expect",
}
IN_BODIES = {"weight", "cache", "var", "layer", "op", "block", "stack"}
NOT_IN_PLANS = {"input", "weight", "cache", "var", "layer", "op", "block", "stack", "plan"}


def keyword(statement: syntax.Statement) -> str | None:
    """The word that a statement begins with; None for an import, which is judged elsewhere."""
    if isinstance(statement, syntax.TensorStatement):
        return statement.role
    return KEYWORDS.get(type(statement))


def inner(placed: Placed) -> tuple[Placed, ...]:
    """The statements in a statement's body."""
    return tuple(
        Placed(placed.file, chunk, placed.imported, placed.plan) for chunk in placed.chunk.body
    )


def misplaced(statement: Placed, place: str) -> Finding:
    """`misplaced`: a statement cannot stand there."""
    word = keyword(statement.chunk.statement) if statement.chunk.statement else None
    site = statement.at(Span(0, len(word or "")))
    return Finding("misplaced", site, (("statement", word), ("place", place)))


def in_body(statements: Iterable[Placed], place: str) -> Iterator[Placed | Finding]:
    """The statements that may stand in a stack or a block, and findings for the others."""
    for placed in statements:
        word = keyword(placed.chunk.statement) if placed.chunk.statement else None
        if word in IN_BODIES:
            yield placed
        elif word is not None:
            yield misplaced(placed, place)


def in_plans(passage: Passage) -> tuple[Finding, ...]:
    """`misplaced` for every statement in a plan's body that describes the model."""
    return tuple(_in_plans(passage))


def _in_plans(passage: Passage) -> Iterator[Finding]:
    for placed in passage.kinds.get(syntax.PlanStatement, ()):
        for part in inner(placed):
            word = keyword(part.chunk.statement) if part.chunk.statement else None
            if word in NOT_IN_PLANS:
                yield misplaced(part, "in a plan")


CALLEES = (syntax.OpStatement, syntax.PointwiseStatement, syntax.BlockStatement)


def register(
    statements: Iterable[Placed], scope: Scope, known: Memo[Callee]
) -> Iterator[Callee | Finding]:
    """Enters the ops and blocks that stand among statements into a scope; each one, and
    `duplicate_name` for a name that is taken."""
    first: dict[str, Site] = {}
    for placed in statements:
        header = placed.chunk.statement
        if not isinstance(header, CALLEES):
            continue
        callee = known.known(placed, scope) or known.keep(
            Callee(header, placed, scope), placed, scope
        )
        name = header.name.text
        if name in first:
            kind = "block" if isinstance(header, syntax.BlockStatement) else "operator"
            yield duplicate(kind, name, callee.site, first[name])
        else:
            first[name] = callee.site
            scope.callees[name] = callee
            yield callee


def planned(passage: Passage) -> frozenset[tuple[str, str]]:
    """The dimensions and axes that some plan declares, by kind and name: until it is chosen nothing
    is said of them. A header that is broken may be a plan's."""
    found: set[tuple[str, str]] = set()
    kinds = (syntax.PlanStatement, NoneType)
    for placed in chain.from_iterable(passage.kinds.get(kind, ()) for kind in kinds):
        for part in inner(placed):
            match part.chunk.statement:
                case syntax.DimStatement(items=dims):
                    found.update(("dimension", dim.name.text) for dim in dims)
                case syntax.MeshStatement(axes=axes) | syntax.AxisStatement(items=axes):
                    found.update(("axis", axis.name.text) for axis in axes)
    return frozenset(found)

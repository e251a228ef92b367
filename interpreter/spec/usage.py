"""Usage: what the file itself declares and nobody reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from parspec.grammar.expressions import Call, Expression, Name, Product, Sum, TensorUse
from parspec.grammar.syntax import (
    BlockStatement,
    BudgetExpect,
    DimStatement,
    ExpectStatement,
    InferStatement,
    LayerStatement,
    OpStatement,
    StackStatement,
    Statement,
    TensorStatement,
    TrainStatement,
)
from parspec.grammar.values import the_one
from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.sizes import names_in

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Site
    from parspec.interpreter.spec.dims import Dims
    from parspec.interpreter.spec.memo import Row
    from parspec.interpreter.spec.scopes import Notes
    from parspec.interpreter.spec.sources import Gathered, Passage
    from parspec.interpreter.spec.walk import Walked


def unused(
    file: str,
    gathered: Gathered,
    dims: Dims,
    walked: Walked,
    notes: Notes,
    skipped: frozenset[str],
    known: Row[Passage, frozenset[str]],
) -> Iterator[Finding]:
    """`unused_name` for dimensions, variables, ops and blocks of a file that nobody reads. A file
    without layers is a library: its ops and blocks are for others."""
    runs = chain.from_iterable(document.runs for _, document in gathered.documents)
    quiet = skipped.union(*(run.faulty_words for run in runs))  # what is faulty might read anything
    read = frozenset[str]().union(*known.of(_dims_read, gathered.statements.passages))
    for dim in dims.items:
        if dim.site.file == file and dim.name not in read and dim.name not in quiet:
            yield _unused("dimension", dim.name, dim.site)
    for drafts in walked.drafts:
        if drafts.unread.keys() <= notes.read:
            continue
        for site, name in drafts.unread.items():
            if site.file == file and site not in notes.read and name not in quiet:
                yield _unused("tensor", name, site)
    if not walked.building.units:
        return
    for callee in walked.callees:
        name = callee.statement.name.text
        if callee.site.file == file and callee.site not in notes.read and name not in quiet:
            kind = "block" if isinstance(callee.statement, BlockStatement) else "operator"
            yield _unused(kind, name, callee.site)


def _unused(kind: str, name: str, site: Site) -> Finding:
    return Finding("unused_name", site, (("kind", kind), ("name", name)))


def _dims_read(passage: Passage) -> frozenset[str]:
    """Every name that a passage uses as a dimension: indices, and what sizes, settings and bounds
    are computed from. A clause uses none: it names those of its layers."""
    every = (chunk for placed in passage.statements for chunk in placed.chunk.preorder())
    statements = (chunk.statement for chunk in every if chunk.statement is not None)
    return the_one(frozenset(name.text for statement in statements for name in _named(statement)))


def _named(statement: Statement) -> Iterator[Name]:
    match statement:
        case DimStatement(items=items):
            for item in items:
                for size in (item.size, item.unit, item.padded):
                    yield from names_in(size)
        case TensorStatement(items=tensors):
            for tensor in tensors:
                yield from tensor.dims
        case LayerStatement(out_dims=dims, expression=expression):
            yield from dims or ()
            yield from () if expression is None else _in_expression(expression)
        case OpStatement(parameters=parameters, out=out, expression=expression):
            for parameter in (*parameters, out):
                yield from parameter.dims
            yield from _in_expression(expression)
        case BlockStatement(parameters=parameters):
            for parameter in parameters:
                yield from parameter.dims
        case StackStatement(dim=dim):
            yield dim
        case TrainStatement(settings=settings) | InferStatement(settings=settings):
            for setting in settings:
                yield from names_in(setting.value)
        case ExpectStatement(condition=BudgetExpect(bound=bound)):
            yield from names_in(bound)


def _in_expression(expression: Expression) -> Iterator[Name]:
    pending = [expression]
    while pending:
        match pending.pop():
            case TensorUse(indices=indices):
                yield from (i.name for i in indices or () if isinstance(i.name, Name))
            case Product(factors=factors):
                pending.extend(factors)
            case Sum(terms=terms):
                pending.extend(term.value for term in terms)
            case Call(over=over, arguments=arguments):
                yield from over
                pending.extend(arguments)

"""Variables whose dimensions do not fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from parspec.grammar.expressions import Product, TensorUse, calls
from parspec.grammar.span import Span
from parspec.grammar.syntax import LayerStatement, TensorStatement
from parspec.interpreter.diagnostics.entry import items, word
from parspec.interpreter.diagnostics.findings import Edit, Fix
from parspec.interpreter.fixes.case import Case, fix, unlike
from parspec.interpreter.spec.functions import FUNCTIONS

_USE = re.compile(r"([^\[\]]+)\[[^\]]*\]")


def rank(case: Case) -> Iterator[Fix]:
    """The variable with the dimensions that it was declared with."""
    use = _USE.fullmatch(case.at.text(case.span))
    declared = [word(dim) for dim in items(case.facts.get("declared"))]
    if use is not None and declared:
        yield case.write(f"{use[1]}[{', '.join(declared)}]")


def other_size(case: Case) -> Iterator[Fix]:
    """One of the two dimensions made as large as the other; a dimension and a setting, one of them
    given the number of the other."""
    dim, other = case.text("dim"), case.text("other")
    of_setting = case.setting(other) if case.dim(other) is None else None
    sides = ((dim, other), (other, dim))
    if of_setting is not None:
        sides = (dim, case.text("other_size")), (other, case.text("size"))
    for name, size in sides:
        found = case.dim(name)
        if found is not None and found[1].size is not None:
            yield fix(f"Write `{name} = {size}`", found[0].replace(found[1].size.span, size))
        elif name == other and of_setting is not None:
            at, span = of_setting
            yield fix(f"Write `{name} = {size}`", at.replace(span, f"{name} = {size}"))


def repeated_dim(case: Case) -> Iterator[Fix]:
    """A second index over the same positions declared and written, also in the result of the
    layers that multiply by the variable."""
    dim = case.text("dim")
    found = case.dim(dim)
    if found is None or case.at.text(case.span) != dim:
        return
    at, item = found
    second = unlike(dim, (each.name for each in case.model.dims))
    edits = [at.insert(item.span.end, f", {second} = {dim}"), case.at.replace(case.span, second)]
    edits += _results(case, dim, second)
    yield fix(f"Write `{second}`, declared as `{second} = {dim}`", *edits)


def _results(case: Case, dim: str, second: str) -> Iterator[Edit]:
    statement = case.at.chunk.statement
    if not isinstance(statement, TensorStatement):
        return
    names = {
        item.name.text
        for item in statement.items
        if item.span.start <= case.span.start < item.span.end
    }
    for layer in case.statements():
        match layer.chunk.statement:
            case LayerStatement(out_dims=tuple() as dims, expression=Product(factors=factors)):
                read = {f.path.text for f in factors if isinstance(f, TensorUse)}
                if names & read:
                    yield from (layer.replace(d.span, second) for d in dims if d.text == dim)


def missing_index(case: Case) -> Iterator[Fix]:
    """The dimensions that only one factor has, in their order."""
    match case.at.chunk.statement:
        case LayerStatement(expression=Product(factors=factors), out=out):
            uses = [factor for factor in factors if isinstance(factor, TensorUse)]
            indices = [case.dims_of(use) for use in uses]
            if all(indices):
                count = Counter(dim for each in indices for dim in each)
                dims = [dim for each in indices for dim in each if count[dim] == 1]
                text = f"{out.text}[{', '.join(dims)}]"
                yield fix(f"Write `{text}`", case.at.replace(out.span, text))


def arguments(case: Case) -> Iterator[Fix]:
    """A call of a function without the arguments that it does not take."""
    statement = case.at.chunk.statement
    expression = statement.expression if isinstance(statement, LayerStatement) else None
    for call in calls(expression):
        known = FUNCTIONS.get(call.function.text)
        if call.span != case.span or known is None or known.most is None:
            continue
        given = call.arguments[known.most :]
        if given and call.arguments[: known.most]:
            extra = Span(call.arguments[known.most - 1].span.end, given[-1].span.end)
            shown = case.at.text(Span(given[0].span.start, extra.end))
            yield fix(f"Remove `{shown}`", case.at.replace(extra, ""))


def summed_alone(case: Case) -> Iterator[Fix]:
    """The sum written out around the factor that alone has the dimension, or around both that have
    one each."""
    places = [(case.span, case.text("dim"))]
    places += [(note.site.span, case.text("other_dim")) for note in case.finding.related]
    texts = [f"sum over {dim} ({case.at.text(span)})" for span, dim in places]
    edits = (case.at.replace(span, text) for (span, _), text in zip(places, texts, strict=True))
    yield fix(f"Write `{'` and `'.join(texts)}`", *edits)

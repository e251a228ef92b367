"""Mentions: every name that a statement writes, with what it is a name of.

From the syntax alone: `partition F on tp` mentions a dimension and an axis, whether there are any
of these names or not. What a name means is for `names` to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from parspec.grammar import expressions, syntax
from parspec.grammar.expressions import Name, Path
from parspec.grammar.span import Span
from parspec.interpreter.spec.settings import DTYPES, SETTINGS
from parspec.interpreter.spec.sizes import names_in

Space: TypeAlias = Literal[
    "dim", "axis", "tensor", "layer", "function", "link", "device", "plan", "size", "any", "word"
]
"""Names of one space are told apart from those of another; `size`: a dimension or an axis; `any`:
in text that is not understood; a `word` is known by the language and declared nowhere."""

Act: TypeAlias = Literal["declares", "gives", "uses"]
"""`gives`: a layer's result, which declares a tensor unless that is one already."""

Look: TypeAlias = Literal["here", "body", "clause", "path", "pattern", "weight", "pin"]
"""Where a name is looked for: in the bodies around it; in the body that follows; among the
dimensions of what a clause is on; at any depth; among what a pattern matches, by the name of a
layer or of a weight; in the places that an `expect` is narrowed to."""


class Mention(NamedTuple):
    """A name where it is written, in its normal form. `kind` says what it is to a reader (`dim`,
    `weight`, `stack`, `dtype`); `before`: the alternatives of each part of a path in front of it
    (`decoder.{q,k}.s`)."""

    name: str
    span: Span
    space: Space
    kind: str
    act: Act = "uses"
    look: Look = "here"
    before: tuple[tuple[str, ...], ...] = ()


def mentions(statement: syntax.Statement) -> tuple[Mention, ...]:
    """The mentions of a statement in the order in which they are written."""
    return tuple(sorted(_of(statement), key=_span))


def _span(mention: Mention) -> Span:
    return mention.span


def _of(statement: syntax.Statement) -> Iterator[Mention]:
    match statement:
        case syntax.DimStatement():
            yield from _dims(statement)
        case syntax.MeshStatement() | syntax.AxisStatement():
            yield from _axes(statement)
        case syntax.LinkStatement(name=name, settings=settings):
            yield _name(name, "link", "link", "declares")
            yield from _settings(settings, {})
        case syntax.DeviceStatement(name=name, settings=settings):
            yield _name(name, "device", "device", "declares")
            yield from _settings(settings, {})
        case syntax.DtypeStatement(dtype=dtype):
            yield _name(dtype, "word", "dtype")
        case syntax.TensorStatement(role=role, items=items, clauses=clauses):
            for item in items:
                yield from _tensor(item, role)
            yield from _clauses(clauses)
        case syntax.OutputStatement(tensors=tensors, clauses=clauses):
            for path in tensors:
                yield from _path(path, "tensor", "path")
            yield from _clauses(clauses)
        case syntax.LayerStatement():
            yield from _layer(statement)
        case syntax.OpStatement() | syntax.BlockStatement() | syntax.PointwiseStatement():
            yield from _callee(statement)
        case syntax.StackStatement():
            yield from _stack(statement)
        case syntax.PlanStatement(name=name):
            yield _name(name, "plan", "plan", "declares")
        case syntax.StagesStatement(axis=axis, chunks=chunks):
            yield from _axis(axis)
            for portion in (portion for chunk in chunks for portion in chunk.portions):
                yield from _path(portion.path, "layer", "path")
        case syntax.ForStatement():
            yield from _patterns(statement)
        case syntax.TrainStatement(optimizer=optimizer, settings=settings):
            yield from _word(optimizer, "optimizer")
            yield from _settings(settings, _TAKES["train"])
        case syntax.InferStatement(settings=settings):
            yield from _settings(settings, _TAKES["infer"])
        case syntax.CostStatement(price_list=name):
            yield _name(name, "word", "price list")
        case syntax.CommunicationStatement(mode=name):
            yield _name(name, "word", "mode")
        case syntax.ImportStatement():
            return
        case syntax.ExpectStatement(condition=condition):
            yield from _expect(condition)


# -- names and paths -----------------------------------------------------------------------------


def _name(name: Name, space: Space, kind: str, act: Act = "uses", look: Look = "here") -> Mention:
    return Mention(name.text, name.span, space, kind, act, look)


def _word(name: Name | None, kind: str) -> Iterator[Mention]:
    if name is not None:
        yield _name(name, "word", kind)


def _dim(name: Name, look: Look = "here") -> Mention:
    return _name(name, "dim", "dim", look=look)


def _axis(path: Path) -> Iterator[Mention]:
    """An axis; the number of a place of it (`tp.0`) is no name."""
    yield _name(path.parts[0], "axis", "axis")


def _path(path: Path, space: Space, look: Look) -> Iterator[Mention]:
    """The parts of a dotted name: all but the last are layers and stacks."""
    before: tuple[tuple[str, ...], ...] = ()
    for part in path.parts[:-1]:
        yield Mention(part.text, part.span, "layer", "layer", "uses", look, before)
        before = (*before, (part.text,))
    last = path.parts[-1]
    yield Mention(last.text, last.span, space, space, "uses", look, before)


def _size(size: expressions.Size | None, space: Space = "size") -> Iterator[Mention]:
    """The names that a size is computed from."""
    for name in names_in(size):
        yield _name(name, space, "axis" if space == "axis" else "dim")
    yield from _arguments(size)


def _arguments(size: expressions.Size | None) -> Iterator[Mention]:
    match size:
        case expressions.Capacity(arguments=arguments):
            for name, value in arguments:
                yield _name(name, "word", "argument")
                yield from _arguments(value)
        case expressions.Arithmetic(left=left, right=right):
            yield from _arguments(left)
            yield from _arguments(right)


# -- sizes and hardware --------------------------------------------------------------------------


def _dims(statement: syntax.DimStatement) -> Iterator[Mention]:
    for item in statement.items:
        yield _name(item.name, "dim", "dim", "declares")
        for size in (item.size, item.unit, item.padded):
            yield from _size(size)


def _axes(statement: syntax.MeshStatement | syntax.AxisStatement) -> Iterator[Mention]:
    if isinstance(statement, syntax.AxisStatement):
        for item in statement.items:
            yield from _axis_item(item, "size" if statement.of else "axis")
        for path in statement.of:
            yield from _axis(path)
        return
    for item in statement.axes:
        yield from _axis_item(item, "size")
    yield from _size(statement.devices)
    if statement.device is not None:
        yield _name(statement.device, "device", "device")


def _axis_item(item: syntax.AxisItem, space: Space) -> Iterator[Mention]:
    yield _name(item.name, "axis", "axis", "declares")
    yield from _size(item.size, space)
    if item.link is not None:
        yield _name(item.link, "link", "link")


_TAKES = {
    verb: {rule.key: rule.takes for rule in rules if rule.takes != "word"}
    for verb, rules in SETTINGS.items()
}
_SPACES: dict[str, Space] = {"batch": "dim", "axes": "axis", "count": "size"}


def _settings(settings: Iterable[syntax.Setting], takes: Mapping[str, str]) -> Iterator[Mention]:
    for setting in settings:
        yield _name(setting.key, "word", "setting")
        space = _SPACES.get(takes.get(setting.key.text, ""), "word")
        for name in names_in(setting.value):
            word = "dtype" if name.text in DTYPES else "value"
            yield _name(name, space, {"word": word, "axis": "axis"}.get(space, "dim"))


# -- tensors and layers --------------------------------------------------------------------------


def _tensor(item: syntax.TensorItem, role: str) -> Iterator[Mention]:
    yield _name(item.name, "tensor", role, "declares")
    yield from map(_dim, item.dims)
    yield from _word(item.dtype, "dtype")


def _layer(statement: syntax.LayerStatement) -> Iterator[Mention]:
    yield _name(statement.name, "layer", "layer", "declares")
    yield _name(statement.out, "tensor", "activation", "gives")
    yield from map(_dim, statement.out_dims or ())
    yield from _word(statement.dtype, "dtype")
    if statement.expression is not None:
        yield from _expression(statement.expression)
    yield from _clauses(statement.clauses)


def _callee(
    statement: syntax.OpStatement | syntax.BlockStatement | syntax.PointwiseStatement,
) -> Iterator[Mention]:
    kind = "block" if isinstance(statement, syntax.BlockStatement) else "op"
    yield _name(statement.name, "function", kind, "declares")
    if isinstance(statement, syntax.PointwiseStatement):
        return
    for item in statement.parameters:
        yield _name(item.name, "tensor", "parameter", "declares", "body")
        for dim in item.dims:
            yield _dim(dim, "body")
        yield from _word(item.dtype, "dtype")
    if isinstance(statement, syntax.BlockStatement):
        yield _name(statement.out, "tensor", "tensor", look="body")
        return
    yield _name(statement.out.name, "tensor", "parameter", "declares", "body")
    for dim in statement.out.dims:
        yield _dim(dim, "body")
    yield from _word(statement.out.dtype, "dtype")
    for mention in _expression(statement.expression):
        yield mention._replace(look="body")


def _stack(statement: syntax.StackStatement) -> Iterator[Mention]:
    yield _name(statement.name, "layer", "stack", "declares")
    yield _dim(statement.dim)
    yield _name(statement.carry_in, "tensor", "tensor")
    yield _name(statement.carry_out, "tensor", "tensor", look="body")
    yield from _clauses(statement.clauses)


def _expression(expression: expressions.Expression) -> Iterator[Mention]:
    pending: list[expressions.Expression] = [expression]
    while pending:
        match pending.pop():
            case expressions.TensorUse(path=path, indices=indices):
                yield from _path(path, "tensor", "here")
                for index in indices or ():
                    if isinstance(index.name, Name):
                        yield _dim(index.name)
            case expressions.Product(factors=factors):
                pending += factors
            case expressions.Sum(terms=terms):
                pending += (term.value for term in terms)
            case expressions.Call(function=function, over=over, arguments=arguments):
                yield _name(function, "function", "function")
                yield from map(_dim, over)
                pending += arguments


# -- clauses, patterns, expectations -------------------------------------------------------------


def _clauses(clauses: Iterable[syntax.Clause]) -> Iterator[Mention]:
    for clause in clauses:
        match clause:
            case syntax.PartitionClause(cuts=cuts):
                for cut in cuts:
                    if isinstance(cut.dim, Name):
                        yield _dim(cut.dim, "clause")
                    yield from _uses(cut.axes)
            case syntax.StateClause(kind=kind, axes=axes):
                yield from _word(kind, "partial")
                yield from _uses(axes)
            case syntax.StoreClause(dim=dim, axes=axes):
                if dim is not None:
                    yield _dim(dim, "clause")
                yield from _uses(axes)
            case syntax.AtClause(axis=axis):
                yield from _axis(axis)


def _uses(axes: Iterable[syntax.AxisUse]) -> Iterator[Mention]:
    for use in axes:
        yield from _axis(use.path)


def _patterns(statement: syntax.ForStatement) -> Iterator[Mention]:
    of_weights = any(
        isinstance(clause, syntax.StoreClause)
        or (isinstance(clause, syntax.FlagClause) and clause.flag == "frozen")
        for clause in statement.clauses
    )
    for pattern in statement.patterns:
        before: tuple[tuple[str, ...], ...] = ()
        for place, part in enumerate(pattern.parts, 1):
            last = place == len(pattern.parts)
            look: Look = "weight" if last and of_weights else "pattern"
            for name in part:
                if name.text != "*":
                    yield Mention(name.text, name.span, "layer", "layer", "uses", look, before)
            before = (*before, tuple(name.text for name in part))
    yield from _clauses(statement.clauses)


def _expect(
    condition: syntax.BudgetExpect | syntax.PrimitiveExpect | syntax.StateExpect,
) -> Iterator[Mention]:
    match condition:
        case syntax.BudgetExpect(figure=figure, arguments=arguments, bound=bound):
            yield _name(figure, "word", "figure")
            for path in arguments:
                yield from _path(path, "layer", "path")
            yield from _size(bound)
        case syntax.PrimitiveExpect(primitive=primitive, tensor=tensor):
            yield from _word(primitive, "primitive")
            if tensor is not None:
                yield from _path(tensor.path, "tensor", "pin")
        case syntax.StateExpect(tensor=tensor, state=state):
            yield from _path(tensor.path, "tensor", "pin")
            yield _name(state.head, "word", "state")
            for part in state.arguments:
                if isinstance(part, Name):
                    if state.head.text == "P":
                        yield _dim(part)
                    else:
                        yield _name(part, "word", "partial")
    for path in condition.scope.within:
        yield from _path(path, "layer", "path")
    yield from _uses(condition.scope.axes)

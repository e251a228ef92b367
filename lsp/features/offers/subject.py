"""Subject: what a statement with clauses is about, read off its text, so that it may be half typed:
the layer with its operands and result, a variable, a stack, or what the patterns of a `for` name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from parspec.grammar.expressions import calls
from parspec.grammar.keywords import NAME, normal
from parspec.grammar.syntax import (
    LayerStatement,
    OutputStatement,
    StackStatement,
    Statement,
    TensorStatement,
)
from parspec.grammar.values import value
from parspec.interpreter.spec.frames import tensor_uses
from parspec.lsp.names import Body, Names, Symbol
from parspec.lsp.regions import Region, is_op

_PATTERNS = re.compile(r"for\b([^:]*):")
_PATTERN = re.compile(r"(?:[^,{}]|\{[^{}]*\})+")
_PART = re.compile(r"\{[^{}]*\}|[^\s.{}]+")
_WORD = re.compile(NAME)


_Dims: TypeAlias = "tuple[str, ...] | None"


@value
class Subject:
    """`dims`: the dimensions that the subject has itself, `inner`: those of what is inside of it,
    `stored`: those of the weights that it is or reads. `stacks`: whether a stack is meant. None is
    a subject of which nothing is known, as what `*` matches."""

    dims: _Dims = None
    inner: tuple[str, ...] = ()
    stored: _Dims = None
    stacks: bool = False

    def __add__(self, other: Subject) -> Subject:
        return Subject(
            _both(self.dims, other.dims),
            (*self.inner, *other.inner),
            _both(self.stored, other.stored),
            self.stacks or other.stacks,
        )


_NOTHING = Subject((), (), ())


def _both(left: _Dims, right: _Dims) -> _Dims:
    return None if left is None or right is None else (*left, *right)


def subject(
    statement: Statement | None, before: str, region: Region | None, names: Names
) -> Subject:
    """What a statement is about; `before`: its text in front of the cursor."""
    patterns = _PATTERNS.match(before)
    if patterns is not None:
        found = [_matched(each, names) for each in _PATTERN.findall(patterns[1])]
        return sum(found, _NOTHING)
    return _of(statement, region, names)


def _of(statement: Statement | None, region: Region | None, names: Names) -> Subject:
    match statement:
        case LayerStatement() if region is not None:
            return _of_layer(statement, region, names)
        case TensorStatement(role=role, items=items):
            dims = tuple(dim.text for item in items for dim in item.dims)
            return Subject(dims, (), dims if role == "weight" else ())
        case OutputStatement(tensors=paths):
            given = [path.parts[-1].text for path in paths if len(path.parts) == 1]
            dims = tuple(d for name in given for d in names.dims_of(Symbol("tensor", name, None)))
            return Subject(dims if dims and len(given) == len(paths) else None, (), ())
        case StackStatement(dim=dim):
            return Subject((dim.text,), (), None, True)
    return Subject()


def _of_layer(layer: LayerStatement, region: Region, names: Names) -> Subject:
    """A layer with all that the blocks which it calls have inside."""
    read = [] if layer.expression is None else list(tensor_uses(layer.expression))
    tensors = [names.tensor(use.path.parts[-1].text, region) for use in read]
    found = Subject(names.dims_of_layer(layer, region), (), _stored(tensors, names))
    return sum((_inside(block, names) for block in _blocks(layer, region, names)), found)


def _inside(body: Region, names: Names) -> Subject:
    """What is inside a block that a layer calls, as if it were the layer's."""
    held = body.owner.body if body.owner else ()
    found = [_of(chunk.statement, body, names) for chunk in held if chunk.statement]
    every = [each for each in found if each.dims is not None]
    dims = tuple(dim for each in every for dim in (*(each.dims or ()), *each.inner))
    return Subject(dims, (), tuple(dim for each in every for dim in each.stored or ()))


def _blocks(layer: LayerStatement, region: Region, names: Names) -> Iterator[Region]:
    """The bodies of the blocks that a layer calls, without those that it stands in itself."""
    around = set(region.around())
    for call in calls(layer.expression):
        for declared in names.declarations(names.function(call.function.text, region)):
            body = declared.listing.region_of(declared.chunk)
            if body is not None and body not in around and not is_op(body):
                yield body


def _stored(tensors: Iterable[Symbol], names: Names) -> tuple[str, ...]:
    """The dimensions of those tensors that are weights."""
    return tuple(dim for each in tensors if _is_weight(each, names) for dim in names.dims_of(each))


def _is_weight(tensor: Symbol, names: Names) -> bool:
    """Whether a tensor is declared as a weight."""
    return any(entry.mention.kind == "weight" for entry in names.declarations(tensor))


def _matched(pattern: str, names: Names) -> Subject:
    """The layers, stacks and weights that a pattern ends with; nothing is known of those of `*`."""
    *path, last = [_alternatives(part) for part in _PART.findall(pattern)] or [()]
    if "*" in last or not last:
        return Subject()
    bodies: tuple[Body, ...] = names.bodies_at(tuple(path)) if path else (None,)
    found = [_named(name, body, names) for body in bodies for name in last]
    return sum(found, _NOTHING)


def _alternatives(part: str) -> tuple[str, ...]:
    return ("*",) if part == "*" else tuple(map(normal, _WORD.findall(part)))


def _named(name: str, body: Body, names: Names) -> Subject:
    found = _NOTHING
    for declared in names.declarations(Symbol("layer", name, body)):
        match declared.chunk.statement:
            case StackStatement(dim=dim):
                inside = declared.listing.region_of(declared.chunk)
                held = _inside(inside, names) if inside else _NOTHING
                found += Subject((dim.text,), held.dims or (), held.stored, True)
            case statement:
                found += _of(statement, declared.region, names)
    weight = Symbol("tensor", name, body)
    if found == _NOTHING and _is_weight(weight, names):
        return Subject((), (), names.dims_of(weight))
    return found

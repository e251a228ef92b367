"""Shapes: the dimensions of tensors as their declarations write them."""

from __future__ import annotations

from parspec.grammar.keywords import normal
from parspec.grammar.syntax import (
    BlockStatement,
    LayerStatement,
    OpStatement,
    Statement,
    TensorItem,
    TensorStatement,
)


def declared_dims(statement: Statement | None, name: str) -> tuple[str, ...]:
    """The dimensions that a statement gives a tensor; () where it leaves them out."""
    item = item_of(statement, name)
    if item is not None:
        return tuple(dim.text for dim in item.dims)
    if isinstance(statement, LayerStatement) and statement.out.text == name:
        return tuple(dim.text for dim in statement.out_dims or ())
    return ()


def item_of(statement: Statement | None, name: str) -> TensorItem | None:
    """The item of a statement that declares a tensor."""
    match statement:
        case TensorStatement(items=items) | BlockStatement(parameters=items):
            declared = items
        case OpStatement(parameters=items, out=out):
            declared = (*items, out)
        case _:
            return None
    return next((item for item in declared if item.name.text == normal(name)), None)

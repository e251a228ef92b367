"""Fitting: the dimensions of what a statement is about, while it is typed.

They are those of a layer's operands and result, of a variable, of a stack, or of what the patterns
of a `for` name: read off the text, so that a statement may be half typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from parspec.grammar.document import Chunk
from parspec.grammar.keywords import NAME
from parspec.grammar.syntax import LayerStatement, StackStatement, TensorStatement
from parspec.lsp.names import Body, Names, Symbol
from parspec.lsp.regions import Region

_PATTERNS = re.compile(r"for\b([^:]*):")
_PATTERN = re.compile(r"(?:[^,{}]|\{[^{}]*\})+")
_PART = re.compile(r"\{[^{}]*\}|[^\s.{}]+")
_WORD = re.compile(NAME)


def own_dims(chunk: Chunk | None, before: str, region: Region | None, names: Names) -> set[str]:
    """The dimensions of what the statement of a chunk is about; `before`: its text in front of the
    cursor."""
    match chunk.statement if chunk else None:
        case LayerStatement() as layer:
            return set(names.dims_of_layer(layer, region))
        case TensorStatement(items=items):
            return {dim.text for item in items for dim in item.dims}
        case StackStatement(dim=dim):
            return {dim.text}
    patterns = _PATTERNS.match(before)
    found = _PATTERN.findall(patterns[1]) if patterns else ()
    return {dim for pattern in found for dim in _dims_of_pattern(pattern, names)}


def _dims_of_pattern(pattern: str, names: Names) -> Iterator[str]:
    """Those of the layers and the stacks that a pattern ends with; none where it is `*`."""
    *path, last = [tuple(_WORD.findall(part)) for part in _PART.findall(pattern)] or [()]
    bodies: tuple[Body, ...] = names.bodies_at(tuple(path)) if path else (None,)
    for layer in (Symbol("layer", name, body) for body in bodies for name in last):
        for declared in names.declarations(layer):
            match declared.chunk.statement:
                case StackStatement(dim=dim):
                    yield dim.text
                case statement:
                    yield from names.dims_of_layer(statement, declared.region)

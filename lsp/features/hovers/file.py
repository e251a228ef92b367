"""Hover on an import: which file it is, what documents it and what it brings."""

from __future__ import annotations

from collections.abc import Iterator

from parspec.grammar.document import Document
from parspec.grammar.syntax import (
    AxisStatement,
    BlockStatement,
    DeviceStatement,
    DimStatement,
    ImportStatement,
    LayerStatement,
    LinkStatement,
    MeshStatement,
    OpStatement,
    PlanStatement,
    PointwiseStatement,
    StackStatement,
    TensorStatement,
)
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.spec.sources import imported_file
from parspec.lsp.features.hovers.subject import Place, Subject, listed, paragraph
from parspec.lsp.features.prose import Block, Code, note

_LISTED = ("dims", "axes", "links", "devices", "ops", "blocks", "stacks", "plans")
_COUNTED = ("layer", "variable")


def imported(statement: ImportStatement, place: Place) -> Subject:
    """The file that an import names."""
    file = imported_file(statement, place.snapshot.file)
    target = f'"{statement.target}"' if statement.quoted else statement.target
    source = place.snapshot.sources.get(file)
    head = Code(f"import {target}")
    if source is None:
        return Subject((head, *paragraph("it cannot be read")))
    return Subject((head, *brings(source.document)))


def brings(document: Document) -> Iterator[Block]:
    """What documents a file, and what it declares."""
    yield note(document.note)
    names: dict[str, list[str]] = {}
    for kind, name in _declared(document):
        names.setdefault(kind, []).append(name)
    yield from paragraph(*(f"{kind}: {listed(names[kind])}" for kind in _LISTED if kind in names))
    yield from paragraph(", ".join(plural(len(names[k]), k) for k in _COUNTED if k in names))


def _declared(document: Document) -> Iterator[tuple[str, str]]:
    """What a file declares: kinds and names."""
    for chunk in document.every:
        match chunk.statement:
            case DimStatement(items):
                yield from (("dims", item.name.text) for item in items)
            case MeshStatement(items) | AxisStatement(items):
                yield from (("axes", item.name.text) for item in items)
            case TensorStatement(items=items):
                yield from (("variable", item.name.text) for item in items)
            case LayerStatement(name):
                yield "layer", name.text
            case LinkStatement(name):
                yield "links", name.text
            case DeviceStatement(name):
                yield "devices", name.text
            case OpStatement(name) | PointwiseStatement(name):
                yield "ops", name.text
            case BlockStatement(name):
                yield "blocks", name.text
            case StackStatement(name):
                yield "stacks", name.text
            case PlanStatement(name):
                yield "plans", name.text

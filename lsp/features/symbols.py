"""Symbols: the outline of a file, and what is declared anywhere in a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from parspec.grammar import syntax
from parspec.grammar.document import Document
from parspec.grammar.expressions import Name
from parspec.grammar.lines import LineIndex
from parspec.grammar.parser import parse
from parspec.grammar.span import Span
from parspec.grammar.values import value
from parspec.lsp.extents import Extent, extents
from parspec.lsp.ranges import Range

_KEPT_TEXTS = 64


@value
class Outlined:
    """A declaration. `kind`: `dim`, `axis`, `input`, `weight`, `cache`, `var`, `layer`, `stack`,
    `op`, `block`, `link`, `device`, `plan`, `train`, `infer`; `detail`: what it is declared to be;
    `range`: all of it, `at`: its name."""

    name: str
    kind: str
    detail: str
    range: Range
    at: Range
    inner: tuple[Outlined, ...] = ()


def outline(document: Document) -> tuple[Outlined, ...]:
    """The declarations of a file, those in bodies inside their owners."""
    return tuple(each for extent in extents(document) for each in _outlined(extent))


@lru_cache(maxsize=_KEPT_TEXTS)
def declared(text: str) -> tuple[tuple[Outlined, ...], LineIndex]:
    """The declarations of a text that need not be open, and its lines."""
    return outline(parse(text)), LineIndex(text)


def matching(found: tuple[Outlined, ...], query: str) -> Iterator[tuple[Outlined, str]]:
    """The declarations whose names hold the letters of a query in order, each with the path of
    what it stands in."""
    pending = [(each, "") for each in reversed(found)]
    while pending:
        here, path = pending.pop()
        if _holds(here.name, query):
            yield here, path
        inside = f"{path}.{here.name}" if path else here.name
        pending += ((each, inside) for each in reversed(here.inner))


def _holds(name: str, query: str) -> bool:
    letters = iter(name.casefold())
    return all(letter in letters for letter in query.casefold())


def _outlined(extent: Extent) -> Iterator[Outlined]:
    def item(name: Name, kind: str, span: Span, detail: str) -> Outlined:
        return Outlined(name.text, kind, detail, extent.range_of(span), extent.range_of(name.span))

    def whole(name: Name, kind: str, detail: str = "") -> Outlined:
        inner = tuple(each for part in extent.inner for each in _outlined(part))
        return Outlined(name.text, kind, detail, extent.range, extent.range_of(name.span), inner)

    def behind(name: Name, span: Span) -> str:
        """What is written behind a name, without its `=`."""
        text = extent.chunk.text[name.span.end : span.end]
        return " ".join(text.split()).removeprefix("=").lstrip()

    match extent.chunk.statement:
        case syntax.DimStatement(items=dims):
            for dim in dims:
                yield item(dim.name, "dim", dim.span, behind(dim.name, dim.span))
        case syntax.MeshStatement(axes=axes) | syntax.AxisStatement(items=axes):
            for axis in axes:
                yield item(axis.name, "axis", axis.span, behind(axis.name, axis.span))
        case syntax.TensorStatement(role=role, items=tensors):
            for tensor in tensors:
                yield item(tensor.name, role, tensor.span, behind(tensor.name, tensor.span))
        case syntax.LayerStatement() as layer:
            end = layer.expression.span.end if layer.expression else layer.out.span.end
            shown = " ".join(extent.chunk.text[layer.out.span.start : end].split())
            yield whole(layer.name, "layer", shown)
        case syntax.StackStatement(name=name, dim=dim, carry_in=entry, carry_out=left):
            yield whole(name, "stack", f"[{dim.text}]: {entry.text} -> {left.text}")
        case syntax.BlockStatement(name=name, parameters=parameters, out=out):
            shown = ", ".join(parameter.name.text for parameter in parameters)
            yield whole(name, "block", f"({shown}) -> {out.text}")
        case syntax.OpStatement(name=name, parameters=parameters, out=result):
            shown = ", ".join(parameter.name.text for parameter in parameters)
            yield whole(name, "op", f"({shown}) -> {result.name.text}")
        case syntax.PointwiseStatement(name=name):
            yield whole(name, "op", "pointwise")
        case syntax.LinkStatement(name=name):
            yield whole(name, "link")
        case syntax.DeviceStatement(name=name):
            yield whole(name, "device")
        case syntax.PlanStatement(name=name):
            yield whole(name, "plan")
        case syntax.TrainStatement(optimizer=optimizer):
            shown = optimizer.text if optimizer else ""
            yield whole(Name("train", Span(0, len("train"))), "train", shown)
        case syntax.InferStatement():
            yield whole(Name("infer", Span(0, len("infer"))), "infer")
        case _:
            for part in extent.inner:
                yield from _outlined(part)

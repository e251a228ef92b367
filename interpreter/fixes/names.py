"""Names that are misspelt, unused, repeated, or match nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from parspec.grammar.span import Span
from parspec.grammar.syntax import (
    DimStatement,
    ForStatement,
    LayerStatement,
    MeshStatement,
    OutputStatement,
    StackStatement,
    TensorStatement,
)
from parspec.interpreter.diagnostics.entry import items, word
from parspec.interpreter.diagnostics.findings import Edit, Fix
from parspec.interpreter.fixes.case import Case, fix
from parspec.interpreter.fixes.spots import Spot, last
from parspec.interpreter.spec.names import near
from parspec.interpreter.spec.patterns import ANY


def close_names(case: Case) -> Iterator[Fix]:
    """Each name that may be meant, in place of the one that nobody knows, wherever that stands."""
    name, close = case.text("name"), [word(each) for each in items(case.facts.get("near"))]
    if case.finding.fixes or case.facts.get("made") or case.at.text(case.span) != name:
        return
    for each in (each for each in close if not case.is_to_import(each)):
        yield fix(f"Replace `{name}` with `{each}`", *case.named_everywhere(each))


def close_files(case: Case) -> Iterator[Fix]:
    """Each file of a close name."""
    written = PurePosixPath(case.text("file"))
    for each in items(case.facts.get("near")):
        target = f'"{written.parent / word(each)}"'
        yield fix(f"Write `{target}`", case.at.replace(case.span, target))


def as_output(case: Case) -> Iterator[Fix]:
    """What nobody reads made an output, if it is a result."""
    statement = case.at.chunk.statement
    name = case.text("name")
    if isinstance(statement, (LayerStatement, StackStatement)) and not case.at.around:
        yield fix(f"Add `output {name}`", _last_output(case).below(f"output {name}"))


def unused(case: Case) -> Iterator[Fix]:
    """The declaration removed; but for a stack: its body is worth more than its result."""
    statement = case.at.chunk.statement
    name = case.text("name")
    if isinstance(statement, StackStatement):
        return
    if isinstance(statement, LayerStatement):
        removed = f"layer {statement.name.text}"
    else:
        removed = f"{case.at.chunk.text.split(None, 1)[0]} {name}"
    yield fix(f"Remove `{removed}`", _without_item(case.at, name))


def repeated(case: Case) -> Iterator[Fix]:
    """The second declaration removed, where it says the same as the first, and a dimension that the
    library declares."""
    first = next(case.related(), None)
    name = case.text("name")
    if case.text("kind") == "dimension" and case.facts.get("library"):
        yield fix(f"Remove `dim {name}`", _without_item(case.at, name))
    if first is None:
        return
    texts = [
        [_normal(one.text(s)) for n, s in _items(one) if n == name] for one in (first, case.at)
    ]
    same = texts[0][:1] == texts[1][-1:]
    if texts[0] and same and _keyword(first) == _keyword(case.at):
        edit = _without_item(case.at, name)
        yield fix(f"Remove the second `{texts[1][-1]}`", edit)


def resized(case: Case) -> Iterator[Fix]:
    """The second size removed."""
    for name, span in _items(case.at):
        if name == case.text("name") and span.start <= case.span.start < span.end:
            yield fix(f"Remove `{case.at.text(span)}`", _without_item(case.at, name))


def patterns(case: Case) -> Iterator[Fix]:
    """The close names of layers in place of a pattern, or of an alternative of it, that matches
    nothing, or the pattern removed."""
    statement = case.at.chunk.statement
    if not isinstance(statement, ForStatement):
        return
    text = case.at.text(case.span)
    close = [word(each) for each in items(case.facts.get("near"))]
    if not case.finding.fixes:
        others = (each for each in dict.fromkeys(_layers(case)) if each != text)
        for each in close or near(text, others):
            yield fix(f"Replace `{text}` with `{each}`", case.at.replace(case.span, each))
    spans = [pattern.span for pattern in statement.patterns]
    if case.span not in spans:
        yield from _without_alternative(case, statement)
        return
    if len(spans) > 1:
        yield fix(f"Remove `{text}`", case.at.without(spans, spans.index(case.span)))
    elif ANY not in text:
        shown = _normal(case.at.chunk.text[: case.at.code_end])
        yield fix(f"Remove `{shown}`", case.at.removed())


def _without_alternative(case: Case, statement: ForStatement) -> Iterator[Fix]:
    """An alternative removed from its braces."""
    for part in (part for pattern in statement.patterns for part in pattern.parts):
        spans = [name.span for name in part]
        if case.span in spans:
            edit = case.at.without(spans, spans.index(case.span))
            yield fix(f"Remove `{case.at.text(case.span)}`", edit)


def _layers(case: Case) -> Iterator[str]:
    """The layers that stand in the file, as patterns name them."""
    for one in case.statements():
        if isinstance(one.chunk.statement, LayerStatement):
            names = [each.text.split()[1].partition("[")[0] for each in reversed(one.around)]
            yield ".".join((*names, one.chunk.statement.name.text))


def _last_output(case: Case) -> Spot:
    """The last `output` of the file, else the statement itself."""
    return last(OutputStatement, case.at.file, case.model) or case.at


def _keyword(one: Spot) -> str:
    return one.chunk.text.split(None, 1)[0]


def _items(one: Spot) -> list[tuple[str, Span]]:
    """The items that a statement declares, by name."""
    match one.chunk.statement:
        case DimStatement(items=dims):
            return [(item.name.text, item.span) for item in dims]
        case TensorStatement(items=tensors):
            return [(item.name.text, item.span) for item in tensors]
        case MeshStatement(axes=axes):
            return [(axis.name.text, axis.span) for axis in axes]
    return []


def _without_item(one: Spot, name: str) -> Edit:
    """A statement without the last item that declares a name; none is left of one item."""
    declared = _items(one)
    if len(declared) < 2:
        return one.removed()
    place = max(place for place, (each, _) in enumerate(declared) if each == name)
    return one.without([span for _, span in declared], place)


def _normal(text: str) -> str:
    return re.sub(r"\s+", " ", text)

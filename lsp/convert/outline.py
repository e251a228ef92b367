"""The outline of files: symbols, folding, selection, colours, formatting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from parspec.lsp.convert.view import View
from parspec.lsp.features import formatting, symbols
from parspec.lsp.features.folding import Fold, folds, selections
from parspec.lsp.ranges import Range
from parspec.lsp.session import Session

_KINDS = {
    "dim": types.SymbolKind.TypeParameter,
    "axis": types.SymbolKind.EnumMember,
    "input": types.SymbolKind.Variable,
    "weight": types.SymbolKind.Constant,
    "cache": types.SymbolKind.Variable,
    "var": types.SymbolKind.Variable,
    "layer": types.SymbolKind.Method,
    "stack": types.SymbolKind.Class,
    "op": types.SymbolKind.Operator,
    "block": types.SymbolKind.Function,
    "link": types.SymbolKind.Struct,
    "device": types.SymbolKind.Struct,
    "plan": types.SymbolKind.Namespace,
    "train": types.SymbolKind.Object,
    "infer": types.SymbolKind.Object,
}
_FOLDS = {
    "body": types.FoldingRangeKind.Region,
    "comment": types.FoldingRangeKind.Comment,
    "imports": types.FoldingRangeKind.Imports,
}
_MOST = 1000  # symbols of a workspace that are answered


# -- symbols -------------------------------------------------------------------------------------


def document_symbol(
    view: View, _: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """The declarations of a file; without their nesting for a client that does not take it."""
    found = symbols.outline(view.snapshot.document)
    if view.client.can("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport"):
        return [_symbol(view, each) for each in view.steps(found)]
    return list(view.steps(_flat(view, found, None)))


def _symbol(view: View, found: symbols.Outlined) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=found.name,
        kind=_KINDS[found.kind],
        range=view.range(found.range),
        selection_range=view.range(found.at),
        detail=found.detail,
        children=[_symbol(view, each) for each in found.inner],
    )


def _flat(
    view: View, found: Iterable[symbols.Outlined], outer: str | None
) -> Iterator[types.SymbolInformation]:
    uri = view.uri(view.snapshot.file)
    for each in found:
        place = types.Location(uri, view.range(each.range))
        yield types.SymbolInformation(place, each.name, _KINDS[each.kind], container_name=outer)
        yield from _flat(view, each.inner, each.name)


def workspace_symbol(
    session: Session, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """The declarations in all files whose names hold the letters of a query in order."""
    found: list[types.SymbolInformation] = []
    for file in session.files():
        session.checkpoint()
        text = session.text(file)
        if text is None:
            continue
        declared, lines = symbols.declared(text)
        encoding = session.client.encoding
        for each, path in symbols.matching(declared, params.query):
            start, end = (types.Position(*lines.position(at, encoding)) for at in each.at)
            place = types.Location(session.uri(file), types.Range(start, end))
            kind = _KINDS[each.kind]
            found.append(types.SymbolInformation(place, each.name, kind, container_name=path))
            if len(found) == _MOST:
                return found
    return found


# -- folding and selection -----------------------------------------------------------------------


def folding_range(view: View, _: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """What folds, by lines; one that begins on the line of a larger one is left out."""
    found: dict[int, types.FoldingRange] = {}
    for fold in folds(view.snapshot.document):
        first, last = _lines(view, fold)
        known = found.get(first)
        if last > first and (known is None or known.end_line < last):
            found[first] = types.FoldingRange(first, last, kind=_FOLDS[fold.kind])
    return list(found.values())


def _lines(view: View, fold: Fold) -> tuple[int, int]:
    """The first and the last line to fold; the one with the closing brace stays in sight."""
    lines = view.snapshot.lines
    first, last = (lines.line_of(at) for at in fold.range)
    closing = fold.kind == "body" and view.snapshot.text.endswith("}", *fold.range)
    return first, last - 1 if closing else last


def selection_range(view: View, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    """For each position the ranges around it."""
    return [_selection(view, view.offset(position)) for position in params.positions]


def _selection(view: View, offset: int) -> types.SelectionRange:
    around: types.SelectionRange | None = None
    for each in reversed(selections(view.snapshot, offset)):
        around = types.SelectionRange(view.range(each), around)
    return around or types.SelectionRange(view.range(Range(offset, offset)))


# -- formatting ----------------------------------------------------------------------------------


def document_formatting(
    view: View, _: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    """What brings a file into the one style."""
    if not view.settings.format.enable:
        return None
    return view.text_edits(formatting.formatted(view.snapshot))


def range_formatting(
    view: View, params: types.DocumentRangeFormattingParams
) -> list[types.TextEdit] | None:
    """What brings a part of a file into the one style."""
    if not view.settings.format.enable:
        return None
    return view.text_edits(formatting.formatted_within(view.snapshot, view.span(params.range)))

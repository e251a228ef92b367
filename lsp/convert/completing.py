"""Completion and signatures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from lsprotocol import types

from parspec.grammar.lines import Encoding
from parspec.lsp.convert.markup import markup
from parspec.lsp.convert.said import taken
from parspec.lsp.convert.view import View, units
from parspec.lsp.features import documentation
from parspec.lsp.features.completion import completion, expects_name, expects_path
from parspec.lsp.features.offers.suggestion import Suggestion
from parspec.lsp.features.prose import Block
from parspec.lsp.features.signature import signature
from parspec.lsp.ranges import Location, Range
from parspec.lsp.session import Session
from parspec.lsp.snapshot import Snapshot

_LABELS: Encoding = "utf-16"  # counts in labels, whatever texts are counted in
_ITEM = "textDocument.completion.completionItem"
_SIGNATURE = "textDocument.signatureHelp.signatureInformation"
_KINDS = {
    "statement": types.CompletionItemKind.Keyword,
    "keyword": types.CompletionItemKind.Keyword,
    "dim": types.CompletionItemKind.TypeParameter,
    "axis": types.CompletionItemKind.EnumMember,
    "layer": types.CompletionItemKind.Method,
    "stack": types.CompletionItemKind.Class,
    "op": types.CompletionItemKind.Function,
    "block": types.CompletionItemKind.Function,
    "function": types.CompletionItemKind.Function,
    "weight": types.CompletionItemKind.Constant,
    "link": types.CompletionItemKind.Struct,
    "device": types.CompletionItemKind.Struct,
    "library": types.CompletionItemKind.Module,
    "file": types.CompletionItemKind.File,
    "folder": types.CompletionItemKind.Folder,
    "comparison": types.CompletionItemKind.Operator,
    "unit": types.CompletionItemKind.Unit,
    "setting": types.CompletionItemKind.Property,
    "argument": types.CompletionItemKind.Property,
    "figure": types.CompletionItemKind.Property,
    "primitive": types.CompletionItemKind.Event,
}
_EXPECTED: Mapping[str, Callable[[Snapshot, int], bool]] = {" ": expects_name, "/": expects_path}
"""What must be expected behind characters that bring up suggestions in few places only."""
_TENSORS = frozenset(("input", "cache", "var", "activation", "parameter", "tensor"))


def complete(view: View, params: types.CompletionParams) -> types.CompletionList | None:
    """What may be typed at a position."""
    offset = view.offset(params.position)
    context = params.context
    expected = _EXPECTED.get((context and context.trigger_character) or "")
    if expected is not None and not expected(view.snapshot, offset):
        return None
    found = completion(view.snapshot, offset, view.session.files())
    if found is None:
        return None
    replaces = view.range(found.replaces)
    items = [_item(view, each, replaces) for each in found.suggestions]
    return types.CompletionList(is_incomplete=found.partial, items=items)


def _item(view: View, found: Suggestion, replaces: types.Range) -> types.CompletionItem:
    snippets = found.snippet if view.client.can(f"{_ITEM}.snippetSupport") else None
    told = view.client.can(f"{_ITEM}.labelDetailsSupport")
    beside = told and bool(found.adds) and found.insert is None
    return types.CompletionItem(
        label=found.label,
        label_details=types.CompletionItemLabelDetails(description=found.library)
        if beside
        else None,
        kind=_kind(found.kind),
        detail=found.detail or None,
        sort_text=f"{found.rank}{found.label}{found.library}",
        filter_text=found.label,
        text_edit=types.TextEdit(replaces, snippets or found.insert or found.label),
        insert_text_format=types.InsertTextFormat.Snippet if snippets else None,
        additional_text_edits=view.text_edits(found.adds) or None,
        data=_data(view, found),
    )


def _kind(kind: str) -> types.CompletionItemKind:
    if kind in _TENSORS:
        return types.CompletionItemKind.Variable
    return _KINDS.get(kind, types.CompletionItemKind.Value)


class _Known(NamedTuple):
    """A word of the language."""

    word: str
    kind: str


class _Brought(NamedTuple):
    """A word that a file of the library brings."""

    word: str
    kind: str
    library: str


class _Declared(NamedTuple):
    """A word that is declared at an offset of a file which the spec at `uri` sees."""

    word: str
    uri: str
    file: str
    at: int


def _data(view: View, found: Suggestion) -> dict[str, Any]:
    """What `resolve` finds the documentation by."""
    if found.library:
        return _Brought(found.insert or found.label, found.kind, found.library)._asdict()
    declared = found.site and view.snapshot.location(found.site)
    if declared is None:
        return _Known(found.label, found.kind)._asdict()
    uri = view.uri(view.snapshot.file)
    return _Declared(found.label, uri, declared.file, declared.range.start)._asdict()


def resolve(session: Session, item: types.CompletionItem) -> types.CompletionItem:
    """A suggestion with its documentation."""
    blocks = () if item.data is None else _documentation(session, item.data)
    if blocks:
        item.documentation = markup(session.client, blocks, f"{_ITEM}.documentationFormat")
    return item


def _documentation(session: Session, data: object) -> Sequence[Block]:
    if isinstance(data, Mapping) and "uri" in data:
        declared = taken(data, _Declared)
        view = session.view(declared.uri)
        if view is None:
            return ()
        at = Location(declared.file, Range(declared.at, declared.at))
        return documentation.of_declaration(view.snapshot, at, declared.word)
    if isinstance(data, Mapping) and "library" in data:
        brought = taken(data, _Brought)
        return documentation.of_library(brought.library, brought.kind, brought.word)
    known = taken(data, _Known)
    return documentation.of_word(known.word, known.kind)


# -- signatures ----------------------------------------------------------------------------------


def signature_help(view: View, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    """What the call around a position takes."""
    found = signature(view.snapshot, view.offset(params.position))
    if found is None:
        return None
    client = view.client
    offsets = client.can(f"{_SIGNATURE}.parameterInformation.labelOffsetSupport")
    parameters = [
        types.ParameterInformation(
            (units(found.label[: at.start], _LABELS), units(found.label[: at.end], _LABELS))
            if offsets
            else found.label[at.start : at.end]
        )
        for at in found.parameters
    ]
    active = len(parameters) if found.active is None else found.active
    note = documentation.of_comment(found.note)
    told = markup(client, note, f"{_SIGNATURE}.documentationFormat")
    shown = types.SignatureInformation(
        label=found.label,
        documentation=told if note else None,
        parameters=parameters,
    )
    return types.SignatureHelp([shown], active_signature=0, active_parameter=active)

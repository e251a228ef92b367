"""Moving about: definitions, references, highlights, renaming, links, and as a call hierarchy who
uses a block and the dataflow between layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from parspec.interpreter.spec.library_files import is_library
from parspec.lsp.convert.said import taken
from parspec.lsp.convert.view import View
from parspec.lsp.features import calls, dataflow
from parspec.lsp.features.links import links
from parspec.lsp.features.occurrences import definitions, highlights, occurrences
from parspec.lsp.features.rename import Refusal, renamable, rename
from parspec.lsp.importers import importing
from parspec.lsp.session import Session
from parspec.lsp.snapshot import Snapshot

_REQUEST_FAILED = -32803
_HOW = {
    "declared": types.DocumentHighlightKind.Write,
    "used": types.DocumentHighlightKind.Read,
}


def definition(view: View, params: types.DefinitionParams) -> list[types.Location]:
    """Where the name at a position is declared."""
    found = definitions(view.snapshot, view.offset(params.position))
    return [view.location(each) for each in found]


def references(view: View, params: types.ReferenceParams) -> list[types.Location]:
    """Where the name at a position is written, in all files that see it."""
    snapshots = _seeing(view)
    places = occurrences(snapshots, view.offset(params.position)).places
    declared = params.context.include_declaration
    wide = _over(view, snapshots)
    return [wide.location(at) for at, how in places.items() if declared or how == "used"]


def document_highlight(
    view: View, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    """Where the name at a position is written in the file."""
    found = highlights(view.snapshot, view.offset(params.position))
    return [types.DocumentHighlight(view.range(each.range), _HOW[each.how]) for each in found]


def prepare_rename(view: View, params: types.PrepareRenameParams) -> types.Range | None:
    """The name at a position, if it may have another; who asks for the edits nevertheless is told
    why not."""
    found = renamable(view.snapshot, view.offset(params.position))
    return None if isinstance(found, Refusal) else view.range(found)


def renamed(view: View, params: types.RenameParams) -> types.WorkspaceEdit:
    """The edits that rename what is at a position."""
    snapshots = _seeing(view)
    edits = rename(snapshots, view.offset(params.position), params.new_name)
    if isinstance(edits, Refusal):
        raise JsonRpcException(edits.message, _REQUEST_FAILED)
    return _over(view, snapshots).workspace_edit(edits)


def _seeing(view: View) -> Sequence[Snapshot]:
    """The file's own snapshot, and those of the files that import it or what it imports."""
    own = view.snapshot
    files = {file for file in own.sources if not is_library(file)}
    others = (each for each in importing(view.session, files) if each.file != own.file)
    return (own, *others)


def _over(view: View, snapshots: Iterable[Snapshot]) -> View:
    """A view that knows the lines of all files that some snapshots see."""
    sources = {file: source for each in snapshots for file, source in each.sources.items()}
    return View(replace(view.snapshot, sources=sources | dict(view.snapshot.sources)), view.session)


# -- links ---------------------------------------------------------------------------------------


def document_link(view: View, _: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """The files that imports name."""
    tooltips = view.client.can("textDocument.documentLink.tooltipSupport")
    return [
        types.DocumentLink(
            view.range(link.range),
            target=view.uri(link.file),
            tooltip=link.file if tooltips else None,
        )
        for link in links(view.snapshot)
    ]


# -- dataflow ------------------------------------------------------------------------------------

_KINDS = {
    "layer": types.SymbolKind.Function,
    "block": types.SymbolKind.Class,
    "op": types.SymbolKind.Operator,
}


class _Asked(NamedTuple):
    """What an item says of its layer, block or op."""

    uri: str
    step: str
    kind: str
    plan: str | None


def prepare_call_hierarchy(
    view: View, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem]:
    """The layers of the name at a position, or the block or op that it is."""
    offset = view.offset(params.position)
    found = calls.called_at(view.snapshot, offset) or dataflow.steps_at(view.snapshot, offset)
    return [_item(view, step) for step in found]


def incoming_calls(
    session: Session, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall]:
    """What gives what a layer reads; who uses a block."""
    asked = taken(params.item.data, _Asked)
    view = session.view(asked.uri)
    if view is None:
        return []
    if asked.kind in calls.KINDS:
        flows = calls.callers(view.snapshot, asked.step)
    else:
        flows = dataflow.producers(view.snapshot, asked.step, asked.plan)
    return [
        types.CallHierarchyIncomingCall(_item(view, flow.step), _ranges(view, flow))
        for flow in flows
    ]


def outgoing_calls(
    session: Session, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall]:
    """What reads what a layer gives; what a block uses."""
    asked = taken(params.item.data, _Asked)
    view = session.view(asked.uri)
    if view is None:
        return []
    if asked.kind in calls.KINDS:
        flows = calls.callees(view.snapshot, asked.step)
    else:
        flows = dataflow.consumers(view.snapshot, asked.step, asked.plan)
    return [
        types.CallHierarchyOutgoingCall(_item(view, flow.step), _ranges(view, flow))
        for flow in flows
    ]


def _item(view: View, step: dataflow.Step) -> types.CallHierarchyItem:
    where = view.range_in(step.location)
    return types.CallHierarchyItem(
        name=step.name,
        kind=_KINDS.get(step.kind, types.SymbolKind.Variable),
        uri=view.uri(step.location.file),
        range=where,
        selection_range=where,
        detail=step.detail,
        data=_Asked(view.uri(view.snapshot.file), step.name, step.kind, step.plan)._asdict(),
    )


def _ranges(view: View, flow: dataflow.Flow) -> list[types.Range]:
    return [view.range_in(each) for each in flow.through]

"""Code actions as the protocol has them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from lsprotocol import types

from parspec.lsp.convert.said import taken
from parspec.lsp.convert.view import View
from parspec.lsp.features.actions.action import Kind, Mended
from parspec.lsp.features.actions.actions import KINDS, actions, worked_out
from parspec.lsp.features.actions.trial import UNBOUNDED, Bench
from parspec.lsp.session import Session

_ABOUT = "textDocument.codeAction"
_UNASKED = 512  # layers that are analysed for a list that nobody has asked for


class _Later(NamedTuple):
    """What an action says of the edit that is worked out when it is chosen."""

    uri: str
    version: int | None
    task: str
    offset: int


def code_actions(view: View, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What may be done at a range, of the kinds that are asked for."""
    if view.client.can(f"{_ABOUT}.codeActionLiteralSupport") is None:
        return []
    return list(_listed(view, params))


def resolve(session: Session, item: types.CodeAction) -> types.CodeAction:
    """An action with its edit; as it is where the text has changed since."""
    if item.data is None:
        return item
    later = taken(item.data, _Later)
    view = session.view(later.uri)
    if view is not None and view.snapshot.version == later.version:
        item.edit = view.workspace_edit(worked_out(_bench(view), later.task, later.offset))
    return item


def _listed(view: View, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
    within = view.span(params.range)
    bench = _bench(view, _UNASKED if _is_unasked(params.context) else UNBOUNDED)
    for action in actions(bench, within, _kinds(params.context)):
        shown = types.CodeAction(
            action.title,
            kind=action.kind,
            diagnostics=_mended(view, action.mends, params.context),
            is_preferred=True if action.rank == "preferred" else None,
        )
        if action.task is None:
            shown.edit = view.workspace_edit(action.edits)
        elif _resolves(view):
            uri, version = params.text_document.uri, view.snapshot.version
            shown.data = _Later(uri, version, action.task, within.start)._asdict()
        else:
            edits = worked_out(bench, action.task, within.start)
            if not edits:
                continue
            shown.edit = view.workspace_edit(edits)
        yield shown


def _bench(view: View, patience: int = UNBOUNDED) -> Bench:
    return Bench(view.snapshot, partial(view.session.attempt, view.snapshot), patience)


def _is_unasked(context: types.CodeActionContext) -> bool:
    """Whether the client only wants to know whether there is anything to offer."""
    return context.trigger_kind == types.CodeActionTriggerKind.Automatic


def _kinds(context: types.CodeActionContext) -> list[Kind]:
    """The kinds that are asked for; what is about the whole file only where somebody asks."""
    if context.only is None:
        unasked = _is_unasked(context)
        return [kind for kind in KINDS if not (unasked and kind.startswith("source"))]
    asked = [
        each.value if isinstance(each, types.CodeActionKind) else each for each in context.only
    ]
    return [kind for kind in KINDS if any(f"{kind}.".startswith(f"{each}.") for each in asked)]


def _mended(
    view: View, mends: Mended | None, context: types.CodeActionContext
) -> list[types.Diagnostic] | None:
    """The client's own diagnostics that an action mends."""
    if mends is None:
        return None
    where = view.range_in(mends.location)
    return [d for d in context.diagnostics if d.code == mends.code and d.range == where] or None


def _resolves(view: View) -> bool:
    """Whether the client asks for an action's edit when the action is chosen."""
    lazily = view.client.can(f"{_ABOUT}.resolveSupport.properties") or ()
    return "edit" in lazily and bool(view.client.can(f"{_ABOUT}.dataSupport"))

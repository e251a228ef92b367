"""What is shown in and beside the text as the protocol has it: hovers, inlay hints, code lenses."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from urllib.parse import quote

from lsprotocol import types

from parspec.interpreter.explanations.index import explained
from parspec.lsp.convert.diagnostics import EXPLAIN
from parspec.lsp.convert.markup import markup
from parspec.lsp.convert.view import View
from parspec.lsp.features.code_lens import Lens, code_lenses
from parspec.lsp.features.hover import hover as find_hover
from parspec.lsp.features.inlay_hints import Hint, Kind, Part, inlay_hints
from parspec.lsp.ranges import Range
from parspec.lsp.settings import InlayHints
from parspec.lsp.snapshot import Snapshot

REPORT = "parspec.report"  # the command that a click on a lens runs
_FORMATS = "textDocument.hover.contentFormat"  # of all that is shown in a box
_PRICED: frozenset[Kind] = frozenset(("primitive",))  # hints that say what a lens may say
_HINT_KINDS = {
    "state": types.InlayHintKind.Type,
    "pattern": types.InlayHintKind.Type,
    "follows": types.InlayHintKind.Type,
}


def hover(view: View, params: types.HoverParams) -> types.Hover | None:
    """What stands at a position."""
    found = find_hover(view.snapshot, view.offset(params.position), _importers(view))
    if found is None:
        return None
    shown = markup(view.client, found.blocks, _FORMATS)
    if found.word and view.client.follows_commands and explained(found.word):
        more = quote(json.dumps([found.word]))
        shown.value += f"\n\n[an example](command:{EXPLAIN}?{more})"
    return types.Hover(shown, view.range(found.range))


def _importers(view: View) -> Iterator[Snapshot]:
    """The open files that import a view's."""
    file = view.snapshot.file
    opened = (other.snapshot for other in view.session.open_views())
    return (other for other in opened if other.file != file and file in other.sources)


def hints(view: View, params: types.InlayHintParams) -> list[types.InlayHint]:
    """The inlay hints in a range, as far as they are wanted."""
    kinds = _kinds(view.settings.inlay_hints)
    return [_hint(view, hint) for hint in _wanted(view, view.span(params.range), kinds)]


def _wanted(view: View, within: Range, kinds: Collection[Kind]) -> tuple[Hint, ...]:
    least = view.settings.inlay_hints.minimum_traffic
    if not kinds:
        return ()
    return inlay_hints(view.snapshot, within, kinds, least, view.session.checkpoint)


def _kinds(wanted: InlayHints) -> frozenset[Kind]:
    """The kinds of hints that the settings ask for."""
    shown: dict[Kind, bool] = {
        "state": wanted.states,
        "pattern": wanted.patterns,
        "follows": wanted.follows,
        "primitive": wanted.primitives,
    }
    return frozenset(kind for kind, on in shown.items() if on and wanted.enable)


def _hint(view: View, hint: Hint) -> types.InlayHint:
    return types.InlayHint(
        view.position(hint.offset),
        [_part(view, part) for part in hint.parts],
        kind=_HINT_KINDS.get(hint.kind),
        tooltip=markup(view.client, hint.why, _FORMATS) if hint.why else None,
        padding_left=True,
        padding_right=True,
    )


def _part(view: View, part: Part) -> types.InlayHintLabelPart:
    location = None if part.target is None else view.location(part.target)
    return types.InlayHintLabelPart(part.text, location=location)


def lenses(view: View, params: types.CodeLensParams) -> list[types.CodeLens]:
    """All code lenses of a file, if they are wanted; where the client shows hints as well, without
    what these say."""
    if not view.settings.code_lens.enable:
        return []
    uri = params.text_document.uri
    shows_hints = view.client.can("textDocument.inlayHint") is not None
    priced = _PRICED.intersection(_kinds(view.settings.inlay_hints)) if shows_hints else ()
    beside = _wanted(view, Range(0, len(view.snapshot.text)), priced)
    return [_lens(view, uri, lens) for lens in view.steps(code_lenses(view.snapshot, beside))]


def _lens(view: View, uri: str, lens: Lens) -> types.CodeLens:
    return types.CodeLens(
        view.range(lens.range), types.Command(lens.title, REPORT, arguments=[uri, lens.plan])
    )

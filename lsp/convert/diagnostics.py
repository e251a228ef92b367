"""Diagnostics as the protocol has them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from lsprotocol import types

from parspec.interpreter.diagnostics.sharing import named
from parspec.lsp.convert.view import View
from parspec.lsp.features.diagnostics import Diagnostic

SOURCE = "parspec"
EXPLAIN = "parspec.explain"  # the command that shows the explanation of a code
_ABOUT = "textDocument.publishDiagnostics"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


class Seen(NamedTuple):
    """A diagnostic, and the view that has found it."""

    view: View
    found: Diagnostic


def diagnostic(seen: Sequence[Seen]) -> types.Diagnostic:
    """A diagnostic with what the client can take of it, which one or more views have found."""
    view, found = seen[0]
    related = _related(view, found) if view.client.can(f"{_ABOUT}.relatedInformation") else None
    tagged = found.tag is not None and view.client.can(f"{_ABOUT}.tagSupport")
    return types.Diagnostic(
        range=view.range_in(found.location),
        message="\n".join(_lines(seen)),
        severity=_SEVERITIES[found.severity],
        code=found.code,
        code_description=_explained(found.code) if view.client.follows_commands else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if tagged else None,
        related_information=related,
        data={"name": found.name},
    )


def _lines(seen: Sequence[Seen]) -> Iterator[str]:
    """The message; below it the other places for a client that takes them no other way."""
    view, found = seen[0]
    own = view.snapshot.file == found.location.file
    where = _plans(found) if own else f"imported by {'; '.join(sorted(map(_importer, seen)))}"
    yield f"{found.message} ({where})" if where else found.message
    if not view.client.can(f"{_ABOUT}.relatedInformation"):
        for note in found.notes:
            yield f"{view.shown(note.location)}: {note.message}"


def _importer(seen: Seen) -> str:
    """The file that has found something in another one, with its plans."""
    return ", ".join(filter(None, (Path(seen.view.snapshot.file).name, _plans(seen.found))))


def _plans(found: Diagnostic) -> str:
    names = ", ".join(named(found.under))
    told = ("without a plan" if None in found.under else "", f"plan {names}" if names else "")
    return ", ".join(filter(None, told))


def _related(view: View, found: Diagnostic) -> list[types.DiagnosticRelatedInformation]:
    return [
        types.DiagnosticRelatedInformation(view.location(note.location), note.message)
        for note in found.notes
    ]


def _explained(code: str) -> types.CodeDescription:
    """A link that runs the command."""
    return types.CodeDescription(f"command:{EXPLAIN}?{quote(json.dumps([code]))}")

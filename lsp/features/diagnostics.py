"""Diagnostics: what is wrong with a file, with its plans and with what it imports.

The same as `parspec check` finds, by file. A mistake in an imported file shows there and, as one
error, at the import.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from parspec.grammar.values import value
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.entry import Severity, plural
from parspec.interpreter.diagnostics.findings import Finding, Site
from parspec.interpreter.diagnostics.sharing import Under, found_under
from parspec.interpreter.spec.sources import imported_file
from parspec.lsp.ranges import Location, Range
from parspec.lsp.snapshot import Snapshot

_UNUSED = frozenset({"unused_name"})


@value
class Note:
    """Another place that is involved, and what it has to do with it."""

    location: Location
    message: str


@value
class Diagnostic:
    """One diagnostic of one file. `under`: what it was found under; `tag`: `unnecessary` for what
    editors grey out."""

    location: Location
    code: str
    name: str
    severity: Severity
    message: str
    notes: tuple[Note, ...]
    under: Under
    tag: Literal["unnecessary"] | None


def diagnostics(snapshot: Snapshot) -> Mapping[str, tuple[Diagnostic, ...]]:
    """The diagnostics of a file and of those that it imports; every file is there."""
    found: dict[str, list[Diagnostic]] = {file: [] for file in snapshot.sources}
    analyses = ((each.model.plan, each.findings) for each in snapshot.analyses)
    for finding, under in found_under(analyses).items():
        diagnostic = _diagnosed(finding, under, snapshot)
        found[diagnostic.location.file].append(diagnostic)
    found[snapshot.file] += _at_imports(snapshot, found)
    return {file: tuple(sorted(each, key=_order)) for file, each in found.items()}


def _order(diagnostic: Diagnostic) -> tuple[Location, str, str]:
    return diagnostic.location, diagnostic.code, diagnostic.message


def _diagnosed(finding: Finding, under: Under, snapshot: Snapshot) -> Diagnostic:
    return Diagnostic(
        _location(finding.site, snapshot),
        catalogue.code(finding),
        finding.name,
        catalogue.severity(finding),
        catalogue.message(finding),
        tuple(Note(_location(note.site, snapshot), note.message) for note in finding.related),
        under,
        "unnecessary" if finding.name in _UNUSED else None,
    )


def _location(site: Site, snapshot: Snapshot) -> Location:
    """Where a site is; the beginning of the file for what is about no place in particular."""
    return snapshot.location(site) or Location(snapshot.file, Range(0, 0))


def _at_imports(snapshot: Snapshot, found: Mapping[str, list[Diagnostic]]) -> Iterator[Diagnostic]:
    """An error at each import that brings a file with errors, itself or by its own imports."""
    for start, statement in snapshot.document.importing():
        brought = _brought(imported_file(statement, snapshot.file), snapshot)
        errors = [
            diagnostic
            for file in brought
            for diagnostic in found[file]
            if diagnostic.severity == "error"
        ]
        if errors:
            where = Range(start + statement.span.start, start + statement.span.end)
            yield _at_import(Location(snapshot.file, where), errors)


def _at_import(location: Location, errors: list[Diagnostic]) -> Diagnostic:
    first = errors[0]
    shown = Path(first.location.file).name
    more = f" (and {plural(len(errors) - 1, 'more error')})" if len(errors) > 1 else ""
    notes = tuple(Note(error.location, error.message) for error in errors)
    message = f"{shown}: {first.message}{more}"
    return Diagnostic(location, first.code, first.name, "error", message, notes, first.under, None)


def _brought(file: str, snapshot: Snapshot) -> list[str]:
    """A file that was read, and what its imports bring."""
    brought: dict[str, None] = {}
    pending = [file]
    while pending:
        each = pending.pop()
        if each in brought or each == snapshot.file or each not in snapshot.sources:
            continue
        brought[each] = None
        pending += (
            imported_file(statement, each)
            for _, statement in snapshot.sources[each].document.importing()
        )
    return list(brought)

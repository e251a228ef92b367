"""File names as programs elsewhere read them: relative to a folder, which is the working folder
unless another is given, `/` between folders.

A file outside that folder keeps its whole path.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.diagnostic import Diagnostic, Note, Place, Remedy


def portable(file: str, folder: Path | None = None) -> str:
    """The name of a file for a program elsewhere."""
    here = _working_folder()
    path, folder = Path(os.path.normpath(here / file)), folder or here
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()


def portable_diagnostic(diagnostic: Diagnostic, folder: Path | None = None) -> Diagnostic:
    """The same, its places in files of portable names."""
    return replace(
        diagnostic,
        place=_place(diagnostic.place, folder),
        notes=tuple(Note(_place(note.place, folder), note.message) for note in diagnostic.notes),
        remedies=tuple(_remedy(remedy, folder) for remedy in diagnostic.remedies),
    )


def portable_checked(found: Checked, folder: Path | None = None) -> Checked:
    """The same by its portable name; sources go by both of their names."""
    named = {portable(file, folder): source for file, source in found.sources.items()}
    return Checked(
        portable(found.file, folder),
        found.analyses,
        tuple(portable_diagnostic(diagnostic, folder) for diagnostic in found.diagnostics),
        {**found.sources, **named},
    )


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # it is gone
        return Path(os.sep)


def _place(place: Place, folder: Path | None) -> Place:
    return replace(place, file=portable(place.file, folder))


def _remedy(remedy: Remedy, folder: Path | None) -> Remedy:
    edits = (replace(edit, place=_place(edit.place, folder)) for edit in remedy.edits)
    return Remedy(remedy.title, tuple(edits))

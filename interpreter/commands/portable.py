"""File names as programs elsewhere read them: relative to the working folder, `/` between folders.

A file outside the working folder keeps its whole path.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from parspec.interpreter.commands.checked import Checked
from parspec.interpreter.commands.diagnostic import Diagnostic, Note, Place, Remedy


def portable(file: str) -> str:
    """The name of a file for a program elsewhere."""
    path, folder = Path(os.path.normpath(Path(file).absolute())), Path.cwd()
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()


def portable_diagnostic(diagnostic: Diagnostic) -> Diagnostic:
    """The same, its places in files of portable names."""
    return replace(
        diagnostic,
        place=_place(diagnostic.place),
        notes=tuple(Note(_place(note.place), note.message) for note in diagnostic.notes),
        remedies=tuple(map(_remedy, diagnostic.remedies)),
    )


def portable_checked(found: Checked) -> Checked:
    """The same by its portable name; sources go by both of their names."""
    return Checked(
        portable(found.file),
        found.analyses,
        tuple(map(portable_diagnostic, found.diagnostics)),
        {**found.sources, **{portable(file): source for file, source in found.sources.items()}},
    )


def _place(place: Place) -> Place:
    return replace(place, file=portable(place.file))


def _remedy(remedy: Remedy) -> Remedy:
    return Remedy(
        remedy.title, tuple(replace(edit, place=_place(edit.place)) for edit in remedy.edits)
    )

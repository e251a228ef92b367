"""Importers: the files of a workspace in which a file is seen, because they import it.

Only their texts are looked at: what imports nothing that leads to the file is not analysed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from parspec.lsp.session import Session
from parspec.lsp.snapshot import Snapshot

_IMPORT = re.compile(r'\bimport\s*"([^"\r\n]+)"')


def importing(session: Session, files: set[str]) -> Iterator[Snapshot]:
    """The snapshots of the files that import one of some files, themselves or through others."""
    imports = {file: _imported(file, session.text(file)) for file in session.files()}
    for file in _leading_to(files, imports):
        view = session.view_of(file)
        if view is not None and not files.isdisjoint(view.snapshot.sources):
            yield view.snapshot


def _imported(file: str, text: str | None) -> frozenset[str]:
    """The files that a text seems to import."""
    if text is None or "import" not in text:
        return frozenset()
    folder = Path(file).parent
    return frozenset(os.path.normpath(folder / target) for target in _IMPORT.findall(text))


def _leading_to(files: set[str], imports: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """The files from which imports lead to some."""
    reached = set(files)
    found = True
    while found:
        found = False
        for file, targets in imports.items():
            if file not in reached and not targets.isdisjoint(reached):
                reached.add(file)
                found = True
                yield file

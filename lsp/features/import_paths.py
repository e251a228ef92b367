"""What the path of an import may name: the specs of the workspace, and what lies in the folder that
has been typed so far."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePath

SUFFIX = ".par"


def import_paths(file: str, typed: str, files: Iterable[str]) -> tuple[str, ...]:
    """Paths from the folder of `file`, each once and beginning as what is `typed` up to its last
    `/`: those of `files`, then the folders (with a `/` at the end) and specs in that folder."""
    begun = typed[: typed.rfind("/") + 1]
    inside = Path(file).parent / begun
    near = (PurePath(os.path.relpath(each, inside)).as_posix() for each in files if each != file)
    found = [f"{begun}{each}" for each in near if not (begun and each.startswith(".."))]
    for name in _entries(inside):
        if os.path.normpath(inside / name) != file:
            found.append(begun + name)
    if not begun.strip("./"):
        found.append(f"{begun}../")
    return tuple(dict.fromkeys(found))


def _entries(folder: Path) -> list[str]:
    """The specs and folders in a folder, without hidden ones; nothing where it cannot be read."""
    try:
        with os.scandir(folder) as found:
            entries = [(entry.name, entry.is_dir()) for entry in found]
    except (OSError, ValueError):
        return []
    shown = ((name, is_folder) for name, is_folder in entries if not name.startswith("."))
    return sorted(
        f"{name}/" if is_folder else name
        for name, is_folder in shown
        if is_folder or name.endswith(SUFFIX)
    )

"""The reader of the language server: open files in front of those on disk.

A file on disk is read again when its time stamp or its size has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from parspec.grammar.values import value
from parspec.interpreter.spec.readers import DiskReader, Unread
from parspec.lsp.documents import Documents

_DISK = DiskReader()


class _Kept(NamedTuple):
    """What was read, and the file's modification time (ns) and size (bytes) at that time."""

    stamp: tuple[int, int] | None
    text: str | Unread


@dataclass(slots=True)
class Files:
    """Reads open files as their client sees them, others as they are on disk. `folders`: those
    that the client has open, from which files may be imported."""

    documents: Documents
    folders: list[str] = field(default_factory=list)
    _kept: dict[str, _Kept] = field(default_factory=dict)

    def read(self, file: str) -> str | Unread:
        """The text of a file, or why there is none."""
        opened = self.documents.named(file)
        return self._from_disk(file) if opened is None else opened.text

    def real(self, file: str) -> str | None:
        """Where a file lies, open or not."""
        return _DISK.real(file)

    def _from_disk(self, file: str) -> str | Unread:
        stamp = _stamp(file)
        kept = self._kept.get(file)
        if kept is None or kept.stamp != stamp or stamp is None:
            kept = self._kept[file] = _Kept(stamp, _DISK.read(file))
        return kept.text


def _stamp(file: str) -> tuple[int, int] | None:
    """None for a file that cannot be looked at."""
    try:
        status = Path(file).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


@value
class Instead:
    """A reader that has other texts for some files."""

    texts: Mapping[str, str]
    reader: Files

    def read(self, file: str) -> str | Unread:
        """The text of a file, or why there is none."""
        return self.texts[file] if file in self.texts else self.reader.read(file)

    def real(self, file: str) -> str | None:
        """Where a file lies."""
        return self.reader.real(file)


@dataclass(slots=True)
class Recorder:
    """A reader that keeps what was read, and where it lay: an analysis is current as long as it
    would read the same."""

    reader: Files
    seen: dict[str, str | Unread] = field(default_factory=dict)
    lying: dict[str, str | None] = field(default_factory=dict)
    folders: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.folders = tuple(self.reader.folders)

    def read(self, file: str) -> str | Unread:
        """The text of a file, or why there is none; the same again, though the file may change
        meanwhile."""
        if file not in self.seen:
            self.seen[file] = self.reader.read(file)
        return self.seen[file]

    def real(self, file: str) -> str | None:
        """Where a file lies; the same again, though it may be moved meanwhile."""
        if file not in self.lying:
            self.lying[file] = self.reader.real(file)
        return self.lying[file]

    def is_current(self) -> bool:
        """Would everything be read as it was, and from where it was?"""
        return (
            self.folders == tuple(self.reader.folders)
            and all(self.reader.read(file) == text for file, text in self.seen.items())
            and all(self.reader.real(file) == place for file, place in self.lying.items())
        )

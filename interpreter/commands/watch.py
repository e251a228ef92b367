"""`check --watch`: what was read from which files, kept until one of them changes.

A file is known by its stamp; one that is missing has a stamp too, so that it is noticed when it
appears. Stamps are taken before a file is read: a change while it is read is noticed afterwards.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from dataclasses import field
from itertools import chain
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from parspec.grammar.values import value
from parspec.interpreter.spec.readers import Reader, Unread

PAUSE = 0.2  # seconds between two looks at the files
_REST = 9  # times as long as a look took, in a tree so large that looking takes long

Stamp: TypeAlias = "tuple[int, int, int] | None"
T = TypeVar("T")


def stamp(file: str) -> Stamp:
    """When a file was written, its size and its number; None where there is none."""
    try:
        status = Path(file).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


@value
class NotingReader:
    """A reader that notes the stamp of every file that it was asked for, and where it lies."""

    reader: Reader
    noted: dict[str, Stamp] = field(default_factory=dict)
    lying: dict[str, str | None] = field(default_factory=dict)

    def read(self, file: str) -> str | Unread:
        """The text of a file, or why there is none."""
        self.noted.setdefault(file, stamp(file))
        return self.reader.read(file)

    def real(self, file: str) -> str | None:
        """Where a file lies."""
        return self.lying.setdefault(file, self.reader.real(file))

    def changed(self) -> tuple[str, ...]:
        """The files that changed since, or that lie elsewhere."""
        written = (file for file, known in self.noted.items() if stamp(file) != known)
        moved = (file for file, known in self.lying.items() if self.reader.real(file) != known)
        return tuple(dict.fromkeys(chain(written, moved)))


@value
class _Kept(Generic[T]):
    value: T
    read: NotingReader


@value
class Cache(Generic[T]):
    """What was made of each file, as long as it and all that was read for it stay as they were."""

    reader: Reader
    kept: dict[str, _Kept[T]] = field(default_factory=dict)

    def of(self, file: str, make: Callable[[Reader], T]) -> T:
        """What `make` makes of a file with a reader, or has made of it."""
        kept = self.kept.get(file)
        if kept is None or kept.read.changed():
            reader = NotingReader(self.reader)
            value = make(reader)
            kept = self.kept[file] = _Kept(value, reader)
        return kept.value

    def keep(self, files: Iterable[str]) -> None:
        """Forgets all other files."""
        for gone in self.kept.keys() - set(files):
            del self.kept[gone]

    def changed(self) -> tuple[str, ...]:
        """The files that changed since they were read."""
        changes = (file for kept in self.kept.values() for file in kept.read.changed())
        return tuple(sorted(set(changes)))


def changes(cache: Cache[T], files: Callable[[], Iterable[str]]) -> tuple[str, ...]:
    """Waits until one of the cache's files changes or `files` names others; which these are."""
    gc.collect()
    while True:
        start = time.monotonic()
        changed = {*cache.changed(), *cache.kept.keys() ^ set(files())}
        if changed:
            return tuple(sorted(changed))
        time.sleep(max(PAUSE, _REST * (time.monotonic() - start)))

"""A session: what the server knows while it serves one client.

The texts and the settings change in the thread that talks; snapshots are made in the thread that
works, each from the newest text.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from parspec.interpreter.analysis.looks import Looks
from parspec.interpreter.spec.library_files import LIBRARY
from parspec.interpreter.spec.readers import Reader, Unread
from parspec.interpreter.spec.sources import HERE
from parspec.lsp.analysing import Checkpoint, Written, analysed, go_on
from parspec.lsp.client import Client
from parspec.lsp.convert.view import View
from parspec.lsp.documents import Change, Documents, changed, opened
from parspec.lsp.files import Files, Instead, Recorder
from parspec.lsp.schedule import GivenUp
from parspec.lsp.settings import Settings
from parspec.lsp.snapshot import Snapshot
from parspec.lsp.uris import name_of, uri_of

if TYPE_CHECKING:
    from parspec.lsp.convert.coloring import Painting

_LOG = logging.getLogger("parspec")
_SUFFIX = ".par"
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv"})
_KEPT_CLOSED = 8  # snapshots of files that are not open
_LIBRARY = "std/"  # how names of library files begin


class _Kept(NamedTuple):
    """A snapshot with what was read for it."""

    snapshot: Snapshot
    read: Recorder


class Failed(Exception):
    """A bug of ours keeps a text from being analysed; it was logged when it came up."""


class _Failure(NamedTuple):
    """A text that could not be analysed, with what was read for it."""

    text: str
    read: Recorder


@dataclass(slots=True)
class _Work:
    """What is kept of a file: what has been found on the way so far, the newest snapshot, and the
    text after it that has none."""

    looks: Looks = field(default_factory=Looks)
    kept: _Kept | None = None
    failure: _Failure | None = None


@dataclass(slots=True)
class Session:
    """What is known of a client, its files and its settings. `checkpoint`: that of the work that is
    being done. `paintings`: the semantic tokens that the client was last given, by file."""

    client: Client
    settings: Settings = field(default_factory=Settings)
    documents: Documents = field(default_factory=Documents)
    checkpoint: Checkpoint = go_on
    paintings: dict[str, Painting] = field(default_factory=dict)
    _files: Files = field(init=False)
    _work: dict[str, _Work] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._files = Files(self.documents)
        self.enter(self.client.folders)

    @property
    def folders(self) -> list[str]:
        """The folders that the client has open."""
        return self._files.folders

    def enter(self, uris: Iterable[str]) -> None:
        """The client opens folders."""
        names = (name_of(uri) for uri in uris)
        entered = (name for name in names if name is not None)
        self._files.folders = [*dict.fromkeys((*self.folders, *entered))]

    def leave(self, uris: Iterable[str]) -> None:
        """The client closes folders."""
        gone = {name_of(uri) for uri in uris}
        self._files.folders = [folder for folder in self.folders if folder not in gone]

    # -- texts -----------------------------------------------------------------------------------

    def open(self, uri: str, version: int, text: str) -> None:
        """The client opens a file."""
        self.documents.put(opened(uri, self.file(uri), version, text))

    def change(self, uri: str, version: int, changes: Iterable[Change]) -> None:
        """The client edits a file; one that is not open stays closed."""
        before = self.documents.find(uri)
        if before is not None:
            self.documents.put(changed(before, version, changes, self.client.encoding))

    def close(self, uri: str) -> None:
        """The client closes a file."""
        closed = self.documents.close(uri)
        if closed is not None:
            self._work.pop(closed.file, None)
            self.paintings.pop(closed.file, None)

    # -- names -----------------------------------------------------------------------------------

    def file(self, uri: str) -> str:
        """The name in analyses of a URI's file. A buffer without a file lies in the first folder,
        so that it can import what is there."""
        known = self.documents.find(uri)
        if known is not None:
            return known.file
        name = name_of(uri)
        if name is not None:
            return name
        return str(Path(self.folders[0] if self.folders else _here(), uri.replace("/", "_")))

    def uri(self, file: str) -> str:
        """The URI of a file by its name, as the client spells it where it has the file open."""
        known = self.documents.named(file)
        if known is not None:
            return known.uri
        if file.startswith(_LIBRARY):
            return uri_of(str(LIBRARY / file.removeprefix(_LIBRARY)))
        return uri_of(file)

    def version_of(self, file: str) -> int | None:
        """The client's number of an open file's text."""
        known = self.documents.named(file)
        return None if known is None else known.version

    def files(self) -> Iterator[str]:
        """The specs in the client's folders, open or not, and those open elsewhere, each once."""
        seen = {known.file for known in self.documents}
        yield from sorted(seen)
        for folder in self.folders:
            for file in _specs_below(folder, self.checkpoint):
                if file not in seen:
                    seen.add(file)
                    yield file

    def text(self, file: str) -> str | None:
        """The newest text of a file, open or not; None where there is none."""
        text = self._files.read(file)
        return None if isinstance(text, Unread) else text

    # -- snapshots -------------------------------------------------------------------------------

    def view(self, uri: str) -> View | None:
        """The newest snapshot of a URI's file; None where there is no text."""
        return self.view_of(self.file(uri))

    def last_view(self, uri: str) -> View | None:
        """The last snapshot that there was of a URI's file, perhaps of an earlier text."""
        work = self._work.get(self.file(uri))
        return None if work is None or work.kept is None else View(work.kept.snapshot, self)

    def view_of(self, file: str) -> View | None:
        """The newest snapshot of a file, open or not; None where there is no text. Raises Failed
        where that cannot be analysed."""
        snapshot = self._snapshot(file)
        return None if snapshot is None else View(snapshot, self)

    def open_views(self) -> Iterator[View]:
        """The newest snapshots of the open files that have one."""
        for known in self.documents:
            with suppress(Failed):
                view = self.view_of(known.file)
                if view is not None:
                    yield view

    def attempt(self, snapshot: Snapshot, texts: Mapping[str, str]) -> Snapshot:
        """The snapshot that there would be if some files had other texts."""
        written = Written(snapshot.file, texts.get(snapshot.file, snapshot.text))
        work = self._work.get(snapshot.file) or _Work()
        return self._analysed(written, Instead(texts, self._files), work)

    def _snapshot(self, file: str) -> Snapshot | None:
        known = self.documents.named(file)
        read = Recorder(self._files)
        text = read.read(file) if known is None else known.text
        if isinstance(text, Unread):
            self._work.pop(file, None)
            return None
        if known is None:
            written = Written(file, text)
        else:
            written = Written(file, text, known.version, known.lines)
        work = self._work[file] = self._work.pop(file, _Work())  # the last one from now on
        if work.kept is None or not _is_current(work.kept, written):
            self._drop_closed()
            work.kept = _Kept(self._unless_failed(written, read, work), read)
        return work.kept.snapshot

    def _unless_failed(self, written: Written, read: Recorder, work: _Work) -> Snapshot:
        """A snapshot, which is not tried again for a text that has failed."""
        failure = work.failure
        if failure and failure.text == written.text and failure.read.is_current():
            raise Failed(written.file)
        try:
            return self._analysed(written, read, work)
        except GivenUp:
            raise
        except Exception as error:
            work.failure = _Failure(written.text, read)
            raise Failed(written.file) from error

    def _analysed(self, written: Written, read: Reader, work: _Work) -> Snapshot:
        before = None if work.kept is None else work.kept.snapshot
        folders = [Path(folder) for folder in self.folders] or HERE
        try:
            return analysed(written, read, folders, before, work.looks, self.checkpoint)
        except GivenUp:
            raise
        except Exception:  # a bug of ours, perhaps only in what is taken from before
            _LOG.exception("%s", written.file)
        work.looks = Looks()
        return analysed(written, read, folders, checkpoint=self.checkpoint)

    def _drop_closed(self) -> None:
        """Keeps a few snapshots of files that are not open."""
        closed = [file for file in tuple(self._work) if self.documents.named(file) is None]
        for file in closed[:-_KEPT_CLOSED]:
            self._work.pop(file, None)

    def keeps(self, snapshot: Snapshot) -> bool:
        """Is a snapshot still the newest one of its file?"""
        work = self._work.get(snapshot.file)
        return work is not None and work.kept is not None and work.kept.snapshot is snapshot

    def read_for(self, file: str) -> Recorder | None:
        """What was read for the newest snapshot of a file."""
        work = self._work.get(file)
        return None if work is None or work.kept is None else work.kept.read

    def imports(self, files: Iterable[str]) -> bool:
        """Does an open file import one of these, as far as is known?"""
        asked = set(files)
        kept = [work.kept.snapshot for work in tuple(self._work.values()) if work.kept is not None]
        return any(asked & each.sources.keys() - {each.file} for each in kept)


def _here() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:  # it is gone
        return os.sep


def _is_current(kept: _Kept, written: Written) -> bool:
    snapshot = kept.snapshot
    same = snapshot.version == written.version and snapshot.text == written.text
    return same and kept.read.is_current()


def _specs_below(folder: str, checkpoint: Checkpoint) -> Iterator[str]:
    for where, folders, names in os.walk(folder):
        checkpoint()
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _SKIPPED
        )
        for name in sorted(names):
            if name.endswith(_SUFFIX) and not name.startswith("."):
                yield str(Path(where, name))

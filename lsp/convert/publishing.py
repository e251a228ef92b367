"""Which diagnostics each file has, whoever found them, and which of them a client was sent.

A file has its own diagnostics and those that open files which import it have found in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from parspec.lsp.convert.diagnostics import Seen, diagnostic
from parspec.lsp.convert.view import View
from parspec.lsp.features.diagnostics import Diagnostic, diagnostics
from parspec.lsp.session import Failed, Session
from parspec.lsp.snapshot import Snapshot


class Publication(NamedTuple):
    """All diagnostics of a file; `version`: of its text, None where it is not open."""

    uri: str
    version: int | None
    items: list[types.Diagnostic]


class _Found(NamedTuple):
    snapshot: Snapshot
    by_file: Mapping[str, tuple[Diagnostic, ...]]


@dataclass(slots=True)
class Board:
    """The diagnostics of a session's files. Used in the thread that works only."""

    session: Session
    _found: dict[str, _Found] = field(default_factory=dict)

    def all(self) -> list[Publication]:
        """The diagnostics of the open files and of those that these import."""
        views = list(self.session.open_views())
        seeing: dict[str, list[View]] = {view.snapshot.file: [] for view in views}
        for view in views:
            for file in view.snapshot.sources:
                seeing.setdefault(file, []).append(view)
        return [
            Publication(
                self.session.uri(file), self.session.version_of(file), _merged(self, file, views)
            )
            for file, views in seeing.items()
            if Path(file).is_absolute()
        ]

    def of(self, file: str) -> list[types.Diagnostic]:
        """The diagnostics of a file, open or not; no own ones where there is no text or it cannot
        be analysed."""
        own = None
        with suppress(Failed):
            own = self.session.view_of(file)
        opened = self.session.open_views()
        others = (view for view in opened if view.snapshot.file != file)
        views = others if own is None else (own, *others)
        return _merged(self, file, [each for each in views if file in each.snapshot.sources])

    def found(self, snapshot: Snapshot) -> Mapping[str, tuple[Diagnostic, ...]]:
        """What a snapshot has found, by file; worked out once for as long as the session keeps the
        snapshot."""
        known = self._found.get(snapshot.file)
        if known is None or known.snapshot is not snapshot:
            keeps, found = self.session.keeps, self._found.items()
            self._found = {file: one for file, one in found if keeps(one.snapshot)}
            known = self._found[snapshot.file] = _Found(snapshot, diagnostics(snapshot))
        return known.by_file


def _merged(board: Board, file: str, views: Iterable[View]) -> list[types.Diagnostic]:
    """A file's diagnostics in the views that have it, each once, the file's own view first."""
    merged: dict[tuple[object, str, str], list[Seen]] = {}
    shown = board.session.settings.diagnostics.shows
    for view in sorted(views, key=lambda view: view.snapshot.file != file):
        for found in board.found(view.snapshot).get(file, ()):
            if shown(found.severity):
                key = (found.location, found.code, found.message)
                seen = merged.setdefault(key, [])
                if not seen or seen[-1].view is not view:
                    seen.append(Seen(view, found))
    return list(map(diagnostic, merged.values()))


@dataclass(slots=True)
class Published:
    """What was sent to a client that does not ask. Used in the thread that talks only."""

    _sent: dict[str, Publication] = field(default_factory=dict)

    def news(self, current: Iterable[Publication]) -> Iterator[Publication]:
        """What is to be sent so that the client has what is current and nothing else."""
        wanted = {each.uri: each for each in current}
        for uri in self._sent.keys() - wanted.keys():
            if self._sent.pop(uri).items:
                yield Publication(uri, None, [])
        for uri, each in wanted.items():
            sent = self._sent.get(uri)
            if sent != each and (sent is not None or each.items or each.version is not None):
                self._sent[uri] = each
                yield each

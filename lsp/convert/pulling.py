"""Diagnostics for a client that asks: reports with ids, `unchanged` where it has that id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from lsprotocol import types

from parspec.lsp.convert.publishing import Board
from parspec.lsp.files import Recorder


def _identify(items: list[types.Diagnostic]) -> str:
    """The id of what is told about a file: the same for the same."""
    return blake2b(repr(items).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class _Closed(NamedTuple):
    """What was found in a file that is not open, and what was read for it."""

    read: Recorder
    items: list[types.Diagnostic]


@dataclass(slots=True)
class Pulling:
    """Answers a client's questions for diagnostics. Used in the thread that works only."""

    board: Board
    _closed: dict[str, _Closed] = field(default_factory=dict)

    def of(self, uri: str, before: str | None) -> types.DocumentDiagnosticReport:
        """The report of one file; `before`: the id of what the client has of it."""
        items = self.board.of(self.board.session.file(uri))
        number = _identify(items)
        if number == before:
            return types.RelatedUnchangedDocumentDiagnosticReport(number)
        return types.RelatedFullDocumentDiagnosticReport(items, result_id=number)

    def of_all(
        self, file: str, before: Mapping[str, str]
    ) -> types.WorkspaceDocumentDiagnosticReport:
        """The report of one file among all; `before`: the ids of what the client has, by URI."""
        session = self.board.session
        uri, version = session.uri(file), session.version_of(file)
        items = self._items(file) if version is None else self.board.of(file)
        number = _identify(items)
        if number == before.get(uri):
            return types.WorkspaceUnchangedDocumentDiagnosticReport(uri, number, version)
        return types.WorkspaceFullDocumentDiagnosticReport(uri, items, version, result_id=number)

    def _items(self, file: str) -> list[types.Diagnostic]:
        """The diagnostics of a file that is not open; from before, if it would read the same and
        nobody else finds any in it."""
        if self.board.session.imports({file}):
            return self.board.of(file)
        known = self._closed.get(file)
        if known is None or not known.read.is_current():
            items = self.board.of(file)
            read = self.board.session.read_for(file)
            if read is None:
                return items
            known = self._closed[file] = _Closed(read, items)
        return known.items


def nothing(uri: str) -> types.WorkspaceFullDocumentDiagnosticReport:
    """The report of a file that is gone."""
    return types.WorkspaceFullDocumentDiagnosticReport(uri, [], None)

"""A snapshot as one client counts it: offsets to and from its lines and columns.

Positions clamp into the text. A range of another file is counted in that file's text, as the
snapshot saw it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types

from parspec.grammar.lines import Encoding, LineIndex
from parspec.grammar.values import value
from parspec.lsp.client import Client
from parspec.lsp.features.edits import by_file
from parspec.lsp.ranges import Edit, Location, Range
from parspec.lsp.settings import Settings
from parspec.lsp.snapshot import Snapshot

if TYPE_CHECKING:
    from parspec.lsp.session import Session

T = TypeVar("T")


@value
class View:
    """A snapshot for the client of a session."""

    snapshot: Snapshot
    session: Session

    @property
    def client(self) -> Client:
        """The client."""
        return self.session.client

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.session.settings

    # -- from the client -------------------------------------------------------------------------

    def offset(self, position: types.Position) -> int:
        """The offset of a position."""
        return self.snapshot.lines.offset(position.line, position.character, self.client.encoding)

    def span(self, asked: types.Range) -> Range:
        """The range of the text that a client means; empty where its end is in front of it."""
        start = self.offset(asked.start)
        return Range(start, max(start, self.offset(asked.end)))

    # -- to the client ---------------------------------------------------------------------------

    def position(self, offset: int) -> types.Position:
        """The position of an offset of the snapshot's file."""
        return self._position(self.snapshot.lines, offset)

    def range(self, found: Range) -> types.Range:
        """A range of the snapshot's file."""
        return types.Range(self.position(found.start), self.position(found.end))

    def location(self, found: Location) -> types.Location:
        """A range of any file."""
        return types.Location(self.uri(found.file), self.range_in(found))

    def range_in(self, found: Location) -> types.Range:
        """A range of any file, without the file."""
        source = self.snapshot.sources.get(found.file)
        if source is None:
            nowhere = types.Position(0, 0)
            return types.Range(nowhere, nowhere)
        return types.Range(
            self._position(source.lines, found.range.start),
            self._position(source.lines, found.range.end),
        )

    def shown(self, found: Location) -> str:
        """A place as people read it: `model.par:3:7`, or `line 3` in the snapshot's own file."""
        line, column = self.snapshot.sources[found.file].lines.place(found.range.start)
        if found.file == self.snapshot.file:
            return f"line {line}"
        return f"{Path(found.file).name}:{line}:{column}"

    def uri(self, file: str) -> str:
        """The URI of a file by its name in the analysis."""
        return self.session.uri(file)

    def text_edits(self, edits: Iterable[Edit]) -> list[types.TextEdit]:
        """Edits of one file, without the file."""
        return [types.TextEdit(self.range_in(edit.location), edit.text) for edit in edits]

    def workspace_edit(self, edits: Iterable[Edit]) -> types.WorkspaceEdit:
        """Edits of any files; with versions of open ones where the client takes them."""
        of_files = by_file(edits)
        if not self.client.can("workspace.workspaceEdit.documentChanges"):
            changes = {self.uri(file): self.text_edits(each) for file, each in of_files.items()}
            return types.WorkspaceEdit(changes=changes)
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(
                        self.uri(file), self.session.version_of(file)
                    ),
                    [*self.text_edits(each)],
                )
                for file, each in of_files.items()
            ]
        )

    def steps(self, items: Iterable[T]) -> Iterator[T]:
        """The items of long work, with a checkpoint in front of each."""
        for each in items:
            self.session.checkpoint()
            yield each

    def _position(self, lines: LineIndex, offset: int) -> types.Position:
        line, column = lines.position(offset, self.client.encoding)
        return types.Position(line, column)


def units(text: str, encoding: Encoding) -> int:
    """How many units of an encoding a text without line ends has."""
    if text.isascii() or encoding == "utf-32":
        return len(text)
    if encoding == "utf-8":
        return len(text.encode(errors="surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2

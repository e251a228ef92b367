"""The files that a client has open: their texts, versions and lines, kept as the client edits them.

An open file is a value; an edit makes the next one. What an edit costs does not grow with the
number of lines. A client's words are taken as they come: positions clamp, an edit of a file that
is not open opens nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from parspec.grammar.lines import Encoding, LineIndex, Position


@dataclass(frozen=True, slots=True, eq=False)
class OpenFile:
    """An open file: the URI that its client knows it by, its name in analyses, the client's number
    for this version."""

    uri: str
    file: str
    version: int
    text: str
    lines: LineIndex


class Change(NamedTuple):
    """Put `text` in place of what is between two positions; of everything, where there are none."""

    text: str
    start: Position | None = None
    end: Position | None = None


def opened(uri: str, file: str, version: int, text: str) -> OpenFile:
    """A file as its client opens it."""
    return OpenFile(uri, file, version, text, LineIndex(text))


def changed(
    before: OpenFile, version: int, changes: Iterable[Change], encoding: Encoding
) -> OpenFile:
    """A file after changes, each of which counts in the text that the one before it left."""
    text, lines = before.text, before.lines
    for change in changes:
        if change.start is None or change.end is None:
            text, lines = change.text, LineIndex(change.text)
            continue
        start = lines.offset(*change.start, encoding)
        end = max(start, lines.offset(*change.end, encoding))
        text = text[:start] + change.text + text[end:]
        lines = lines.edited(start, end, change.text)
    return replace(before, version=version, text=text, lines=lines)


def real(file: str) -> str:
    """What two names of one file have in common, links and case included."""
    try:
        return os.path.normcase(os.path.realpath(file))
    except (OSError, ValueError):  # a circle of links, or no name of a file
        return file


@dataclass(slots=True)
class Documents:
    """All open files, by URI and by name."""

    _by_uri: dict[str, OpenFile] = field(default_factory=dict)
    _by_name: dict[str, OpenFile] = field(default_factory=dict)
    _by_real_name: dict[str, OpenFile] = field(default_factory=dict)

    def put(self, file: OpenFile) -> None:
        """Takes in a file that was opened or changed."""
        if file.uri not in self._by_uri:
            self._by_real_name[real(file.file)] = file
        self._by_uri[file.uri] = self._by_name[file.file] = file

    def close(self, uri: str) -> OpenFile | None:
        """Takes a file out; None where it was not open."""
        closed = self._by_uri.pop(uri, None)
        if closed is not None:
            self._by_name.pop(closed.file, None)
            self._by_real_name.pop(real(closed.file), None)
            for other in self:
                if other.file == closed.file:  # the client spells its URI in more than one way
                    self._by_name[other.file] = self._by_real_name[real(other.file)] = other
        return closed

    def find(self, uri: str) -> OpenFile | None:
        """The open file of a URI."""
        return self._by_uri.get(uri)

    def named(self, file: str) -> OpenFile | None:
        """The open file of this name, or of another name of the same file."""
        if (found := self._by_name.get(file)) is not None:
            return found
        other = self._by_real_name.get(real(file)) if self._by_real_name else None
        return None if other is None else self._by_uri.get(other.uri)

    def __iter__(self) -> Iterator[OpenFile]:
        """The open files; a copy, so that another thread may close one meanwhile."""
        return iter(tuple(self._by_uri.values()))

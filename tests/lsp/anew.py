"""What a server should say of the files that a client has, found anew: by a `check` of each, and
by a session in this process that has just been opened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lsprotocol import types
from lsprotocol.converters import get_converter
from mirror import Mirror

from parspec.grammar.lines import LineIndex
from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.diagnostics.sharing import named
from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.output.checks.diagnostic import Diagnostic
from parspec.interpreter.spec.readers import DiskReader, Reader, Unread
from parspec.interpreter.spec.resolve import resolve
from parspec.lsp.client import Client
from parspec.lsp.registry import ROUTES, loaded
from parspec.lsp.session import Session

_CONVERTER = get_converter()
_SEVERITIES = ("error", "warning", "info", "hint")
_AT_IMPORT = re.compile(r"[^:]*\.par: ")
_DISK = DiskReader()
_ROUTES = {route.method: route for route in ROUTES}


class Told(NamedTuple):
    """A diagnostic as it is compared."""

    code: str
    severity: str
    message: str
    start: tuple[int, int]
    end: tuple[int, int]


class Anew(Reader):
    """The files of a client, open and on disk."""

    def __init__(self, said: Mapping[str, Any], mirrors: Iterable[Mirror]) -> None:
        self._session = Session(Client(said))
        self._open = {}
        for mirror in mirrors:
            if mirror.version is not None:
                self._session.open(mirror.uri, mirror.version, mirror.text)
                self._open[self._session.file(mirror.uri)] = mirror

    def read(self, file: str) -> str | Unread:
        """The text of a file."""
        found = self._open.get(file)
        return _DISK.read(file) if found is None else found.text

    def diagnostics(self) -> dict[str, set[Told]]:
        """What a check of each open file finds, by URI; without what stands at imports for the
        errors of others. What differs in notes alone is one."""
        found: dict[str, set[Told]] = {mirror.uri: set() for mirror in self._open.values()}
        seen: dict[tuple[object, ...], list[tuple[str, Diagnostic, LineIndex]]] = {}
        for file, mirror in self._open.items():
            folders = [Path(folder) for folder in self._session.folders]
            pending: list[str | None] = [None]
            analyses = []
            for plan in pending:
                model = resolve(file, mirror.text, self, plan=plan, folders=folders)
                analyses.append(analyze(model))
                pending += model.plans if plan is None else ()
            whole = checked(file, tuple(analyses))
            for each in whole.sources:
                if Path(each).is_absolute():
                    found.setdefault(self._session.uri(each), set())
            for each in whole.diagnostics:
                if Path(each.place.file).is_absolute():
                    lines = whole.sources[each.place.file].lines
                    key = each.place, each.code, each.message
                    seen.setdefault(key, []).append((file, each, lines))
        for several in seen.values():
            said = self._said(several)
            found[self._session.uri(several[0][1].place.file)].add(said)
        return found

    def _said(self, several: Sequence[tuple[str, Diagnostic, LineIndex]]) -> Told:
        """What one or more files have found in one place."""
        own = [each for each in several if each[0] == each[1].place.file]
        _, found, lines = (own or several)[0]
        if own:
            where = _plans(found)
        else:
            importers = {
                file: ", ".join(filter(None, (Path(file).name, _plans(each))))
                for file, each, _ in reversed(several)
            }
            where = f"imported by {'; '.join(sorted(importers.values()))}"
        return Told(
            found.code,
            found.severity,
            found.message.partition("\n")[0] + (f" ({where})" if where else ""),
            self._counted(lines, found.place.start),
            self._counted(lines, found.place.end),
        )

    def _counted(self, lines: LineIndex, place: tuple[int, int]) -> tuple[int, int]:
        """A place of `check` (from 1, code points) as the client counts."""
        offset = lines.offset(place[0] - 1, place[1] - 1, "utf-32")
        return tuple(lines.position(offset, self._session.client.encoding))

    def answer(self, method: str, params: Mapping[str, Any]) -> Any:
        """The answer to a request about a document, as JSON."""
        kind = types.METHOD_TO_TYPES[method][2]
        asked = _CONVERTER.structure(params, kind)
        view = self._session.view(asked.text_document.uri)
        return _CONVERTER.unstructure(loaded(_ROUTES[method])(view, asked))

    @property
    def methods(self) -> set[str]:
        """The requests about a document that this answers."""
        return {method for method, route in _ROUTES.items() if route.of == "document"}


def _plans(found: Diagnostic) -> str:
    names = ", ".join(named(found.under))
    told = ("without a plan" if found.without_plan else "", f"plan {names}" if names else "")
    return ", ".join(filter(None, told))


def told(diagnostics: Iterable[Mapping[str, Any]]) -> set[Told]:
    """Diagnostics as the protocol has them, without what stands at imports for the errors of
    others, whose message begins with the name of a file."""
    said = (_told(each) for each in diagnostics)
    return {each for each in said if not _AT_IMPORT.match(each.message)}


def _told(said: Mapping[str, Any]) -> Told:
    start, end = said["range"]["start"], said["range"]["end"]
    return Told(
        said["code"],
        _SEVERITIES[said["severity"] - 1],
        said["message"].partition("\n")[0],
        (start["line"], start["character"]),
        (end["line"], end["character"]),
    )

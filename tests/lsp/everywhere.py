"""Every request that a server announces, at any place of a file.

What is asked at a place and what is asked about what the answers bring (items to resolve, callers,
commands behind a lens) is one round; requests are sent without waiting for one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from lsp_editor import Editor, Refused

from parspec.grammar.lines import LineIndex

NEW_NAME = "renamed_here"
REQUEST_FAILED = -32803
IN_FLIGHT = 200  # requests that wait for an answer at a time


class Place(NamedTuple):
    """A position in a file, with the end of the file."""

    uri: str
    position: Mapping[str, int]
    end: Mapping[str, int]


Params = Mapping[str, Any]
Building = Callable[[Place], Params]


def at(place: Place) -> Params:
    """The parameters of a request at a position."""
    return {"textDocument": {"uri": place.uri}, "position": place.position}


def whole(place: Place) -> Params:
    """Of one about a file."""
    return {"textDocument": {"uri": place.uri}}


def rest(place: Place) -> Params:
    """Of one about what is behind a position."""
    return whole(place) | {"range": {"start": place.position, "end": place.end}}


def point(place: Place) -> Params:
    """Of one about an empty range."""
    return whole(place) | {"range": {"start": place.position, "end": place.position}}


LAYOUT = {"options": {"tabSize": 4, "insertSpaces": True}}
CONTEXT: Mapping[str, Any] = {"context": {"diagnostics": []}}

AT_PLACES: Mapping[str, Mapping[str, Building]] = {
    "hoverProvider": {"textDocument/hover": at},
    "completionProvider": {"textDocument/completion": at},
    "signatureHelpProvider": {"textDocument/signatureHelp": at},
    "definitionProvider": {"textDocument/definition": at},
    "declarationProvider": {"textDocument/declaration": at},
    "typeDefinitionProvider": {"textDocument/typeDefinition": at},
    "implementationProvider": {"textDocument/implementation": at},
    "referencesProvider": {
        "textDocument/references": lambda p: at(p) | {"context": {"includeDeclaration": True}}
    },
    "documentHighlightProvider": {"textDocument/documentHighlight": at},
    "renameProvider": {"textDocument/prepareRename": at},
    "linkedEditingRangeProvider": {"textDocument/linkedEditingRange": at},
    "selectionRangeProvider": {
        "textDocument/selectionRange": lambda p: whole(p) | {"positions": [p.position]}
    },
    "callHierarchyProvider": {"textDocument/prepareCallHierarchy": at},
    "codeActionProvider": {"textDocument/codeAction": lambda p: point(p) | CONTEXT},
    "inlayHintProvider": {"textDocument/inlayHint": rest},
    "documentRangeFormattingProvider": {"textDocument/rangeFormatting": lambda p: rest(p) | LAYOUT},
    "documentOnTypeFormattingProvider": {
        "textDocument/onTypeFormatting": lambda p: at(p) | LAYOUT | {"ch": "\n"}
    },
}
IN_FILES: Mapping[str, Mapping[str, Building]] = {
    "codeLensProvider": {"textDocument/codeLens": whole},
    "documentSymbolProvider": {"textDocument/documentSymbol": whole},
    "foldingRangeProvider": {"textDocument/foldingRange": whole},
    "documentLinkProvider": {"textDocument/documentLink": whole},
    "documentFormattingProvider": {"textDocument/formatting": lambda p: whole(p) | LAYOUT},
    "diagnosticProvider": {"textDocument/diagnostic": whole},
    "codeActionProvider": {"textDocument/codeAction": lambda p: rest(p) | CONTEXT},
    "semanticTokensProvider": {
        "textDocument/semanticTokens/full": whole,
        "textDocument/semanticTokens/full/delta": lambda p: whole(p) | {"previousResultId": ""},
        "textDocument/semanticTokens/range": rest,
    },
    "workspaceSymbolProvider": {"workspace/symbol": lambda _: {"query": "a"}},
}
ELSEWHERE = {"positionEncoding", "textDocumentSync", "workspace", "executeCommandProvider"}
RESOLVED = {
    "textDocument/completion": ("completionProvider", "completionItem/resolve"),
    "textDocument/codeAction": ("codeActionProvider", "codeAction/resolve"),
    "textDocument/codeLens": ("codeLensProvider", "codeLens/resolve"),
    "textDocument/inlayHint": ("inlayHintProvider", "inlayHint/resolve"),
    "textDocument/documentLink": ("documentLinkProvider", "documentLink/resolve"),
    "workspace/symbol": ("workspaceSymbolProvider", "workspaceSymbol/resolve"),
}


class Sweep:
    """Asks everything at places of one file of an editor."""

    def __init__(self, editor: Editor, uri: str, text: str) -> None:
        self.editor = editor
        self.uri = uri
        self.asked = 0
        self.brought = 0
        self.version = 1
        self._offers: Mapping[str, Any] = editor.about["capabilities"]
        self._commands = self._offers.get("executeCommandProvider", {}).get("commands", ())
        unknown = self._offers.keys() - AT_PLACES.keys() - IN_FILES.keys() - ELSEWHERE
        assert not unknown, f"announced and never asked: {unknown}"
        self._show(text)
        editor.open(uri, text)

    def show(self, text: str) -> None:
        """Puts another text in the place of the one before."""
        self._show(text)
        self.version += 1
        self.editor.change(self.uri, self.version, (text,))

    def _show(self, text: str) -> None:
        self._followed: set[str] = set()
        self._lines = LineIndex(text)
        self._end = self._position(len(text))

    def _position(self, offset: int) -> Mapping[str, int]:
        line, column = self._lines.position(offset, self._offers["positionEncoding"])
        return {"line": line, "character": column}

    # -- rounds ----------------------------------------------------------------------------------

    def everywhere(self, offsets: list[int]) -> None:
        """What is asked at places, at each of these."""
        places = [Place(self.uri, self._position(each), self._end) for each in offsets]
        self._round(wanted for place in places for wanted in self._wanted(AT_PLACES, place))

    def file(self) -> None:
        """What is asked about the file."""
        place = Place(self.uri, self._position(0), self._end)
        self._round(self._wanted(IN_FILES, place))

    def _wanted(
        self, asked: Mapping[str, Mapping[str, Building]], place: Place
    ) -> Iterator[tuple[str, Params]]:
        for provider, requests in asked.items():
            if self._offers.get(provider):
                for method, build in requests.items():
                    yield method, build(place)

    def _round(self, wanted: Any) -> None:
        """Asks, and asks on about what the answers bring; an error is raised."""
        pending: list[tuple[str, Params, int]] = []
        for method, params in wanted:
            pending.append((method, params, self.editor.begin(method, params)))
            self.asked += 1
            if len(pending) == IN_FLIGHT:
                self._answers(pending)
                pending = []
        self._answers(pending)

    def _answers(self, pending: list[tuple[str, Params, int]]) -> None:
        further: list[tuple[str, Params]] = []
        for method, params, number in pending:
            answer = self._answer(method, number)
            self.brought += bool(answer)
            for each in self._further(method, params, answer):
                if (key := repr(each)) not in self._followed:
                    self._followed.add(key)
                    further.append(each)
        if further:
            self._round(further)

    def _answer(self, method: str, number: int) -> Any:
        """The answer to a request; a name may be refused, with the reason."""
        try:
            return self.editor.answer(number)
        except Refused as refusal:
            if method == "textDocument/rename" and refusal.args[0]["code"] == REQUEST_FAILED:
                return None
            raise

    def _further(self, method: str, params: Params, answer: Any) -> Iterator[tuple[str, Params]]:
        """What the answer to a request makes one ask."""
        if method == "textDocument/prepareRename" and answer:
            yield "textDocument/rename", {**params, "newName": NEW_NAME}
        items = answer.get("items", ()) if isinstance(answer, dict) else answer or ()
        if method == "textDocument/prepareCallHierarchy":
            for item in items:
                yield "callHierarchy/incomingCalls", {"item": item}
                yield "callHierarchy/outgoingCalls", {"item": item}
        provider, resolving = RESOLVED.get(method, ("", ""))
        offered = self._offers.get(provider)
        if isinstance(offered, dict) and offered.get("resolveProvider"):
            for item in items:
                yield resolving, item
        if method in ("textDocument/codeLens", "textDocument/codeAction"):
            for item in items:
                command = item.get("command")
                if isinstance(command, dict) and command["command"] in self._commands:
                    yield (
                        "workspace/executeCommand",
                        {"command": command["command"], "arguments": command.get("arguments")},
                    )


def places(text: str) -> list[int]:
    """All places in a text that a client can name: not between the characters of a line end."""
    return [at for at in range(len(text) + 1) if text[at - 1 : at + 1] != "\r\n"]

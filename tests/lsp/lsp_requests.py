"""Every request of the server, sent in process for any place of a text."""

from pathlib import Path

from lsprotocol import converters, types

from parspec.lsp.client import Client
from parspec.lsp.registry import ROUTES, loaded
from parspec.lsp.session import Session

CAPABLE = {
    "capabilities": {
        "general": {"positionEncodings": ["utf-16"]},
        "workspace": {"workspaceEdit": {"documentChanges": True}},
        "textDocument": {
            "completion": {
                "completionItem": {"snippetSupport": True, "documentationFormat": ["markdown"]}
            },
            "signatureHelp": {
                "signatureInformation": {"parameterInformation": {"labelOffsetSupport": True}}
            },
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        },
    }
}
WIRE = converters.get_converter()


def session_with(*files, said=CAPABLE):
    """A session in which files, (name, text), are open; names become URIs of the folder /work."""
    session = Session(Client(said))
    for name, text in files:
        session.open(uri(name), 1, text)
    return session


def uri(name):
    return Path("/repo", name).as_uri()


def params(method, uri, position, end):
    """The parameters of a request about a position, as plain JSON."""
    place = {"line": position.line, "character": position.character}
    whole = {"start": place, "end": {"line": end.line, "character": end.character}}
    said = {"textDocument": {"uri": uri}, "position": place, "positions": [place], "range": whole}
    match method:
        case "textDocument/references":
            said["context"] = {"includeDeclaration": True}
        case "textDocument/codeAction":
            said["context"] = {"diagnostics": []}
        case "textDocument/rename":
            said["newName"] = "renamed"
        case "textDocument/formatting" | "textDocument/rangeFormatting":
            said["options"] = {"tabSize": 2, "insertSpaces": True}
        case "textDocument/semanticTokens/full/delta":
            said["previousResultId"] = "none"
    return WIRE.structure(said, types.METHOD_TO_TYPES[method][2])


AT_A_PLACE = [
    route
    for route in ROUTES
    if route.of == "document"
    and {"position", "positions", "range"}
    & {each.name for each in types.METHOD_TO_TYPES[route.method][2].__attrs_attrs__}
]
"""The requests about a position or a range."""

OF_A_FILE = [route for route in ROUTES if route.of == "document" and route not in AT_A_PLACE]
"""The requests about a whole file."""


def ask(view, route, offset):
    """The answer to a request at an offset, as plain JSON."""
    end = view.position(len(view.snapshot.text))
    asked = params(route.method, view.uri(view.snapshot.file), view.position(offset), end)
    return WIRE.unstructure(loaded(route)(view, asked))

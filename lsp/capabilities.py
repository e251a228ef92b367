"""What the server says of itself when a client connects, as plain JSON."""

from __future__ import annotations

from typing import Any

from parspec.lsp.client import Client
from parspec.lsp.legend import KINDS, MODIFIERS
from parspec.lsp.registry import COMMANDS

_INCREMENTAL = 2  # TextDocumentSyncKind
TRIGGERS = (".", "[", "(", ",", '"', "/", " ")
"""What brings up suggestions unasked; behind a blank only where something must follow, behind a
slash only in the path of an import."""


def capabilities(client: Client) -> dict[str, Any]:
    """The server's capabilities for a client. One that asks for the colours of a part of a file is
    not offered those of the whole, which it would ask for after every edit."""
    return {
        "positionEncoding": client.encoding,
        "textDocumentSync": {
            "openClose": True,
            "change": _INCREMENTAL,
            "save": {"includeText": False},
        },
        "diagnosticProvider": {
            "identifier": "parspec",
            "interFileDependencies": True,
            "workspaceDiagnostics": True,
        },
        "hoverProvider": True,
        "inlayHintProvider": {"resolveProvider": False},
        "codeLensProvider": {"resolveProvider": False},
        "codeActionProvider": {
            "codeActionKinds": [
                "quickfix",
                "refactor.rewrite",
                "source.fixAll.par",
                "source.pin.par",
            ],
            "resolveProvider": True,
        },
        "definitionProvider": True,
        "declarationProvider": True,
        "referencesProvider": True,
        "documentHighlightProvider": True,
        "renameProvider": _rename(client),
        "documentLinkProvider": {"resolveProvider": False},
        "callHierarchyProvider": True,
        "completionProvider": {"triggerCharacters": list(TRIGGERS), "resolveProvider": True},
        "signatureHelpProvider": {"triggerCharacters": ["(", ",", "[", "{", "="]},
        "documentSymbolProvider": True,
        "workspaceSymbolProvider": True,
        "foldingRangeProvider": True,
        "selectionRangeProvider": True,
        "semanticTokensProvider": {
            "legend": {"tokenTypes": list(KINDS), "tokenModifiers": list(MODIFIERS)},
            "full": _all_colours(client),
            "range": True,
        },
        "documentFormattingProvider": True,
        "documentRangeFormattingProvider": True,
        "executeCommandProvider": {"commands": list(COMMANDS)},
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
        },
    }


def _all_colours(client: Client) -> bool | dict[str, Any]:
    """The colours of a whole file, or what changes in them for a client that takes that."""
    asks = "textDocument.semanticTokens.requests"
    if client.can(f"{asks}.range"):
        return False
    return {"delta": True} if client.can(f"{asks}.full.delta") else True


def _rename(client: Client) -> bool | dict[str, Any]:
    """Renaming, with the question whether something can be renamed for a client that asks it."""
    prepares = client.can("textDocument.rename.prepareSupport")
    return {"prepareProvider": True} if prepares else True

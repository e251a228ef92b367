"""What the server answers: each request with the function that does, in one line.

Modules are named, not imported: one is loaded at the first request that needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Literal, NamedTuple


class Route(NamedTuple):
    """A request and its function in a module of `convert`: one of a document takes its view and
    the parameters, one of the workspace the session and the parameters; so does one of an item,
    which is answered as it is where the function fails. What is about many lines is answered
    `aside`: it gives way to whatever somebody waits for."""

    method: str
    module: str
    function: str
    of: Literal["document", "workspace", "item"] = "document"
    haste: Literal["pressing", "aside"] = "pressing"


class Command(NamedTuple):
    """The function of a command, which takes the session and the command's arguments."""

    module: str
    function: str


ROUTES: tuple[Route, ...] = (
    Route("textDocument/hover", "shown", "hover"),
    Route("textDocument/inlayHint", "shown", "hints", haste="aside"),
    Route("textDocument/codeLens", "shown", "lenses", haste="aside"),
    Route("textDocument/codeAction", "actions", "code_actions"),
    Route("codeAction/resolve", "actions", "resolve", of="item"),
    Route("textDocument/definition", "moving", "definition"),
    Route("textDocument/declaration", "moving", "definition"),
    Route("textDocument/references", "moving", "references"),
    Route("textDocument/documentHighlight", "moving", "document_highlight"),
    Route("textDocument/prepareRename", "moving", "prepare_rename"),
    Route("textDocument/rename", "moving", "renamed"),
    Route("textDocument/documentLink", "moving", "document_link"),
    Route("textDocument/prepareCallHierarchy", "moving", "prepare_call_hierarchy"),
    Route("callHierarchy/incomingCalls", "moving", "incoming_calls", of="workspace"),
    Route("callHierarchy/outgoingCalls", "moving", "outgoing_calls", of="workspace"),
    Route("textDocument/completion", "completing", "complete"),
    Route("completionItem/resolve", "completing", "resolve", of="item"),
    Route("textDocument/signatureHelp", "completing", "signature_help"),
    Route("textDocument/documentSymbol", "outline", "document_symbol", haste="aside"),
    Route("workspace/symbol", "outline", "workspace_symbol", "workspace", "aside"),
    Route("textDocument/foldingRange", "outline", "folding_range"),
    Route("textDocument/selectionRange", "outline", "selection_range"),
    Route("textDocument/semanticTokens/full", "coloring", "semantic_tokens_full", haste="aside"),
    Route(
        "textDocument/semanticTokens/full/delta",
        "coloring",
        "semantic_tokens_delta",
        haste="aside",
    ),
    Route("textDocument/semanticTokens/range", "coloring", "semantic_tokens_range"),
    Route("textDocument/formatting", "outline", "document_formatting"),
    Route("textDocument/rangeFormatting", "outline", "range_formatting"),
)

COMMANDS: Mapping[str, Command] = {
    "parspec.report": Command("report", "report"),
    "parspec.plans": Command("report", "plans"),
    "parspec.explain": Command("report", "explain"),
    "parspec.words": Command("report", "words"),
    "parspec.summary": Command("report", "summary"),
}


def loaded(entry: Route | Command) -> Callable[..., Any]:
    """The function of an entry."""
    module = import_module(f"parspec.lsp.convert.{entry.module}")
    function: Callable[..., Any] = getattr(module, entry.function)
    return function

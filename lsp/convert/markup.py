"""Prose as the protocol has it."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from parspec.lsp.client import Client
from parspec.lsp.features.prose import Block, markdown, plain


def markup(client: Client, blocks: Iterable[Block], formats: str) -> types.MarkupContent:
    """Markdown for a client that draws it, else plain text; `formats` is the capability in which
    it says so."""
    if "markdown" in (client.can(formats) or ()):
        return types.MarkupContent(types.MarkupKind.Markdown, markdown(blocks))
    return types.MarkupContent(types.MarkupKind.PlainText, plain(blocks))

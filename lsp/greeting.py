"""The first exchange with a client: who it is, and what the server can do.

It is held before anything heavy is loaded, so that an editor has its answer at once and goes on
while the server gets ready.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from parspec.lsp.capabilities import capabilities
from parspec.lsp.client import Client
from parspec.lsp.wire import Wire

NAME = "parspec"
_NOT_INITIALIZED = -32002
PARSE_ERROR = -32700


def greeted(messages: Iterator[bytes], wire: Wire) -> Client | None:
    """The client, once it has been told what the server can do; None where it leaves instead."""
    for body in messages:
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            wire.write(refusal(None, PARSE_ERROR, "the message is not JSON"))
            continue
        match message:
            case {"method": "initialize", "id": number}:
                said = message.get("params")
                client = Client(said if isinstance(said, Mapping) else {})
                wire.write(_answer(number, result=_about(client)))
                return client
            case {"method": "exit"}:
                return None
            case {"method": _, "id": number}:
                wire.write(refusal(number, _NOT_INITIALIZED, "initialize comes first"))
    return None


def _about(client: Client) -> Mapping[str, Any]:
    return {
        "capabilities": capabilities(client),
        "serverInfo": {"name": NAME, "version": own_version()},
    }


def own_version() -> str:
    """The version of the package; "" where it is not installed."""
    try:
        return version("parspec")
    except PackageNotFoundError:
        return ""


def refusal(number: int | str | None, code: int, message: str) -> bytes:
    """The message that refuses a request; `number` None where it is not known."""
    return _answer(number, error={"code": code, "message": message})


def _answer(number: int | str | None, **answer: Mapping[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, **answer}).encode()

"""`parspec lsp`: connects to a client and serves it.

The command line finds `serve` by its entry point. Nothing heavy is imported before the client has
been greeted. Exit codes: 0 after an orderly `shutdown` and `exit`, 1 where the client has gone
without, 2 where there is no way to a client.
"""

from __future__ import annotations

import gc
import linecache
import logging
import sys
from typing import Literal, TypeAlias

from parspec.lsp.client import Client
from parspec.lsp.greeting import greeted
from parspec.lsp.life import is_alive
from parspec.lsp.wire import Garbled, Pipes, Wire, over_tcp, over_websocket, shown

Transport: TypeAlias = Literal["stdio", "tcp", "ws"]

GONE = 1
UNABLE = 2


def serve(transport: Transport = "stdio", host: str = "127.0.0.1", port: int = 0) -> int:
    """Serves one client and returns the exit code. `host` and `port` are those of `tcp` and `ws`;
    port 0 is any that is free, and standard error says which."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    try:
        wire = _connected(transport, host, port)
    except (OSError, OverflowError) as error:
        print(f"parspec lsp: {shown(host, port)}: {error}", file=sys.stderr)
        return UNABLE
    messages = wire.messages()
    try:
        client = greeted(messages, wire)
        if client is None:
            return GONE
        watched = _watched(client, wire)
        gc.enable()  # commands do without; the classes of the protocol leave much garbage behind
        from parspec.lsp.server import Server  # the protocol's types take a while to load

        linecache.clearcache()  # of the source that these were made from
        return Server(client, wire, watched).run(messages)
    except Garbled as error:
        print(f"parspec lsp: this is not the protocol: {error}", file=sys.stderr)
        return GONE
    finally:
        wire.close()


def _watched(client: Client, wire: Wire) -> int | None:
    """The client's process, where its end may go unnoticed and it is to be seen from here."""
    process = client.process if wire.watched else None
    return process if process is not None and is_alive(process) else None


def _connected(transport: Transport, host: str, port: int) -> Wire:
    match transport:
        case "stdio":
            return Pipes()
        case "tcp":
            return over_tcp(host, port)
        case "ws":
            return over_websocket(host, port)

"""`parspec lsp`: starts the language server, found by its entry point and unknown here."""

from __future__ import annotations

from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from typing import NamedTuple

from parspec.interpreter.commands.arguments import Mistake, Request
from parspec.interpreter.commands.talk import unable

_GROUP = "parspec.commands"
_DIGITS = 5  # of a port
_LOOPBACK = "127.0.0.1"


class Address(NamedTuple):
    """Where a server waits for its client."""

    host: str
    port: int


def run(request: Request) -> int:
    """Serves one client and returns the server's exit code."""
    arguments: tuple[str | int, ...] = ()
    for flag, transport in (("--tcp", "tcp"), ("--ws", "ws")):
        if (written := request.value(flag)) is not None:
            where = address(written)
            if isinstance(where, Mistake):
                return unable(f"{flag} {where.message}")
            arguments = (transport, *where)
    server = _entry()
    if server is None:
        return unable("the language server is not installed here; `pip install parspec` brings it")
    return int(server.load()(*arguments))


def address(written: str) -> Address | Mistake:
    """`HOST:PORT` or `PORT`; without a host this machine alone."""
    host, colon, port = written.rpartition(":")
    known = port.isascii() and port.isdigit() and len(port) <= _DIGITS and int(port) < 1 << 16
    if not known or (colon and not host):
        return Mistake(f"{written}: write HOST:PORT or PORT")
    return Address(host.strip("[]") or _LOOPBACK, int(port))


def _entry() -> EntryPoint | None:
    try:
        entries = distribution("parspec").entry_points
    except PackageNotFoundError:
        return None
    return next(iter(entries.select(group=_GROUP, name="lsp")), None)

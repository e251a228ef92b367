"""`parspec lsp`: starts the language server, found by its entry point and unknown here."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from typing import NamedTuple

from parspec.interpreter.commands.arguments import Mistake, Request
from parspec.interpreter.commands.talk import unable

_GROUP = "parspec.commands"
_ADDRESS = re.compile(
    r"(?:(?:\[(?P<six>[^\[\]]*:[^\[\]]*)\]|(?P<host>[^:\[\]]+)):)?(?P<port>[0-9]{1,5})"
)
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
    """`HOST:PORT`, `[IPv6]:PORT` or `PORT`; without a host this machine alone."""
    parts = _ADDRESS.fullmatch(written)
    if parts is None or int(parts["port"]) >= 1 << 16:
        brackets = ", an IPv6 address in brackets ([::1]:PORT)" if written.count(":") > 1 else ""
        return Mistake(f"{written}: write HOST:PORT or PORT{brackets}")
    return Address(parts["six"] or parts["host"] or _LOOPBACK, int(parts["port"]))


def _entry() -> EntryPoint | None:
    try:
        entries = distribution("parspec").entry_points
    except PackageNotFoundError:
        return None
    return next(iter(entries.select(group=_GROUP, name="lsp")), None)

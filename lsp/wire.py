"""Wires: how messages come from a client and go to it, over pipes, a socket or a WebSocket.

A message is the bytes of its JSON. Reading blocks and belongs in a thread of its own; it ends when
the client is gone.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from websockets.sync.server import Server, ServerConnection

_CHUNK = 1 << 16  # bytes that are read at once
_DIGITS = 10  # of the length of a message in bytes
_HEADER_LIMIT = 1 << 14  # bytes; whoever sends longer ones does not speak the protocol


class Wire(Protocol):
    """A connection to one client."""

    @property
    def watched(self) -> bool:
        """Whether the end of the client's process may go unnoticed here: it runs on this machine,
        and not at the other end of a pipe."""
        ...

    def messages(self) -> Iterator[bytes]:
        """The messages that come, until the client is gone."""
        ...

    def write(self, message: bytes) -> None:
        """Sends a message; one to a client that is gone is lost."""
        ...

    def close(self) -> None:
        """Nothing comes or goes any more."""
        ...


class Garbled(Exception):
    """What comes is not the protocol."""


@dataclass(slots=True)
class Frames:
    """Takes the bytes of a stream apart into messages, by their headers."""

    _rest: bytearray = field(default_factory=bytearray)
    _length: int | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The messages that are complete with these further bytes. Raises Garbled."""
        self._rest += data
        while True:
            if self._length is None:
                end = self._rest.find(b"\r\n\r\n")
                if end < 0:
                    if len(self._rest) > _HEADER_LIMIT:
                        raise Garbled("a header without an end")
                    return
                self._length = _content_length(bytes(self._rest[:end]))
                del self._rest[: end + 4]
            if len(self._rest) < self._length:
                return
            message = bytes(self._rest[: self._length])
            del self._rest[: self._length]
            self._length = None
            yield message


def _content_length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            if len(value.strip()) > _DIGITS:
                raise Garbled("a message that is longer than any")
            return int(value)
    raise Garbled("a header without Content-Length")


def framed(message: bytes) -> bytes:
    """A message with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)


class Pipes:
    """Standard input and output. From here on whatever else is printed goes to standard error."""

    watched = False

    def __init__(self) -> None:
        sys.stdout.flush()
        self._out = os.dup(sys.stdout.fileno())
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        self._in = sys.stdin.fileno()
        self._frames = Frames()
        if sys.platform == "win32":
            import msvcrt

            for each in (self._in, self._out):
                msvcrt.setmode(each, os.O_BINARY)

    def messages(self) -> Iterator[bytes]:
        """The messages that come, until the input ends."""
        while data := os.read(self._in, _CHUNK):
            yield from self._frames.feed(data)

    def write(self, message: bytes) -> None:
        """Sends a message."""
        data = memoryview(framed(message))
        with contextlib.suppress(BrokenPipeError):
            while data:
                data = data[os.write(self._out, data) :]

    def close(self) -> None:
        """Closes the output."""
        with contextlib.suppress(OSError):
            os.close(self._out)


class Connection:
    """A socket of one client."""

    @property
    def watched(self) -> bool:
        """Whether the client runs on this machine."""
        return _is_here(self._client)

    def __init__(self, client: socket.socket) -> None:
        self._client = client
        self._frames = Frames()

    def messages(self) -> Iterator[bytes]:
        """The messages that come, until the connection ends."""
        with contextlib.suppress(OSError):  # closed from here, or cut
            while data := self._client.recv(_CHUNK):
                yield from self._frames.feed(data)

    def write(self, message: bytes) -> None:
        """Sends a message."""
        with contextlib.suppress(OSError):
            self._client.sendall(framed(message))

    def close(self) -> None:
        """Closes the connection."""
        with contextlib.suppress(OSError):
            self._client.shutdown(socket.SHUT_RDWR)
        self._client.close()


def over_tcp(host: str, port: int) -> Connection:
    """Waits for one client at an address; says on standard error where (port 0: any that is
    free). Raises OSError where the address cannot be had."""
    with _bound(host, port) as server:
        _say_where("tcp", server.getsockname())
        client, _ = server.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Connection(client)


class WebSocket:
    """A WebSocket of one client; each of its messages is one of ours, without a header."""

    @property
    def watched(self) -> bool:
        """Whether the client runs on this machine."""
        return _is_here(self._client.socket)

    def __init__(self, client: ServerConnection, server: Server, over: threading.Event) -> None:
        self._client = client
        self._server = server
        self._over = over

    def messages(self) -> Iterator[bytes]:
        """The messages that come, until the connection ends."""
        from websockets.exceptions import ConnectionClosed

        with contextlib.suppress(ConnectionClosed):  # cut, or ended by what is no WebSocket
            for message in self._client:
                yield message.encode() if isinstance(message, str) else message

    def write(self, message: bytes) -> None:
        """Sends a message."""
        from websockets.exceptions import ConnectionClosed

        with contextlib.suppress(ConnectionClosed, OSError):
            self._client.send(message.decode())

    def close(self) -> None:
        """Closes the connection."""
        self._over.set()
        self._client.close()
        self._server.shutdown()


def over_websocket(host: str, port: int) -> WebSocket:
    """Waits for one client at an address, as `over_tcp` does."""
    from websockets.sync.server import serve  # only who asks for it needs it

    came, over = threading.Event(), threading.Event()
    clients: list[ServerConnection] = []

    def welcome(client: ServerConnection) -> None:
        if clients:
            return  # one client only: the connection ends
        clients.append(client)
        came.set()
        over.wait()  # the connection lives as long as this thread

    server = serve(welcome, sock=_bound(host, port), max_size=None, compression=None)
    _say_where("ws", server.socket.getsockname())
    threading.Thread(target=server.serve_forever, name="websocket", daemon=True).start()
    came.wait()
    return WebSocket(clients[0], server, over)


def _is_here(client: socket.socket) -> bool:
    try:
        return ip_address(client.getpeername()[0]).is_loopback
    except (OSError, ValueError):  # gone already, or an address of another kind
        return False


def _bound(host: str, port: int) -> socket.socket:
    """A socket that listens at an address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def _say_where(kind: str, address: tuple[str, int]) -> None:
    print(f"listening on {kind}://{shown(*address[:2])}", file=sys.stderr, flush=True)


def shown(host: str, port: int) -> str:
    """An address as it is written: `HOST:PORT`, an IPv6 one in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

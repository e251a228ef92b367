"""A client of language servers over standard input and output: JSON-RPC, nothing else.

One reader task takes what comes and puts it where somebody waits for it. What a server asks is
answered: settings from `settings` by section, anything else with null.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from subjects import Subject

PATIENCE = 120  # seconds that a server may take for anything
CAPABILITIES: Mapping[str, Mapping[str, Any]] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"configuration": True, "workspaceFolders": True},
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
    },
}


class Failed(Exception):
    """A server answered with an error, or has gone."""


class Client:
    """A client with a server of its own, started by `connected`."""

    def __init__(self, process: asyncio.subprocess.Process, settings: Mapping[str, Any]) -> None:
        self.process = process
        self.about: dict[str, Any] = {}
        self.publications: list[dict[str, Any]] = []
        self._settings = settings
        self._numbers = count(1)
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._news = asyncio.Event()
        self._reader = asyncio.create_task(self._read())
        self._gone = False

    async def ask(self, method: str, params: object) -> Any:
        """The answer to a request."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, "params": params})
        return await asyncio.wait_for(answer, PATIENCE)

    def tell(self, method: str, params: object) -> None:
        """Sends a notification."""
        self._send({"method": method, "params": params})

    async def published(self, is_it: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any]:
        """The first publication that is meant among those that have not been looked at."""
        async with asyncio.timeout(PATIENCE):
            while True:
                while self.publications:
                    publication = self.publications.pop(0)
                    if is_it(publication):
                        return publication
                if self._gone:
                    raise Failed("the server has gone")
                self._news.clear()
                await self._news.wait()

    async def quit(self) -> None:
        """Ends the server in good order, or by force."""
        with contextlib.suppress(TimeoutError, Failed):
            async with asyncio.timeout(5):
                await self.ask("shutdown", None)
                self.tell("exit", None)
                await self.process.wait()
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()
        self._reader.cancel()

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _read(self) -> None:
        assert self.process.stdout is not None
        try:
            while True:
                head = await self.process.stdout.readuntil(b"\r\n\r\n")
                fields = (line.partition(b":") for line in head.splitlines())
                length = next(int(v) for name, _, v in fields if name.lower() == b"content-length")
                self._take(json.loads(await self.process.stdout.readexactly(length)))
        except asyncio.IncompleteReadError:
            self._gone = True
            self._news.set()
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(Failed("the server has gone"))

    def _take(self, message: dict[str, Any]) -> None:
        match message:
            case {"method": "workspace/configuration", "id": number, "params": {"items": items}}:
                said = [self._settings.get(item.get("section")) for item in items]
                self._send({"id": number, "result": said})
            case {"method": _, "id": number}:
                self._send({"id": number, "result": None})
            case {"method": "textDocument/publishDiagnostics", "params": params}:
                self.publications.append(params)
                self._news.set()
            case {"id": number, "error": error}:
                self._answers.pop(number).set_exception(Failed(str(error)))
            case {"id": number}:
                self._answers.pop(number).set_result(message.get("result"))


async def connected(subject: Subject, folder: Path, documents: Mapping[str, Any]) -> Client:
    """A client of a new server that has answered `initialize`. `documents`: what the client can do
    with documents beyond the usual."""
    process = await asyncio.create_subprocess_exec(
        *subject.command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=1 << 26,
        cwd=folder,
        env={**os.environ, **subject.environment},
    )
    client = Client(process, subject.settings)
    can = CAPABILITIES | {"textDocument": CAPABILITIES["textDocument"] | documents}
    client.about = await client.ask(
        "initialize",
        {
            "processId": os.getpid(),
            "rootUri": folder.as_uri(),
            "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
            "capabilities": can,
            "initializationOptions": {},
        },
    )
    client.tell("initialized", {})
    return client

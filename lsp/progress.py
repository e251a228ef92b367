"""Tells a client that work is going on when it takes long."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol

from parspec.lsp.client import Client


class Progress:
    """One indicator at a time; every time has a token of its own."""

    def __init__(self, client: Client, protocol: LanguageServerProtocol) -> None:
        self._welcome = client.can("window.workDoneProgress") is True
        self._protocol = protocol
        self._tokens = count(1)
        self._over = asyncio.Event()
        self._shown: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Work has been going on for long."""
        if self._welcome:
            self._over = asyncio.Event()
            self._shown = asyncio.get_running_loop().create_task(self._show(self._over))

    def end(self) -> None:
        """It is done."""
        self._over.set()

    async def _show(self, over: asyncio.Event) -> None:
        token = f"parspec/{next(self._tokens)}"
        await self._protocol.send_request_async(
            types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(token)
        )
        if over.is_set():
            return
        self._tell(token, types.WorkDoneProgressBegin("parspec: analysing"))
        await over.wait()
        self._tell(token, types.WorkDoneProgressEnd())

    def _tell(self, token: str, value: Any) -> None:
        self._protocol.notify(types.PROGRESS, types.ProgressParams(token, value))

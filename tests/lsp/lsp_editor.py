"""An editor for tests: starts the server, speaks the protocol as plain JSON, keeps what it is told.

What the server asks is answered as a real client would: settings from `settings`, what is
`refused` with an error, anything else with null.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest_lsp
from framing import framed
from processes import environment

SERVE = "import sys; from parspec.lsp.main import serve; sys.exit(serve(*sys.argv[1:]))"
PATIENCE = 30  # seconds
NAMES = {"vscode": "visual_studio_code", "neovim": "neovim@0.11", "emacs": "emacs"}


def capabilities_of(name):
    """What an editor says that it can: `vscode`, `neovim`, `emacs`."""
    said = pytest_lsp.client_capabilities(NAMES[name])
    from lsprotocol.converters import get_converter

    return get_converter().unstructure(said)


def server_process(*arguments, script=SERVE):
    """A server with pipes for its input and output."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )


class Refused(Exception):
    """The server answered with an error."""


class Editor:
    """A client with a server of its own; leaves in good order."""

    def __init__(
        self,
        capabilities=None,
        *,
        folders=(),
        options=None,
        settings=None,
        process=None,
        pipes=None,
        refused=(),
    ):
        self.process = process or server_process()
        self.reading, self.writing = pipes or (self.process.stdout, self.process.stdin)
        self.settings = settings
        self.refused = refused
        self.published = {}
        self.publications = []
        self.asked = []
        self.progress = []
        self.messages = []
        self.talk = ""
        self._answers = {}
        self._inbox = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()
        params = {
            "processId": os.getpid(),
            "rootUri": None,
            "capabilities": capabilities or {},
            "workspaceFolders": [
                {"uri": Path(folder).as_uri(), "name": Path(folder).name} for folder in folders
            ],
            "initializationOptions": options,
        }
        self.about = self.ask("initialize", params)
        self.tell("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            self.process.kill()
            print(self.process.stderr.read().decode())
            return
        self.ask("shutdown", None)
        self.tell("exit", None)
        code = self.process.wait(PATIENCE)
        self.talk = self.process.stderr.read().decode()
        assert code == 0, self.talk
        assert "Traceback" not in self.talk, self.talk

    # -- messages --------------------------------------------------------------------------------

    def send(self, message):
        self.writing.write(framed(message))
        self.writing.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def begin(self, method, params):
        """Asks without waiting; the number of the request."""
        self._number += 1
        message = {"id": self._number, "method": method}
        self.send(message if params is None else message | {"params": params})
        return self._number

    def answer(self, number):
        """The answer to a request, when it comes."""
        self.until(lambda: number in self._answers)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def ask(self, method, params):
        return self.answer(self.begin(method, params))

    def until(self, done, patience=PATIENCE):
        """Takes messages until something is so."""
        end = time.monotonic() + patience
        while not done():
            try:
                message = self._inbox.get(timeout=max(end - time.monotonic(), 0.01))
            except queue.Empty:
                raise AssertionError("the server does not say it") from None
            assert message is not None, "the server has gone"
            self._take(message)

    def rest(self, seconds):
        """Takes what comes for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                message = self._inbox.get(timeout=left)
            except queue.Empty:
                return
            if message is None:
                return
            self._take(message)

    def _take(self, message):
        match message:
            case {"method": method, "id": number}:
                self.asked.append(method)
                if method in self.refused:
                    error = {"code": -32601, "message": "not here"}
                    self.send({"id": number, "error": error})
                    return
                result = None
                if method == "workspace/configuration":
                    result = [self.settings for _ in message["params"]["items"]]
                self.send({"id": number, "result": result})
            case {"method": "textDocument/publishDiagnostics", "params": params}:
                self.publications.append(params)
                self.published[params["uri"]] = params
            case {"method": "$/progress", "params": params}:
                self.progress.append(params["value"]["kind"])
            case {"method": "window/showMessage", "params": params}:
                self.messages.append(params["message"])
            case {"id": number}:
                self._answers[number] = message

    def _read(self):
        while True:
            length = 0
            while (line := self.reading.readline()).strip():
                name, _, value = line.partition(b":")
                assert name == b"Content-Length", f"not the protocol: {line}"
                length = int(value)
            if not line:
                self._inbox.put(None)
                return
            self._inbox.put(json.loads(self.reading.read(length)))

    # -- files -----------------------------------------------------------------------------------

    def open(self, uri, text, version=1):
        document = {"uri": uri, "languageId": "par", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def change(self, uri, version, *changes):
        document = {"uri": uri, "version": version}
        self.tell(
            "textDocument/didChange",
            {"textDocument": document, "contentChanges": [edit(*change) for change in changes]},
        )

    def close(self, uri):
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def diagnostics(self, uri, version=None):
        """What was published about a file, once it is about a version."""
        self.until(
            lambda: (
                uri in self.published
                and (version is None or self.published[uri].get("version") == version)
            )
        )
        return self.published[uri]["diagnostics"]

    def pull(self, uri, before=None):
        params = {"textDocument": {"uri": uri}, "previousResultId": before}
        return self.ask("textDocument/diagnostic", params)


def edit(text, *place):
    """A change: the whole text, or `(text, line, column, line, column)`."""
    if not place:
        return {"text": text}
    line, column, last_line, last_column = place
    start = {"line": line, "character": column}
    end = {"line": last_line, "character": last_column}
    return {"text": text, "range": {"start": start, "end": end}}


def summed(diagnostics):
    """Diagnostics in a line each: where and what."""
    return [
        f"{d['range']['start']['line']}:{d['range']['start']['character']}"
        f"-{d['range']['end']['line']}:{d['range']['end']['character']} {d['data']['name']}"
        for d in diagnostics
    ]

"""Worlds: a client and a server that talk for long, edits and requests interleaved at random.

In bursts: edits, requests (some cancelled) and files that come and go, without waiting. At the
end of each burst what the server says is held against what is found anew in the client's texts.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from anew import Anew, told
from everywhere import AT_PLACES, IN_FILES, Place
from lsp_editor import Editor, Refused, capabilities_of
from mirror import Encoding, Mirror, Sync, applied

from parspec.grammar.formatter import formatted

EXAMPLES = Path(__file__).parents[2] / "examples"
MODEL = """# 模型 🚀 a model
dim B = 64, D = 96, F = 384  # samples, hidden, feed-forward
input x[B, D]
weight up[D, F], down[F, D]
layer h: h[B, F] = x * up
layer a: a[B, F] = gelu(h)  # 激活 🚀
layer y: y[B, D] = a * down
"""
PLAN = """import "model.par"
mesh dp = 2, tp = 4
for *: partition B on dp, F on tp
output y replicated on tp
expect traffic <= 1 MB
plan 宽 {
    mesh dp = 1, tp = 8
}
"""
CHINESE = """mesh 节点 = 8
dim 批次 = 4096, 隐藏 = 8192, 宽 = 28672  # 🚀🚀 批次, hidden, wide
input 输入[批次, 隐藏]
weight 上[隐藏, 宽], 下[宽, 隐藏]
layer 上: h[批次, 宽] = 输入 * 上  partition 宽 on 节点  # 🚀 column
layer 动: a[批次, 宽] = gelu(h)
layer 下: y[批次, 隐藏] = a * 下  partition 宽 on 节点
output y replicated on 节点
"""
WRITTEN = ("small_gpt.par", "mixtral_8x7b.par", "llama3_70b_plans.par")
COMPARED = (
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/selectionRange",
    "textDocument/inlayHint",
)
COMPARED_WHOLE = (
    "textDocument/codeLens",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/documentLink",
    "textDocument/formatting",
    "textDocument/semanticTokens/full",
)
BUILDING: Mapping[str, Callable[[Place], Mapping[str, Any]]] = {
    method: build
    for requests in (AT_PLACES, IN_FILES)
    for methods in requests.values()
    for method, build in methods.items()
}
_CANCELLED, _FAILED = -32800, -32803
_LOUD = 2  # messages of the log up to this type are errors and warnings


class Listening(Editor):
    """An editor that keeps what the server logs."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.logged: list[str] = []
        super().__init__(*arguments, **options)

    def _take(self, message: Mapping[str, Any]) -> None:
        match message:
            case {
                "method": "window/logMessage" | "window/showMessage",
                "params": {"type": kind, "message": said},
            } if kind <= _LOUD:
                self.logged.append(said)
        super()._take(message)


class Kind(NamedTuple):
    """What sort of client it is."""

    encoding: Encoding
    sync: Sync
    client: str

    def capabilities(self) -> dict[str, Any]:
        """What the client says that it can."""
        said = capabilities_of(self.client)
        return said | {"general": said.get("general", {}) | {"positionEncodings": [self.encoding]}}


KINDS = (
    Kind("utf-16", "incremental", "vscode"),
    Kind("utf-8", "mixed", "neovim"),
    Kind("utf-32", "incremental", "emacs"),
    Kind("utf-16", "full", "emacs"),
    Kind("utf-8", "incremental", "emacs"),
    Kind("utf-32", "mixed", "vscode"),
)


@dataclass
class World:
    """A client and its server. `wrong`: what was not as it should be; `memory`: bytes that the
    server had after each burst."""

    kind: Kind
    folder: Path
    random: Random
    steps: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)

    def run(self, count: int) -> None:
        """So many edits and requests."""
        self.mirrors = dict(self._files())
        self._pending: list[tuple[str, int, bool]] = []
        said = self.kind.capabilities()
        with Listening(said, folders=[self.folder]) as self.editor:
            self._pulls = "diagnostic" in said["textDocument"]
            self._said = {
                "capabilities": said,
                "workspaceFolders": [{"uri": self.folder.as_uri(), "name": ""}],
            }
            for mirror in self.mirrors.values():
                self._open(mirror)
            while (done := self.steps["edit"] + self.steps["request"]) < count and not self.wrong:
                for _ in range(min(self.random.choice((1, 3, 10, 40)), count - done)):
                    self._step()
                self._settle()
            self.wrong += self.editor.logged
        if self.editor.talk:
            self.wrong.append(f"standard error: {self.editor.talk}")

    def _files(self) -> Iterator[tuple[str, Mirror]]:
        texts = {"model.par": MODEL, "a plan%3A.par": PLAN, "中文.par": CHINESE}
        texts |= {name: (EXAMPLES / name).read_text("utf-8") for name in WRITTEN}
        for name, text in texts.items():
            path = self.folder / name
            text = text.replace("\n", "\r\n") if name in ("model.par", "中文.par") else text
            path.write_bytes(text.encode())
            yield path.as_uri(), Mirror(path.as_uri(), text, path)
        yield "untitled:Untitled-1", Mirror("untitled:Untitled-1", PLAN, None)

    # -- steps -----------------------------------------------------------------------------------

    def _step(self) -> None:
        mirror = self.random.choice(list(self.mirrors.values()))
        draw = self.random.random()
        if mirror.version is None:
            self._open(mirror)
        elif draw < 0.02:
            self._close(mirror)
        elif draw < 0.05:
            self._save(mirror)
        elif draw < 0.6:
            self._edit(mirror)
        else:
            self._request(mirror)

    def _open(self, mirror: Mirror) -> None:
        self.steps["open"] += 1
        mirror.version = 1
        self.editor.open(mirror.uri, mirror.text)

    def _close(self, mirror: Mirror) -> None:
        """Closes a file; what was not saved is lost."""
        self.steps["close"] += 1
        mirror.version = None
        self.editor.close(mirror.uri)
        if mirror.path is not None:
            mirror.text = mirror.path.read_bytes().decode()

    def _save(self, mirror: Mirror) -> None:
        if mirror.path is not None:
            self.steps["save"] += 1
            mirror.path.write_bytes(mirror.text.encode())
            self.editor.tell("textDocument/didSave", {"textDocument": {"uri": mirror.uri}})

    def _edit(self, mirror: Mirror) -> None:
        self.steps["edit"] += 1
        assert mirror.version is not None
        mirror.version += 1
        events = mirror.edited(self.random, self.kind.sync, self.kind.encoding)
        document = {"uri": mirror.uri, "version": mirror.version}
        params = {"textDocument": document, "contentChanges": events}
        self.editor.tell("textDocument/didChange", params)

    def _request(self, mirror: Mirror) -> None:
        self.steps["request"] += 1
        offers = self.editor.about["capabilities"]
        offered = [
            (method, build)
            for requests in (AT_PLACES, IN_FILES)
            for provider, methods in requests.items()
            if offers.get(provider)
            for method, build in methods.items()
        ]
        method, build = self.random.choice(offered)
        number = self.editor.begin(method, build(self._place(mirror)))
        cancelled = self.random.random() < 0.1
        if cancelled:
            self.editor.tell("$/cancelRequest", {"id": number})
        self._pending.append((method, number, cancelled))

    def _place(self, mirror: Mirror) -> Place:
        at = self.random.choice(mirror.places())
        encoding = self.kind.encoding
        position, end = mirror.position(at, encoding), mirror.position(len(mirror.text), encoding)
        return Place(mirror.uri, position, end)

    # -- the end of a burst ----------------------------------------------------------------------

    def _settle(self) -> None:
        """All answers come, and all that is said is about the newest texts."""
        for method, number, cancelled in self._pending:
            try:
                self.editor.answer(number)
            except Refused as error:
                code = error.args[0]["code"]
                if code != (_CANCELLED if cancelled else _FAILED):
                    self.wrong.append(f"{method}: {error}")
        self._pending = []
        anew = Anew(self._said, self.mirrors.values())
        self._compare_diagnostics(anew)
        for mirror in self.mirrors.values():
            if mirror.version is not None:
                self._compare(anew, mirror)
        self.memory.append(resident(self.editor.process.pid))

    def _compare_diagnostics(self, anew: Anew) -> None:
        expected = anew.diagnostics()
        self.compared["diagnostics"] += len(expected)
        if self._pulls:
            for mirror in self.mirrors.values():
                if mirror.version is not None:
                    self._hold(
                        f"diagnostics of {mirror.uri}",
                        told(self.editor.pull(mirror.uri)["items"]),
                        expected[mirror.uri],
                    )
            return
        try:
            self.editor.until(lambda: self._published() == expected and self._is_newest())
        except AssertionError:
            published = self._published()
            for uri in published.keys() | expected.keys():
                what = f"diagnostics of {uri}"
                self._hold(what, published.get(uri, set()), expected.get(uri, set()))
            self.wrong += [] if self._is_newest() else ["a version was not published"]

    def _published(self) -> dict[str, set[Any]]:
        """What was published last of every file that has diagnostics or is open."""
        last = {uri: told(said["diagnostics"]) for uri, said in self.editor.published.items()}
        wanted = {m.uri for m in self.mirrors.values() if m.version is not None}
        return {uri: found for uri, found in last.items() if found or uri in wanted}

    def _is_newest(self) -> bool:
        return all(
            self.editor.published.get(mirror.uri, {}).get("version") == mirror.version
            for mirror in self.mirrors.values()
            if mirror.version is not None
        )

    def _compare(self, anew: Anew, mirror: Mirror) -> None:
        """Some answers about a file."""
        known = anew.methods
        asked = [self.random.choice(COMPARED) for _ in range(3)]
        asked += [self.random.choice(COMPARED_WHOLE), "textDocument/semanticTokens/full"]
        for method in asked:
            if method in known:
                params = BUILDING[method](self._place(mirror))
                answer, expected = self.editor.ask(method, params), anew.answer(method, params)
                self.compared[method] += 1
                self._hold(f"{method} {params}", answer, expected)
        if "textDocument/formatting" in known:
            params = BUILDING["textDocument/formatting"](self._place(mirror))
            edits = self.editor.ask("textDocument/formatting", params)
            self.compared["formatted text"] += 1
            now = applied(mirror, edits or [], self.kind.encoding)
            self._hold(f"formatted {mirror.uri}", now, formatted(mirror.text))

    def _hold(self, what: str, said: Any, expected: Any) -> None:
        if said != expected:
            if isinstance(said, set):
                said, expected = said - expected, expected - said
            self.wrong.append(f"{self.kind}: {what}:\n  {said}\n  instead of {expected}"[:3000])


def resident(process: int) -> int:
    """The bytes of a process that are in memory; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    found = re.search(r"VmRSS:\s*(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0

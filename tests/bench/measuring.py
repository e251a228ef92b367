"""What one language server takes for what an editor asks of it, on one text."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

from edited_text import Drawing, Edit, Edited, places
from stdio_client import Client, connected
from subjects import Subject

STARTS = 5
HOVERS = 200
STORMS = 5
STORM = 30  # edits
PULLS = {"diagnostic": {"relatedDocumentSupport": False}}


class Times(NamedTuple):
    """Seconds: the median, and what 95 % stay below."""

    middle: float
    late: float


class Sample(NamedTuple):
    """A text after an edit of some kind, and what was published for it."""

    kind: str
    text: str
    published: list[Mapping[str, Any]]


@dataclass
class Measured:
    """What was measured of a server; seconds and bytes. `edits`, `asked`: by the kind of edit."""

    subject: Subject
    initialize: float
    edits: dict[str, Times] = field(default_factory=dict)
    asked: dict[str, Times] = field(default_factory=dict)
    hover: Times = Times(0.0, 0.0)
    storm: float = 0.0
    memory: int = 0
    samples: list[Sample] = field(default_factory=list)


async def measured(subject: Subject, lines: int, edits: int, compared: int) -> Measured:
    """All figures of a server on a text of so many lines. `compared`: how many samples are kept of
    each kind of edit."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder).resolve() / f"generated.{subject.suffix}"
        file.write_text(subject.text(lines), "utf-8")
        found = Measured(subject, median([await _start(subject, file) for _ in range(STARTS)]))
        session = await _opened(subject, file, {})
        for kind, drawing in subject.edits.items():
            found.edits[kind] = await _edits(session, drawing, edits)
            random = Random(4)
            for _ in range(compared):
                found.samples.append(Sample(kind, *await _sample(session, drawing, random)))
        found.hover = await _hovers(session)
        found.storm = await _storms(session)
        found.memory = sum(map(_resident, _family(session.client.process.pid)))
        await session.client.quit()
        session = await _opened(subject, file, PULLS)
        if "diagnosticProvider" in session.client.about["capabilities"]:
            for kind, drawing in subject.edits.items():
                found.asked[kind] = await _asked(session, drawing, edits)
        await session.client.quit()
    return found


@dataclass
class _Session:
    """A client with one open file. `versioned`: the server's publications say of which version."""

    client: Client
    uri: str
    edited: Edited
    typed: str
    versioned: bool = True

    def changed(self, edit: Edit) -> dict[str, Any]:
        """Makes an edit; its notification."""
        event = self.edited.change(edit)
        document = {"uri": self.uri, "version": self.edited.version}
        return {"textDocument": document, "contentChanges": [event]}

    def is_current(self, faulty: bool | None) -> Callable[[Mapping[str, Any]], bool]:
        """Is a publication about the newest text, as far as it tells?"""

        def is_it(said: Mapping[str, Any]) -> bool:
            if said["uri"] != self.uri or said.get("version") not in (None, self.edited.version):
                return False
            return faulty is None or bool(said["diagnostics"]) == faulty

        return is_it

    async def hover(self, offset: int) -> float:
        """The seconds that a hover takes."""
        place = {"textDocument": {"uri": self.uri}, "position": self.edited.position(offset)}
        began = time.perf_counter()
        await self.client.ask("textDocument/hover", place)
        return time.perf_counter() - began

    async def pull(self) -> None:
        """Asks for diagnostics."""
        asked = {"textDocument": {"uri": self.uri}}
        await self.client.ask("textDocument/diagnostic", asked)


async def _start(subject: Subject, file: Path) -> float:
    began = time.perf_counter()
    client = await connected(subject, file.parent, {})
    took = time.perf_counter() - began
    await client.quit()
    return took


async def _opened(subject: Subject, file: Path, can: Mapping[str, Any]) -> _Session:
    """A session whose file has been looked at once."""
    client = await connected(subject, file.parent, can)
    text = file.read_text("utf-8")
    session = _Session(client, file.as_uri(), Edited(text), subject.typed)
    item = {"uri": session.uri, "languageId": subject.language, "version": 1, "text": text}
    client.tell("textDocument/didOpen", {"textDocument": item})
    if "diagnosticProvider" in client.about["capabilities"] and can:
        await session.pull()
    else:
        said = await client.published(session.is_current(None))
        session.versioned = said.get("version") is not None
    return session


async def _edits(session: _Session, drawing: Drawing, count: int) -> Times:
    """From an edit to its publication."""
    random = Random(1)
    taken = []
    for _ in range(count):
        edit = drawing(session.edited.text, random)
        params = session.changed(edit)
        began = time.perf_counter()
        session.client.tell("textDocument/didChange", params)
        await session.client.published(session.is_current(edit.faulty))
        taken.append(time.perf_counter() - began)
    return _times(taken)


async def _sample(
    session: _Session, drawing: Drawing, random: Random
) -> tuple[str, list[Mapping[str, Any]]]:
    """The text after one more edit, and what is published for it."""
    edit = drawing(session.edited.text, random)
    session.client.tell("textDocument/didChange", session.changed(edit))
    said = await session.client.published(session.is_current(edit.faulty))
    return session.edited.text, said["diagnostics"]


async def _asked(session: _Session, drawing: Drawing, count: int) -> Times:
    """From an edit to the answer with its diagnostics."""
    random = Random(1)
    taken = []
    for _ in range(count):
        params = session.changed(drawing(session.edited.text, random))
        began = time.perf_counter()
        session.client.tell("textDocument/didChange", params)
        await session.pull()
        taken.append(time.perf_counter() - began)
    return _times(taken)


async def _hovers(session: _Session) -> Times:
    random = Random(2)
    words = [word.start() for word in re.finditer(r"\w+", session.edited.text)]
    return _times([await session.hover(random.choice(words)) for _ in range(HOVERS)])


async def _storms(session: _Session) -> float:
    """Somebody types on behind a name, then hovers over another place; mends it."""
    random = Random(3)
    taken = []
    for _ in range(STORMS):
        names = places(session.edited.text, session.typed)
        at = random.choice(names) + len(session.typed)
        typed = [session.changed(Edit(at + n, at + n, "q")) for n in range(STORM)]
        hovered = random.choice(places(session.edited.text, session.typed))
        began = time.perf_counter()
        for params in typed:
            session.client.tell("textDocument/didChange", params)
        await session.hover(hovered)
        taken.append(time.perf_counter() - began)
        mended = session.changed(Edit(at, at + STORM, ""))
        session.client.tell("textDocument/didChange", mended)
        await session.client.published(session.is_current(None if session.versioned else False))
    return median(taken)


def _times(taken: list[float]) -> Times:
    return Times(median(taken), sorted(taken)[int(0.95 * (len(taken) - 1))])


def _family(process: int) -> list[int]:
    """A process with those that it has started, and these."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text("utf-8").rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        parents[int(status.parent.name)] = int(fields[1])
    family = [process]
    for each in family:
        family += [child for child, parent in parents.items() if parent == each]
    return family


def _resident(process: int) -> int:
    """The bytes of a process that are in memory."""
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    found = re.search(r"VmRSS:\s*(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0

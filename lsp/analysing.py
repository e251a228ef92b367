"""From the text of a file to its snapshot: parse, resolve, analyse, as it is and under each plan.

What did not change since the snapshot before is taken from there, so that an edit costs what it
touches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from parspec.grammar.document import Document
from parspec.grammar.lines import LineIndex
from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.analysis.looks import Looks
from parspec.interpreter.spec.readers import Reader
from parspec.interpreter.spec.resolve import resolve
from parspec.interpreter.spec.sources import HERE
from parspec.lsp.snapshot import Snapshot, Source

Checkpoint: TypeAlias = Callable[[], None]
"""Is called between the steps of long work; raises to give it up."""

_NOTHING: Mapping[str, Source] = {}


def go_on() -> None:
    """A checkpoint of work that is not given up."""


class Written(NamedTuple):
    """What is written in a file: its name in the analysis, its text, the client's number for that
    and its lines, where they are known."""

    file: str
    text: str
    version: int | None = None
    lines: LineIndex | None = None


def analysed(
    written: Written,
    reader: Reader,
    folders: Sequence[Path] = HERE,
    before: Snapshot | None = None,
    looks: Looks | None = None,
    checkpoint: Checkpoint = go_on,
) -> Snapshot:
    """The snapshot of what is written; `reader` reads what it imports, from its own folder and
    from `folders`. `before`: the snapshot of an earlier text,
    `looks`: what was found on the way to it."""
    file = written.file
    looks = looks or Looks()
    analyses = []
    pending: list[str | None] = [None]
    for plan in pending:
        checkpoint()
        model = resolve(
            file, written.text, reader, plan=plan, known=looks.resolved, folders=folders
        )
        checkpoint()
        analyses.append(analyze(model, looks.analysed(plan)))
        if plan is None:
            pending += model.plans
    earlier = _NOTHING if before is None else before.sources
    sources = {
        name: _source(name, document, earlier.get(name), written.lines if name == file else None)
        for name, document in analyses[0].model.documents
    }
    return Snapshot(file, written.version, sources[file], tuple(analyses), sources)


def _source(
    name: str, document: Document, before: Source | None, lines: LineIndex | None
) -> Source:
    """A file with its lines; the source before, where it is the same."""
    if before is not None and before.document is document:
        return before
    if lines is None:
        same = before is not None and before.text == document.text
        lines = before.lines if before is not None and same else LineIndex(document.text)
    return Source(name, document, lines)

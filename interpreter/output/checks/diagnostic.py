"""Diagnostics: findings with their code, severity and sentence, placed in their files.

Lines and columns count from 1, in code points. A finding that several plans share is one
diagnostic that names them; one that the file itself has names none. Diagnostics are ordered by
file, position and code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from parspec.grammar.document import Document
from parspec.grammar.lines import LineIndex, Position
from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.entry import Severity
from parspec.interpreter.diagnostics.findings import Datum, Finding, Fix, Site
from parspec.interpreter.diagnostics.sharing import Under, found_under, named
from parspec.interpreter.spec.model import Model


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A half-open range of a file."""

    file: str
    start: Position
    end: Position


@value
class Note:
    """Another place that is involved."""

    place: Place
    message: str


@value
class Replacement:
    """A text to put in a place."""

    place: Place
    text: str


@value
class Remedy:
    """One way to mend it."""

    title: str
    edits: tuple[Replacement, ...]


@value
class Diagnostic:
    """One diagnostic, ready to be shown; `under`: what it was found under."""

    code: str
    name: str
    severity: Severity
    message: str
    data: tuple[tuple[str, Datum], ...]
    place: Place
    notes: tuple[Note, ...]
    remedies: tuple[Remedy, ...]
    under: Under = ()

    @property
    def plans(self) -> tuple[str, ...]:
        """The plans that it was found under, () where the file itself has it."""
        return () if self.without_plan else named(self.under)

    @property
    def without_plan(self) -> bool:
        """Whether it is one of the file without a plan, and not of all of its plans."""
        return None in self.under

    def concerns(self, plan: str | None) -> bool:
        """Whether it was found under a plan, or in the file without one."""
        return not self.under or plan in self.under

    @property
    def order(self) -> tuple[Place, str, str]:
        """What diagnostics are sorted by."""
        return self.place, self.code, self.message


@value
class Source:
    """A file's text with its chunks and its lines."""

    document: Document
    lines: LineIndex

    def position(self, chunk: int, inside: int) -> Position:
        """The position of an offset that is relative to a chunk, within the text."""
        return self.lines.place(self.document.start_of(chunk) + inside)

    def line(self, number: int) -> str:
        """A line by its number, without what ends it."""
        start, end = self.lines.line_span(number - 1)
        return self.document.text[start:end]


Sources: TypeAlias = Mapping[str, Source]
_BEGINNING = Position(1, 1)


def sources(documents: Iterable[tuple[str, Document]]) -> Sources:
    """Files by name."""
    return {file: Source(document, LineIndex(document.text)) for file, document in documents}


Offer: TypeAlias = Callable[[Finding, Model], tuple[Fix, ...]]
"""The fixes of a finding of a model that are shown."""


def diagnostics(
    analyses: Iterable[Analysis], files: Sources, offer: Offer
) -> tuple[Diagnostic, ...]:
    """What the analyses of one file, as it is and under its plans, have found, each once; what is
    found under several is mended as under the first of them."""
    analyses = tuple(analyses)
    found = found_under((analysis.model.plan, analysis.findings) for analysis in analyses)
    by_plan = {analysis.model.plan: analysis.model for analysis in reversed(analyses)}
    told: dict[Diagnostic, None] = {}
    for finding, plans in found.items():
        model = by_plan[plans[0]] if plans else analyses[0].model
        mended = replace(finding, fixes=offer(finding, model))
        told[replace(diagnosed(mended, files, model.file), under=plans)] = None
    return tuple(sorted(told, key=lambda diagnostic: diagnostic.order))


def diagnosed(finding: Finding, files: Sources, file: str) -> Diagnostic:
    """A finding in words; one about no place in particular stands at the beginning of `file`."""
    return Diagnostic(
        catalogue.code(finding),
        finding.name,
        catalogue.severity(finding),
        catalogue.message(finding),
        finding.data,
        place(finding.site, files, file),
        tuple(Note(place(note.site, files, file), note.message) for note in finding.related),
        tuple(
            Remedy(
                fix.title,
                tuple(Replacement(place(edit.site, files, file), edit.text) for edit in fix.edits),
            )
            for fix in finding.fixes
        ),
    )


def place(site: Site, files: Sources, file: str) -> Place:
    """Where a site is in its file; the beginning of `file` for what is not written anywhere."""
    source = files.get(site.file)
    if source is None:
        return Place(site.file or file, _BEGINNING, _BEGINNING)
    start = source.position(site.chunk, site.span.start)
    return Place(site.file, start, max(start, source.position(site.chunk, site.span.end)))

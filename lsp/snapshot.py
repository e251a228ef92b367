"""A snapshot: one version of one file with all that is known about it; what features look at.

It is immutable, so a feature may read it at leisure while the text moves on. What a feature asks
for by offset are offsets of `text`; what it finds in other files (imports, the library) it names
by `Location`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import field

from parspec.grammar.document import Chunk, Document
from parspec.grammar.lines import LineIndex
from parspec.grammar.span import Span
from parspec.grammar.syntax import PlanStatement
from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics.findings import Site
from parspec.lsp.facts import Facts
from parspec.lsp.names import Names
from parspec.lsp.ranges import Location, Range

_WORD = re.compile(r"\w+")


class Source:
    """A parsed file with its lines. Two sources are one only if they are the same object: as long
    as a file does not change its source does not either."""

    __slots__ = ("document", "file", "lines")

    def __init__(self, file: str, document: Document, lines: LineIndex) -> None:
        self.file = file
        self.document = document
        self.lines = lines

    @property
    def text(self) -> str:
        """The text of the file."""
        return self.document.text


@value
class Placed:
    """A chunk with the offset at which it starts."""

    chunk: Chunk
    start: int

    @property
    def range(self) -> Range:
        """The chunk's own text; for a header up to its `{`, without the body."""
        return Range(self.start, self.start + len(self.chunk.text))

    def range_of(self, span: Span) -> Range:
        """Where a span of the chunk stands in the file."""
        return Range(self.start + span.start, self.start + span.end)


@value
class Snapshot:
    """One version of one file, understood.

    `file`: its name in the analysis, an absolute path (or made from the URI of an unsaved buffer);
    `version`: the client's number for the text. `analyses`: of the file itself first, then one
    under each of its plans; `facts`: the same by name. `sources`: the file itself and all that it
    imports, by name; `names`: what is written in them.
    """

    file: str
    version: int | None
    source: Source
    analyses: tuple[Analysis, ...]
    sources: Mapping[str, Source]
    facts: tuple[Facts, ...] = field(init=False, compare=False, repr=False)
    names: Names = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", tuple(map(Facts, self.analyses)))
        written = ((file, source.document) for file, source in self.sources.items())
        object.__setattr__(self, "names", Names(written))

    @property
    def text(self) -> str:
        """The text."""
        return self.source.text

    @property
    def document(self) -> Document:
        """The parsed text."""
        return self.source.document

    @property
    def lines(self) -> LineIndex:
        """The lines of the text."""
        return self.source.lines

    @property
    def analysis(self) -> Analysis:
        """The analysis of the file itself, under no plan."""
        return self.analyses[0]

    @property
    def plans(self) -> tuple[Analysis, ...]:
        """The analyses under the file's plans."""
        return self.analyses[1:]

    def analysis_at(self, offset: int) -> Analysis:
        """The analysis that what stands at `offset` is about: that of the plan in whose body it
        is, else that of the file itself."""
        for placed in self.around(offset):
            if isinstance(header := placed.chunk.statement, PlanStatement):
                for analysis in self.plans:
                    if analysis.model.plan == header.name.text:
                        return analysis
        return self.analysis

    # -- chunks ----------------------------------------------------------------------------------

    def around(self, offset: int) -> tuple[Placed, ...]:
        """The chunk at `offset` with the headers in whose bodies it stands, innermost first: the
        last chunk that starts at or before it (its comments and the space behind it included)."""
        document = self.document
        run = bisect_right(document.starts, offset) - 1
        if run < 0:
            return ()
        base = document.starts[run]
        trail: list[Placed] = []
        inside: Iterable[Chunk] = document.runs[run].chunks
        at = document.runs[run].offset_of
        while inside:
            last = None
            for chunk in inside:
                if base + at[chunk.key] > offset:
                    break
                last = chunk
            if last is None:
                break
            trail.append(Placed(last, base + at[last.key]))
            inside = last.body
        return tuple(reversed(trail))

    def chunk_at(self, offset: int) -> Placed | None:
        """The innermost chunk at `offset`, as `around` says."""
        return next(iter(self.around(offset)), None)

    # -- sites -----------------------------------------------------------------------------------

    def location(self, site: Site) -> Location | None:
        """Where a site is; None for what is not written anywhere."""
        source = self.sources.get(site.file)
        if source is None:
            return None
        start = source.document.start_of(site.chunk)
        length = len(source.text)
        return Location(
            site.file,
            Range(min(start + site.span.start, length), min(start + site.span.end, length)),
        )

    def range(self, site: Site) -> Range | None:
        """Where a site is in this file; None where it is elsewhere."""
        if site.file != self.file:
            return None
        location = self.location(site)
        return None if location is None else location.range

    def written(self, site: Site) -> str:
        """What is written at a site, in whichever file; "" where nothing is."""
        location = self.location(site)
        if location is None:
            return ""
        return self.sources[site.file].text[location.range.start : location.range.end]

    def word_at(self, offset: int) -> Range | None:
        """The name or number at `offset` or ending there, without dots and hyphens."""
        line = self.lines.line_span(self.lines.line_of(offset))
        for match in _WORD.finditer(self.text, *line):
            if match.start() <= offset <= match.end():
                return Range(*match.span())
        return None

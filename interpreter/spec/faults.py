"""Syntax faults as findings, each with its mend as a fix.

A mend that begins a line begins it as the statement's own line does: as far from the left, behind
a line break as the file has them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix, Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parspec.grammar.document import Chunk, Document, SyntaxFault

_BREAK = re.compile(r"\r\n|\r|\n")


def syntax_errors(file: str, document: Document) -> Iterator[Finding]:
    """The syntax faults of a file, in reading order."""
    for chunk in document.faulty:
        for fault in chunk.parsed.faults:
            yield _syntax_error(fault, file, chunk, document)


def _syntax_error(fault: SyntaxFault, file: str, chunk: Chunk, document: Document) -> Finding:
    site = Site(file, chunk.key, fault.span)
    data = (("message", fault.message), ("expected", fault.expected), ("help", fault.help))
    if fault.replacement is None:
        return Finding("syntax_error", site, data)
    written = chunk.text[fault.span.start : fault.span.end]
    match (written.strip(), fault.replacement.strip()):
        case ("", new):
            title = f"Insert `{new}`"
        case (old, ""):
            title = f"Remove `{old}`"
        case (old, new):
            title = f"Replace `{old}` with `{new}`"
    text = fault.replacement
    if text.startswith("\n"):
        text = _line_begin(document, chunk) + text.removeprefix("\n")
    return Finding("syntax_error", site, data, fixes=(Fix(title, (Edit(site, text),)),))


def _line_begin(document: Document, chunk: Chunk) -> str:
    """A line break and the blanks with which the line of a statement begins."""
    text, start = document.text, document.start_of(chunk.key)
    found = _BREAK.search(text)
    line = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]
    return ("\n" if found is None else found[0]) + line[: len(line) - len(line.lstrip())]

"""`check --format github`: workflow commands, which GitHub shows as annotations of a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from parspec.interpreter.diagnostics.entry import Severity
from parspec.interpreter.output.checks.concise import sentence
from parspec.interpreter.output.checks.diagnostic import Diagnostic

_COMMANDS: Mapping[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "info": "notice",
    "hint": "notice",
}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def check_github(diagnostics: Iterable[Diagnostic]) -> str:
    """`::error file=...,line=...,col=...,endLine=...,endColumn=...,title=...::message`, one a line;
    columns only where the place is within a line, as annotations have them."""
    return "".join(f"{_command(diagnostic)}\n" for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    properties = ",".join(
        f"{name}={value.translate(_PROPERTY)}" for name, value in _properties(diagnostic)
    )
    text = "\n".join(_text(diagnostic)).translate(_DATA)
    return f"::{_COMMANDS[diagnostic.severity]} {properties}::{text}"


def _properties(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    start, end = diagnostic.place.start, diagnostic.place.end
    yield "file", diagnostic.place.file
    yield "line", str(start.line)
    if start.line == end.line:
        yield "col", str(start.column)
    yield "endLine", str(end.line)
    if start.line == end.line:
        yield "endColumn", str(end.column)
    yield "title", f"{diagnostic.code} {diagnostic.name}"


def _text(diagnostic: Diagnostic) -> Iterator[str]:
    yield sentence(diagnostic)
    for note in diagnostic.notes:
        where = note.place
        yield f"{note.message}: {where.file}:{where.start.line}:{where.start.column}"
    for remedy in diagnostic.remedies:
        yield f"help: {remedy.title}"

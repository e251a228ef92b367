"""`check --format gitlab`: a Code Quality report, which GitLab shows in a merge request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parspec.interpreter.diagnostics.entry import Severity
from parspec.interpreter.output.checks.concise import sentence
from parspec.interpreter.output.checks.diagnostic import Diagnostic, Sources
from parspec.interpreter.output.checks.fingerprints import fingerprinted
from parspec.interpreter.output.json_text import Json, indented

_SEVERITIES: Mapping[Severity, str] = {
    "error": "critical",
    "warning": "major",
    "info": "minor",
    "hint": "info",
}


def check_gitlab(diagnostics: Iterable[Diagnostic], files: Sources) -> str:
    """A list with an issue for each diagnostic."""
    named = fingerprinted(diagnostics, files)
    return indented([_issue(diagnostic, fingerprint) for diagnostic, fingerprint in named])


def _issue(diagnostic: Diagnostic, fingerprint: str) -> Json:
    place = diagnostic.place
    return {
        "type": "issue",
        "check_name": f"{diagnostic.code} {diagnostic.name}",
        "description": sentence(diagnostic),
        "severity": _SEVERITIES[diagnostic.severity],
        "fingerprint": fingerprint,
        "location": {
            "path": place.file,
            "lines": {"begin": place.start.line, "end": place.end.line},
        },
    }

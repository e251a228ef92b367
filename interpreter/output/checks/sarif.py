"""`check --format sarif`: SARIF 2.1.0, which code scanning services and viewers read.

Columns count code points; a rule is an entry of the catalogue that something was found of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import PurePosixPath
from urllib.parse import quote

from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.entry import Severity
from parspec.interpreter.explanations.index import explained
from parspec.interpreter.output.checks.concise import sentence
from parspec.interpreter.output.checks.diagnostic import (
    Diagnostic,
    Place,
    Remedy,
    Replacement,
    Sources,
)
from parspec.interpreter.output.checks.fingerprints import fingerprinted
from parspec.interpreter.output.explanations.markdown import explained_markdown
from parspec.interpreter.output.json_text import Json, datum, indented

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_FINGERPRINT = "parspec/v1"
_LEVELS: Mapping[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "info": "note",
    "hint": "note",
}


def check_sarif(diagnostics: Iterable[Diagnostic], files: Sources, version: str) -> str:
    """One run of parspec of this version, with all diagnostics."""
    named = fingerprinted(diagnostics, files)
    codes = sorted({diagnostic.code for diagnostic, _ in named})
    places = {code: index for index, code in enumerate(codes)}
    driver: Json = {"name": "parspec", "version": version, "rules": [_rule(code) for code in codes]}
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": [_result(found, mark, places[found.code]) for found, mark in named],
    }
    return indented({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: str) -> Json:
    entry = catalogue.entry(code)
    first, stop, _ = entry.explanation.partition(". ")
    return {
        "id": code,
        "name": entry.name,
        "shortDescription": {"text": f"{first}." if stop else first},
        "fullDescription": {"text": entry.explanation},
        "help": {
            "text": f"{entry.explanation}\n\nExample:\n{entry.example}\n"
            f"Corrected:\n{entry.corrected}",
            "markdown": explained_markdown(explained(code)),
        },
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
    }


def _result(diagnostic: Diagnostic, fingerprint: str, rule: int) -> Json:
    notes = (
        {"id": index, **_location(note.place), "message": {"text": note.message}}
        for index, note in enumerate(diagnostic.notes)
    )
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": sentence(diagnostic)},
        "locations": [_location(diagnostic.place)],
        "relatedLocations": list(notes),
        "fixes": [_fix(remedy) for remedy in diagnostic.remedies],
        "partialFingerprints": {_FINGERPRINT: fingerprint},
        "properties": {
            "plans": list(diagnostic.plans),
            "data": {key: datum(value) for key, value in diagnostic.data},
        },
    }


def _location(place: Place) -> dict[str, Json]:
    return {
        "physicalLocation": {"artifactLocation": _artifact(place.file), "region": _region(place)}
    }


def _artifact(file: str) -> Json:
    """A file outside the working folder has no place in the repository, but one on this machine."""
    if PurePosixPath(file).is_absolute() or ":" in file.partition("/")[0]:
        return {"uri": f"file:///{quote(file.lstrip('/'), safe='/:', errors='surrogateescape')}"}
    return {"uri": quote(file, errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}


def _region(place: Place) -> Json:
    return {
        "startLine": place.start.line,
        "startColumn": place.start.column,
        "endLine": place.end.line,
        "endColumn": place.end.column,
    }


def _fix(remedy: Remedy) -> Json:
    edits = sorted(remedy.edits, key=lambda edit: edit.place)
    return {
        "description": {"text": remedy.title},
        "artifactChanges": [
            {"artifactLocation": _artifact(file), "replacements": list(map(_replacement, group))}
            for file, group in groupby(edits, lambda edit: edit.place.file)
        ],
    }


def _replacement(edit: Replacement) -> Json:
    return {"deletedRegion": _region(edit.place), "insertedContent": {"text": edit.text}}

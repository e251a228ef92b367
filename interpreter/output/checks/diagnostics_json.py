"""Diagnostics and expects in JSON, as `check` and `report` share them."""

from __future__ import annotations

from collections.abc import Iterable

from parspec.grammar.lines import Position
from parspec.interpreter.analysis.result import Analysis, ExpectResult
from parspec.interpreter.output.checks.diagnostic import Diagnostic, Place, Sources, place
from parspec.interpreter.output.json_text import Json, datum


def diagnostics_json(diagnostics: Iterable[Diagnostic]) -> list[Json]:
    """Each with its data, its range and what goes with it."""
    return [_diagnostic(diagnostic) for diagnostic in diagnostics]


def expects_json(analysis: Analysis, files: Sources) -> list[Json]:
    """Each `expect` with the real value under the analysis' plan."""
    model = analysis.model
    return [
        _expect(expect, place(expect.site, files, model.file), model.plan)
        for expect in analysis.expects
    ]


def _diagnostic(diagnostic: Diagnostic) -> Json:
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "data": {key: datum(value) for key, value in diagnostic.data},
        "plans": list(diagnostic.plans),
        **_where(diagnostic.place),
        "related": [{"message": note.message, **_where(note.place)} for note in diagnostic.notes],
        "fixes": [
            {
                "title": remedy.title,
                "edits": [{**_where(edit.place), "text": edit.text} for edit in remedy.edits],
            }
            for remedy in diagnostic.remedies
        ],
    }


def _expect(expect: ExpectResult, where: Place, plan: str | None) -> Json:
    return {
        "text": expect.text,
        "holds": expect.holds,
        "value": expect.value,
        "plan": plan,
        "file": where.file,
        "line": where.start.line,
    }


def _where(where: Place) -> dict[str, Json]:
    return {
        "file": where.file,
        "range": {"start": _position(where.start), "end": _position(where.end)},
    }


def _position(position: Position) -> Json:
    return {"line": position.line, "character": position.column}

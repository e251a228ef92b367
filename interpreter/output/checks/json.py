"""`check --format json`."""

from __future__ import annotations

from collections.abc import Iterable

from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.diagnostic import Diagnostic
from parspec.interpreter.output.checks.diagnostics_json import diagnostics_json, expects_json
from parspec.interpreter.output.json_text import Json, json_text

SCHEMA = 1


def check_json(checked: Iterable[Checked], diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics and expects of all files."""
    return json_text(
        {
            "schema": SCHEMA,
            "diagnostics": diagnostics_json(diagnostics),
            "expects": [expect for each in checked for expect in _expects(each)],
        }
    )


def _expects(checked: Checked) -> list[Json]:
    return [
        expect
        for analysis in checked.analyses
        for expect in expects_json(analysis, checked.sources)
    ]

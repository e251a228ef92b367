"""What an analysis reports on a text, without the places and the blanks of that text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.output.reports.json import report_json
from parspec.interpreter.spec.readers import DiskReader, Reader, Unread
from parspec.interpreter.spec.resolve import resolve

_ROOT = Path(__file__).parents[2]
_MODELS = json.loads((_ROOT / "tests" / "data" / "cases.json").read_text("utf-8"))["models"]
_PLACES = ("range", "line")


class _Reader(Reader):
    """Reads files, and the models of the cases by their names."""

    def read(self, file: str) -> str | Unread:
        return _MODELS.get(Path(file).name) or DiskReader().read(file)


def reported(file: str, text: str) -> list[Any]:
    """The report on a spec and on each of its plans."""
    first = _analysis(file, text, None)
    rest = [_analysis(file, text, plan) for plan in first.model.plans]
    return [
        _bare(json.loads(report_json(checked(file, (analysis,)), analysis.moves)))
        for analysis in (first, *rest)
    ]


def _analysis(file: str, text: str, plan: str | None) -> Any:
    return analyze(resolve(file, text, _Reader(), plan=plan))


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bare(each) for key, each in value.items() if key not in _PLACES}
    if isinstance(value, list):
        return [_bare(each) for each in value]
    return "".join(value.replace("\ufeff", " ").split()) if isinstance(value, str) else value

"""The suites: every spec in them gives the diagnostics and the figures that stand beside it."""

from pathlib import Path

import pytest
from specs import analysis_of
from suite_figures import Figures
from suite_text import cases, number, plain

from parspec.interpreter.diagnostics import catalogue

HERE = Path(__file__).parent
CASES = [
    pytest.param(path, case, id=f"{path.relative_to(HERE)}:{case.line}")
    for path in sorted(HERE.rglob("*.md"))
    for case in cases(path.read_text("utf-8"))
]


def analyzed(path, case):
    """The analysis of a spec that stands in a file's folder."""
    file = str(path.with_suffix(".par"))
    return analysis_of(case.text, file)


def line_of(analysis, finding):
    """The line, from 1, that a finding stands on."""
    document = dict(analysis.model.documents)[finding.site.file]
    offset = document.start_of(finding.site.chunk) + finding.site.span.start
    return document.text.count("\n", 0, offset) + 1


@pytest.mark.parametrize(("path", "case"), CASES)
def test_the_diagnostics_are_those_in_the_comments(path, case):
    analysis = analyzed(path, case)
    found = [
        (line_of(analysis, finding), catalogue.severity(finding), finding.name, finding)
        for finding in analysis.findings
    ]
    expected = sorted(case.diagnostics, key=lambda one: one[:3])
    asked = {one[:3] for one in expected}
    told = sorted(
        (one for one in found if one[1] in ("error", "warning") or one[:3] in asked),
        key=lambda one: one[:3],
    )
    messages = [catalogue.message(finding) for *_, finding in told]
    assert [one[:3] for one in told] == [one[:3] for one in expected], messages
    for (*_, finding), (*_, data) in zip(told, expected, strict=True):
        known = {key: plain(datum) for key, datum in finding.data}
        assert {key: known.get(key) for key in data} == data


@pytest.mark.parametrize(("path", "case"), [one for one in CASES if one.values[1].figures])
def test_the_figures_are_those_in_the_table(path, case):
    figures = Figures(analyzed(path, case))
    real = {phrase: str(figures.value(phrase)) for phrase in case.figures}
    assert real == {phrase: number(value) for phrase, value in case.figures.items()}


def test_there_are_suites():
    assert len(CASES) > 50

"""What analysis tests share: from a spec's text to its analysis, and the figures in it."""

import pytest
from specs import analysis_of

from parspec.interpreter.diagnostics import catalogue


@pytest.fixture
def analyzed():
    """Analyse a spec given as text."""

    def run(text, **options):
        return analysis_of(text, **options)

    return run


@pytest.fixture
def headed(analyzed, request):
    """Analyse lines below the HEAD of the test's module."""
    return lambda lines: analyzed(request.module.HEAD + lines)


@pytest.fixture
def moved():
    """What moves in an analysis: (primitive, label, axes, times) of each primitive at work."""

    def run(analysis):
        labels = {tensor.name: tensor.label for tensor in analysis.model.tensors}
        return [
            (move.primitive, labels[move.tensor], ",".join(move.axes), move.times)
            for move in analysis.moves
            if move.primitive is not None
        ]

    return run


@pytest.fixture
def complaints():
    """Names of the findings of an analysis, infos and hints left out."""

    def run(analysis):
        return sorted(
            finding.name
            for finding in analysis.findings
            if catalogue.severity(finding) in ("error", "warning")
        )

    return run

"""What analysis tests share: from a spec's text to its analysis, and the figures in it."""

import pytest

from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.spec.resolve import resolve
from parspec.interpreter.spec.sources import DiskReader


@pytest.fixture
def analyzed():
    """Analyse a spec given as text."""

    def run(text, **options):
        return analyze(resolve("spec.par", text, DiskReader(), **options))

    return run


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

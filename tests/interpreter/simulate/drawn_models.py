"""Models of random specs in which the checks find nothing wrong."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

from random_specs import random_spec
from specs import analysis_of

from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.spec.model import Model


def model_of(text: str) -> Model | None:
    """The model of a spec; None if it is wrong, or padding reaches a result (which is said)."""
    analysis = analysis_of(text)
    for finding in analysis.findings:
        if catalogue.severity(finding) == "error" or finding.name == "pad_reaches_reduction":
            return None
    return analysis.model


def models(seed: int) -> Iterator[tuple[int, str, Model]]:
    """Models without end: the seed of each, its text, and itself."""
    for each in count(seed):
        text = random_spec(Random(each))
        model = model_of(text)
        if model is not None:
            yield each, text, model

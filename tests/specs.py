"""What tests of several parts share: a spec, and the way from a text to its analysis."""

from pathlib import Path

from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.resolve import resolve

MEGATRON = (Path(__file__).parent / "data" / "mlp.par").read_text("utf-8")


def analysis_of(text, file="spec.par", **options):
    """The analysis of a spec, which may import files beside it; options are those of `resolve`."""
    return analyze(resolve(file, text, DiskReader(), **options))


def analyses_of(text, file="spec.par"):
    """The analyses of a spec as it is and under each of its plans."""
    base = analysis_of(text, file)
    return [base, *(analysis_of(text, file, plan=plan) for plan in base.model.plans)]

"""A file with what checking it has found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.fixes.fixes import surest
from parspec.interpreter.output.checks.diagnostic import (
    Diagnostic,
    Offer,
    Sources,
    diagnostics,
    sources,
)


@value
class Checked:
    """The analyses of one file, the one that it is summed up by first, with their diagnostics."""

    file: str
    analyses: tuple[Analysis, ...]
    diagnostics: tuple[Diagnostic, ...]
    sources: Sources


def checked(file: str, analyses: tuple[Analysis, ...], offer: Offer = surest) -> Checked:
    """What the analyses of one file have found, with the fixes that are on offer."""
    documents = {
        name: document for analysis in analyses for name, document in analysis.model.documents
    }
    files = sources(documents.items())
    return Checked(file, analyses, diagnostics(analyses, files, offer), files)


def distinct(found: Iterable[Checked]) -> list[Diagnostic]:
    """Every diagnostic once, though several files may import the one that has it, in order."""
    unique = dict.fromkeys(diagnostic for each in found for diagnostic in each.diagnostics)
    return sorted(unique, key=lambda diagnostic: diagnostic.order)


def strict(found: Checked) -> Checked:
    """The same with every warning an error."""
    raised = tuple(
        replace(diagnostic, severity="error") if diagnostic.severity == "warning" else diagnostic
        for diagnostic in found.diagnostics
    )
    return replace(found, diagnostics=raised)

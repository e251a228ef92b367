"""From what a command line names to analyses: files, folders, standard input, sizes to try."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.findings import NOWHERE, Finding
from parspec.interpreter.spec.resolve import resolve
from parspec.interpreter.spec.sources import DiskReader, Unread, decoded, unread
from parspec.interpreter.theory.primitives import PRICE_LISTS, PriceList

STDIN = "-"
SUFFIX = ".par"
_UNNAMED = '""'  # how a file is shown whose name is empty
_READER = DiskReader()


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec by the name under which it is shown, with its text."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Unusable:
    """A file that a command was asked for and that has no text; why, as a finding and in a
    sentence."""

    file: str
    finding: Finding
    message: str


def specs(operands: Iterable[str], stdin_name: str | None) -> Iterator[Spec | Unusable]:
    """The specs that operands name, each file once: files, `-`, and those found in folders."""
    files = (file for operand in operands for file in _files(operand))
    for file in dict.fromkeys(files):
        yield spec(file, stdin_name)


def spec(operand: str, stdin_name: str | None = None) -> Spec | Unusable:
    """The spec of one file, or what standard input has (`-`)."""
    if operand == STDIN:
        file = stdin_name or "<stdin>"
        text = decoded(sys.stdin.buffer.read())
    else:
        file = operand or _UNNAMED
        text = _READER.read(operand) if operand else Unread("missing")
    return _unusable(file, text) if isinstance(text, Unread) else Spec(file, text)


def analysed(
    spec: Spec,
    plan: str | None = None,
    overrides: Mapping[str, int] | None = None,
    cost: str | None = None,
) -> Analysis:
    """A spec under one plan, with other sizes and another price list where given."""
    model = resolve(spec.file, spec.text, _READER, plan=plan, overrides=overrides or {})
    prices = _price_list(cost)
    return analyze(model if prices is None else replace(model, cost=prices))


def _price_list(name: str | None) -> PriceList | None:
    return next((prices for prices in PRICE_LISTS if prices == name), None)


def _files(operand: str) -> Iterator[str]:
    if operand == STDIN or not _is_folder(operand):
        yield operand
        return
    for folder, folders, names in os.walk(operand):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(SUFFIX) and not name.startswith("."):
                yield str(Path(folder, name))


def _is_folder(operand: str) -> bool:
    """Whether it is one that can be looked into; what is wrong with another name is told by who
    reads it."""
    try:
        return bool(operand) and Path(operand).is_dir()
    except OSError:  # a name that is too long, a folder above that is closed
        return False


def _unusable(file: str, problem: Unread) -> Unusable:
    finding = unread(problem, file, NOWHERE)
    label = f"{catalogue.severity(finding)}[{catalogue.code(finding)}]"
    return Unusable(file, finding, f"{label} {finding.name}: {catalogue.message(finding)}")


def no_plan(plan: str | None, analysis: Analysis) -> str | None:
    """A sentence where a plan was asked for that the spec does not have."""
    model = analysis.model
    if plan is None or plan in model.plans:
        return None
    has = f"it has {', '.join(model.plans)}" if model.plans else "it has none"
    return f"{model.file} has no plan {plan}; {has}"

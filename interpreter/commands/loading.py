"""From what a command line names to analyses: files, folders, standard input, sizes to try."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from parspec.grammar.keywords import normal
from parspec.grammar.values import value
from parspec.interpreter.commands.arguments import Request
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.findings import NOWHERE, Finding
from parspec.interpreter.spec.readers import DiskReader, Reader, Unread, streamed
from parspec.interpreter.spec.sources import HERE, unread
from parspec.interpreter.theory.primitives import PRICE_LISTS, PriceList

if TYPE_CHECKING:
    from parspec.interpreter.analysis.looks import Looks
    from parspec.interpreter.analysis.result import Analysis

STDIN = "-"
SUFFIX = ".par"
_UNNAMED = '""'  # how a file is shown whose name is empty
READER = DiskReader()
PLAIN = Request("", (), {})
"""A command line without options."""


@value
class Spec:
    """A spec by the name under which it is shown, with its text, and the folders beside its own
    from which it may import."""

    file: str
    text: str
    folders: tuple[Path, ...] = HERE


@value
class Unusable:
    """A file that a command was asked for and that has no text; why, as a finding and in a
    sentence."""

    file: str
    finding: Finding
    message: str


def files(operands: Iterable[str]) -> tuple[str, ...]:
    """The files that operands name, each once, by the first of its names: files as they are, `-`,
    and what folders hold below them, in the order of names. What is hidden in a folder and what
    links to folders lead to is left out; a folder that cannot be looked into stands for itself."""
    found: dict[str, str] = {}
    for operand in operands:
        for file in _files(operand):
            same = file if file == STDIN else _whole(file)
            found.setdefault(same, file)
    return tuple(found.values())


def spec(operand: str, request: Request = PLAIN, reader: Reader = READER) -> Spec | Unusable:
    """The spec of one file, or what standard input has (`-`), as a command line asks for it."""
    folders = tuple(map(Path, request.options.get("--import-from", ())))
    if operand == STDIN:
        file = request.value("--stdin-filename") or "<stdin>"
        text = streamed(sys.stdin.buffer)
    else:
        file = operand or _UNNAMED
        text = reader.read(operand) if operand else Unread("missing")
    if isinstance(text, Unread):
        return unusable(file, text)
    return Spec(file, text, (*HERE, *folders))


def asked_plans(request: Request) -> tuple[str, ...]:
    """The plans that a command line asks for, each once, in the form in which names are
    compared."""
    return tuple(dict.fromkeys(map(normal, request.options.get("--plan", ()))))


def asked_plan(request: Request) -> str | None:
    """The plan that a command line asks for, where it takes one; of several the last."""
    return next(reversed(asked_plans(request)), None)


def analysed(
    spec: Spec,
    plan: str | None = None,
    overrides: Mapping[str, int] | None = None,
    cost: str | None = None,
    reader: Reader = READER,
    looks: Looks | None = None,
) -> Analysis:
    """A spec under one plan, with other sizes and another price list where given; `looks` is what
    was found when it was looked at before."""
    from parspec.interpreter.analysis.analyze import analyze  # not for commands that only read
    from parspec.interpreter.analysis.looks import Looks
    from parspec.interpreter.spec.resolve import resolve

    looks = looks or Looks()
    sizes = overrides or {}
    model = resolve(
        spec.file,
        spec.text,
        reader,
        plan=plan,
        overrides=sizes,
        folders=spec.folders,
        known=looks.resolved,
    )
    prices = _price_list(cost)
    priced = model if prices is None else replace(model, cost=prices)
    return analyze(priced, looks.analysed(plan))


def _price_list(name: str | None) -> PriceList | None:
    return next((prices for prices in PRICE_LISTS if prices == name), None)


def _files(operand: str) -> Iterator[str]:
    if operand == STDIN or not _is_folder(operand):
        yield operand
        return
    pending = [operand]
    while pending:
        folder = pending.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:  # whoever reads it says what is wrong with it
            yield folder
            continue
        shown = [entry for entry in entries if not entry.name.startswith(".")]
        for entry in shown:
            if entry.name.endswith(SUFFIX) and not _is_folder(entry.path):
                yield str(Path(entry.path))
        pending += [entry.path for entry in reversed(shown) if entry.is_dir(follow_symlinks=False)]


def _whole(file: str) -> str:
    """The name that all names of a file have in common, but for links."""
    try:
        return os.path.normpath(Path(file).absolute())
    except FileNotFoundError:  # the working folder is gone
        return os.path.normpath(file)


def _is_folder(operand: str) -> bool:
    """Whether it is one that can be looked into; what is wrong with another name is told by who
    reads it."""
    try:
        return bool(operand) and Path(operand).is_dir()
    except OSError:  # a name that is too long, a folder above that is closed
        return False


def unusable(file: str, problem: Unread) -> Unusable:
    """A file without a text, and why."""
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

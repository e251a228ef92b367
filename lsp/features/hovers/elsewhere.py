"""Hover in a file without a mesh: what the plans of files that import it make of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from parspec.lsp.facts import Facts
from parspec.lsp.features.focus import of_file
from parspec.lsp.features.hovers.subject import Subject, first_of, in_brief, paragraph
from parspec.lsp.features.prose import Block, code
from parspec.lsp.snapshot import Snapshot


def elsewhere(
    subjects: Sequence[Subject], file: str, importers: Iterable[Snapshot]
) -> Iterator[Block]:
    """What subjects of a file come to in each file that imports it, under each plan there."""
    told = [
        f"{code(_shown(importer.file, file))}{_plan(facts)}: {brief}"
        for importer in importers
        for facts in of_file(importer)
        if facts.model.mesh.axes
        for brief in (in_brief(subject, facts) for subject in subjects)
        if brief
    ]
    if told:
        yield from paragraph("where it is imported:")
        yield first_of(told)


def _shown(importer: str, file: str) -> str:
    return PurePath(os.path.relpath(importer, PurePath(file).parent)).as_posix()


def _plan(facts: Facts) -> str:
    return f", plan {code(facts.plan)}" if facts.plan else ""

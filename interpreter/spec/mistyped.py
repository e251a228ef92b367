"""Mistyped names: an unknown name and the declared one beside it that nobody reads.

Most close names are found letter by letter where a name is read. One of two letters has too few of
them for that: `wg` is as far from `wq` as from `wk`. What tells them apart is known only in the
end: of the declared names that differ in one letter, one is read by nobody else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from parspec.interpreter.diagnostics.entry import items
from parspec.interpreter.spec.names import MOST_NAMES, unknown_but_for

if TYPE_CHECKING:
    from parspec.grammar.document import Document
    from parspec.interpreter.diagnostics.findings import Datum, Finding, Site

_SHORT = 2  # letters of a name whose closeness cannot be told letter by letter


def with_mistyped(
    findings: Iterable[Finding],
    every: Iterable[Finding],
    documents: Mapping[str, Document],
    axes: Collection[str],
) -> Iterator[Finding]:
    """The findings that are to be told of `every` one; an unknown name for which one declared name
    only can be meant says so: an axis, or a variable or a dimension that may stand there and is
    unused, of which that is then not said. Of several close names the unused come first."""
    findings = tuple(findings)
    unused = _Unused(findings, every, documents)
    told: list[Finding] = []
    meant: set[Finding] = set()
    for finding in findings:
        if finding.name != "unknown_name" or "made" in dict(finding.data):
            told.append(finding)
            continue
        beside = unused.meant_by(finding)
        close = {_name(each) for each in beside} if _kind(finding) != "axis" else set(axes)
        mended = _meaning(finding, sorted(close))
        meant.update(each for each in beside if _name(each) in _near(mended)[:1])
        told.append(mended)
    return (finding for finding in told if finding not in meant)


class _Unused:
    """What is unused: every one by kind and name, and the short names that are told, by kind."""

    def __init__(
        self, told: Iterable[Finding], every: Iterable[Finding], documents: Mapping[str, Document]
    ) -> None:
        self.documents = documents
        self.named: dict[tuple[str, str], list[Finding]] = {}
        self.short: dict[str, list[Finding]] = {}
        for finding in (each for each in every if each.name == "unused_name"):
            self.named.setdefault((_kind(finding), _name(finding)), []).append(finding)
        for finding in (each for each in told if each.name == "unused_name"):
            short = self.short.setdefault(_kind(finding), [])
            if len(_name(finding)) == _SHORT and len(short) < MOST_NAMES:
                short.append(finding)

    def meant_by(self, unknown: Finding) -> list[Finding]:
        """The unused names of the kind of an unknown one that are close to it and may stand there:
        a dimension, or a variable that is declared above it in its own body or in one around it."""
        kind = _kind(unknown)
        close = [each for near in _near(unknown) for each in self.named.get((kind, str(near)), ())]
        if not _near(unknown):
            short = self.short.get(kind, ())
            close = [each for each in short if _differ_in_a_letter(unknown, _name(each))]
        return [
            each
            for each in close
            if kind == "dimension" or _sees(unknown.site, each.site, self.documents)
        ]


def _meaning(finding: Finding, names: Collection[str]) -> Finding:
    """An unknown name with the one of some names that differs in a letter; where close ones are
    known already, with the unused among them first."""
    near = _near(finding)
    if near:
        known = _kind(finding) == "axis"
        ordered = tuple(sorted(near, key=lambda each: known or each not in names))
        if ordered == near:
            return finding
        return replace(finding, data=tuple({**dict(finding.data), "near": ordered}.items()))
    close = tuple(each for each in names if _differ_in_a_letter(finding, each))
    if len(close) != 1:
        return finding
    sites = (finding.site, *(also.site for also in finding.related))
    told = [unknown_but_for(_kind(finding), _name(finding), site, close) for site in sites]
    edits = tuple(edit for each in told for fix in each.fixes for edit in fix.edits)
    fixes = tuple(replace(fix, edits=edits) for fix in told[0].fixes)
    return replace(finding, data=told[0].data, fixes=fixes)


def _differ_in_a_letter(unknown: Finding, other: str) -> bool:
    """Axes mostly differ in their first letter (`dp`, `tp`, `ep`): that one is not mistyped."""
    name = _name(unknown)
    if not len(name) == len(other) == _SHORT:
        return False
    first, second = (a == b for a, b in zip(name.casefold(), other.casefold(), strict=True))
    return first or (second and _kind(unknown) != "axis")


def _sees(reader: Site, declared: Site, documents: Mapping[str, Document]) -> bool:
    """Does a declaration stand above a reader, in a body in which the reader stands, too?"""
    document = documents.get(reader.file)
    if document is None or declared.file != reader.file:
        return False
    around = document.paths.get(reader.chunk, ())[1:]
    inside = document.paths.get(declared.chunk, ())[1:]
    above = document.start_of(declared.chunk) < document.start_of(reader.chunk)
    return above and inside == around[len(around) - len(inside) :]


def _kind(finding: Finding) -> str:
    return str(dict(finding.data)["kind"])


def _name(finding: Finding) -> str:
    return str(dict(finding.data)["name"])


def _near(finding: Finding) -> tuple[Datum, ...]:
    return items(dict(finding.data)["near"])

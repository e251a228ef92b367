"""The catalogue: every diagnostic by name and by code, and findings turned into words.

A finding that names no entry is a bug of ours and raises KeyError.
"""

from __future__ import annotations

from parspec.interpreter.diagnostics import (
    budgets,
    communication,
    files,
    names,
    partitions,
    pipeline,
    shapes,
    syntax,
)
from parspec.interpreter.diagnostics.entry import Entry, Severity
from parspec.interpreter.diagnostics.findings import Finding

_FAMILIES = (syntax, names, shapes, partitions, communication, budgets, pipeline, files)

ENTRIES: tuple[Entry, ...] = tuple(
    sorted(
        (entry for family in _FAMILIES for entry in family.ENTRIES),
        key=lambda entry: entry.code,
    )
)

_BUDGETS = "PAR4"  # how the codes of that family begin

_BY_NAME = {entry.name: entry for entry in ENTRIES}
_BY_CODE = {entry.code: entry for entry in ENTRIES}


def entry(name_or_code: str) -> Entry:
    """The entry of this name (`indivisible`) or code (`PAR201`); KeyError where there is none."""
    found = _BY_NAME.get(name_or_code)
    return found if found is not None else _BY_CODE[name_or_code]


def code(finding: Finding) -> str:
    """The stable code, `PAR201`."""
    return _BY_NAME[finding.name].code


def severity(finding: Finding) -> Severity:
    """How much it matters; some entries let their data decide."""
    kind = _BY_NAME[finding.name]
    return kind.severity if kind.raised is None else kind.raised(dict(finding.data))


def message(finding: Finding) -> str:
    """The message: one line with the names and numbers of this finding in it."""
    return _BY_NAME[finding.name].message(dict(finding.data))


def is_budget(finding: Finding) -> bool:
    """Whether it is about an `expect` that is not kept or about memory: the plan itself is
    understood."""
    return code(finding).startswith(_BUDGETS)

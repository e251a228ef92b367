"""What the library declares, links, devices and functions, and what is said of one that a spec has
not imported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from parspec.interpreter.diagnostics.findings import Finding, Site
from parspec.interpreter.spec.library_files import library_file, library_names
from parspec.interpreter.spec.names import unknown, unknown_but_for

_ELSEWHERE: Mapping[str, str] = {"infiniband": "ib", "roce": "ib", "nvswitch": "nvlink"}
"""What others call the links of the library."""
_STATEMENTS: Mapping[str, str] = {"function": "op|block"}  # others are called as their statement
_MOST = 3  # names that may be meant


def declaring(kind: str, name: str) -> tuple[str, ...]:
    """The built-in files (`std.NAME`) that declare a device, a link or a function."""
    return tuple(file for file, names in _declared(kind).items() if name in names)


def declared_in(library: str, kind: str) -> frozenset[str]:
    """The names of the devices, links or functions that a built-in file declares."""
    return _declared(kind).get(library, frozenset())


def library_functions() -> tuple[str, ...]:
    """The names of all ops and blocks of the library."""
    return _of_library("function")


def unknown_hardware(kind: str, name: str, site: Site, declared: Iterable[str]) -> Finding:
    """`unknown_name` of a device or a link; no other is meant where the library has this one, and
    those of the library whose names it begins (`a100` of `a100_80`) before what is declared."""
    known = frozenset(declared)
    meant = _ELSEWHERE.get(name.casefold())
    if meant in known:
        return unknown_but_for(kind, name, site, (meant,))
    if declaring(kind, name):
        return unknown(kind, name, site, ())
    longer = [each for each in _of_library(kind) if each.startswith(name.casefold())]
    if longer and known.isdisjoint(longer):
        data = (("kind", kind), ("name", name), ("near", tuple(longer[:_MOST])))
        return Finding("unknown_name", site, data)
    return unknown(kind, name, site, sorted(known))


def _of_library(kind: str) -> tuple[str, ...]:
    """The names of all devices, links or functions of the library."""
    return tuple(sorted(frozenset().union(*_declared(kind).values())))


@cache
def _declared(kind: str) -> Mapping[str, frozenset[str]]:
    """The names that each built-in file declares of a kind."""
    statement = re.compile(rf"^(?:{_STATEMENTS.get(kind, kind)}) (\w+)", re.MULTILINE)
    files = [f"std.{each}" for each in library_names()]
    return {file: frozenset(statement.findall(library_file(file) or "")) for file in files}

"""The links and devices of the library, and what is said of one that a spec has not imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parspec.interpreter.diagnostics.findings import Finding, Site
from parspec.interpreter.spec.names import unknown, unknown_but_for
from parspec.interpreter.spec.sources import library_file, library_names

_ELSEWHERE: Mapping[str, str] = {"infiniband": "ib", "roce": "ib", "nvswitch": "nvlink"}
"""What others call the links of the library."""


def declaring(kind: str, name: str) -> tuple[str, ...]:
    """The built-in files (`std.NAME`) that declare a device or a link."""
    files = [f"std.{each}" for each in library_names()]
    return tuple(each for each in files if f"\n{kind} {name} " in f"\n{library_file(each)}")


def unknown_hardware(kind: str, name: str, site: Site, declared: Iterable[str]) -> Finding:
    """`unknown_name` of a device or a link; no other is meant where the library has this one."""
    known = frozenset(declared)
    meant = _ELSEWHERE.get(name.casefold())
    if meant in known:
        return unknown_but_for(kind, name, site, (meant,))
    return unknown(kind, name, site, () if declaring(kind, name) else sorted(known))

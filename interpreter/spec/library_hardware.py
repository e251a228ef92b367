"""The links and devices of the library, and what is said of one that a spec has not imported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from parspec.interpreter.diagnostics.findings import Finding, Site
from parspec.interpreter.spec.library_files import library_file, library_names
from parspec.interpreter.spec.names import unknown, unknown_but_for

_ELSEWHERE: Mapping[str, str] = {"infiniband": "ib", "roce": "ib", "nvswitch": "nvlink"}
"""What others call the links of the library."""
_MOST = 3  # names that may be meant


def declaring(kind: str, name: str) -> tuple[str, ...]:
    """The built-in files (`std.NAME`) that declare a device or a link."""
    files = [f"std.{each}" for each in library_names()]
    return tuple(each for each in files if f"\n{kind} {name} " in f"\n{library_file(each)}")


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


@cache
def _of_library(kind: str) -> tuple[str, ...]:
    """The names of all devices or links of the library."""
    texts = "\n".join(library_file(f"std.{each}") or "" for each in library_names())
    return tuple(sorted(set(re.findall(rf"^{kind} (\S+)", texts, re.MULTILINE))))

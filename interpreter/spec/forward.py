"""Forward: names of variables that are made further down than they are read.

Statements are walked in order, so to the walk such a name is unknown. Once all are walked it can be
told apart from one that nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from parspec.interpreter.diagnostics.findings import Related
from parspec.interpreter.spec.scopes import Seen

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Finding, Site
    from parspec.interpreter.spec.scopes import Scope


class _Forward:
    """The outermost scope and all inside it, once all statements are walked."""

    def __init__(self, outermost: Scope) -> None:
        self.outermost = outermost

    @cached_property
    def inner(self) -> Mapping[tuple[str, int], Scope]:
        """The scope of each statement inside a stack or a block that declares a variable, by its
        file and chunk."""
        found: dict[tuple[str, int], Scope] = {}
        pending = [*self.outermost.inner.values()]
        while pending:
            scope = pending.pop()
            for entry in scope.tensors.values():
                found.setdefault((entry.site.file, entry.site.chunk), scope)
            pending += scope.inner.values()
        return found

    def made(self, finding: Finding) -> Site | None:
        """Where a variable that was unknown when it was read is made in the end."""
        data = dict(finding.data)
        if finding.name != "unknown_name" or data["kind"] != "tensor":
            return None
        inside = self.inner.get((finding.site.file, finding.site.chunk), self.outermost)
        for scope in inside.around():
            entry = scope.tensors.get(str(data["name"]))
            if isinstance(entry, Seen) and entry.site != finding.site:
                return entry.site
        return None


def with_forward(findings: Iterable[Finding], outermost: Scope, read: set[Site]) -> list[Finding]:
    """The findings; a name that is unknown where it is read and made further down is told of as
    such, and `read`."""
    forward = _Forward(outermost)
    found = []
    for finding in findings:
        made = forward.made(finding)
        if made is not None:
            read.add(made)
            finding = _too_early(finding, made)
        found.append(finding)
    return found


def _too_early(finding: Finding, made: Site) -> Finding:
    name = dict(finding.data)["name"]
    data = (*finding.data, ("made", "below"))
    also = Related(made, f"{name} is made here")
    return replace(finding, data=data, related=(*finding.related, also), fixes=())

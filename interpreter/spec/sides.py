"""Sides: where the two sizes that do not agree are written.

A mismatch is found where a variable is read or made. What its dimensions measure stands elsewhere,
and may be edited without the statement being looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from parspec.interpreter.diagnostics.findings import Related

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Finding, Site
    from parspec.interpreter.spec.dims import Dims
    from parspec.interpreter.spec.model import Settings


def with_sides(
    findings: Iterable[Finding], dims: Dims, settings: Settings | None
) -> Iterator[Finding]:
    """The findings; those about two sizes that should be one with both places that say how large
    each is."""
    sites = {} if settings is None else dict(settings.sites)
    for finding in findings:
        if finding.name != "global_size_mismatch":
            yield finding
            continue
        data = dict(finding.data)
        sides = (data["dim"], data["size"]), (data["other"], data["other_size"])
        told = (
            Related(site, f"{name} = {size}" if size != name else f"{name} is declared here")
            for name, size in sides
            if (site := _site(str(name), dims, sites)) is not None
        )
        yield replace(finding, related=(*finding.related, *told))


def _site(name: str, dims: Dims, settings: dict[str, Site]) -> Site | None:
    """Where a dimension is declared, or else a setting is given."""
    dim = dims.find(name)
    return settings.get(name) if dim is None else dim.site

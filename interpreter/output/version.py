"""Which version of parspec this is."""

from __future__ import annotations

from importlib import metadata

UNKNOWN = "(not installed)"


def version() -> str:
    """The version that is installed."""
    try:
        return metadata.version("parspec")
    except metadata.PackageNotFoundError:
        return UNKNOWN

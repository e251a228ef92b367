"""URIs of files <-> their names on this machine.

Editors spell the same file in several ways (`file:///c%3A/a%20b.par`, `file:///C:/a b.par`); a
name is one of them, decoded. What is not a file (`untitled:Untitled-1`, `git:...`) has no name.
"""

from __future__ import annotations

import os
import re
from urllib.parse import SplitResult, quote, unquote, urlsplit

_DRIVE = re.compile(r"/[A-Za-z]:")
_SAFE = "/~!$&'()*+,;=@"  # what RFC 3986 lets stand in a path; `:` is left to drives


def posix_name(uri: str) -> str | None:
    """The name of a file on Linux or macOS; None for a URI that is not one of a file."""
    parts = _parts(uri)
    if parts is None:
        return None
    return os.path.normpath(unquote(_whole_path(parts.path, parts.query)))


def windows_name(uri: str) -> str | None:
    """The name of a file on Windows: `c:\\a b.par`, `\\\\server\\share\\a.par`; the drive is in
    lower case."""
    parts = _parts(uri)
    if parts is None:
        return None
    path = unquote(_whole_path(parts.path, parts.query))
    if parts.netloc and parts.netloc.lower() != "localhost":
        return f"//{unquote(parts.netloc)}{path}".replace("/", "\\")
    if _DRIVE.match(path):
        path = path[1].lower() + path[2:]
    return path.replace("/", "\\")


def _parts(uri: str) -> SplitResult | None:
    """The parts of the URI of a file; None for any other."""
    try:
        parts = urlsplit(uri, allow_fragments=False)
    except ValueError:  # a host in brackets that is none
        return None
    if parts.scheme.lower() != "file" or not parts.path or "\0" in unquote(uri):
        return None
    return parts


def _whole_path(path: str, query: str) -> str:
    """A path; a `?` that somebody did not quote is part of it."""
    return f"{path}?{query}" if query else path


def uri_of(name: str) -> str:
    """The URI of a file by its absolute name."""
    path = name.replace("\\", "/") if _is_windows(name) else name
    if path.startswith("//"):
        host, _, rest = path[2:].partition("/")
        return f"file://{host}/{_quoted(rest)}"
    if path[1:2] == ":" and _is_windows(name):
        return f"file:///{path[0].lower()}%3A{_quoted(path[2:])}"
    return f"file://{_quoted(path)}"


def _is_windows(name: str) -> bool:
    return bool(re.match(r"[A-Za-z]:[\\/]|\\\\", name))


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"), safe=_SAFE)


name_of = windows_name if os.name == "nt" else posix_name

"""What differs between two texts, line by line, as `diff -u` shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff

from parspec.interpreter.output.terminal.cells import safe
from parspec.interpreter.output.terminal.screen import PLAIN, Screen

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NO_END = "\n\\ No newline at end of file\n"
_ROLES = {"-": "error", "+": "good", "@": "frame"}


def diff(file: str, before: str, after: str, shown_on: Screen) -> str:
    """The changes to a file; of texts that are the same, nothing. Without colours it is a patch."""
    return "".join(_shown(line, shown_on) for line in _changes(file, before, after))


def _changes(file: str, before: str, after: str) -> Iterator[str]:
    changes = unified_diff(_LINE.findall(before), _LINE.findall(after), file, file)
    for line in changes:
        yield line if line.endswith("\n") else line + _NO_END


def _shown(line: str, shown_on: Screen) -> str:
    if shown_on.palette == PLAIN:
        return line
    role = "strong" if line.startswith(("---", "+++")) else _ROLES.get(line[0], "")
    bare = line.removesuffix("\n")
    return "\n".join(shown_on.palette.paint(role, safe(part)) for part in bare.split("\n")) + "\n"

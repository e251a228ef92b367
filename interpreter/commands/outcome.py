"""Exit codes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parspec.interpreter.output.checks.diagnostic import Diagnostic

CLEAN = 0  # no errors; perhaps warnings
ERRORS = 1  # the spec has errors
WOULD_CHANGE = 1  # a file is not in the one style
UNABLE = 2  # what was asked for could not be done
INTERRUPTED = 130  # 128 + SIGINT
READER_GONE = 141  # 128 + SIGPIPE: nobody reads the output any more


def outcome(diagnostics: Iterable[Diagnostic]) -> int:
    """The exit code of a command that ran."""
    wrong = any(diagnostic.severity == "error" for diagnostic in diagnostics)
    return ERRORS if wrong else CLEAN

"""Sentences to whoever runs a command, on standard error, where results never go."""

from __future__ import annotations

import sys

from parspec.interpreter.commands.outcome import UNABLE
from parspec.interpreter.output.terminal.cells import safe, wrapped
from parspec.interpreter.output.terminal.screen import screen


def say(message: str) -> None:
    """A sentence, within the columns of standard error."""
    for line in wrapped(safe(message), screen(sys.stderr).columns, "  "):
        print(line, file=sys.stderr)


def unable(message: str) -> int:
    """Why what was asked for cannot be done; the exit code of that."""
    say(message)
    return UNABLE

"""`check --format concise`: one line a diagnostic, as editors and `grep` read it."""

from __future__ import annotations

from collections.abc import Iterable

from parspec.interpreter.diagnostics.sharing import named
from parspec.interpreter.output.checks.diagnostic import Diagnostic
from parspec.interpreter.output.terminal.cells import safe
from parspec.interpreter.output.terminal.screen import Screen


def concise(diagnostics: Iterable[Diagnostic], screen: Screen) -> str:
    """`file:line:col: error[PAR201] message`, with the plans that it was found under."""
    return "".join(f"{_line(diagnostic, screen)}\n" for diagnostic in diagnostics)


def sentence(diagnostic: Diagnostic) -> str:
    """The message, with what it was found under."""
    names = ", ".join(named(diagnostic.under))
    told = ("without a plan" if diagnostic.without_plan else "", f"in {names}" if names else "")
    under = ", ".join(filter(None, told))
    return f"{diagnostic.message} ({under})" if under else diagnostic.message


def _line(diagnostic: Diagnostic, screen: Screen) -> str:
    start = diagnostic.place.start
    label = screen.palette.paint(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.code}]")
    where = f"{safe(diagnostic.place.file)}:{start.line}:{start.column}"
    return f"{where}: {label} {safe(sentence(diagnostic))}"

"""What is wrong with a spec, told on standard error by commands that go on to show the rest."""

from __future__ import annotations

import sys

from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.full import full
from parspec.interpreter.output.terminal.screen import screen


def tell(found: Checked) -> None:
    """The errors and warnings, each with its lines."""
    wrong = [d for d in found.diagnostics if d.severity in ("error", "warning")]
    sys.stderr.write(full(wrong, found.sources, screen(sys.stderr)))

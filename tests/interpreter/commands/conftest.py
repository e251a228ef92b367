"""Command lines that are run in a folder of their own."""

from __future__ import annotations

import pytest

from parspec.interpreter.commands import main


@pytest.fixture
def ran(folder, capsys):
    """Runs a command line: exit code, standard output, standard error."""

    def run(*words):
        code = main.main(words)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run

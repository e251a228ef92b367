"""A folder of its own for each test, and command lines that are run in it."""

from __future__ import annotations

import pytest

from parspec.interpreter.commands import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("PARSPEC_DEBUG", raising=False)
    return tmp_path


@pytest.fixture
def ran(folder, capsys):
    """Runs a command line: exit code, standard output, standard error."""

    def run(*words):
        code = main.main(words)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run

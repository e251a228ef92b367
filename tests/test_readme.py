"""The README's specs check clean and its output is what the commands print."""

import re
import shlex
from pathlib import Path

import pytest

from parspec.grammar.formatter import formatted
from parspec.interpreter.commands.commands import COMMANDS
from parspec.interpreter.commands.main import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SPECS = re.findall(r"```par\n(.*?)```", README, re.DOTALL)
EVERYWHERE = {"--import-from", "--stdio", "--tcp", "--ws", "--stdin-filename"}
CONSOLES = re.findall(r"```console\n(.*?)```", README, re.DOTALL)


def runs(block):
    """(command, what it prints) of each `$` line in a console block."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("spec", SPECS, ids=range(len(SPECS)))
def test_specs_check_clean(spec, tmp_path, capsys):
    file = tmp_path / "spec.par"
    file.write_text(spec, encoding="utf-8")
    assert main(["check", "--warn-as-error", str(file)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("spec", SPECS, ids=range(len(SPECS)))
def test_specs_are_in_the_one_style(spec):
    assert formatted(spec) == spec


def test_this_repository_is_named_at_a_branch_as_it_has_no_tags():
    assert re.findall(r"(?:rev: |OWNER/parspec\S*@)(\S+)", README) == ["main", "main"]


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_every_option_that_somebody_may_look_for_is_in_the_table(command):
    (row,) = re.findall(rf"^\| `parspec {command.name}\b.*$", README, re.MULTILINE)
    named = {option.flag for option in command.options} - EVERYWHERE
    assert {flag for flag in named if flag not in row} == set()


@pytest.mark.parametrize(("command", "printed"), [run for block in CONSOLES for run in runs(block)])
def test_output_is_real(command, printed, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")
    program, *arguments = shlex.split(command)
    assert program == "parspec"
    main(arguments)
    assert strip(capsys.readouterr().out) == strip(printed)


def strip(text):
    return [line.rstrip() for line in text.strip().splitlines()]

"""Shell completion, in the shells themselves; a shell that is not installed is skipped."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from parspec.interpreter.commands import main
from parspec.interpreter.commands.commands import COMMANDS, SHELLS
from parspec.interpreter.commands.shells.words import completed
from parspec.interpreter.explanations.index import explained

PLANS = (
    'import "more/deep.par"\nmesh N = 8\n  plan small { mesh N = 4 }\nplan large{ mesh N = 16 }\n'
)
MODEL = """\
dim Batch = 4, Wide = max(1, 2)  # one, two
axis Narrow = 2 of N
op linear(X[B, I], W[I, O]) -> Y[B, O] = X * W
layer up: h[Batch] = x
"""
SECONDS = 10


@pytest.fixture(autouse=True)
def folder(folder):
    """Two specs, one with plans, something else, and a folder."""
    Path("mlp.par").write_text(PLANS, "utf-8")
    Path("my plan.par").touch()
    Path("notes.txt").touch()
    Path("more").mkdir()
    Path("more/deep.par").write_text(MODEL, "utf-8")
    return folder


@pytest.fixture
def script(folder, capsys):
    """A file with the script for a shell, skipped where there is no such shell."""

    def write(shell):
        if shutil.which(shell) is None:
            pytest.skip(f"{shell} is not installed")
        assert main.main(["completion", shell]) == 0
        path = folder / f"completion.{shell}"
        path.write_text(capsys.readouterr().out, "utf-8")
        return path

    return write


def test_an_unknown_shell(capsys):
    assert main.main(["completion", "tcsh"]) == 2
    assert capsys.readouterr().err == "there is no completion for tcsh; there is bash, zsh, fish\n"


def test_every_word_that_is_offered_is_explained():
    words = {each.name: each.words for each in completed(COMMANDS.values())}
    assert {"All-Gather", "PAR201", "indivisible", "tensor-column"} < set(words["explain"])
    assert all(explained(word) for word in words["explain"])
    assert words["completion"] == SHELLS


CASES = [
    ("parspec che", ["check"]),
    ("parspec --v", ["--version"]),
    ("parspec check --format g", ["github", "gitlab"]),
    ("parspec check --wa", ["--warn-as-error", "--watch"]),
    ("parspec check m", ["mlp.par", "more", "my plan.par"]),
    ("parspec check more/", ["more/deep.par"]),
    ("parspec check mlp.par --plan ", ["large", "small"]),
    ("parspec report mlp.par --plan s", ["small"]),
    ("parspec report mlp.par --set ", ["Batch=", "N=", "Narrow=", "Wide="]),
    ("parspec report mlp.par --set N", ["N=", "Narrow="]),
    ("parspec tables m", ["mlp.par", "more", "my plan.par"]),
    ("parspec tables mlp.par ", ["linear", "up"]),
    ("parspec tables more/deep.par li", ["linear"]),
    ("parspec explain PAR20", [f"PAR20{n}" for n in range(1, 10)]),
    ("parspec explain tensor-c", ["tensor-column"]),
    ("parspec completion ", ["bash", "fish", "zsh"]),
]


@pytest.mark.parametrize(("line", "words"), CASES)
def test_bash(script, line, words):
    ask = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _parspec\n'
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    asked = line.split(" ")
    run = subprocess.run(
        ["bash", "--norc", "-c", ask, "bash", script("bash"), *asked],
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(run.stdout.split("\n")[:-1]) == words
    assert run.stderr == ""


@pytest.mark.parametrize(("line", "words"), CASES)
def test_fish(script, line, words):
    ask = f"source {script('fish')}; complete -C '{line}'"
    run = subprocess.run(
        ["fish", "--no-config", "-c", ask], capture_output=True, text=True, check=True
    )
    shown = sorted(each.split("\t")[0].rstrip("/") for each in run.stdout.splitlines())
    assert shown == words
    assert run.stderr == ""


class Typing:
    """A shell on a terminal."""

    def __init__(self, *command):
        self.leader, follower = pty.openpty()
        self.process = subprocess.Popen(
            command,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
            env={"PATH": os.environ["PATH"], "TERM": "dumb", "PS1": "$ ", "HOME": str(Path.cwd())},
        )
        os.close(follower)

    def type(self, text, ending):
        """What is shown until `ending` is."""
        os.write(self.leader, text.encode())
        shown = ""
        deadline = time.monotonic() + SECONDS
        while ending not in shown and time.monotonic() < deadline:
            if select.select([self.leader], [], [], 0.2)[0]:
                shown += os.read(self.leader, 4096).decode(errors="replace")
        return shown

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.leader)


SHELL_LINES = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {}; echo rea''dy\n"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u; source {}; echo rea''dy\n"),
}


@pytest.mark.parametrize("shell", SHELL_LINES)
@pytest.mark.parametrize(
    ("typed", "becomes"),
    [
        ("parspec sim\t", "parspec simulate "),
        ("parspec check --format sa\t", "check --format sarif "),
        ("parspec check --format=sa\t", "check --format=sarif "),
        ("parspec check ml\t", "check mlp.par "),
        ("parspec check mor\tde\t", "/deep.par "),
        ("parspec check mlp.par --plan la\t", "--plan large "),
        ("parspec check mlp.par --set Ba\t", "--set Batch="),
        ("parspec tables mlp.par li\t", "mlp.par linear "),
        ("parspec explain tensor-c\t", "explain tensor-column "),
    ],
)
def test_typing(script, shell, typed, becomes):
    path = script(shell)
    command, prepare = SHELL_LINES[shell]
    terminal = Typing(*command)
    try:
        assert "ready" in terminal.type(prepare.format(path), "ready")
        assert becomes in terminal.type(typed, becomes)
    finally:
        terminal.close()

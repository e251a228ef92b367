"""The command line as a whole: what it prints where, and how it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import TEXT, WRONG, write
from processes import PARSPEC, environment

from parspec.interpreter.commands import check
from parspec.interpreter.output.terminal.cells import width

pytestmark = pytest.mark.usefixtures("folder")


class TestTheRest:
    def test_help(self, ran):
        code, out, err = ran("--help")
        assert (code, err) == (0, "")
        assert "  check       what is wrong with a spec" in out
        assert ran("help", "check") == ran("check", "--help")

    def test_nothing_asked(self, ran):
        code, out, err = ran()
        assert (code, out) == (2, "")
        assert err.startswith("parspec checks parallelism plans")

    def test_version(self, ran):
        code, out, _ = ran("--version")
        assert code == 0
        assert out.startswith("parspec ")

    def test_unknown_command(self, ran):
        code, out, err = ran("chekc", "a.par")
        assert (code, out) == (2, "")
        assert err == (
            "parspec has no command chekc; did you mean check?\n"
            "usage: parspec COMMAND FILE... [options]   (parspec --help says more)\n"
        )

    def test_unknown_option(self, ran):
        code, _, err = ran("check", "--fromat", "json")
        assert code == 2
        assert err.startswith("parspec check has no option --fromat; did you mean --format?\n")
        _, _, err = ran("check", "--zzz")
        assert err.startswith("parspec check has no option --zzz; there is --format, ")
        assert all(width(line) <= 80 for line in err.splitlines())

    def test_an_error_of_ours_is_told_kindly(self, ran, monkeypatch):
        write("mlp.par", TEXT)

        def fail(*_):
            raise ZeroDivisionError("division by zero")

        monkeypatch.setattr(check, "outcome", fail)
        code, out, err = ran("check", "mlp.par")
        assert (code, out) == (2, "")
        assert err.startswith(
            "parspec made a mistake of its own (ZeroDivisionError: division by zero).\n"
        )
        assert "Traceback" not in err
        monkeypatch.setenv("PARSPEC_DEBUG", "1")
        with pytest.raises(ZeroDivisionError):
            ran("check", "mlp.par")

    def test_an_interrupt_is_quiet(self, ran, monkeypatch):
        write("mlp.par", TEXT)

        def interrupt(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(check, "outcome", interrupt)
        assert ran("check", "mlp.par") == (130, "", "")

    @pytest.mark.parametrize("settings", [{}, {"PARSPEC_DEBUG": "1"}])
    def test_an_interrupt_that_became_another_error_is_quiet(self, ran, monkeypatch, settings):
        write("mlp.par", TEXT)

        class Interrupting:
            def __set_name__(self, *_):
                raise KeyboardInterrupt

        def loading(*_):
            type("Late", (), {"part": Interrupting()})

        def clearing_up(*_):
            try:
                raise KeyboardInterrupt
            finally:
                raise OSError("it is gone")

        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        for interrupted in (loading, clearing_up):
            monkeypatch.setattr(check, "outcome", interrupted)
            assert ran("check", "mlp.par") == (130, "", "")


def process(*words, **settings):
    return subprocess.run(
        [*PARSPEC, *words], capture_output=True, env=environment(**settings), check=False
    )


def shelled(words, redirected):
    """A command of its own, with streams as a shell redirects them."""
    command = ["sh", "-c", f'exec "$@" {redirected}', "sh", *PARSPEC, *words]
    return subprocess.run(command, capture_output=True, env=environment(), check=False)


INTERRUPTED = """\
import os, signal, sys
from importlib import import_module

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, {heard})
entry = import_module("parspec.interpreter.commands.entry")
sys.meta_path.insert(0, Interrupting())
sys.argv = ["parspec", "check", "mlp.par"]
sys.exit(entry.main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
class TestInterrupts:
    """Ctrl-C while a module is looked for."""

    @pytest.fixture
    def ended(self):
        write("mlp.par", TEXT)

        def end(module, heard="signal.default_int_handler"):
            script = INTERRUPTED.format(module=module, heard=heard)
            done = subprocess.run(
                [sys.executable, "-c", script],
                capture_output=True,
                text=True,
                env=environment(),
                check=False,
            )
            return done.returncode, done.stdout.partition(":")[0], done.stderr

        return end

    def test_before_a_command_line_can_be_answered(self, ended):
        assert ended("parspec.interpreter.commands.main") == (-signal.SIGINT, "", "")
        assert ended("parspec.interpreter.output") == (-signal.SIGINT, "", "")

    def test_while_a_command_is_loaded(self, ended):
        assert ended("parspec.interpreter.commands.check") == (130, "", "")
        assert ended("parspec.grammar.parser") == (130, "", "")

    @pytest.mark.parametrize("module", ["main", "check"])
    def test_what_does_not_hear_it_goes_on(self, ended, module):
        module = f"parspec.interpreter.commands.{module}"
        assert ended(module, "signal.SIG_IGN") == (0, "mlp.par", "")


class TestProcesses:
    def test_a_pipe_is_not_coloured_unless_forced(self):
        write("mlp.par", WRONG)
        assert b"\x1b" not in process("check", "mlp.par").stdout
        assert b"\x1b" in process("check", "mlp.par", FORCE_COLOR="1").stdout
        assert b"\x1b" not in process("check", "mlp.par", FORCE_COLOR="1", NO_COLOR="1").stdout

    def test_an_output_that_cannot_be_encoded_is_escaped(self):
        write("mlp.par", TEXT)
        shown = process("report", "mlp.par", PYTHONIOENCODING="ascii")
        assert shown.returncode == 0
        assert b"\\u2212" in shown.stdout

    def test_a_reader_that_goes_away_is_not_talked_about(self):
        write("mlp.par", WRONG)
        writing = subprocess.Popen(
            [*PARSPEC, "check", "mlp.par"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        writing.stdout.close()
        assert writing.stderr.read() == b""
        writing.stderr.close()
        assert writing.wait() == 141

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has it")
    @pytest.mark.parametrize("words", [["check", "mlp.par"], ["--help"]])
    def test_an_output_without_room_is_told(self, words):
        write("mlp.par", WRONG)
        told = shelled(words, ">/dev/full")
        assert told.returncode == 2
        assert told.stderr == b"the output cannot be written: no space left on device\n"
        assert shelled(words, ">/dev/full 2>&1").returncode == 2

    @pytest.mark.skipif(sys.platform == "win32", reason="another shell")
    def test_streams_that_are_closed(self):
        write("mlp.par", TEXT)
        for closed in (">&-", "2>&-", "<&-"):
            told = shelled(["check", "mlp.par"], closed)
            assert (told.returncode, told.stderr) == (0, b"")
        assert b"<stdin>: ok" in shelled(["check", "-"], "<&-").stdout

    @pytest.mark.skipif(sys.platform == "win32", reason="a folder in use stays")
    def test_a_working_folder_that_is_gone(self, folder, monkeypatch):
        gone = folder / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()
        missing = process("check", "mlp.par")
        assert missing.returncode == 2
        assert missing.stderr == b"error[PAR601] file_not_found: there is no file mlp.par\n"
        piped = shelled(["check", "--format", "json", "-"], "</dev/null")
        assert (piped.returncode, piped.stdout[:1]) == (0, b"{")

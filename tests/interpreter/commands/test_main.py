"""The command line as a whole: what it prints where, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import TEXT, WRONG, write

from parspec.interpreter.commands import check
from parspec.interpreter.output.terminal.cells import width

pytestmark = pytest.mark.usefixtures("folder")

NEEDLESS = {
    "parspec.interpreter.commands.watch",
    "parspec.interpreter.output.checks.portable",
    "parspec.interpreter.output.checks.services",
}


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

        monkeypatch.setattr(check, "summary", fail)
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

        monkeypatch.setattr(check, "summary", interrupt)
        assert ran("check", "mlp.par") == (130, "", "")


SCRIPT = "import sys; from parspec.interpreter.commands.main import main; sys.exit(main())"


def process(*words, **settings):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **settings}
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *words], capture_output=True, env=environment, check=False
    )


def shelled(words, redirected):
    """A command of its own, with streams as a shell redirects them."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-c", SCRIPT, *words]
    return subprocess.run(command, capture_output=True, env=environment, check=False)


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
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        writing = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, "check", "mlp.par"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
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

    def test_version_and_help_import_nothing_heavy(self):
        script = (
            "import sys; from parspec.interpreter.commands.main import main; main(['--help']);"
            "print([m for m in ('rich', 'lark', 'json', 'fractions') if m in sys.modules])"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        shown = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, env=environment, check=True
        )
        assert shown.stdout.endswith(b"[]\n")

    @pytest.mark.parametrize(
        ("words", "needless"),
        [
            (["check", "mlp.par"], {"rich", *NEEDLESS}),
            (["explain", "PAR201"], {"rich", "json", "lark"}),
        ],
    )
    def test_commands_import_what_they_need(self, words, needless):
        write("mlp.par", TEXT)
        script = (
            "import sys; from parspec.interpreter.commands.main import main;"
            f"main({words}); print(sorted({needless} & set(sys.modules)))"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        shown = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, env=environment, check=True
        )
        assert shown.stdout.endswith(b"[]\n")

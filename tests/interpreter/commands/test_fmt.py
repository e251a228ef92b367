"""`parspec fmt`: what it writes, prints and answers."""

from __future__ import annotations

import io
import os
import stat
import sys
from pathlib import Path

import pytest

from parspec.interpreter.commands import fmt_files
from parspec.interpreter.commands.main import main

pytestmark = pytest.mark.usefixtures("folder")

WILD = "dim  A=1 # a\nplan p{dim B=2}\n"
TAME = "dim A = 1  # a\nplan p {\n  dim B = 2\n}\n"
DIFF = """\
--- wild.par
+++ wild.par
@@ -1,2 +1,4 @@
-dim  A=1 # a
-plan p{dim B=2}
+dim A = 1  # a
+plan p {
+  dim B = 2
+}
"""


@pytest.fixture
def ran(capfdbinary):
    """Runs `fmt`: exit code, standard output, standard error."""

    def run(*words):
        code = main(["fmt", *words])
        shown = capfdbinary.readouterr()
        return code, shown.out.decode(), shown.err.decode()

    return run


def write(name, text):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def typed(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


class TestFiles:
    def test_one_is_rewritten(self, ran):
        path = write("wild.par", WILD)
        assert ran("wild.par") == (0, "", "1 file reformatted\n")
        assert path.read_bytes().decode() == TAME
        assert ran("wild.par") == (0, "", "1 file left alone\n")

    def test_folders_are_searched(self, ran):
        write("plans/wild.par", WILD)
        write("plans/deep/wild.par", WILD)
        write("plans/tame.par", TAME)
        write("plans/notes.txt", WILD)
        assert ran("plans") == (0, "", "2 files reformatted, 1 left alone\n")
        assert Path("plans/deep/wild.par").read_text() == TAME
        assert Path("plans/notes.txt").read_text() == WILD

    def test_a_file_that_is_left_alone_is_not_written(self, ran):
        path = write("tame.par", TAME)
        os.utime(path, ns=(1, 1))
        assert ran("tame.par")[0] == 0
        assert path.stat().st_mtime_ns == 1

    def test_line_ends_and_the_byte_order_mark_stay(self, ran):
        path = write("wild.par", "\ufeff" + WILD.replace("\n", "\r\n"))
        assert ran("wild.par")[0] == 0
        assert path.read_bytes().decode() == "\ufeff" + TAME.replace("\n", "\r\n")

    @pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX")
    def test_permissions_and_links_stay(self, ran, folder):
        path = write("deep/wild.par", WILD)
        path.chmod(0o640)
        Path("link.par").symlink_to(path)
        assert ran("link.par")[0] == 0
        assert Path("link.par").is_symlink()
        assert path.read_text() == TAME
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert sorted(each.name for each in (folder / "deep").iterdir()) == ["wild.par"]

    def test_a_file_that_cannot_be_written_is_what_it_was(self, ran, monkeypatch, folder):
        def refused(*_):
            raise OSError(28, "No space left on device")

        path = write("wild.par", WILD)
        monkeypatch.setattr(fmt_files.Path, "replace", refused)
        said = "wild.par cannot be written: no space left on device\n1 file failed\n"
        assert ran("wild.par") == (2, "", said)
        assert path.read_text() == WILD
        assert [each.name for each in folder.iterdir()] == ["wild.par"]

    @pytest.mark.parametrize("step", ["chmod", "replace"])
    def test_an_interrupt_leaves_a_file_what_it_was(self, ran, monkeypatch, folder, step):
        def interrupted(*_):
            raise KeyboardInterrupt

        path = write("wild.par", WILD)
        monkeypatch.setattr(fmt_files.Path, step, interrupted)
        assert ran("wild.par") == (130, "", "")
        assert path.read_text() == WILD
        assert [each.name for each in folder.iterdir()] == ["wild.par"]

    def test_a_read_only_file_is_what_it_was(self, ran, monkeypatch):
        path = write("wild.par", WILD)
        monkeypatch.setattr(os, "access", lambda *_: False)
        said = "wild.par cannot be written: it is read-only\n1 file failed\n"
        assert ran("wild.par") == (2, "", said)
        assert path.read_text() == WILD

    def test_what_cannot_be_read_does_not_stop_the_others(self, ran):
        write("wild.par", WILD)
        Path("latin.par").write_bytes(b"dim \xff")
        code, out, err = ran("none.par", "latin.par", "wild.par")
        assert (code, out) == (2, "")
        first, *rest = err.splitlines()
        assert first.startswith("error[PAR601] file_not_found: there is no file none.par")
        assert rest == [
            "error[PAR604] not_utf8: latin.par is not UTF-8: byte 0xff at offset 4",
            "1 file reformatted, 2 failed",
        ]
        assert Path("wild.par").read_text() == TAME

    def test_a_folder_without_specs(self, ran, folder):
        (folder / "empty").mkdir()
        assert ran("empty") == (2, "", "no .par files in empty\n")


class TestSyntaxErrors:
    def test_the_rest_is_formatted_and_they_are_told(self, ran):
        path = write("wild.par", "dim  A=1\nlayr  x\ndim  B=1\n")
        code, out, err = ran("wild.par")
        assert (code, out) == (0, "")
        assert " ".join(err.split()) == (
            "wild.par: 1 statement with a syntax error stays as it is (line 2; `parspec check` "
            "says what is wrong) 1 file reformatted"
        )
        assert path.read_text() == "dim A = 1\nlayr  x\ndim B = 1\n"

    def test_many_are_counted(self, ran):
        write("wild.par", "layr x\n" * 7)
        said = " ".join(ran("wild.par")[2].split())
        assert "7 statements with syntax errors stay as they are (lines 1, 2, 3, 4, 5, ...;" in said


class TestCheck:
    def test_lists_what_would_change_and_writes_nothing(self, ran):
        path = write("wild.par", WILD)
        write("tame.par", TAME)
        assert ran("--check", ".") == (1, "wild.par\n", "1 file would change, 1 left alone\n")
        assert path.read_text() == WILD

    def test_all_in_the_style(self, ran):
        write("tame.par", TAME)
        assert ran("--check", ".") == (0, "", "1 file left alone\n")

    @pytest.mark.parametrize("option", ["--check", "--diff"])
    def test_what_has_a_syntax_error_cannot_be_judged(self, ran, option):
        write("tame.par", TAME)
        write("wrong.par", "dim A = 1\nlayr  x\n")
        code, out, err = ran(option, ".")
        assert (code, out) == (2, "")
        assert "wrong.par: 1 statement with a syntax error stays as it is (line 2;" in err
        assert err.endswith("1 file left alone, 1 with syntax errors\n")


class TestDiff:
    def test_shows_what_would_change_and_writes_nothing(self, ran):
        path = write("wild.par", WILD)
        assert ran("--diff", "wild.par") == (1, DIFF, "1 file would change\n")
        assert path.read_text() == WILD

    def test_together_with_check(self, ran):
        write("wild.par", WILD)
        assert ran("--diff", "--check", "wild.par") == (1, DIFF, "1 file would change\n")

    def test_nothing(self, ran):
        write("tame.par", TAME)
        assert ran("--diff", "tame.par") == (0, "", "1 file left alone\n")

    def test_a_last_line_without_an_end(self, ran):
        write("wild.par", "dim A")
        out = ran("--diff", "wild.par")[1]
        assert out.endswith("-dim A\n\\ No newline at end of file\n+dim A\n")

    def test_in_colours(self, ran, monkeypatch):
        monkeypatch.setenv("FORCE_COLOR", "1")
        write("wild.par", "dim  \x1cA=1\n\ndim  B\n")
        lines = ran("--diff", "wild.par")[1].splitlines()
        assert lines[0] == "\x1b[1m--- wild.par\x1b[0m"
        assert lines[2].startswith("\x1b[34m@@")
        assert "\x1b[1;31m-dim  B\x1b[0m" in lines
        assert lines[-1] == "\x1b[32m+dim B\x1b[0m"
        assert "\x1c" not in "".join(lines)


class TestStandardInput:
    def test_is_printed_in_the_style(self, ran, monkeypatch):
        typed(monkeypatch, WILD.encode())
        assert ran("-") == (0, TAME, "")

    def test_line_ends_and_the_byte_order_mark_stay(self, ran, monkeypatch):
        typed(monkeypatch, ("\ufeff" + WILD.replace("\n", "\r\n")).encode())
        assert ran("-") == (0, "\ufeff" + TAME.replace("\n", "\r\n"), "")

    def test_has_a_name(self, ran, monkeypatch):
        typed(monkeypatch, WILD.encode())
        asked = ("--check", "--stdin-filename", "new.par", "-")
        assert ran(*asked) == (1, "new.par\n", "1 file would change\n")
        typed(monkeypatch, WILD.encode())
        assert ran("--diff", "-")[1] == DIFF.replace("wild.par", "<stdin>")

    def test_what_is_no_text(self, ran, monkeypatch):
        typed(monkeypatch, b"dim \xff")
        code, out, err = ran("-")
        assert (code, out) == (2, "")
        assert err == "error[PAR604] not_utf8: <stdin> is not UTF-8: byte 0xff at offset 4\n"

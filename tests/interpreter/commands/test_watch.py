"""`check --watch`: what is kept, what is noticed, how it ends; and progress on a terminal."""

from __future__ import annotations

import os
import pty
import queue
import select
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from command_line import TEXT, write
from processes import PARSPEC, environment

from parspec.interpreter.commands import main
from parspec.interpreter.commands.watch import Cache, changes
from parspec.interpreter.spec.readers import DiskReader, Unread

pytestmark = pytest.mark.usefixtures("folder")

WRONG = TEXT.replace("x * w_up ", "x * w_upp ")
WARNED = TEXT.replace("replicated on N\nexpect traffic <= 1.2 GB\n", "\n")
MODEL = "mesh N = 8\ndim B = 64\ninput x[B] partition B on N\noutput x\n"
SECONDS = 20  # more than any step takes on a busy machine


@pytest.fixture(autouse=True)
def interruptible():
    """Processes that tests start hear Ctrl-C, also where the tests run in the background, whose
    processes do not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class TestCache:
    def test_what_is_unchanged_is_kept(self):
        write("a.par", "one")
        cache = Cache(DiskReader())
        reads = []

        def make(reader):
            reads.append(reader.read("a.par"))
            return reads[-1]

        assert cache.of("a.par", make) == cache.of("a.par", make) == "one"
        assert reads == ["one"]
        assert cache.changed() == ()
        write("a.par", "two!")
        assert cache.changed() == ("a.par",)
        assert cache.of("a.par", make) == "two!"

    def test_a_file_that_appears_or_goes_is_noticed(self):
        cache = Cache(DiskReader())

        def make(reader):
            return reader.read("late.par")

        assert isinstance(cache.of("a.par", make), Unread)
        assert cache.changed() == ()
        write("late.par", "here")
        assert cache.changed() == ("late.par",)
        assert cache.of("a.par", make) == "here"
        Path("late.par").unlink()
        assert cache.changed() == ("late.par",)

    def test_only_what_read_a_changed_file_is_made_again(self):
        write("a.par", "a")
        write("b.par", "b")
        cache = Cache(DiskReader())
        made = []

        def make(file):
            def make_it(reader):
                made.append(file)
                return reader.read(file)

            return make_it

        for _ in range(2):
            for file in ("a.par", "b.par"):
                cache.of(file, make(file))
            write("b.par", "longer")
        assert made == ["a.par", "b.par", "b.par"]
        cache.keep(["a.par"])
        assert cache.changed() == ()

    def test_a_link_that_leads_elsewhere_is_noticed(self):
        write("a.par", "same")
        write("deep/a.par", "same")
        link, again = Path("link.par"), Path("again.par")
        link.symlink_to("a.par")
        cache = Cache(DiskReader())
        made = []

        def make(reader):
            made.append(reader.real("link.par"))
            return made[-1]

        cache.of("link.par", make)
        again.symlink_to("a.par")
        again.replace(link)
        assert cache.changed() == ()
        again.symlink_to("deep/a.par")
        again.replace(link)
        assert cache.changed() == ("link.par",)
        cache.of("link.par", make)
        cache.of("link.par", make)
        assert made == [str(Path(name).resolve()) for name in ("a.par", "deep/a.par")]

    def test_files_that_are_named_anew(self):
        write("a.par", "a")
        cache = Cache(DiskReader())
        cache.of("a.par", lambda reader: reader.read("a.par"))
        assert changes(cache, lambda: ("a.par", "b.par")) == ("b.par",)


class Watching:
    """`check --watch` in a process, with its lines as they come."""

    def __init__(self, *words, folder="."):
        self.process = subprocess.Popen(
            [*PARSPEC, "check", "--watch", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            cwd=folder,
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def line(self):
        return self.lines.get(timeout=SECONDS)

    def ended(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(SECONDS)
        return code, self.process.stderr.read()


@pytest.fixture
def watching():
    started = []

    def start(*words, **options):
        started.append(Watching(*words, **options))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()
        each.process.stderr.close()


class TestWatch:
    def test_a_file_that_is_mended(self, watching):
        write("mlp.par", WRONG)
        seen = watching("--format", "concise", "mlp.par")
        assert seen.line().startswith("mlp.par:7:25: error[PAR101]")
        write("mlp.par", WARNED)
        assert seen.line() == "--- mlp.par"
        assert seen.line().startswith("mlp.par:10:8: warning[PAR301]")
        assert seen.ended() == (0, "")

    def test_an_import_and_the_last_state_is_the_exit_code(self, watching):
        write("model.par", MODEL)
        write("plan.par", 'import "model.par"\n')
        seen = watching("plan.par")
        assert seen.line().startswith("plan.par: ok")
        write("model.par", MODEL.replace("on N", "on M"))
        assert seen.line() == "--- model.par"
        assert "error[PAR101]" in seen.line()
        while seen.line() != "plan.par: 1 error":
            pass
        assert seen.ended() == (1, "")

    def test_a_missing_import_that_appears(self, watching):
        write("plan.par", 'import "model.par"\n')
        seen = watching("plan.par")
        while seen.line() != "plan.par: 1 error":
            pass
        write("model.par", MODEL)
        assert seen.line() == "--- model.par"
        assert seen.line().startswith("plan.par: ok")
        assert seen.ended() == (0, "")

    def test_an_import_that_leads_outside_and_back(self, watching):
        write("outside.par", MODEL)
        write("plans/plan.par", 'import "model.par"\n')
        model, link = Path("plans/model.par"), Path("plans/link")
        model.symlink_to("../outside.par")
        Path("here").mkdir()
        seen = watching("../plans/plan.par", folder="here")
        assert "error[PAR607]" in seen.line()
        while seen.line() != "../plans/plan.par: 1 error":
            pass
        link.write_text(MODEL)
        link.replace(model)
        assert seen.line() == "--- ../plans/model.par"
        assert seen.line().startswith("../plans/plan.par: ok")
        link.symlink_to("../outside.par")
        link.replace(model)
        assert seen.line() == "--- ../plans/model.par"
        assert "error[PAR607]" in seen.line()
        while seen.line() != "../plans/plan.par: 1 error":
            pass
        assert seen.ended() == (1, "")

    def test_a_new_file_in_a_folder(self, watching):
        write("plans/a.par", MODEL)
        seen = watching("plans")
        assert seen.line().startswith("plans/a.par: ok")
        write("plans/deep/b.par", MODEL)
        assert seen.line() == "--- plans/deep/b.par"
        assert seen.line().startswith("plans/a.par: ok")
        assert seen.line().startswith("plans/deep/b.par: ok")
        assert seen.line().startswith("2 files")
        Path("plans/a.par").unlink()
        assert seen.line() == "--- plans/a.par"
        assert seen.line().startswith("plans/deep/b.par: ok")
        assert seen.ended() == (0, "")

    def test_standard_input_does_not_change(self, capsys):
        assert main.main(["check", "--watch", "-"]) == 2
        assert "standard input is none" in capsys.readouterr().err

    def test_a_document_is_not_printed_twice(self, capsys):
        assert main.main(["check", "--watch", "--format", "sarif", "a.par"]) == 2
        assert "not as sarif" in capsys.readouterr().err


def on_a_terminal(*words):
    """What a command shows on a terminal until it waits for more than half a second."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*PARSPEC, *words],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
        env=environment(TERM="xterm"),
    )
    os.close(follower)
    return leader, process


def shown_until(leader, ending):
    shown = b""
    deadline = time.monotonic() + SECONDS
    while ending not in shown and time.monotonic() < deadline:
        if not select.select([leader], [], [], 0.1)[0]:
            continue
        try:
            shown += os.read(leader, 4096)
        except OSError:  # the other side is closed
            break
    return shown.decode()


class TestTerminal:
    def test_each_check_begins_on_an_empty_screen(self):
        write("mlp.par", TEXT)
        leader, process = on_a_terminal("check", "--watch", "mlp.par")
        try:
            first = shown_until(leader, b"Ctrl-C ends it")
            assert first.startswith("\x1b[H\x1b[2J")
            assert "mlp.par: " in first
            write("mlp.par", WRONG)
            second = shown_until(leader, b"Ctrl-C ends it")
            assert "\x1b[H\x1b[2J" in second
            assert "PAR101" in second
            process.send_signal(signal.SIGINT)
            assert "Traceback" not in shown_until(leader, b"Traceback")
            assert process.wait(SECONDS) == 1
        finally:
            process.kill()
            os.close(leader)

    def test_progress_is_shown_and_wiped(self):
        for name in ("a", "b"):
            write(f"{name}.par", TEXT)
        leader, process = on_a_terminal("check", "--format", "concise", ".")
        try:
            shown = shown_until(leader, b"never")
            assert shown == (
                "\r\x1b[2Kchecking 1 of 2: a.par\r\x1b[2Kchecking 2 of 2: b.par\r\x1b[2K"
            )
            assert process.wait(SECONDS) == 0
        finally:
            os.close(leader)

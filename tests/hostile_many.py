"""Hostile input: whatever is in a file, commands answer with a result or a diagnostic, soon.

Draws files of many kinds in equal shares, made from the examples, and has each checked, formatted
and reported or tabled. Prints for each kind how many were drawn, what came of them and the longest
time (of the processor, so that a busy machine does not count), and every draw that raised, hung or
took too long.

    python tests/hostile_many.py [--count 20000] [--seed 1] [--largest]
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from hostile_draws import FILE, KINDS, Content, Draw, Folder, Unreadable

from parspec.interpreter.commands.main import main as parspec

SOON = 2.0  # seconds of the processor
HUNG = 20  # seconds of the processor
STUCK = 300  # seconds
MEMORY = 4 * 2**30  # bytes that the process may have
STATEMENTS = 1_000_000
WHOLE = 500  # draws after which all cycles are looked for
CHECK = ("check", "--format", "json")
OTHERS = (
    ("report",),
    ("report", "--format", "json", "--all"),
    ("report", "--format", "html"),
    ("report", "--format", "markdown"),
    ("tables",),
    ("check",),
    ("check", "--format", "sarif"),
)


class Hung(BaseException):
    """A draw that takes far too long."""


class Answer(NamedTuple):
    """What a command line said: its exit code, both outputs, and what was raised, or ""."""

    code: int
    out: str
    err: str
    raised: str


@dataclass(frozen=True)
class Outcome:
    """What came of a draw: exit code of `check`, seconds of the slowest command, and what was wrong
    with an answer, or ""."""

    code: int
    seconds: float
    wrong: str


def laid(drawn: Draw, folder: Path) -> Path:
    """Writes a draw into a folder; the file that is looked at."""
    for name, content in drawn.items():
        _lay(content, folder / name)
    return folder / FILE


def _lay(content: Content, path: Path) -> None:
    match content:
        case Folder():
            path.mkdir()
        case Unreadable() if os.geteuid() == 0:
            path.symlink_to(path)
        case Unreadable():
            path.touch(0)
        case bytes():
            path.write_bytes(content)


def answered(drawn: Draw, folder: Path, draw: Random) -> Outcome:
    """Checks and formats a draw in a folder of its own, and has one more command look at it."""
    file = str(laid(drawn, folder))
    other, *options = draw.choice(OTHERS)
    lines = ((*CHECK, file), ("fmt", "--diff", file), (other, file, *options))
    code, longest = 0, 0.0
    for words in lines:
        began = time.process_time()
        answer = ran(*words)
        seconds = time.process_time() - began
        longest = max(longest, seconds)
        code = answer.code if words is lines[0] else code
        wrong = complaint(words, answer) or (f"late, {seconds:.1f} s" if seconds > SOON else "")
        if wrong:
            return Outcome(code, longest, f"{' '.join(w for w in words if w != file)}: {wrong}")
    return Outcome(code, longest, "")


def complaint(words: tuple[str, ...], answer: Answer) -> str:
    """What is wrong with an answer, "" if nothing is."""
    if answer.raised:
        return answer.raised
    if answer.code not in (0, 1, 2):
        return f"exit {answer.code}"
    if answer.code == 2 and not answer.err:
        return "exit 2 without a word"
    if "Traceback" in answer.err or "mistake of its own" in answer.err:
        return answer.err[:300]
    if words[:3] == CHECK and answer.code == 1:
        found = json.loads(answer.out)["diagnostics"]
        if not any(each["severity"] == "error" for each in found):
            return "exit 1 without an error"
    return ""


def ran(*words: str) -> Answer:
    """Runs a command line; what takes too long is stopped."""
    data = io.BytesIO()
    out, err = io.TextIOWrapper(data, "utf-8"), io.StringIO()
    code, raised = -1, ""
    signal.setitimer(signal.ITIMER_PROF, HUNG)
    signal.alarm(STUCK)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = parspec(words)
    except Hung:
        raised = "hung"
    except BaseException as error:
        raised = f"{type(error).__name__}: {error}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    out.flush()
    return Answer(code, data.getvalue().decode(), err.getvalue(), raised)


def drawn_at(number: int, seed: int) -> tuple[str, Draw, Random]:
    """The draw of a number: its kind, what it lays down, and the generator for what follows."""
    kind = list(KINDS)[number % len(KINDS)]
    draw = Random(f"{seed} {number}")
    return kind, KINDS[kind](draw), draw


def outcomes(count: int, seed: int) -> Iterator[tuple[str, int, Outcome]]:
    """Kind, number and outcome of each draw, the kinds in equal shares. Cycles are looked for
    between draws, as a command does not: it ends instead."""
    for number in range(count):
        gc.collect(2 if number % WHOLE == 0 else 0)
        kind, drawn, draw = drawn_at(number, seed)
        with tempfile.TemporaryDirectory() as folder:
            yield kind, number, answered(drawn, Path(folder), draw)


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Exceptions are seen in here, what hangs is stopped, and memory is bounded."""

    def stop(signal_number: int, frame: object) -> None:
        raise Hung

    debug, limits = os.environ.get("PARSPEC_DEBUG"), resource.getrlimit(resource.RLIMIT_AS)
    os.environ["PARSPEC_DEBUG"] = "1"
    handlers = {number: signal.signal(number, stop) for number in (signal.SIGALRM, signal.SIGPROF)}
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, limits[1]))
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        resource.setrlimit(resource.RLIMIT_AS, limits)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.environ.pop("PARSPEC_DEBUG")
        if debug is not None:
            os.environ["PARSPEC_DEBUG"] = debug


def largest() -> str:
    """Has a file of a million statements checked: what is wrong with the answer."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE
        path.write_text("".join(f"dim d{n}\n" for n in range(STATEMENTS)))
        began = time.perf_counter()
        answer = ran("check", str(path))
        seconds = time.perf_counter() - began
    print(f"{STATEMENTS} statements: exit {answer.code}, {seconds:.1f} s")
    return complaint(("check",), answer)


def main() -> int:
    """Prints counts, and every draw that is not answered as it should be; 1 then."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--largest", action="store_true", help="also a file of a million statements"
    )
    options = parser.parse_args()
    codes: dict[str, Counter[int]] = defaultdict(Counter)
    longest: dict[str, float] = defaultdict(float)
    wrong = 0
    with watched():
        for kind, number, outcome in outcomes(options.count, options.seed):
            codes[kind][outcome.code] += 1
            longest[kind] = max(longest[kind], outcome.seconds)
            if outcome.wrong:
                wrong += 1
                print(f"{kind} {number}: {outcome.wrong}", flush=True)
    print(f"{'kind':22}{'draws':>7}{'clean':>7}{'errors':>8}{'unread':>8}{'longest':>10}")
    for kind, counts in codes.items():
        clean, errors, unread = (counts[code] for code in (0, 1, 2))
        row = f"{kind:22}{counts.total():7}{clean:7}{errors:8}{unread:8}"
        print(f"{row}{longest[kind]:8.2f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{options.count} draws, {wrong} raised, hung or late; at most {peak:.0f} MiB")
    if options.largest and (late := largest()):
        print(late)
        return 1
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

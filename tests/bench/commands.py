"""What the command line and a look after an edit cost, beside other tools in the same run.

Whole processes, warm files and bytecode, median of several runs: bare Python, `ruff check` on as
many lines of Python, `yamllint` on as many lines of YAML, `parspec --version` and `parspec check`.
In one process: the analysis after one changed line in specs of 1k and 10k lines.

    pip install ruff yamllint
    python tests/bench/commands.py [--runs 5] [--edits 200] [--lines 1000 10000 100000]
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import generated

from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.analysis.looks import Looks
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.resolve import resolve

FIRST = Path(__file__).parents[2] / "examples" / "megatron_mlp.par"
PARSPEC = [sys.executable, "-m", "parspec.interpreter.commands.main"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--lines", type=int, nargs="*", default=[1000, 10_000, 100_000])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        processes(Path(folder), options.runs, options.lines)
    print()
    for lines in (1000, 10_000):
        edits(lines, options.edits)


# -- whole processes -----------------------------------------------------------------------------


def processes(folder: Path, runs: int, sizes: list[int]) -> None:
    """Prints a row for each command."""
    bare = measured([sys.executable, "-c", "pass"], runs)
    print(f"{'whole process':44}{'median':>9}{'memory':>10}{'of bare Python':>16}")
    row("python -c pass", bare, bare)
    row("parspec --version", measured([*PARSPEC, "--version"], runs), bare)
    row(f"parspec check {FIRST.name}", measured([*PARSPEC, "check", str(FIRST)], runs), bare)
    for lines in sizes:
        repeat = runs if lines <= 10_000 else 1
        for name, suffix, text in (
            ("parspec check", "par", generated.spec(lines)),
            ("ruff check --no-cache", "py", generated.python(lines)),
            ("yamllint", "yaml", generated.yaml(lines)),
        ):
            file = folder / f"generated_{lines}.{suffix}"
            file.write_text(text, "utf-8")
            program = [*PARSPEC, "check"] if suffix == "par" else command(name.split())
            shown = f"{name}, {lines:,} lines"
            if program:
                row(shown, measured([*program, str(file)], repeat), bare)
            else:
                print(f"{shown:44}{'not there':>9}")


def command(words: list[str]) -> list[str]:
    """A program beside this Python or on the path, with its arguments; [] where there is none."""
    beside = Path(sys.executable).with_name(words[0])
    found = str(beside) if beside.exists() else shutil.which(words[0])
    return [found, *words[1:]] if found else []


def measured(words: list[str], runs: int) -> tuple[float, int]:
    """The median of the seconds that a command takes, after one run that is not counted, and the
    most memory (bytes) that it had."""
    taken = []
    memory = 0
    for run in range(runs + (runs > 1)):
        began = time.perf_counter()
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, usage = waited(process)
        if run or runs == 1:
            taken.append(time.perf_counter() - began)
        memory = max(memory, usage.ru_maxrss * 1024)
    return statistics.median(taken), memory


def waited(process: subprocess.Popen[bytes]) -> tuple[int, int, resource.struct_rusage]:
    """The end of a process, with what it used."""
    ended = os.wait4(process.pid, 0)
    process.returncode = ended[1]
    return ended


def row(name: str, figures: tuple[float, int], bare: tuple[float, int]) -> None:
    seconds, memory = figures
    ratio = seconds / bare[0]
    print(f"{name:44}{seconds:7.3f} s{memory / 2**20:6.0f} MiB{ratio:15.1f}x", flush=True)


# -- one process ---------------------------------------------------------------------------------


def edits(lines: int, count: int) -> None:
    """Prints how long a look takes after random edits of each kind. Cycles are looked for between
    the looks, as the language server does while nobody waits."""
    gc.disable()
    start = generated.spec(lines)
    for name, edit in EDITS.items():
        draw = random.Random(1)
        looks = Looks()
        look(start, looks)
        gc.collect()
        gc.freeze()
        text, taken = start, []
        for _ in range(count):
            text = edit(text, draw)
            began = time.perf_counter()
            look(text, looks)
            taken.append(1000 * (time.perf_counter() - began))
            gc.collect(0)
        gc.unfreeze()
        middle, late = statistics.median(taken), sorted(taken)[int(0.95 * len(taken))]
        shown = f"{name}, {lines:,} lines"
        print(f"{shown:44}median {middle:6.1f} ms   p95 {late:6.1f} ms", flush=True)


def look(text: str, looks: Looks) -> None:
    model = resolve("generated.par", text, DiskReader(), known=looks.resolved)
    analyze(model, looks.analysed(None))


def changed_clause(text: str, draw: random.Random) -> str:
    """One layer's clause: partitioned along another dimension, or as it was."""
    return swapped(text, "partition F on tp", "partition D on tp", draw)


def changed_dim(text: str, draw: random.Random) -> str:
    """The size of a dimension that every layer uses."""
    size = 8192 + 512 * draw.randrange(1000)
    return text.replace(line_of(text, "dim D = "), f"dim D = {size}  # hidden")


def changed_comment(text: str, draw: random.Random) -> str:
    """A comment above a decoder layer."""
    return swapped(text, "# decoder layer ", "# DECODER layer ", draw)


def line_of(text: str, beginning: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(beginning))


def swapped(text: str, one: str, other: str, draw: random.Random) -> str:
    """A text in which one of two words, at a random place, is the other."""
    places = [*occurrences(text, one), *occurrences(text, other)]
    at = draw.choice(places)
    old, new = (one, other) if text.startswith(one, at) else (other, one)
    return text[:at] + new + text[at + len(old) :]


def occurrences(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


EDITS: dict[str, Callable[[str, random.Random], str]] = {
    "a layer's clause": changed_clause,
    "a dim that all layers use": changed_dim,
    "a comment": changed_comment,
}


if __name__ == "__main__":
    main()

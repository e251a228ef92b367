"""What an editor waits for: parspec's language server beside other languages' in the same run, on
generated texts of 1k and 10k lines.

    tests/bench/setup.sh TOOLS
    python tests/bench/servers.py TOOLS [--lines 1000 10000] [--edits 200] [--compared 3]

`initialize`: from the start of the process to the answer. `edit`: from an edit at a random place
to the diagnostics that are sent for it; `asked`: to those that the client asks for. `hover`: at
random places. `storm`: from the first of 30 edits that nobody waits for to the answer to a hover
behind them. `memory`: what is resident when all is done, with child processes. In brackets: how
many times parspec's, of edits those of its kind `name`, which are the others' too.
What was published after some of parspec's edits is compared with what a fresh `check` finds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from measuring import Measured, Sample, Times, measured
from subjects import Subject, subjects

PARSPEC = (sys.executable, "-m", "parspec.interpreter.commands.main")
SEVERITIES = ("error", "warning", "info", "hint")
GOAL_LINES = 10_000
COLUMNS = ("initialize", "edit", "p95", "asked", "p95", "hover p95", "storm", "memory")


def main() -> None:
    """Prints a table for each size, whether the published sets are right, and what is reached."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tools", type=Path, nargs="?", help="the folder that setup.sh has filled")
    parser.add_argument("--lines", type=int, nargs="*", default=[1000, 10_000])
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--compared", type=int, default=3, help="samples of each kind of edit")
    parser.add_argument("--only", nargs="*", help="servers by their names")
    options = parser.parse_args()
    chosen = subjects(options.tools)
    if options.only:
        chosen = [each for each in chosen if each.name in options.only]
    for lines in options.lines:
        figures = table(chosen, lines, options.edits, options.compared)
        for each in figures:
            if each.samples:
                print(comparison(each.samples), flush=True)
        if lines == GOAL_LINES:
            print("\n".join(goals(figures)))
        print(flush=True)


def table(chosen: list[Subject], lines: int, edits: int, compared: int) -> list[Measured]:
    """Measures servers one after the other; prints a row as soon as it is there."""
    print(f"{f'{lines:,} lines, {edits} edits':32}" + "".join(f"{name:>20}" for name in COLUMNS))
    figures: list[Measured] = []
    for subject in chosen:
        kept = compared if subject.name == "parspec" else 0
        figures.append(asyncio.run(measured(subject, lines, edits, kept)))
        for row in rows(figures[-1], figures[0]):
            print(row, flush=True)
    return figures


def rows(found: Measured, base: Measured) -> Iterator[str]:
    """A row for each kind of edit; what has nothing to do with edits in the first."""
    once = [
        cell(found.hover.late, base.hover.late),
        cell(found.storm, base.storm),
        memory(found.memory, base.memory),
    ]
    for number, kind in enumerate(found.edits):
        first = number == 0
        cells = [
            cell(found.initialize, base.initialize) if first else "",
            *times(found.edits[kind], first_of(base.edits)),
            *times(found.asked.get(kind), first_of(base.asked)),
            *(once if first else ()),
        ]
        name = f"{found.subject.name if first else '':22}{kind:10}"
        yield name + "".join(f"{each:>20}" for each in cells)


def first_of(kinds: Mapping[str, Times]) -> Times | None:
    return next(iter(kinds.values()), None)


def times(found: Times | None, base: Times | None) -> tuple[str, str]:
    if found is None or base is None:
        return "-", "-"
    return cell(found.middle, base.middle), cell(found.late, base.late)


def cell(seconds: float, base: float) -> str:
    return f"{1000 * seconds:.1f} ms {ratio(seconds / base)}"


def memory(size: int, base: int) -> str:
    return f"{size / 2**20:.0f} MiB {ratio(size / base)}"


def ratio(times: float) -> str:
    return f"({times:.2g}x)" if times < 10 else f"({times:.0f}x)"


# -- what was published ----------------------------------------------------------------------------


def comparison(samples: list[Sample]) -> str:
    """Whether what was published equals what a fresh process finds in the same texts."""
    wrong: Counter[str] = Counter()
    for sample in samples:
        if published(sample) != fresh(sample.text):
            wrong[sample.kind] += 1
    seen = f"{len(samples)} published sets compared with a fresh check's: "
    differing = ", ".join(f"{number} of kind {kind}" for kind, number in wrong.items())
    return seen + (f"DIFFERENT: {differing}" if wrong else "all equal")


def published(sample: Sample) -> list[tuple[object, ...]]:
    return sorted(
        (each["code"], SEVERITIES[each["severity"] - 1], each["message"], *place(each["range"], 0))
        for each in sample.published
    )


def fresh(text: str) -> list[tuple[object, ...]]:
    """The diagnostics of a text by the command."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "generated.par")
        file.write_text(text, "utf-8")
        command = [*PARSPEC, "check", "--format", "json", str(file)]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
    return sorted(
        (each["code"], each["severity"], each["message"], *place(each["range"], 1))
        for each in json.loads(said.stdout)["diagnostics"]
    )


def place(found: Mapping[str, Mapping[str, int]], first: int) -> Iterator[int]:
    """Lines and columns, counted from 0; in `found` the first ones have the number `first`."""
    for end in ("start", "end"):
        for key in ("line", "character"):
            yield found[end][key] - first


# -- goals -----------------------------------------------------------------------------------------


def goals(figures: list[Measured]) -> Iterator[str]:
    """What parspec should reach on texts of GOAL_LINES, and whether it does."""
    found = {each.subject.name: each for each in figures}
    ours, ty = found.get("parspec"), found.get("ty")
    if ours is None:
        return
    if ty is not None:
        (most,) = ty.edits.values()
        for kind, each in ours.edits.items():
            yield goal(f"edit of kind {kind}", each.middle, most.middle)
            yield goal(f"edit of kind {kind}, p95", each.late, most.late)
    yield goal("hover, p95", ours.hover.late, 0.005)
    yield goal("storm to hover", ours.storm, 0.060)
    yield goal("initialize", ours.initialize, 0.45)
    yield goal("memory", ours.memory, 120 * 2**20)


def goal(name: str, value: float, most: float) -> str:
    shown = [f"{x / 2**20:.0f} MiB" if most > 1000 else f"{1000 * x:.1f} ms" for x in (value, most)]
    verdict = "reached" if value <= most else "NOT REACHED"
    return f"  {name:28}{shown[0]:>10}, at most {shown[1]:>10}: {verdict}"


if __name__ == "__main__":
    main()

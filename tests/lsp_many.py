"""Random edits and requests, interleaved, of clients that count in utf-8, utf-16 and utf-32, send
what changed or the whole text, pull diagnostics or wait for them; files that import others, with
Chinese names, emoji and every line end.

At the end of each burst the texts of server and client are equal (formatting, tokens, answers about
places), the diagnostics are those of a fresh check, and what else is answered is what a server that
was just started answers. Prints what was compared, what differs, what was logged, and the memory.

    python tests/lsp_many.py [--count 10000] [--seed 1]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent / "lsp"))

from worlds import KINDS, World

GROWTH = 24 * 2**20  # bytes that a server may grow by once it is warm
WARM = 0.3  # the part of the bursts after which it is


def main() -> int:
    """1 where anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=10_000, help="edits and requests in all")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    steps: Counter[str] = Counter()
    compared: Counter[str] = Counter()
    wrong = 0
    began = time.perf_counter()
    for number, kind in enumerate(KINDS):
        with tempfile.TemporaryDirectory() as folder:
            world = World(kind, Path(folder).resolve(), Random(f"{options.seed} {number}"))
            world.run(-(-options.count // len(KINDS)))
        steps += world.steps
        compared += world.compared
        warm, last = world.memory[int(WARM * len(world.memory))], world.memory[-1]
        if last - warm > GROWTH:
            world.wrong.append(f"{kind}: memory grew by {(last - warm) / 2**20:.0f} MiB")
        wrong += len(world.wrong)
        print(
            f"{kind.encoding:7}{kind.sync:12}{kind.client:8}{len(world.memory):5} bursts, memory "
            f"{warm / 2**20:.0f} -> {last / 2**20:.0f} MiB, {len(world.wrong)} wrong",
            flush=True,
        )
        for each in world.wrong:
            print(each, flush=True)
    for name, counts in (("", steps), ("compared ", compared)):
        for what, number in counts.most_common():
            print(f"  {name}{what:<40}{number:>7}")
    seconds = time.perf_counter() - began
    print(f"seed {options.seed}: {seconds:.0f} s, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

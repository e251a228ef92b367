"""Formats many texts, generated, written and mutated, and holds each result against its text.

python tests/fmt_many.py --count 5000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent / "grammar"))
sys.path.insert(0, str(Path(__file__).parent / "interpreter" / "simulate"))

from formatter_reports import reported
from formatter_texts import complaints, mutated, written
from random_specs import random_spec

from parspec.grammar.formatter import formatted
from parspec.grammar.parser import parse


def main() -> int:
    """Prints counts, and the seed of every text that is not treated as it should be; 1 then."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=5000, help="texts to format")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first text")
    options = parser.parse_args()
    specs = written()
    counts: Counter[str] = Counter()
    wrong = 0
    start = time.perf_counter()
    for seed in range(options.seed, options.seed + options.count):
        file, text = drawn(Random(seed), specs)
        counts.update(kinds(text))
        found = complaints(text)
        if reported(file, text) != reported(file, formatted(text)):
            found.append("reports something else")
        if found:
            wrong += 1
            print(f"seed {seed}: {file} {', '.join(found)}")
    seconds = time.perf_counter() - start
    print(f"seed {options.seed}: {options.count} texts in {seconds:.1f} s, {wrong} wrong")
    for kind, number in counts.most_common():
        print(f"  {kind:<40}{number:>6}")
    return 1 if wrong else 0


def drawn(random: Random, specs: list[tuple[str, str]]) -> tuple[str, str]:
    """A generated or a written spec, mutated."""
    file, text = random.choice(specs) if random.random() < 0.6 else ("", random_spec(random))
    return file or "generated.par", mutated(random, text)


def kinds(text: str) -> list[str]:
    """What sort of text it is, for the counts."""
    document = parse(text)
    sorts = {
        "with syntax errors": bool(document.faulty),
        "without": not document.faulty,
        "with comments": "#" in text,
        "with line ends other than \\n": "\r" in text,
        "already in the style": not document.faulty and formatted(text) == text,
        "left alone for its syntax errors": bool(document.faulty) and formatted(text) == text,
    }
    return [sort for sort, holds in sorts.items() if holds]


if __name__ == "__main__":
    sys.exit(main())

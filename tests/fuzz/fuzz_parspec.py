"""Coverage-guided fuzzing of parser and formatter (`syntax`) or of resolve and analyze (`meaning`).

An input is a spec. Whatever it is, nothing may be raised; a formatted text is formatted alike
again, and a text that is parsed after another is as one that is parsed alone.

    python -m venv fuzzing && fuzzing/bin/pip install . atheris
    mkdir -p corpus && cp examples/*.par corpus/
    fuzzing/bin/python tests/fuzz/fuzz_parspec.py syntax corpus/ -max_total_time=300
    fuzzing/bin/python tests/fuzz/fuzz_parspec.py meaning corpus/ -max_total_time=300

What follows the target is libFuzzer's. It stops at the first input that raises or takes more than
`-timeout` seconds, and writes it to a file, which it takes instead of a corpus to run it again.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["parspec"]):
    from parspec.grammar.formatter import formatted
    from parspec.grammar.parser import parse
    from parspec.interpreter.analysis.analyze import analyze
    from parspec.interpreter.spec.readers import Reader, Unread
    from parspec.interpreter.spec.resolve import resolve

PLANS = 2  # plans of a spec that are looked at
TEXTS = [
    path.read_text("utf-8")
    for path in sorted((Path(__file__).parents[2] / "examples").glob("*.par"))
]
WORDS = [re.findall(r"\w+|\s+|[^\w\s]", text) for text in TEXTS]
LIMITS = ("-timeout=10", "-rss_limit_mb=2048", "-max_len=4096")
previous = parse("")


class NoFiles(Reader):
    """Files of which none exists."""

    def read(self, file: str) -> str | Unread:
        return Unread("missing")


def syntax(data: bytes) -> None:
    """Parses and formats a text."""
    global previous
    text = data.decode("utf-8", "replace")
    alone = parse(text)
    previous = parse(text, previous)
    assert [chunk.statement for chunk in previous.chunks] == [c.statement for c in alone.chunks]
    styled = formatted(text)
    assert formatted(styled) == styled, "formatted differently the second time"


def meaning(data: bytes) -> None:
    """Analyses a text, as it is and under its plans."""
    text = data.decode("utf-8", "replace")
    model = resolve("spec.par", text, NoFiles())
    analyze(model)
    for plan in model.plans[:PLANS]:
        analyze(resolve("spec.par", text, NoFiles(), plan=plan))


def mutated(data: bytes, most: int, seed: int) -> bytes:
    """A changed input: in its bytes, or word by word with words of the examples."""
    draw = Random(seed)
    if draw.random() < 0.3:
        changed: bytes = atheris.Mutate(data, most)
        return changed
    words = re.findall(r"\w+|\s+|[^\w\s]", data.decode("utf-8", "replace")) or [""]
    for _ in range(draw.choice((1, 1, 2, 4))):
        at = draw.randrange(len(words))
        others = draw.choice(WORDS)
        there = draw.randrange(len(others))
        count = draw.choice((1, 1, 2, 8, 40))
        match draw.randrange(5):
            case 0:
                words[at:at] = others[there : there + count]
            case 1:
                words[at : at + count] = others[there : there + count]
            case 2:
                del words[at : at + count]
                words = words or [""]
            case 3:
                words[at:at] = words[at : at + count]
            case _:
                place = draw.randrange(len(words))
                words[at], words[place] = words[place], words[at]
    return "".join(words).encode()[:most]


TARGETS: dict[str, Callable[[bytes], None]] = {"syntax": syntax, "meaning": meaning}


def main() -> None:
    program, target, *options = sys.argv
    arguments = [program, *LIMITS, *options]
    atheris.Setup(arguments, TARGETS[target], custom_mutator=mutated)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

"""An edited spec's analysis equals one that nothing is remembered for."""

import random
from pathlib import Path

import pytest
from edited_models import forget as forget_analyses

from parspec.grammar import parser

EXAMPLES = Path(__file__).parents[3] / "examples"
EDITS = 12  # for each example
PIECES = [" ", "\n", "B", "dim Q = 3\n", "partition B on N", "[", "}", "# note\n", "= 7", "*"]


def forget():
    for memory in vars(parser).values():
        if hasattr(memory, "cache_clear"):
            memory.cache_clear()
    forget_analyses()


def edited(text, choose):
    """The text with a random piece of it taken out, moved or put in."""
    start = choose.randrange(len(text))
    end = min(len(text), start + choose.choice([0, 1, 1, 3, 20]))
    piece = choose.choice([*PIECES, text[start:end]])
    return text[:start] + piece + text[end:]


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.par")), ids=lambda file: file.stem)
def test_after_random_edits(file, analyzed, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    choose = random.Random(file.stem)
    text = file.read_text(encoding="utf-8")
    for _ in range(EDITS):
        text = edited(text, choose)
        remembered = analyzed(text)
        forget()
        assert analyzed(text) == remembered

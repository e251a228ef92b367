"""A text parsed after an edit, from the document that it was before, is what it is afresh."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from parspec.grammar.document import Chunk, Document
from parspec.grammar.parser import parse
from parspec.grammar.runs import LENGTH

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.par"))
TEXTS = [path.read_text("utf-8") for path in EXAMPLES]
LONG = "".join(
    f"# block {i}\nweight w{i}[D, F]\nlayer u{i}: h{i}[B, F] = x * w{i}  partition F on tp  # up\n"
    + (f"stack s{i}[L]: x -> x {{\n    layer a{i}: x[B] = x * w\n}}\n" if i % 9 == 0 else "\n")
    for i in range(120)
)
SCRAPS = [
    *'{}[]():=,.*+#"\n ',
    *("layer", "stack s[L]: x -> y {", "}", "expect ", "no All-Gather", "\n\n", "# c\n", "// c"),
    *("dim A = 4\n", "link l {", "for *: partition B on dp\n", "laeyr", "input", "é", "\r\n"),
    *("\x85", "plan p {\n}\n"),
]


def shown(document: Document) -> object:
    """A document with everything but keys."""

    def chunk(one: Chunk) -> object:
        return one.text, one.parsed, one.note, tuple(map(chunk, one.body))

    starts = tuple(at for at, _ in document.placed())
    return document.text, document.note, starts, tuple(map(chunk, document.chunks))


def edited(text: str, draw: random.Random) -> str:
    """A text after a small random edit."""
    at = draw.randrange(len(text) + 1)
    gone = draw.choice([0, 0, 1, 1, 3, 12, 40, 200])
    put = draw.choice([draw.choice(SCRAPS), "", text[at : at + 50][: draw.randrange(51)]])
    return text[:at] + put + text[at + gone :]


@pytest.mark.parametrize("seed", range(12))
def test_parsing_after_an_edit_is_parsing_afresh(seed: int) -> None:
    draw = random.Random(seed)
    start = draw.choice([*TEXTS, LONG, LONG, LONG])
    document = parse(start)
    text = start
    for step in range(40):
        text = edited(text, draw) if step % 8 else edited(start, draw)
        document = parse(text, document)
        assert shown(document) == shown(parse(text)), (seed, step)
        keys = [each.key for each in document.every]
        assert len(set(keys)) == len(keys)
        assert all(key < document.free_key for key in keys)
        assert all(document.start_of(each.key) == at for at, each in document.placed())


def test_runs_away_from_an_edit_are_the_very_same() -> None:
    before = parse(LONG)
    after = parse(LONG.replace("# block 60\n", "# block sixty\n"), before)
    same = [run for run in after.runs if any(run is old for old in before.runs)]
    assert len(before.runs) - len(same) <= 2
    changed = [one for one in after.every if all(one is not old for old in before.every)]
    assert [one.text.split()[1] for one in changed] == ["w60[D,"]
    assert all(len(run.chunks) >= LENGTH for run in after.runs[:-1])


def test_a_text_that_has_not_changed_is_the_document_itself() -> None:
    document = parse(LONG)
    assert parse(LONG, document) is document

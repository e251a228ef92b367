"""The edits that an editor gets."""

from __future__ import annotations

from random import Random

import pytest
from formatter_texts import mutated, written

from parspec.grammar.edits import Edit, applied, edits_between
from parspec.grammar.formatter import edits, formatted, range_edits
from parspec.grammar.parser import parse

SPECS = written()
TEXT = "dim  A=1\n\n\n# above\ndim  B=2 # b\nplan p {\n    dim  C=3\n    dim  D=4\n}\n"


def test_edits_are_no_larger_than_they_have_to_be() -> None:
    assert edits(parse("dim A=1\n")) == (Edit(5, 5, " "), Edit(6, 6, " "))
    assert edits(parse("dim  A\n\n\n\ndim B")) == (
        Edit(4, 5, ""),
        Edit(8, 10, ""),
        Edit(15, 15, "\n"),
    )
    assert edits(parse("dim A\n")) == ()


def test_no_edit_divides_a_line_end() -> None:
    assert list(edits_between("a\r\nb", "a\rb")) == [Edit(1, 3, "\r")]
    assert list(edits_between("a\r\n\r\nb", "a\r\nb")) == [Edit(3, 5, "")]


@pytest.mark.parametrize("seed", range(100))
def test_edits_make_the_formatted_text(seed: int) -> None:
    random = Random(seed)
    text = mutated(random, random.choice(SPECS)[1])
    changes = edits(parse(text))
    assert applied(text, changes) == formatted(text)
    assert all(text[edit.start : edit.end] != edit.replacement for edit in changes)
    stops = [0, *(stop for edit in changes for stop in (edit.start, edit.end)), len(text)]
    assert stops == sorted(stops)


def test_a_range_concerns_the_statements_that_it_touches() -> None:
    start = TEXT.index("B")
    assert applied(TEXT, range_edits(parse(TEXT), start, start)) == TEXT.replace(
        "dim  B=2 # b", "dim B = 2  # b"
    )
    start = TEXT.index("C")
    changed = applied(TEXT, range_edits(parse(TEXT), start, TEXT.index("D") + 1))
    assert changed == TEXT.replace("    dim  C=3\n    dim  D=4", "  dim C = 3\n  dim D = 4")


def test_a_range_of_everything_is_everything() -> None:
    assert range_edits(parse(TEXT), 0, len(TEXT)) == edits(parse(TEXT))


def test_a_range_of_blank_lines_closes_them() -> None:
    start = TEXT.index("\n\n\n")
    assert applied(TEXT, range_edits(parse(TEXT), start + 1, start + 3)) == TEXT.replace(
        "\n\n\n", "\n\n"
    )


def test_a_range_of_nothing_to_do_is_nothing() -> None:
    assert range_edits(parse("dim A\ndim  B\n"), 0, 3) == ()
    assert range_edits(parse(""), 0, 0) == ()

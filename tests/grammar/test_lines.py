"""The line index against a naive count."""

import re
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.grammar.lines import Encoding, LineIndex, Position

TEXTS = st.text(alphabet="ab\n\r\u00e9\u4e2d\U0001f600\u2028\x0b\x85", max_size=40)
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


def _units(text: str, encoding: Encoding) -> int:
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    name = encoding if encoding == "utf-8" else f"{encoding}-le"
    return len(text.encode(name, "surrogatepass")) // width


def _naive(text: str, offset: int, encoding: Encoding) -> Position:
    """Split in front of the offset, but never inside a `\\r\\n`."""
    before = text[:offset]
    if before.endswith("\r") and text[offset : offset + 1] == "\n":
        before = before[:-1]
    lines = re.split(r"\r\n|\r|\n", before)
    return Position(len(lines) - 1, _units(lines[-1], encoding))


@given(TEXTS)
def test_positions_are_those_of_a_naive_count(text: str) -> None:
    index = LineIndex(text)
    for encoding in ENCODINGS:
        for offset in range(len(text) + 1):
            assert index.position(offset, encoding) == _naive(text, offset, encoding)


@given(TEXTS)
def test_offsets_and_positions_are_inverse(text: str) -> None:
    index = LineIndex(text)
    inside = re.compile(r"(?<=\r)(?=\n)")
    for encoding in ENCODINGS:
        for offset in range(len(text) + 1):
            if not inside.match(text, offset):
                assert index.offset(*index.position(offset, encoding), encoding) == offset


@given(TEXTS, st.integers(-2, 50), st.integers(-2, 50))
def test_any_position_clamps_to_a_place_on_its_line(text: str, line: int, column: int) -> None:
    index = LineIndex(text)
    for encoding in ENCODINGS:
        offset = index.offset(line, column, encoding)
        there = index.position(offset, encoding)
        assert there.line == min(max(line, 0), index.line_count - 1)
        if line < index.line_count:
            assert there.column <= max(column, 0) if line >= 0 else there.column == 0


def test_positions_out_of_range() -> None:
    index = LineIndex("ab\ncd")
    assert index.offset(0, 99, "utf-8") == 2
    assert index.offset(9, 0, "utf-8") == 5
    assert index.offset(-1, 7, "utf-8") == 0
    assert index.position(99, "utf-16") == Position(1, 2)
    assert index.position(-5, "utf-16") == Position(0, 0)


def test_a_column_inside_a_character_is_its_start() -> None:
    index = LineIndex("\U0001f600x")
    assert [index.offset(0, column, "utf-16") for column in range(4)] == [0, 0, 1, 2]
    assert [index.offset(0, column, "utf-8") for column in range(6)] == [0, 0, 0, 0, 1, 2]


@pytest.mark.parametrize("text", ["", "\n", "a\r\nb", "\x0c\x0b\x85\u2028"])
def test_line_ends(text: str) -> None:
    assert LineIndex(text).line_count == len(re.split(r"\r\n|\r|\n", text))


def test_places_count_from_one_in_code_points() -> None:
    assert LineIndex("dim\n批次 x").place(7) == Position(2, 4)


def test_lone_surrogates_have_positions() -> None:
    assert LineIndex("\ud800x").position(1, "utf-8") == Position(0, 3)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), TEXTS), max_size=6))
def test_the_index_of_an_edited_text_is_that_of_the_text(text, edits) -> None:
    with patch("parspec.grammar.lines._BLOCK", 3):
        index = LineIndex(text)
        for one, other, new in edits:
            start, end = sorted((min(one, len(text)), min(other, len(text))))
            text = text[:start] + new + text[end:]
            index = index.edited(start, end, new)
            fresh = LineIndex(text)
            assert index.line_count == fresh.line_count
            for offset in range(len(text) + 1):
                assert index.position(offset, "utf-16") == _naive(text, offset, "utf-16")
                assert index.line_of(offset) == index.position(offset, "utf-16").line
            spans = [index.line_span(line) for line in range(fresh.line_count)]
            assert spans == [fresh.line_span(line) for line in range(fresh.line_count)]


@given(TEXTS)
def test_blocks_do_not_show(text) -> None:
    with patch("parspec.grammar.lines._BLOCK", 2):
        index = LineIndex(text)
    for offset in range(len(text) + 1):
        assert index.position(offset, "utf-8") == _naive(text, offset, "utf-8")

from hypothesis import given
from hypothesis import strategies as st

from parspec.interpreter.output.terminal.cells import (
    flowed,
    glyph,
    padded,
    safe,
    shortened,
    width,
    window,
    wrapped,
)


def test_wide_characters_take_two_cells_and_combining_ones_none():
    assert width("批次") == 4
    assert width("é") == 1
    assert width("e\u0301") == 1
    assert padded("批", 4) == "批  "


def test_control_characters_are_shown_not_sent():
    assert safe("\x1b[31mred\x07") == "␛[31mred␇"
    assert glyph("\t") == "    "
    assert glyph("\x7f") == "␡"
    assert safe("a\u202eb\u200bc\ud800") == "a�b�c�"
    assert safe("Δx·批") == "Δx·批"


def test_a_window_is_the_whole_line_where_it_fits():
    assert window([1] * 10, 3, 5, 10) == (0, 10)


@given(
    st.lists(st.sampled_from([0, 1, 2, 4]), max_size=60),
    st.integers(0, 60),
    st.integers(0, 10),
    st.integers(1, 30),
)
def test_a_window_fits_and_begins_at_or_before_the_mark(widths, start, length, room):
    start = min(start, len(widths))
    first, last = window(widths, start, start + length, room)
    assert 0 <= first <= start
    assert first <= last <= len(widths)
    assert sum(widths[first:last]) <= room


def test_text_is_wrapped_at_spaces():
    assert wrapped("one two three four", 9, "  ") == ["one two", "  three", "  four"]
    assert wrapped("", 9) == [""]
    assert wrapped("such incomprehensibilities", 9) == ["such", "inco…ties"]


def test_long_names_lose_their_middle():
    assert shortened("data_parallel", 13) == "data_parallel"
    assert shortened("data_parallel", 9) == "data…llel"
    assert shortened("批次批次", 7) == "批次…次"


@given(st.text("ab批\u0301 ·", max_size=60), st.integers(9, 30), st.sampled_from(["", "  "]))
def test_no_line_is_longer_than_the_room(text, room, indent):
    assert all(width(line) <= room for line in wrapped(text, room, indent))


@given(st.lists(st.text("ab 批", min_size=1, max_size=12)), st.integers(9, 30))
def test_no_line_of_items_is_longer_than_the_room_or_begins_with_a_separator(items, room):
    for line in flowed(items, " · ", room):
        assert width(line) <= room
        assert not line.startswith("·")


def test_items_are_kept_whole_where_they_fit():
    assert flowed(["a = 1", "b = 2", "c = 3"], ", ", 13) == ["a = 1, b = 2,", "c = 3"]
    assert flowed(["one two three", "x"], ", ", 8) == ["one two", "three,", "x"]
    assert flowed([], ", ", 8) == [""]
    assert flowed(["abcd", "efgh", "i"], " · ", 11) == ["abcd ·", "efgh · i"]
    assert flowed(iter(["abcd efgh", "i"]), " · ", 9) == ["abcd", "efgh ·", "i"]

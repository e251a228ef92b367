"""Where a text is cut."""

import pytest

from parspec.grammar.splitter import MAX_DEPTH, split


def _pieces(text: str) -> list[tuple[int, str]]:
    """The pieces with their level."""
    return [(piece.level, text[piece.start : piece.end]) for piece in split(text).pieces]


def _texts(text: str) -> list[str]:
    return [piece for _, piece in _pieces(text)]


def test_newlines_mean_nothing() -> None:
    assert _texts("dim B = 4 mesh tp\n= 8\n\n  dtype bf16") == [
        "dim B = 4",
        "mesh tp\n= 8",
        "dtype bf16",
    ]


@pytest.mark.parametrize("mark", ["=", ":", "[", "(", ".", ",", ")", "]", "+", "-", "|", "<", ">"])
def test_a_starter_in_front_of_a_mark_is_no_start(mark: str) -> None:
    assert len(_texts(f"train x {{ input {mark} 4 }}")) == 1
    assert _texts(f"dim B = input # here\n {mark} 4")[0].startswith("dim B = input # here\n")


def test_a_star_exempts_all_but_for() -> None:
    assert _texts("layer a: b = input * 2") == ["layer a: b = input * 2"]
    assert _texts("cost ring for *: frozen") == ["cost ring", "for *: frozen"]


def test_dots_and_no_exempt() -> None:
    assert _texts("output decoder.input dim B") == ["output decoder.input", "dim B"]
    assert _texts("expect no communication dim B") == ["expect no communication", "dim B"]
    assert _texts("expect memory <= 2 GB per device\nlayer a: b = c") == [
        "expect memory <= 2 GB per device",
        "layer a: b = c",
    ]
    assert _texts("output per device h100 { }") == ["output per", "device h100 { }"]


def test_comments_and_strings_never_split() -> None:
    assert _texts('dim B # dim C {\nimport "dim {"\nmesh tp') == [
        "dim B # dim C {",
        'import "dim {"',
        "mesh tp",
    ]


def test_words_that_contain_starters_do_not_split() -> None:
    assert _texts("dim dims, redim, dim_, 输dim") == ["dim dims, redim, dim_, 输dim"]


def test_text_before_the_first_starter_is_a_piece() -> None:
    assert _texts("foo bar\ndim B") == ["foo bar", "dim B"]
    assert _pieces("plan p { foo dim B }") == [(0, "plan p {"), (1, "foo"), (1, "dim B")]


def test_bodies_nest_and_other_braces_stay_inside() -> None:
    text = "plan p { stack s[L]: x -> y { layer a: y = x } train adam { weight = bf16 } } dim B"
    assert _pieces(text) == [
        (0, "plan p {"),
        (1, "stack s[L]: x -> y {"),
        (2, "layer a: y = x"),
        (1, "train adam { weight = bf16 }"),
        (0, "dim B"),
    ]


def test_a_piece_ends_with_the_comment_on_its_last_line() -> None:
    assert _texts("dim B, # one\n C # two\n# above\ndim D # three") == [
        "dim B, # one\n C # two",
        "dim D # three",
    ]
    assert _texts("plan p { # header\n dim B }") == ["plan p {", "dim B"]


def test_an_open_brace_closes_before_a_starter_no_further_right() -> None:
    text = "  plan p {\n    dim B\n  dim C\n dim D"
    assert _pieces(text) == [(0, "plan p {"), (1, "dim B"), (0, "dim C"), (0, "dim D")]
    assert [piece.closed for piece in split(text).pieces] == [False, True, True, True]


def test_brackets_that_match_are_not_repaired_by_indentation() -> None:
    assert _pieces("  plan p {\ndim B\n}\ndim C") == [(0, "plan p {"), (1, "dim B"), (0, "dim C")]


def test_open_settings_close_at_the_next_statement() -> None:
    assert _texts("train adam {\n  microbatch = 1\ndim B") == [
        "train adam {\n  microbatch = 1",
        "dim B",
    ]


def test_a_pattern_that_lost_its_brace_leaves_the_body_its_own() -> None:
    assert _pieces("plan p {\n  for a.{q,k: frozen\n}\ndim B") == [
        (0, "plan p {"),
        (1, "for a.{q,k: frozen"),
        (0, "dim B"),
    ]


def test_a_header_without_its_brace_keeps_its_body() -> None:
    text = "stack s[L]: x -> y\n  layer a: y = x\n}\ndim B"
    assert _pieces(text) == [(0, "stack s[L]: x -> y"), (1, "layer a: y = x"), (0, "dim B")]


def test_a_misspelt_header_keeps_its_body() -> None:
    text = "dim B\nstak s[L]: x -> y {\n  layer a: y = x\n}"
    assert _pieces(text) == [(0, "dim B"), (0, "stak s[L]: x -> y {"), (1, "layer a: y = x")]


def test_stray_braces_are_one_piece_each_place() -> None:
    assert _texts("} }\ndim B } } foo\ndim C") == ["} }", "dim B", "} } foo", "dim C"]


def test_bodies_nested_too_deep_are_not_read() -> None:
    deep = MAX_DEPTH + 50
    text = "plan p {\n" * deep + "dim B\n" + "}\n" * deep + "dim C"
    pieces = split(text).pieces
    assert len(pieces) == MAX_DEPTH + 2
    assert [piece.shallow for piece in pieces] == [True] * MAX_DEPTH + [False, True]
    assert pieces[-1].level == 0


def test_any_number_of_statements_left_open_is_read() -> None:
    assert len(split("plan p {\n" * 5000).pieces) == 5000

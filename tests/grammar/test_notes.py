"""Which comment documents what."""

import pytest

from parspec.grammar.parser import parse


def _notes(text: str) -> dict[str, str]:
    return {name: note for chunk in parse(text).every for name, note in chunk.parsed.notes}


def _above(text: str) -> list[str]:
    return [chunk.note for chunk in parse(text).every]


def test_a_run_of_lines_directly_above_documents_a_statement() -> None:
    assert _above("dim B\n# far\n\n# one\n  ## two\nlayer a: b = c\n\n# gone\n\noutput b") == [
        "",
        "one\ntwo",
        "",
    ]


def test_only_the_first_statement_of_a_line_has_the_run_above() -> None:
    assert _above("dim A\n# note\ndim B dim C") == ["", "note", ""]


def test_a_comment_behind_something_else_is_not_part_of_a_run() -> None:
    assert _above("dim B # behind\ndim C") == ["", ""]
    assert _above("dim B # behind\n# above\ndim C") == ["", "above"]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_ends(ending: str) -> None:
    text = ending.join(("# file", "", "# above", "dim B, # one", "  C # two"))
    document = parse(text)
    assert document.note == "file"
    assert document.every[0].note == "above"
    assert document.every[0].parsed.notes == (("B", "one"), ("C", "two"))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("# one\n# two\n\ndim B", "one\ntwo"),
        ("# one\n# two\ndim B", ""),
        ("\n# one\n\ndim B", ""),
        ("# one", "one"),
        ("dim B # one\n\n", ""),
        ("# dim A = 4\n\ndim B", ""),
    ],
)
def test_the_run_on_top_documents_the_file(text: str, note: str) -> None:
    assert parse(text).note == note


def test_a_comment_behind_an_item_documents_it() -> None:
    text = "dim B = 4096,   # tokens\n    D = 8192,\n    F = 4 # feed-forward"
    assert _notes(text) == {"B": "tokens", "F": "feed-forward"}


def test_as_many_parts_as_names() -> None:
    assert _notes("dim D, F  # hidden, feed-forward") == {"D": "hidden", "F": "feed-forward"}
    assert _notes("weight a[D, Q], b[Q, D] # the adapter") == {
        "a": "the adapter",
        "b": "the adapter",
    }
    assert _notes("dim B # tokens, all of them") == {"B": "tokens, all of them"}


def test_what_comments_stand_beside() -> None:
    assert _notes("layer up: h[B] = x * w  partition B on N # column: x R, h P") == {
        "up": "column: x R, h P"
    }
    assert _notes("mesh dp = 2, # outer\n tp = 8 on h100 # inner") == {
        "dp": "outer",
        "tp": "inner",
    }
    assert _notes("device h100 {\n  memory = 80 GB # HBM3\n  flops = 9 Tflop/s\n} # a GPU") == {
        "memory": "HBM3",
        "h100": "a GPU",
    }
    assert _notes("link ib { bandwidth = 5 GB/s  latency = 5 us } # slow") == {"ib": "slow"}
    assert _notes("block f(q[B], # queries\n k[B]) -> c {\n}") == {"q": "queries"}
    assert _notes("weight a[B], b[D]\n  frozen # both") == {"a": "both", "b": "both"}
    assert _notes("layer a: b = c # inside\n  partition B on N") == {}


def test_comments_behind_headers_and_nameless_statements() -> None:
    assert _above("stack s[L]: x -> y {  # the decoder\n}") == ["the decoder"]
    assert _above("train adam { microbatch = 1 } # as published") == ["as published"]
    assert _above("# above\noutput y # behind") == ["above"]


@pytest.mark.parametrize(
    "comment",
    [
        "# layer up: h = x * w",
        "# train adam {\n#   microbatch = 1\n# }",
        "# dim B\n# dim C  # with a comment",
        "## output y",
    ],
)
def test_commented_out_code_documents_nothing(comment: str) -> None:
    assert _above(f"dim A\n{comment}\ndim D") == ["", ""]


def test_prose_around_commented_out_code_stays() -> None:
    assert _above("dim A\n# as before:\n# dim B = 4\ndim D") == ["", "as before:"]
    assert _notes("dim D # dim E") == {}


def test_prose_that_begins_with_a_keyword_stays() -> None:
    assert _notes("dim B # input of the model") == {"B": "input of the model"}

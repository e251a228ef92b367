"""Words and marks of other tools: what the language writes instead, as the mend of one fault."""

from __future__ import annotations

import pytest

from parspec.grammar.document import SyntaxFault
from parspec.grammar.parser import parse
from parspec.grammar.syntax import (
    BudgetExpect,
    DimStatement,
    ExpectStatement,
    TensorStatement,
)


def _faults(text: str) -> list[SyntaxFault]:
    return [fault for chunk in parse(text).every for fault in chunk.parsed.faults]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("expect Allreduce of y", "expect All-Reduce of y"),
        ("expect no all-reduce", "expect no All-Reduce"),
        ("expect no all_gather on tp", "expect no All-Gather on tp"),
        ("expect All-Reduces of o", "expect All-Reduce of o"),
        ("expect All Reduce of o on tp", "expect All-Reduce of o on tp"),
        ("expect reduce of y on tp", "expect Reduce of y on tp"),
        ("expect AlltoAll of y", "expect All-to-All of y"),
        ("expect o is partial on tp", "expect o is R(partial) on tp"),
        ("expect o is replicated on tp", "expect o is R on tp"),
        ("expect o is centralized on tp", "expect o is C(0) on tp"),
        ("expect traffic = 3 GB", "expect traffic == 3 GB"),
        ("expect traffic on tp =< 3 GB", "expect traffic on tp <= 3 GB"),
        ("expect mfu => 40%", "expect mfu >= 40%"),
        ("expect memory ≤ 80 GB", "expect memory <= 80 GB"),
        ("dim S = 8 // tokens", "dim S = 8 # tokens"),
        ("// a plan\ndim S = 8", "# a plan\ndim S = 8"),
        ("expect memory <= 80 GB // all", "expect memory <= 80 GB # all"),
        ("dim S = 4 Ki, D = 2", "dim S = 4Ki, D = 2"),
        ("mesh tp = 2 Ki over ib", "mesh tp = 2Ki over ib"),
        ("train adam { global_batch = 4 Ki }", "train adam { global_batch = 4Ki }"),
        (
            "train adam { global_batch = 4 Ki  zero = 1 }",
            "train adam { global_batch = 4Ki  zero = 1 }",
        ),
        ("expect traffic <= 80 G B", "expect traffic <= 80 GB"),
        ("expect traffic <= 1.5 Gi B", "expect traffic <= 1.5 GiB"),
        ("device d { memory = 80 G B  hbm = 3 TB/s }", "device d { memory = 80 GB  hbm = 3 TB/s }"),
        (
            "link n { bandwidth = 50 G B/s  latency = 5 us }",
            "link n { bandwidth = 50 GB/s  latency = 5 us }",
        ),
        ("link n { latency = 5 u s }", "link n { latency = 5 us }"),
        ("weight w[D] store on dp, v[D]", "weight w[D] store on dp\nweight v[D]"),
        ("weight w[D] frozen,\n  v[D] frozen", "weight w[D] frozen\nweight v[D] frozen"),
        (
            "input x[B] partition B on dp,y[B] partition B on dp",
            "input x[B] partition B on dp\ninput y[B] partition B on dp",
        ),
        ("cache k[B] replicated on tp, v[B]", "cache k[B] replicated on tp\ncache v[B]"),
    ],
)
def test_what_is_meant_is_the_mend(text: str, right: str) -> None:
    (fault,) = _faults(text)
    assert fault.replacement is not None
    assert text[: fault.span.start] + fault.replacement + text[fault.span.end :] == right
    assert _faults(right) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dim S = 2k", '"2k" is no number; did you mean 2Ki (2048) or 2_000?'),
        ("dim S = 1.5k", '"1.5k" is no number; did you mean 1.5Ki (1536) or 1_500?'),
        ("dim S = 4M", '"4M" is no number; did you mean 4Mi (4194304) or 4_000_000?'),
        ("dim S = 2 k", '"2 k" is no number; did you mean 2Ki (2048) or 2_000?'),
        ("dim S = 2x", '"2x" is neither a number nor a name'),
    ],
)
def test_a_short_number_may_be_either(text: str, told: str) -> None:
    (fault,) = _faults(text)
    assert (fault.message, fault.replacement) == (told, None)
    assert text[slice(*fault.span)] == told.split('"')[1]


def test_a_list_that_a_clause_has_ended_is_told_so() -> None:
    (chunk,) = parse("weight w1[D, F] partition F on dp, w2[F, D] partition F on dp").every
    (fault,) = chunk.parsed.faults
    assert fault.message == 'a clause ends the list; write "weight" again in front of "w2"'
    assert isinstance(chunk.statement, TensorStatement)
    assert [item.name.text for item in chunk.statement.items] == ["w1"]
    assert "w2" in chunk.parsed.skipped


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dim B = 512\nd", "a statement begins with a keyword"),
        ("weight w[D]\n  q", "a statement begins with a keyword"),
        ("layer a: y[B] = x * w\nl", "a statement begins with a keyword"),
        ("layer a: y[B] = x * w\n  part", '"part" cannot follow "w" here'),
        ("layer a: y[B] = x * w part", '"part" cannot follow "w" here'),
    ],
)
def test_a_word_on_a_new_line_begins_a_statement(text: str, told: str) -> None:
    (fault,) = _faults(text)
    assert fault.message.startswith(told)


def test_what_stands_in_front_of_a_comment_is_kept() -> None:
    sized, bounded = parse("dim S = 8 // tokens\nexpect memory <= 80 GB // all").every
    assert isinstance(sized.statement, DimStatement)
    assert sized.statement.items[0].name.text == "S"
    assert isinstance(bounded.statement, ExpectStatement)
    assert isinstance(bounded.statement.condition, BudgetExpect)


@pytest.mark.parametrize(
    "text",
    [
        "expect reduces is R on tp",
        "expect traffic(reduce) <= 3 GB",
        "layer a: b = x / 2",
        "train adam { microbatches = 4 weight = f32 }",
        "dim S = 4Ki unit 2",
    ],
)
def test_names_and_signs_that_are_right_stay(text: str) -> None:
    assert _faults(text) == []


def test_a_keyword_that_is_no_state_stays_one() -> None:
    (fault,) = _faults("expect o is layer on tp")
    assert fault.replacement is None

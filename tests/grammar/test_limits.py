"""Texts that would cost too much, and numbers and names at the edge of what is read."""

from __future__ import annotations

import time

import pytest

from parspec.grammar.parser import parse
from parspec.grammar.splitter import MAX_CHARACTERS, MAX_MARKS, MAX_STATEMENTS
from parspec.grammar.syntax import DimStatement, ExpectStatement, TensorStatement


def faults(text: str) -> list[str]:
    return [fault.message for chunk in parse(text).every for fault in chunk.parsed.faults]


def test_a_text_of_too_many_statements_is_refused_at_once():
    text = "dim a\n" * (10 * MAX_STATEMENTS)
    began = time.monotonic()
    document = parse(text)
    assert time.monotonic() - began < 5
    (chunk,) = document.every
    assert chunk.statement is None
    assert faults(text) == ["more than 100000 statements: none of this text is read"]


@pytest.mark.parametrize(
    ("text", "much"),
    [
        ("\n" * (MAX_MARKS + 1), f"{MAX_MARKS} lines and signs"),
        ("dim " + "a," * MAX_MARKS + "a\n", f"{MAX_MARKS} lines and signs"),
        ("{" * (MAX_MARKS + 1), f"{MAX_MARKS} lines and signs"),
        ("a" * (MAX_CHARACTERS + 1), f"{MAX_CHARACTERS} characters"),
        (" " * (MAX_CHARACTERS + 1), f"{MAX_CHARACTERS} characters"),
    ],
    ids=["lines", "names", "braces", "a name", "blanks"],
)
def test_a_text_of_too_much_is_refused_at_once(text, much):
    began = time.monotonic()
    assert faults(text) == [f"more than {much}: none of this text is read"]
    assert time.monotonic() - began < 5
    edited = parse(text, parse("dim a"))
    assert [chunk.parsed.faults for chunk in edited.every] == [
        chunk.parsed.faults for chunk in parse(text).every
    ]


def test_a_large_text_of_few_statements_is_read():
    assert faults("dim a\n" + "# a comment\n" * MAX_STATEMENTS) == []


@pytest.mark.parametrize("number", ["1_", "1__0", "1_.5"])
def test_an_underscore_stands_between_digits(number):
    assert len(faults(f"dim B = {number}")) == 1


@pytest.mark.parametrize("number", ["8_192", "1_000_000", "1_0.5"])
def test_underscores_group_digits(number):
    assert faults(f"dim B = {number}") == []


@pytest.mark.parametrize("number", ["1e400", "9" * 40, "1" + "_000" * 20])
def test_a_number_that_is_too_large_is_called_so(number):
    (message,) = faults(f"dim B = {number}")
    assert "is too large: numbers have at most 31 digits, exponents 2" in message


@pytest.mark.parametrize(
    ("first", "second"), [("e\u0301", "\u00e9"), ("\u00e9", "e\u0301"), ("か\u3099", "が")]
)
def test_a_name_is_the_same_however_its_accents_are_written(first, second):
    dim, tensor = (chunk.statement for chunk in parse(f"dim {first} = 4\ninput x[{second}]").every)
    assert isinstance(dim, DimStatement)
    assert isinstance(tensor, TensorStatement)
    assert dim.items[0].name.text == tensor.items[0].dims[0].text
    assert dim.items[0].name.span == (4, 4 + len(first))


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("expect memory per device per device <= 1 GB", "per device"),
        ("expect memory per device <= 1 GB per  device", "per  device"),
        ("expect traffic forward <= 1 GB forward", "forward"),
        ("expect traffic <= 1 GB forward backward", "backward"),
    ],
)
def test_what_narrows_an_expectation_stands_once(text, again):
    (chunk,) = parse(text).every
    (fault,) = chunk.parsed.faults
    assert text[slice(*fault.span)] == again
    assert fault.replacement == ""


@pytest.mark.parametrize(
    "text",
    [
        "expect cache <= 1 GB",
        "expect cache per device <= 1 GB",
        "expect  cache(decoder) on tp <= 1 GB",
        "expect communication <= 1 s",
        "expect communication on tp <= 1 s forward",
    ],
)
def test_words_that_begin_statements_are_figures_behind_expect(text):
    (chunk,) = parse(text).every
    assert isinstance(chunk.statement, ExpectStatement)
    assert chunk.parsed.faults == ()


def test_behind_a_half_typed_expect_statements_begin():
    kinds = [type(chunk.statement).__name__ for chunk in parse("expect\ncache k[B]").every]
    assert kinds[-1] == "TensorStatement"


@pytest.mark.parametrize(
    "text",
    [
        "dim B\ninput x[B]\noutput }",
        "dim B\nlayer }: y[B] = relu(x)\noutput y",
        "axis ep = for decoder: partition B on dp",
        "dim H = G * dim R K = 128",
        "expect All-Gather of w in for forward",
    ],
)
def test_one_confused_token_is_one_error(text):
    assert len(faults(text)) == 1

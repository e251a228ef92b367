"""Every statement form of the language: its text and the node that it becomes."""

from pathlib import Path

import pytest
from syntax_outline import outline

from parspec.grammar.keywords import BODIED
from parspec.grammar.parser import parse

_DATA = Path(__file__).parent.parent / "data"


def _forms() -> list[tuple[str, str]]:
    """Pairs of lines: a form, and indented the outline of its node."""
    blocks = (_DATA / "grammar_forms.txt").read_text("utf-8").split("\n\n")
    return [(text, node.strip()) for text, node in (block.split("\n") for block in blocks if block)]


@pytest.mark.parametrize(("text", "node"), _forms())
def test_form_becomes_its_node(text: str, node: str) -> None:
    body = "}" if text.split()[0] in BODIED else ""
    (chunk,) = parse(text + body).every
    assert chunk.parsed.faults == ()
    assert outline(chunk.statement) == node


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("8192", "8192", None),
        ("8_192", "8192", None),
        ("8Ki", "8192", None),
        ("4Mi", "4194304", None),
        ("1.25", "5/4", None),
        ("1e6", "1000000", None),
        ("80 GB", "80", "GB"),
        ("80GB", "80", "GB"),
        ("1.5KiB", "3/2", "KiB"),
        ("450 GB/s", "450", "GB/s"),
        ("400 Gbit/s", "400", "Gbit/s"),
        ("2 us", "2", "us"),
        ("989 Tflop/s", "989", "Tflop/s"),
        ("5%", "5", "%"),
        ("16 B", "16", "B"),
    ],
)
def test_quantity(text: str, value: str, unit: str | None) -> None:
    (chunk,) = parse(f"link ib {{ start = {text} }}").every
    assert chunk.parsed.faults == ()
    number = chunk.statement.settings[0].value
    assert (str(number.value), number.unit) == (value, unit)


def test_unit_letters_in_front_of_an_equals_sign_are_a_setting() -> None:
    (chunk,) = parse("train { microbatches = 4 B = 2 s = 3 }").every
    settings = chunk.statement.settings
    assert [(setting.key.text, setting.value.unit) for setting in settings] == [
        ("microbatches", None),
        ("B", None),
        ("s", None),
    ]


def test_names_may_be_unicode() -> None:
    (chunk,) = parse("dim 批次 = 4, Δx").every
    assert outline(chunk.statement) == (
        "DimStatement(items=[DimItem(name=批次 size=4), DimItem(name=Δx)])"
    )


def test_contextual_words_are_names() -> None:
    words = "unit padded uneven fused zigzag ring rest top as to masked per forward backward update"
    for word in words.split():
        text = f"layer {word}: {word}[{word}] = {word} * {word}({word}) partition {word} on {word}"
        (chunk,) = parse(text).every
        assert chunk.parsed.faults == (), word


def test_brackets_widen_what_they_group() -> None:
    (chunk,) = parse("dim A = (B + 2) * 3").every
    size = chunk.statement.items[0].size
    assert chunk.text[slice(*size.left.span)] == "(B + 2)"
    assert chunk.text[slice(*size.span)] == "(B + 2) * 3"


@pytest.mark.parametrize("pattern", ["{q,k}", "a.{q, k}", "{a, b}.q", "*", "a.*"])
def test_a_pattern_spans_all_of_its_text(pattern: str) -> None:
    text = f"for {pattern}: replicated on tp"
    (chunk,) = parse(text).every
    (spanned,) = chunk.statement.patterns
    assert text[slice(*spanned.span)] == pattern

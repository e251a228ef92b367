"""Hovers on words of the language, on what is expected, and where there is little to say."""

import pytest
from hover_fixtures import MLP, shown, with_mark
from lsp_fixtures import at_cursor

from parspec.lsp.features.hover import hover
from parspec.lsp.features.prose import plain


@pytest.mark.parametrize(
    ("word", "mark", "first"),
    [
        ("partition F", "‸partition F", "**partition** (clause)"),
        ("layer up", "‸layer up", "**layer** (statement)"),
        ("gelu", "g‸elu", "**gelu** (function)"),
        ("replicated", "replicated‸", "**replicated** (clause)"),
    ],
)
def test_words(word, mark, first):
    assert shown(with_mark(MLP, word, mark)).startswith(first)


@pytest.mark.parametrize(
    ("statement", "first"),
    [
        ("dtype ‸bf16", "**element types** (unit)"),
        ("train adam { ‸zero = 1 }", "**zero** (setting)"),
        ("train ‸adam { zero = 1 }", "**train** (statement)"),
        ("train adam { schedule = ‸1f1b }", "**schedule** (setting)"),
        ("cost ‸ring", "**ring** (price list)"),
        ("link a { bandwidth = 1 ‸GB/s }", "**bytes a second** (unit)"),
        ("link a { ‸latency = 1 us }", "**latency** (setting)"),
    ],
)
def test_words_of_settings(statement, first):
    assert shown(statement + "\n").startswith(first)


@pytest.mark.parametrize(
    ("word", "mark", "first"),
    [
        ("x * w_up", "x ‸* w_up", "**`*`** (mark)"),
        ("x * w_up", "x *‸ w_up", "**`*`** (mark)"),
        ("gelu(h)", "gelu(h) ‸+ h", "**`+`** (mark)"),
        ("F = 28672", "F = 7 ‸* 4096", "**`*`** (mark)"),
    ],
)
def test_marks(word, mark, first):
    assert shown(with_mark(MLP, word, mark)).startswith(first)


def test_the_arrow_of_a_stack_and_of_a_block():
    text = "stack deep[L]: x ‸-> y {\n}\n"
    assert shown(text).startswith("**`->`** (mark)\nWhat goes in stands before it")
    assert shown(text.replace("stack deep[L]: x", "block deep(x[L])")).startswith("**`->`** (mark)")


def test_a_mark_in_a_comment_is_none():
    snapshot, offset = at_cursor("dim B = 4  # twice * four‸ * eight\n")
    assert hover(snapshot, offset) is None
    snapshot, offset = at_cursor("dim B = 4  # twice ‸* four\n")
    assert hover(snapshot, offset) is None


def test_a_pattern_is_no_product():
    assert shown(f"{MLP}for ‸*: partition B on N\n").startswith("```par\nfor *\n```")


def test_on_is_of_clauses_or_of_the_devices_of_a_mesh():
    assert shown(with_mark(MLP, "F on N", "F ‸on N")).startswith("**on** (clause)")
    mesh = shown("import std.h100\nmesh tp = 8 over nvlink ‸on 8 h100\n")
    assert mesh.startswith("**mesh** (statement)") and "`on 32 h100` says how many" in mesh


def test_expect_shows_the_real_value():
    told = "```par\nexpect traffic <= 1.2 GB\n```\n\n**holds** · 1.06 GB"
    assert shown(with_mark(MLP, "1.2 GB", "1.‸2 GB")) == told
    assert shown(with_mark(MLP, "expect traffic", "expect ‸traffic")).startswith(told)


def test_failed_expect():
    source = with_mark(MLP, "expect traffic <= 1.2 GB", "‸expect traffic <= 1 GB")
    assert shown(source).split("\n\n")[1] == "**fails** · 1.06 GB"


def test_primitive_with_what_it_moves():
    source = MLP + "expect All‸-Reduce of y on N\n"
    text = shown(source)
    assert text.startswith("```par\nexpect All-Reduce of y on N\n```\n\n**holds**")
    assert "**All-Reduce** (primitive)" in text
    assert "in this plan: **1.06 GB · 117 MB/device**" in text


def test_a_broken_statement_keeps_what_is_known():
    source = MLP.replace("partition F on N  # row", "partition F onn N")
    assert "operands and result" in shown(with_mark(source, "layer down", "layer ‸down"))
    assert "**`P(F)`** on `N`" in shown(with_mark(source, "a * w_down", "a * ‸w_down"))
    assert "split on" in shown(with_mark(source, "F onn", "‸F onn"))
    assert "tensor, column" in shown(with_mark(source, "layer up", "layer ‸up"))


@pytest.mark.parametrize(
    "source", ["‸", "\n‸\n", "# a com‸ment\n", "dim B = 4\n\n\n‸", "‸@@@\n", "layer ‸"]
)
def test_where_nothing_is_nothing_is_said(source):
    snapshot, offset = at_cursor(source)
    found = hover(snapshot, offset)
    assert found is None or plain(found.blocks)

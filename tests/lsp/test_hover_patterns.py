"""Hovers in the patterns of `for`: what they match, and what their clauses come to."""

import pytest
from hover_fixtures import MODEL, STACK, TWO_PLANS, marked, shown


def with_pattern(pattern):
    return STACK.replace("for *: partition B on dp", pattern)


def hovered(pattern):
    """The beginning of the hover at the mark in a `for` statement, up to what it leads to."""
    return shown(with_pattern(pattern)).split("\n\n```par")[0]


def test_a_pattern_tells_what_it_matches():
    assert (
        hovered("for ‸*: partition B on dp, F on tp")
        == """\
```par
for *
```

matches **3 layers** (`decoder.mlp.up` `decoder.mlp.down` `decoder.res`)

- `B on dp`: all of these layers
- `F on tp`: none: another clause says otherwise, or the dimension is missing"""
    )


def test_an_alternative_of_a_pattern_tells_what_it_matches():
    pattern = "for decoder.{mlp,‸res}: partition B on dp"
    assert (
        hovered(pattern)
        == """\
```par
for decoder.res
```

matches **1 layer** (`decoder.res`)

- `B on dp`: all of these layers"""
    )
    assert (
        hovered(pattern.replace("‸", "").replace(".", "‸."))
        == """\
```par
for decoder.{mlp,res}
```

matches **3 layers** (`decoder.mlp.up` `decoder.mlp.down` `decoder.res`)

- `B on dp`: all of these layers"""
    )


def test_what_a_pattern_names_is_told_below():
    text = shown(with_pattern("for deco‸der: partition B on dp"))
    assert text.startswith(
        "```par\nfor decoder\n```\n\nmatches **3 layers** "
        "(`decoder.mlp.up` `decoder.mlp.down` `decoder.res`), **1 stack** (`decoder`)\n"
    )
    assert "```par\nstack decoder[L]: x -> r\n```\n\nThe body, again and again." in text


def test_a_pattern_of_weights_tells_which():
    assert hovered("for decoder.‸*: store on dp").endswith(
        "`decoder.res`), **2 weights** (`decoder.mlp.up` `decoder.mlp.down`)\n\n"
        "- `store on dp`: **2 weights** (`decoder.mlp.up` `decoder.mlp.down`)"
    )


@pytest.mark.parametrize("pattern", ["de‸code", "*.{mlp,‸nix}", "decoder.res.‸*"])
def test_a_pattern_that_matches_nothing(pattern):
    text = hovered(f"for {pattern}: partition B on dp")
    assert text.endswith("\n```\n\nmatches **nothing**")


def test_a_pattern_under_several_plans():
    assert shown(MODEL + TWO_PLANS + "for ‸*: recompute\n") == (
        "```par\nfor *\n```\n\n- `row`, `data`: matches **2 layers** (`up` `down`)"
    )


def test_the_range_in_a_pattern():
    assert marked("layer q: h = x\nfor {q,‸nix}, r: recompute") == (
        "for {q,nix}, r: recompute\n       ^^^ for nix"
    )
    assert marked("layer q: h = x\nfor de.‸{q,nix}, r: recompute") == (
        "for de.{q,nix}, r: recompute\n    ^^^^^^^^^^ for de.{q,nix}"
    )

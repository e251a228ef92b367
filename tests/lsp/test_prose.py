"""Prose: blocks as markdown and as plain text."""

import pytest

from parspec.lsp.features.prose import Code, Items, Lines, Table, code, lines, markdown, note, plain


def test_markdown():
    blocks = (
        Code("dim B = 4"),
        lines("**4**", "", "`B`"),
        Items(("one\nmore", "two")),
        Table(("", "N"), (("x", "P(B)"), ("批次", "R"))),
        Table(("a", "b"), (("x", "1"), ("y", "10")), 1),
        Table(("a",), ()),
        Lines(()),
    )
    assert (
        markdown(blocks).replace("  \n", "↵\n")
        == """\
```par
dim B = 4
```

**4**↵
`B`

- one↵
  more
- two

|      | N    |
| ---- | ---- |
| x    | P(B) |
| 批次 | R    |

| a   |   b |
| --- | --: |
| x   |   1 |
| y   |  10 |"""
    )


def test_plain():
    blocks = (
        Code("dim B = 4"),
        lines("**4**", code("B")),
        Items(("one\nmore",)),
        Table(("", "N"), (("x", "P(B)"), ("批次", "R"))),
    )
    assert (
        plain(blocks)
        == """\
dim B = 4

4
B

- one
  more

      N
x     P(B)
批次  R"""
    )


@pytest.mark.parametrize(
    ("comment", "shown"),
    [
        ("column -> row, x * y", "column -> row, x * y"),
        ("*really* _so_ w_up", "\\*really\\* \\_so\\_ w_up"),
        ("<b> a < b <= c", "\\<b> a < b <= c"),
        ("[a](b) x[B, D]", "[a]\\(b) x[B, D]"),
        ("see `x_` and `", "see `x_` and \\`"),
        ("# no heading", "\\# no heading"),
        ("- no list\n---", "\\- no list  \n\\---"),
        ("&amp; &", "\\&amp; &"),
    ],
)
def test_comments_are_no_markup(comment, shown):
    assert markdown([note(comment)]) == shown
    assert plain([note(comment)]) == comment.replace("`x_`", "x_")


def test_names_with_backquotes_stay_code():
    assert code("a`b") == "`` a`b ``"
    assert markdown([Code("a ``` b")]) == "````par\na ``` b\n````"

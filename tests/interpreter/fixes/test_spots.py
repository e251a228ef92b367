"""Statements where they are written: edits that leave what is around them as it is."""

import pytest

from parspec.grammar.syntax import MeshStatement
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.fixes.spots import every, last, of_type, spot
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.resolve import resolve

FILE = "spec.par"
TEXT = """\
# sizes
dim B = 4, D = 4, L = 2  # tokens, hidden, layers
mesh N = 2, M = 2
input x[B, D]

# all turns
stack s[L]: x -> y partition L on M {
  layer a: h[B, D] = gelu(x)   partition B on N, D on M  # the "first" one
  layer b: y[B, D] = silu(h)
  # the last comment
}
output y
expect y is P(B) on N"""


def read(text):
    return resolve(FILE, text, DiskReader())


def statement(beginning, text=TEXT):
    return next(one for one in every(FILE, read(text)) if one.chunk.text.startswith(beginning))


def made(edit, text=TEXT):
    """The text with an edit."""
    model = read(text)
    start = dict(model.documents)[FILE].start_of(edit.site.chunk)
    begin, end = start + edit.site.span.start, start + edit.site.span.end
    return text[:begin] + edit.text + text[end:]


def changed(edit, text=TEXT):
    """The lines that are only in the text before, and only in the text after, an edit."""
    before, after = text.splitlines(), made(edit, text).splitlines()
    return [x for x in before if x not in after], [x for x in after if x not in before]


def test_statements_are_found_with_what_is_around_them():
    layer = statement("layer b")
    again = spot(layer.site(layer.clauses[0].span if layer.clauses else (0, 0)), read(TEXT))
    assert again.chunk.text == layer.chunk.text
    assert [each.text.split()[0] for each in layer.around] == ["stack"]
    assert layer.of(layer.around[0]).chunk.text.startswith("stack")
    assert TEXT[layer.start :].startswith("layer b")


def test_what_is_nowhere_has_no_statement():
    assert spot(Site("other.par", 0, (0, 0)), read(TEXT)) is None
    assert spot(Site(FILE, 10_000, (0, 0)), read(TEXT)) is None


def test_the_library_is_not_to_be_edited():
    model = read("import std.h100\n")
    assert spot(Site("std/h100.par", 0, (0, 0)), model) is None


@pytest.mark.parametrize(
    ("beginning", "shown"),
    [
        ("dim B", "dim B = 4, D = 4, L = 2"),
        ("stack", "stack s[L]: x -> y partition L on M"),
        ("layer a", "layer a: h[B, D] = gelu(x)   partition B on N, D on M"),
    ],
)
def test_a_statement_ends_in_front_of_its_comment_or_brace(beginning, shown):
    one = statement(beginning)
    assert one.chunk.text[: one.code_end] == shown


def test_a_statement_below_has_a_line_and_the_indent_of_the_one_above():
    assert changed(statement("layer a").below("layer c: z = h")) == ([], ["  layer c: z = h"])
    assert made(statement("stack").below("output h")).splitlines()[10:12] == ["}", "output h"]
    assert made(statement("expect").below("expect no Send")).endswith("on N\nexpect no Send")


def test_a_statement_above_stands_above_the_comments():
    lines = made(statement("stack").above("cost ring")).splitlines()
    assert lines[4:7] == ["", "cost ring", "# all turns"]
    assert made(statement("dim B").above("cost ring")).startswith("cost ring\n# sizes\ndim B")


def test_a_statement_goes_with_its_comments_and_its_body():
    assert "# all turns" not in made(statement("stack").removed())
    assert made(statement("stack").removed()).splitlines()[3:] == [
        "input x[B, D]",
        "",
        "output y",
        "expect y is P(B) on N",
    ]
    assert made(statement("expect").removed()).endswith("output y\n")
    assert changed(statement("layer b").removed()) == (["  layer b: y[B, D] = silu(h)"], [])


def test_one_of_several_statements_on_a_line_goes_alone():
    text = "dim B = 4 dim D = 4\n"
    assert made(statement("dim B", text).removed(), text) == " dim D = 4\n"


def test_an_item_goes_with_a_comma():
    dims = statement("dim B")
    spans = [item.span for item in dims.chunk.statement.items]
    assert [made(dims.without(spans, place)).splitlines()[1] for place in range(3)] == [
        "dim D = 4, L = 2  # tokens, hidden, layers",
        "dim B = 4, L = 2  # tokens, hidden, layers",
        "dim B = 4, D = 4  # tokens, hidden, layers",
    ]


def test_a_cut_is_added_to_the_others_or_in_a_clause_of_its_own():
    assert changed(statement("layer a").with_cut("S on cp"))[1] == [
        '  layer a: h[B, D] = gelu(x)   partition B on N, D on M, S on cp  # the "first" one'
    ]
    assert changed(statement("layer b").with_cut("B on N"))[1] == [
        "  layer b: y[B, D] = silu(h) partition B on N"
    ]


def test_a_clause_goes_with_the_blanks_in_front_of_it():
    (cuts,) = [clause.cuts for clause in statement("layer a").clauses]
    assert changed(statement("layer a").without_cut(cuts[0].span))[1] == [
        '  layer a: h[B, D] = gelu(x)   partition D on M  # the "first" one'
    ]
    text = TEXT.replace(", D on M", "")
    (cuts,) = [clause.cuts for clause in statement("layer a", text).clauses]
    assert changed(statement("layer a", text).without_cut(cuts[0].span), text)[1] == [
        '  layer a: h[B, D] = gelu(x)  # the "first" one'
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_what_is_put_above_stands_above_its_own_comments_only(end):
    text = "dim B = 4  # tokens\n  # read\n# first\ninput x[B]\n".replace("\n", end)
    above = made(statement("input", text).above("dim C"), text)
    assert above == "dim B = 4  # tokens\n  dim C\n# read\n# first\ninput x[B]\n".replace("\n", end)
    bare = text.replace(f"  # read{end}# first{end}", "")
    assert made(statement("input", bare).above("dim C"), bare) == (
        "dim B = 4  # tokens\ndim C\ninput x[B]\n".replace("\n", end)
    )


def test_statements_of_one_type_and_the_last_outside_of_bodies():
    text = f"{TEXT}\nmesh K = 2\nplan p {{ mesh N = 4 }}\n"
    found = of_type(MeshStatement, FILE, read(text))
    assert [one.chunk.text for one in found] == ["mesh N = 2, M = 2", "mesh K = 2", "mesh N = 4"]
    outermost = last(MeshStatement, FILE, read(text))
    assert outermost is not None
    assert outermost.chunk.text == "mesh K = 2"
    assert last(MeshStatement, FILE, read("dim B = 4\n")) is None

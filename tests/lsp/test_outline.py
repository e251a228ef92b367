"""The outline of a file: symbols, folds, selections, links, formatting."""

from lsp_fixtures import at_cursor, changed, drawn, snapshot_of

from parspec.lsp.features.folding import folds, selections
from parspec.lsp.features.formatting import formatted, formatted_within
from parspec.lsp.features.links import links
from parspec.lsp.features.symbols import declared, matching, outline
from parspec.lsp.ranges import Range

SPEC = """\
# What it is.

import std.h100
import "model.par"

dim B = 4, D
mesh dp = 2 over ib, tp = 2 over nvlink on 4 h100
link wire {
  bandwidth = 50 GB/s
}
input x[B, D] : fp8
op linear(X[B, I], W[I, O]) -> Y[B, O] = X * W
block mlp(p[B, D]) -> o {
  layer up: o[B, D] = gelu(p)
}
# A turn:
# in and out.
stack decoder[L]: x -> y {
  weight w[D]
  layer ffn: y[B, D] = mlp(x) partition B on dp
}
plan small {
  dim B = 2
}
train adam { global_batch = B }
expect traffic <= 1 GB
"""


def outlined(found, indent=""):
    for each in found:
        yield f"{indent}{each.kind} {each.name}: {each.detail}".rstrip(": ")
        yield from outlined(each.inner, indent + "  ")


def test_symbols_with_those_in_bodies_inside():
    snapshot = snapshot_of(SPEC)
    assert (
        "\n".join(outlined(outline(snapshot.document)))
        == """\
dim B: 4
dim D
axis dp: 2 over ib
axis tp: 2 over nvlink
link wire
input x: [B, D] : fp8
op linear: (X, W) -> Y
block mlp: (p) -> o
  layer up: o[B, D] = gelu(p)
stack decoder: [L]: x -> y
  weight w: [D]
  layer ffn: y[B, D] = mlp(x)
plan small
  dim B: 2
train train: adam"""
    )


def test_a_symbol_spans_its_body_and_knows_its_name():
    snapshot = snapshot_of(SPEC)
    stack = next(each for each in outline(snapshot.document) if each.kind == "stack")
    text = snapshot.text[slice(*stack.range)]
    assert text.startswith("stack decoder") and text.endswith("on dp\n}")
    assert snapshot.text[slice(*stack.at)] == "decoder"


def test_a_body_that_is_not_closed_ends_with_its_last_statement():
    snapshot = snapshot_of("dim B = 4\nstack s[L]: x -> y {\n  weight w[B]\n")
    (_, stack) = outline(snapshot.document)
    assert snapshot.text[slice(*stack.range)].endswith("weight w[B]")


def test_symbols_of_a_workspace_by_the_letters_of_a_query():
    found, _ = declared(SPEC)
    assert [(each.name, path) for each, path in matching(found, "ff")] == [("ffn", "decoder")]
    assert [each.name for each, _ in matching(found, "DCR")] == ["decoder"]
    assert [each.name for each, _ in matching(found, "up")] == ["up"]
    assert len(list(matching(found, ""))) == 15


def test_folds():
    snapshot = snapshot_of(SPEC)
    text = snapshot.text
    several = [f for f in folds(snapshot.document) if "\n" in text[slice(*f.range)]]
    assert [(fold.kind, text[slice(*fold.range)].split("\n")[0]) for fold in several] == [
        ("imports", "import std.h100"),
        ("body", "link wire {"),
        ("body", "block mlp(p[B, D]) -> o {"),
        ("body", "stack decoder[L]: x -> y {"),
        ("body", "plan small {"),
        ("comment", "# A turn:"),
    ]


def test_selections_grow_from_the_word_to_the_text():
    snapshot, offset = at_cursor(
        "dim B = 4\nstack s[L]: x -> y {\n  layer a: y[B] = x * g‸elu(h)\n}\n"
    )
    assert [snapshot.text[slice(*each)] for each in selections(snapshot, offset)] == [
        "gelu",
        "gelu(h)",
        "x * gelu(h)",
        "layer a: y[B] = x * gelu(h)",
        "stack s[L]: x -> y {\n  layer a: y[B] = x * gelu(h)\n}",
        snapshot.text,
    ]


def test_selections_in_an_empty_text():
    assert selections(snapshot_of(""), 0) == (Range(0, 0),)


def test_links_of_imports_that_bring_something():
    source = 'import "model.par"\nimport std.h100\nimport "missing.par"\n'
    snapshot = snapshot_of(source, model="dim B\n")
    found = list(links(snapshot))
    assert (
        drawn(source, [(*link.range, link.file) for link in found])
        == """\
import "model.par"
       ^^^^^^^^^^^ /repo/model.par
import std.h100
       ^^^^^^^^ std/h100.par"""
    )


def test_formatting_a_file_and_a_part_of_it():
    snapshot = snapshot_of("dim   B=4\ninput  x[B]\nlayer a:y[B]=gelu( x )\n")
    whole = [(*edit.location.range, edit.text) for edit in formatted(snapshot)]
    assert changed(snapshot.text, whole) == "dim B = 4\ninput x[B]\nlayer a: y[B] = gelu(x)\n"
    start = snapshot.text.index("input")
    part = formatted_within(snapshot, Range(start, start + 3))
    edits = [(*edit.location.range, edit.text) for edit in part]
    assert changed(snapshot.text, edits) == "dim   B=4\ninput x[B]\nlayer a:y[B]=gelu( x )\n"

"""Definitions, references and highlights."""

from lsp_fixtures import FOLDER, Files, at_cursor, drawn, snapshot_of

from parspec.lsp.analysing import Written, analysed
from parspec.lsp.features.occurrences import definitions, highlights, occurrences

SPEC = """\
mesh tp = 8
dim B = 4, D = 8
input x[B, D]
layer up: h[B, D] = gelu(x) partition D on tp
layer h: y[B, D] = silu(‸h)
output y
expect h is P(D) on tp
"""


def test_highlights_tell_where_a_name_is_declared_and_where_it_is_used():
    snapshot, offset = at_cursor(SPEC)
    found = highlights(snapshot, offset)
    assert (
        drawn(snapshot.text, [(*each.range, each.how) for each in found])
        == """\
layer up: h[B, D] = gelu(x) partition D on tp
          ^ declared
layer h: y[B, D] = silu(h)
                        ^ used
expect h is P(D) on tp
       ^ used"""
    )


def test_the_layer_of_the_same_name_is_another_thing():
    snapshot, offset = at_cursor(SPEC.replace("‸", "").replace("layer h", "layer ‸h"))
    found = highlights(snapshot, offset)
    assert (
        drawn(snapshot.text, [(*each.range, each.how) for each in found])
        == """\
layer h: y[B, D] = silu(h)
      ^ declared"""
    )


def test_a_word_of_the_language_has_no_occurrences():
    snapshot, offset = at_cursor("dim B = 4\ninput x[B]\nlayer a: y[B] = ge‸lu(x)\n")
    assert [tuple(each.range) for each in highlights(snapshot, offset)] == [(37, 41)]
    snapshot, offset = at_cursor("d‸im B = 4\n")
    assert highlights(snapshot, offset) == ()
    assert occurrences((snapshot,), offset).places == {}


MODEL = "dim B, D = 8\ninput x[B, D]\nlayer up: h[B, D] = gelu(x)\noutput h\n"
PLAN = 'import "model.par"\nmesh tp = 2\ndim B = 4\nfor up: partition B on tp\n'


def seen(found):
    return [(place.file.rpartition("/")[2], *place.range, how) for place, how in found.items()]


def test_references_reach_the_files_that_are_imported():
    snapshot, offset = at_cursor(PLAN.replace("dim B", "dim ‸B"), model=MODEL)
    assert seen(occurrences((snapshot,), offset).places) == [
        ("main.par", 35, 36, "declared"),
        ("main.par", 59, 60, "used"),
        ("model.par", 4, 5, "declared"),
        ("model.par", 21, 22, "used"),
        ("model.par", 39, 40, "used"),
    ]


def test_references_reach_the_files_that_import():
    """Two files import a model: each knows its own `B`, and they know of one another through it."""
    texts = {"model.par": MODEL, "one.par": PLAN, "two.par": PLAN.replace("tp", "dp")}
    reader = Files(texts)
    model, one, two = (
        analysed(Written(f"{FOLDER}/{name}", text), reader) for name, text in texts.items()
    )
    found = occurrences((model, one, two), MODEL.index("B"))
    by_file = [file for file, *_ in seen(found.places)]
    assert {file: by_file.count(file) for file in by_file} == {
        "model.par": 3,
        "one.par": 2,
        "two.par": 2,
    }
    own = occurrences((one, two), PLAN.index("tp"))
    assert {file for file, *_ in seen(own.places)} == {"one.par"}


def test_a_name_that_nothing_declares_is_declared_by_an_importer():
    texts = {"part.par": "input x[B]\n", "whole.par": 'dim B = 4\nimport "part.par"\n'}
    reader = Files(texts)
    part, whole = (analysed(Written(f"{FOLDER}/{n}", t), reader) for n, t in texts.items())
    found = occurrences((part, whole), texts["part.par"].index("B"))
    assert seen(found.places) == [("part.par", 8, 9, "used"), ("whole.par", 4, 5, "declared")]


def test_a_definition_in_the_library():
    snapshot, offset = at_cursor("import std.h100\nmesh tp = 8 over nv‸link on 8 h100\n")
    (found,) = definitions(snapshot, offset)
    library = snapshot.sources[found.file]
    assert (found.file, library.text[slice(*found.range)]) == ("std/h100.par", "nvlink")


def test_nothing_is_found_in_an_empty_file():
    assert occurrences((snapshot_of(""),), 0).places == {}
    assert definitions(snapshot_of(""), 0) == ()

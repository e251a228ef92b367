"""After an edit a model equals one that is read afresh, and only parts that the edit can reach are
made again."""

from __future__ import annotations

import pytest
from reading import Files

from parspec.interpreter.spec.memo import Row
from parspec.interpreter.spec.model import Model
from parspec.interpreter.spec.resolve import Known, resolve

HEAD = """
mesh dp = 2, tp = 2
dim B = 8, D = 4, F = 16
dim E = D
dim G = D
op twice(X[A, C]) -> Y[A, C] = X + X
block mlp(v[B, E]) -> o {
  weight p[E, F], q[F, E]
  layer up: u[B, F] = v * p
  layer down: o[B, E] = u * q
}
input x0[B, D]
for *: partition B on dp
"""
LAYERS = """
weight w{0}[D, F], d{0}[F, D]
layer a{0}: a{0}[B, F] = x{0} * w{0} partition F on tp
layer b{0}: x{1}[B, D] = a{0} * d{0}
"""
CALLS = """
layer called: y[B, D] = mlp(x{0})
layer doubled: z[B, D] = twice(y)
layer same: t[B, G] = z[B, G]
output t
expect a3 is P(F) on tp
"""
COUNT = 60  # of groups of layers: several passages
TEXT = HEAD + "".join(LAYERS.format(i, i + 1) for i in range(COUNT)) + CALLS.format(COUNT)


def read(text: str, known: Known | None = None) -> Model:
    return resolve("main.par", text, Files(), known=known)


def told(model: Model) -> list[object]:
    """Findings with where they stand in the text."""
    documents = dict(model.documents)
    return [
        (f.name, f.data, documents[f.site.file].start_of(f.site.chunk) + f.site.span.start)
        for f in model.findings
    ]


@pytest.mark.parametrize(
    "edits",
    [
        [("D = 4,", "D = 6,"), ("D = 6,", "D = 4,")],
        [("dim G = D", "dim G = 5"), ("dim G = 5", "dim G = D")],
        [("dim E = D\n", ""), ("dim G = D\n", "dim G = D\ndim E = D\n")],
        [("dim E = D\n", "dim E = 3\n"), ("v[B, E]", "v[B, D]"), ("dim E = 3\n", "dim E = D\n")],
        [("op twice(X[A, C])", "op twice(X[A, A])"), ("X[A, A]", "X[A, C]")],
        [("op twice", "op thrice"), ("op thrice", "op twice")],
        [("u * q", "u * q partition F on tp"), ("layer up: u", "layer up: o")],
        [("F = 16", "F"), ("for *: partition B", "for *: partition D"), ("F\n", "F = 16\n")],
        [("B = 8, ", ""), ("D = 4,", "D = 4, B = 8,")],
        [("layer a7: a7", "layer a7: a8"), ("D = 4,", "D = 6,"), ("layer a7: a8", "layer a7: a7")],
        [("layer a9:", "layer a8:"), ("F = 16", "F = 32"), ("layer a8: a9", "layer a9: a9")],
    ],
)
def test_an_edited_model_equals_a_fresh_one(edits: list[tuple[str, str]]) -> None:
    known, text = Known(), TEXT
    assert told(read(text, known)) == []
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
        again, fresh = read(text, known), read(text)
        assert again == fresh
        assert told(again) == told(fresh)


def test_a_size_that_a_passage_does_not_ask_for_leaves_its_part_alone() -> None:
    known = Known()
    before, after = read(TEXT, known), read(TEXT.replace("D = 4", "D = 6"), known)
    pairs = enumerate(zip(before.parts, after.parts, strict=True))
    made = [place for place, (one, other) in pairs if one is not other]
    parts = enumerate(after.parts)
    comparing = [place for place, part in parts if any(i.name == "same" for i in part.items)]
    assert made == [0, *comparing]  # where the size is written, and where D is compared with G
    assert comparing > [2]


def test_models_are_compared_by_their_layers_and_variables() -> None:
    assert read(TEXT) == read(TEXT + "\n# a comment\n")
    assert read(TEXT) != read(TEXT.replace("a3[B, F] = x3 * w3", "a3[B, F] = x3 * w2"))
    assert read(TEXT) != read(TEXT.replace("weight w3[D, F],", "weight w3[D, F] : fp8,"))


def test_a_row_makes_values_of_new_objects_alone() -> None:
    one, two, three = ["one"], ["two"], ["three"]
    made: list[list[str]] = []

    def make(each: list[str]) -> str:
        made.append(each)
        return each[0]

    row: Row[list[str], str] = Row()
    assert row.of(make, (one, two, one)) == ("one", "two", "one")
    assert row.of(make, (three, one)) == ("three", "one")
    assert row.of(make, (two,)) == ("two",)
    assert made == [one, two, one, three, two]

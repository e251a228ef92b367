"""What `infer` gives takes the place of what the declarations say."""

import pytest
from specs import analysis_of

from parspec.interpreter.fixes.fixes import fixes
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.resolve import Known, resolve

SPEC = """
mesh tp = 4
dim B = 8, S = 1, T = 1024, G = 4, K = 16, D = 32
input x[B, S, D], q[B, S, G, K]
weight w[D, G, K] : fp32
cache kc[B, T, G, K]
layer keep:  kc[B, S, G, K] = x * w   partition G on tp
layer score: s[B, G, S, T] = q * kc   partition G on tp
output s
"""
WEIGHTS = 32 * 4 * 16 // 4  # on a device


def errors(analysis):
    return [found for found in analysis.findings if found.name == "global_size_mismatch"]


@pytest.mark.parametrize(
    ("infer", "item"),
    [("", 4), ("infer { weight = fp8 }", 1), ("infer { phase = decode }", 4)],
)
def test_the_type_of_weights(infer, item):
    assert analysis_of(SPEC + infer).totals.memory.weights == WEIGHTS * item


def test_training_leaves_the_types_of_the_spec():
    analysis = analysis_of(SPEC + "train adam { weight = bf16 }")
    assert analysis.totals.memory.weights == WEIGHTS * 4


@pytest.mark.parametrize("context", ["1024", "T", "S * T"])
def test_a_cache_of_the_context(context):
    assert not errors(analysis_of(f"{SPEC}infer {{ phase = decode  context = {context} }}"))


def test_a_cache_of_another_size_is_an_error():
    (found,) = errors(analysis_of(SPEC + "infer { phase = decode  context = 4096 }"))
    data = dict(found.data)
    assert (data["name"], data["dim"], data["size"]) == ("kc", "T", 1024)
    assert (data["other"], data["other_size"]) == ("context", 4096)


def test_a_cache_of_another_size_shows_both_numbers_where_they_are_written():
    text = SPEC + "infer { phase = decode  context = 4096 }"
    analysis = analysis_of(text)
    (found,) = errors(analysis)
    told = {note.message: note.site for note in found.related}
    document = dict(analysis.model.documents)[found.site.file]
    shown = {
        said: document.text[document.start_of(site.chunk) + site.span.start :].split(",")[0]
        for said, site in told.items()
    }
    assert shown == {"T = 1024": "T = 1024", "context = 4096": "context = 4096 }"}
    assert [fix.title for fix in fixes(found, analysis.model)] == [
        "Write `T = 4096`",
        "Write `context = 1024`",
    ]


def test_two_dimensions_that_disagree_are_shown_where_they_are_declared():
    text = (
        "dim B = 8, D = 4, E = 2, F\ninput x[B, D]\n"
        "layer a: a[B, {0}] = gelu(x[B, {0}])\noutput a\n"
    )
    (found,) = errors(analysis_of(text.format("E")))
    assert [(note.message, note.site.span.start) for note in found.related] == [
        ("E = 2", 18),
        ("D = 4", 11),
    ]
    (found,) = errors(analysis_of(text.format("F")))
    assert [note.message for note in found.related] == ["F is declared here", "D = 4"]


def test_a_size_is_shown_where_it_has_moved_to():
    known = Known()
    text = SPEC + "infer { phase = decode  context = 4096 }"
    for old, new in (("mesh tp", "mesh tp"), ("dim B = 8, S = 1", "dim B = 16, S = 1")):
        text = text.replace(old, new)
        again = resolve("main.par", text, DiskReader(), known=known)
        assert again.findings == resolve("main.par", text, DiskReader()).findings

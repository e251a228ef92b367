"""Semantic tokens: what every word of a text is."""

from itertools import pairwise

from lsp_fixtures import snapshot_of

from parspec.lsp.features.coloring import colored
from parspec.lsp.legend import KINDS, MODIFIERS
from parspec.lsp.ranges import Range

SPEC = """\
import std.h100
mesh tp = 8 over nvlink on 8 h100
dim B = 4, D = 8, L = 2
input x[B, D]
block mlp(p[B, D]) -> o {
  layer up: o[B, D] = softmax over D (p)
}
stack decoder[L]: x -> y {
  weight w[D] : fp8
  layer ffn: y[B, D] = mlp(x) * w  partition B on tp  # not this
}
expect All-Reduce of grad(w) on tp
expect traffic <= 2 GB
"""


def shown(text, within=None):
    """Every word with its type and modifiers, one line of the text in each line."""
    snapshot = snapshot_of(text)
    lines = {}
    for range_, kind, modifiers in colored(snapshot, within or Range(0, len(text))):
        line = snapshot.lines.line_of(range_.start)
        word = snapshot.text[slice(*range_)]
        marks = "".join(f".{modifier}" for modifier in modifiers)
        lines.setdefault(line, []).append(f"{word}:{kind}{marks}")
    return [" ".join(words) for words in lines.values()]


def test_every_word():
    assert shown(SPEC) == [
        "import:keyword std:namespace.defaultLibrary h100:namespace.defaultLibrary",
        "mesh:keyword tp:enumMember.declaration 8:number over:keyword "
        "nvlink:struct.defaultLibrary on:keyword 8:number h100:struct.defaultLibrary",
        "dim:keyword B:typeParameter.declaration 4:number D:typeParameter.declaration 8:number "
        "L:typeParameter.declaration 2:number",
        "input:keyword x:variable.declaration.readonly B:typeParameter D:typeParameter",
        "block:keyword mlp:function.declaration p:parameter.declaration B:typeParameter "
        "D:typeParameter o:variable",
        "layer:keyword up:method.declaration o:variable.declaration B:typeParameter "
        "D:typeParameter softmax:function.defaultLibrary over:keyword D:typeParameter p:parameter",
        "stack:keyword decoder:class.declaration L:typeParameter x:variable.readonly y:variable",
        "weight:keyword w:variable.declaration.readonly D:typeParameter fp8:type",
        "layer:keyword ffn:method.declaration y:variable.declaration B:typeParameter "
        "D:typeParameter mlp:function x:variable.readonly w:variable.readonly partition:keyword "
        "B:typeParameter on:keyword tp:enumMember",
        "expect:keyword All-Reduce:macro of:keyword grad:keyword w:variable.readonly on:keyword "
        "tp:enumMember",
        "expect:keyword traffic:property 2:number GB:type",
    ]


def test_a_range_gives_the_statements_that_it_touches():
    start = SPEC.index("dim")
    assert shown(SPEC, Range(start + 1, start + 2)) == shown(SPEC)[2:3]


def test_words_come_in_order_and_once():
    snapshot = snapshot_of(SPEC)
    found = [each.range for each in colored(snapshot, Range(0, len(SPEC)))]
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_types_and_modifiers_are_of_the_legend():
    snapshot = snapshot_of(SPEC)
    for each in colored(snapshot, Range(0, len(SPEC))):
        assert each.type in KINDS
        assert set(each.modifiers) <= set(MODIFIERS)


def test_a_broken_statement_keeps_the_colours_of_what_is_understood():
    assert shown(
        "mesh tp = 2\ndim B = 4\ninput x[B]\nlayer a: y[B] = gelu(x) partition B onn tp\n"
    )[3] == (
        "layer:keyword a:method.declaration y:variable.declaration B:typeParameter "
        "gelu:function.defaultLibrary x:variable.readonly partition:keyword B:typeParameter "
        "tp:enumMember"
    )


def test_chinese_names_and_emoji():
    assert shown("dim 批 = 4  # 🚀\ninput 入[批]\n") == [
        "dim:keyword 批:typeParameter.declaration 4:number",
        "input:keyword 入:variable.declaration.readonly 批:typeParameter",
    ]

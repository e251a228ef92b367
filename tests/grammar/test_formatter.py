"""The one style, form by form."""

from __future__ import annotations

import pytest
from formatter_texts import ROOT

from parspec.grammar.formatter import formatted

FORMS = {
    "blanks between words": (
        "dim  B=4096 ,D = 8192\n  dim H=G*( R+1 )\n",
        "dim B = 4096, D = 8192\ndim H = G * (R + 1)\n",
    ),
    "quantities": (
        "link ib{bandwidth=50GB/s latency = 5us efficiency=90 %}\n",
        "link ib { bandwidth = 50 GB/s  latency = 5 us  efficiency = 90% }\n",
    ),
    "sizes": (
        "dim V=50257 padded to(128*tp)uneven\ndim C=capacity (tokens=B*S,top=2)\n",
        "dim V = 50257 padded to (128 * tp) uneven\ndim C = capacity(tokens = B * S, top = 2)\n",
    ),
    "meshes": (
        "mesh pp=4 over ib,dp = rest over ib on 256  h100\naxis edp=rest,ep=8 of dp*cp\n",
        "mesh pp = 4 over ib, dp = rest over ib on 256 h100\naxis edp = rest, ep = 8 of dp * cp\n",
    ),
    "types stand apart, labels do not": (
        "layer z :z [B,V]:f32=x*w\nweight v[D]:fp8\n",
        "layer z: z[B, V] : f32 = x * w\nweight v[D] : fp8\n",
    ),
    "calls touch, arguments behind over do not": (
        "layer a: y[B]=softmax over D,E masked( f (x) )\n",
        "layer a: y[B] = softmax over D, E masked (f(x))\n",
    ),
    "signs touch, operators do not": (
        "layer a: y[B] = - x+b/2-c\n",
        "layer a: y[B] = -x + b / 2 - c\n",
    ),
    "a layer's clauses stand apart": (
        "layer a: y[B] = x partition B on dp , D on tp store D on dp\n",
        "layer a: y[B] = x  partition B on dp, D on tp  store D on dp\n",
    ),
    "other clauses do not": (
        "output  y  replicated on N\nfor * : partition B on pod*dp   at pp [0]\n",
        "output y replicated on N\nfor *: partition B on pod * dp at pp[0]\n",
    ),
    "patterns are tight": (
        "for decoder . { q , k },head:frozen\n",
        "for decoder.{q,k}, head: frozen\n",
    ),
    "stages": (
        "stages pp:embed+4 d|14 of 4 d|none\n",
        "stages pp: embed + 4 d | 14 of 4 d | none\n",
    ),
    "expectations": (
        "expect traffic (decoder) on tp per device<2GB\nexpect h is C( 0,3 )on tp . 0\n",
        "expect traffic(decoder) on tp per device < 2 GB\nexpect h is C(0, 3) on tp.0\n",
    ),
    "primitives are one word": (
        "expect no All-Gather   in decoder\n",
        "expect no All-Gather in decoder\n",
    ),
    "a statement on a line": ("dim A dim B dim C\n", "dim A\ndim B\ndim C\n"),
    "bodies": (
        "plan p{mesh tp=4\n      for *: frozen}\n",
        "plan p {\n  mesh tp = 4\n  for *: frozen\n}\n",
    ),
    "bodies in bodies": (
        "plan p {\nstack s[L]: x->y {\nlayer a: y[B] = x } }\n",
        "plan p {\n  stack s[L]: x -> y {\n    layer a: y[B] = x\n  }\n}\n",
    ),
    "no body": ("plan p { }\n", "plan p {}\n"),
    "no body, and a comment": ("plan p{} # none\ndim A\n", "plan p {}  # none\ndim A\n"),
    "no body yet": ("plan p {\n\n}\n", "plan p {\n}\n"),
    "no body in a body": (
        "plan p { stack s[L]: x->y {} }\n",
        "plan p {\n  stack s[L]: x -> y {}\n}\n",
    ),
    "lines that fit are joined": ("dim A,\n\n   B\n  , C\n", "dim A, B, C\n"),
    "settings stay open": (
        "train adam {\n global_batch=B   zero=1\n\n\n  schedule = 1f1b }\n",
        "train adam {\n  global_batch = B\n  zero = 1\n\n  schedule = 1f1b\n}\n",
    ),
    "settings stay on one line": (
        "train adam{ global_batch=B\n zero=1 }\n",
        "train adam { global_batch = B  zero = 1 }\n",
    ),
    "no settings": ("infer{}\n", "infer { }\n"),
    "blank lines": ("\n\ndim A\n\n\n\ndim B\n\n\n", "dim A\n\ndim B\n"),
    "blank lines at the ends of bodies": (
        "plan p {\n\n  dim A\n\n}\n\ndim B\n",
        "plan p {\n  dim A\n}\n\ndim B\n",
    ),
    "the last line ends": ("dim A", "dim A\n"),
    "nothing": (" \n \n", ""),
}

COMMENTS = {
    "above": ("#one\n  # two\ndim A\n", "#one\n# two\ndim A\n"),
    "in bodies": (
        "plan p {# right\n# above\ndim A\n# last\n} # end\n",
        "plan p {  # right\n  # above\n  dim A\n  # last\n}  # end\n",
    ),
    "on the file": ("# file  \n\n\ndim A # a\n", "# file\n\ndim A  # a\n"),
    "not on the file": ("\n\n# no\n\ndim A\n", "\n# no\n\ndim A\n"),
    "above a statement": ("\n\n# above\ndim A\n", "# above\ndim A\n"),
    "one of several lines each": (
        "dim A, # a\nB,\n C # c\n",
        "dim A,  # a\n    B,\n    C   # c\n",
    ),
    "on the last of several lines": ("dim A,\n  B # b\n", "dim A,\n    B  # b\n"),
    "on several lines of a layer": (
        "layer a: y[B] = x\n    partition B on N # why\n",
        "layer a: y[B] = x  partition B on N  # why\n",
    ),
    "in settings": (
        "link ib{a=1 b=2 # both\n# c\n c=3*\n4 d=5} # link\n",
        "link ib {\n  a = 1  b = 2  # both\n  # c\n  c = 3 * 4\n  d = 5\n}  # link\n",
    ),
    "in a header": ("link ib # why\n{a=1 }\n", "link ib  # why\n    { a = 1 }\n"),
    "code": ("  # layer a:y = x*w\ndim A\n", "# layer a:y = x*w\ndim A\n"),
}

COLUMNS = {
    "names, clauses and comments": (
        "layer up: h[B, F] = x * w partition F on N # column\n"
        "layer act: a[B, F] = gelu(h) # follows\n"
        "layer down: y[B, D] = a * ww partition F on N # row\n",
        "layer up:   h[B, F] = x * w   partition F on N  # column\n"
        "layer act:  a[B, F] = gelu(h)                   # follows\n"
        "layer down: y[B, D] = a * ww  partition F on N  # row\n",
    ),
    "comments in the column of clauses": (
        "layer a: y[B] = x partition B on N\nlayer b: z[B] = gelu(x) # follows\n",
        "layer a: y[B] = x        partition B on N\nlayer b: z[B] = gelu(x)  # follows\n",
    ),
    "roles": (
        "input x[B]\nweight w[D]\nvar  h[B]\n",
        "input  x[B]\nweight w[D]\nvar    h[B]\n",
    ),
    "a blank line ends them": ("dim A # a\n\ndim BB # b\n", "dim A  # a\n\ndim BB  # b\n"),
    "a body ends them": (
        "dim A # a\nplan p { # p\ndim BB # b\n}\n",
        "dim A  # a\nplan p {  # p\n  dim BB  # b\n}\n",
    ),
    "comment lines do not": ("dim A # a\n# b\ndim BB # b\n", "dim A   # a\n# b\ndim BB  # b\n"),
    "wide characters": ("dim 批次 # a\ndim B # b\n", "dim 批次  # a\ndim B     # b\n"),
    "far places": (
        f"dim A # a\ndim {'b' * 60} # b\ndim CC # c\n",
        f"dim A   # a\ndim {'b' * 60}  # b\ndim CC  # c\n",
    ),
    "lines that have no room": (
        f"dim A # {'a' * 93}\ndim BB # b\n",
        f"dim A  # {'a' * 93}\ndim BB  # b\n",
    ),
}

LONG = {
    "before clauses": (
        f"layer up: h[B, F] = {'x' * 40} * {'w' * 20} partition F on tensor_axis at pp[0]\n",
        f"layer up: h[B, F] = {'x' * 40} * {'w' * 20}\n"
        "    partition F on tensor_axis\n    at pp[0]\n",
    ),
    "at commas": (
        f"weight {', '.join(f'weight_{n}[D, F]' for n in range(8))}\n",
        f"weight {', '.join(f'weight_{n}[D, F]' for n in range(5))},\n"
        f"    {', '.join(f'weight_{n}[D, F]' for n in range(5, 8))}\n",
    ),
    "at the outer operators": (
        f"layer a: h[B, F] = {' + '.join(f'f(first_{n}, last_{n})' for n in range(5))}\n",
        f"layer a: h[B, F] = {' + '.join(f'f(first_{n}, last_{n})' for n in range(4))}\n"
        "    + f(first_4, last_4)\n",
    ),
    "in parentheses": (
        f"block b({', '.join(f'operand_{n}[B, S]' for n in range(6))}) -> y {{ }}\n",
        f"block b({', '.join(f'operand_{n}[B, S]' for n in range(5))},\n"
        "    operand_5[B, S]) -> y {}\n",
    ),
    "settings one to a line": (
        f"train adam {{ {'  '.join(f'setting_{n} = {n}' for n in range(7))} }}\n",
        "train adam {\n" + "".join(f"  setting_{n} = {n}\n" for n in range(7)) + "}\n",
    ),
    "for a comment": (
        f"layer a: h[B, F] = x * w partition F on tp # {'c' * 70}\n",
        f"layer a: h[B, F] = x * w\n    partition F on tp  # {'c' * 70}\n",
    ),
    "not for a comment that no line has room for": (
        f"layer a: h[B, F] = x * w partition F on tp # {'c' * 100}\n",
        f"layer a: h[B, F] = x * w  partition F on tp  # {'c' * 100}\n",
    ),
    "not where a comment documents the line": (
        f"dim {', '.join(f'dimension_{n}' for n in range(8))} # all\n",
        f"dim {', '.join(f'dimension_{n}' for n in range(8))}  # all\n",
    ),
}

BROKEN = {
    "the others are formatted": (
        "dim A=1\nlayr  x:y = \ndim B=2\n",
        "dim A = 1\nlayr  x:y =\ndim B = 2\n",
    ),
    "only the indentation changes": (
        "plan p {\n      dim A=1\n      layer  x: y = (\n      dim B=2\n}\n",
        "plan p {\n  dim A = 1\n  layer  x: y = (\n  dim B = 2\n}\n",
    ),
    "what it may belong to stays too": (
        "dim  A,\n     layer,\n  B\ndim C=1\n",
        "dim  A,\n     layer,\n  B\ndim C = 1\n",
    ),
    "an open body": ("plan p {\n    dim A=1\n", "plan p {\n  dim A = 1\n"),
    "a stray brace": ("dim A=1\n}\ndim B=2\n", "dim A = 1\n}\ndim B = 2\n"),
}


@pytest.mark.parametrize("name", FORMS)
def test_form(name: str) -> None:
    before, after = FORMS[name]
    assert formatted(before) == after


@pytest.mark.parametrize("name", COMMENTS)
def test_comments_stay(name: str) -> None:
    before, after = COMMENTS[name]
    assert formatted(before) == after


@pytest.mark.parametrize("name", COLUMNS)
def test_lines_that_stand_together_share_columns(name: str) -> None:
    before, after = COLUMNS[name]
    assert formatted(before) == after


@pytest.mark.parametrize("name", LONG)
def test_long_statements_are_broken(name: str) -> None:
    before, after = LONG[name]
    assert formatted(before) == after


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_not_understood_stays(name: str) -> None:
    before, after = BROKEN[name]
    assert formatted(before) == after


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_stay(end: str) -> None:
    lines = ("# file", "", "dim  A,", "  B # b", "layr  x:", " y", "dim C")
    expected = ("# file", "", "dim A,", "    B  # b", "layr  x:", " y", "dim C", "")
    assert formatted(end.join(lines)) == end.join(expected)


def test_mixed_line_ends_become_those_of_most_lines() -> None:
    assert formatted("dim A\r\ndim B\r\ndim C\n") == "dim A\r\ndim B\r\ndim C\r\n"
    assert formatted("dim A\r\ndim B\ndim C\n") == "dim A\ndim B\ndim C\n"


def test_a_byte_order_mark_stays() -> None:
    assert formatted("\ufeffdim  A\n") == "\ufeffdim A\n"
    assert formatted("\ufeff") == "\ufeff"


def test_all_other_blanks_become_spaces() -> None:
    assert formatted("dim\u00a0A\f=\u2028 4\x85\n") == "dim A = 4\n"


@pytest.mark.parametrize("folder", ["examples", "interpreter/spec/library"])
def test_specs_of_the_project_are_in_the_style(folder: str) -> None:
    files = sorted((ROOT / folder).glob("*.par"))
    assert files
    texts = {file.name: file.read_text("utf-8") for file in files}
    assert {name for name, text in texts.items() if formatted(text) != text} == set()


def test_a_text_with_too_many_statements_stays() -> None:
    text = "dim A\n" * 100_001 + "dim  B"
    assert formatted(text) == text

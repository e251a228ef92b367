"""What is said of names and patterns that nothing has, after an edit as at a first look."""

from __future__ import annotations

import pytest
from reading import Files

from parspec.interpreter.spec.resolve import Known, resolve

TEXT = """
mesh dp = 2
dim B = 8, D = 4, L = 2

input x[B, D]

stack s[L]: x -> y {
  layer f: q[B, D] = gelu(x)
  layer g: y[B, D] = gelu(q)
}

layer o: z[B, D] = gelu(y)

layer p: u[B, D] = gelu(z)

for s.{f,g}, {o,p}: partition B on dp

output u
"""


@pytest.mark.parametrize(
    "edits",
    [
        [("-> y", "-> b"), ("-> b", "-> q"), ("-> q", "-> y")],
        [("-> y", "-> b"), ("layer g: y", "layer g: w"), ("-> b", "-> w"), ("gelu(y)", "gelu(w)")],
        [("gelu(y)", "gelu(q)"), ("layer f: q", "layer f: r"), ("gelu(q)\n}", "gelu(r)\n}")],
        [("gelu(z)", "gelu(q)"), ("s[L]", "t[L]"), ("gelu(q)\n\n", "gelu(t.q)\n\n")],
        [("{f,g}", "{f,gg}"), ("layer g:", "layer gg:"), ("{o,p}", "{o,pp}")],
        [("layer o:", "layer oo:"), ("{o,p}", "{oo,p}"), ("layer f:", "layer ff:")],
        [("-> y", "-> b"), ("layer p: u", "layer p: y"), ("output u", "output y")],
    ],
)
def test_an_edit_says_what_a_fresh_look_says(edits: list[tuple[str, str]]) -> None:
    known, text = Known(), TEXT
    resolve("main.par", text, Files(), known=known)
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
        again = resolve("main.par", text, Files(), known=known)
        fresh = resolve("main.par", text, Files())
        told = [
            [(f.name, f.data, f.site.span, f.fixes and f.fixes[0].title) for f in read.findings]
            for read in (again, fresh)
        ]
        assert told[0] == told[1]

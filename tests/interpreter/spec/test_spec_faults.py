"""Syntax faults as findings: how their mends are written into a text."""

from __future__ import annotations

import pytest
from reading import model

LISTS = """\
mesh dp = 2{end}dim D = 4, F = 8{end}input x[D, F]{end}\
{indent}weight w1[D, F] store D on dp{comma}w2[F, D] store D on dp{end}output x{end}"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("indent", ["", "  ", "\t"])
@pytest.mark.parametrize("comma", [",", ", ", ",\n       "])
def test_a_variable_behind_the_clauses_gets_a_line_of_its_own(
    end: str, indent: str, comma: str
) -> None:
    text = LISTS.format(end=end, indent=indent, comma=comma)
    read = model(text)
    (finding,) = (each for each in read.findings if each.name == "syntax_error")
    (fix,) = finding.fixes
    (edit,) = fix.edits
    ((_, document),) = read.documents
    start = document.start_of(edit.site.chunk)
    begin, stop = (start + place for place in edit.site.span)
    mended = f"{text[:begin]}{edit.text}{text[stop:]}"
    assert fix.title == "Replace `,` with `weight`"
    assert mended == LISTS.format(end=end, indent=indent, comma=f"{end}{indent}weight ")
    assert "syntax_error" not in [each.name for each in model(mended).findings]

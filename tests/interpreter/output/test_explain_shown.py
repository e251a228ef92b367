"""`parspec explain` at the command line."""

from __future__ import annotations

import pytest

from parspec.interpreter.commands.main import main
from parspec.interpreter.explanations.explanation import HEADINGS
from parspec.interpreter.explanations.index import EXPLANATIONS
from parspec.interpreter.output.explanations.text import explained_text
from parspec.interpreter.output.terminal.cells import width
from parspec.interpreter.output.terminal.screen import COLOURED, PLAIN, Screen

ALL_GATHER = """\
All-Gather (primitive)

Every node gets the slices of all others. Logically a Gather and then a
Broadcast, which is how the article prices it; a ring puts only (N−1)·M on the
wire, so that `composed` overstates the wire by (N+1)/N: 9/8 on 8 nodes.

turns       P to R
order       2: Gather + Broadcast
composed    (N−1)/N·M + (N−1)·M
approx      N·M
ring        (N−1)·M
per device  (N−1)/N·M
steps       (N−1)
way back    Reduce-Scatter

example
  mesh N = 8
  dim B = 64, D = 32, F = 128
  input x[B, D]
  weight w[D, F], v[F, D]
  layer up:   h[B, F] = x * w partition F on N
  layer down: y[B, D] = h * v partition D on N     # needs all of h
  output y
  expect All-Gather of h on N
  expect traffic == 129024 B                       # M = 16384 B
"""

CHUNKS = """\
## chunks (setting)

Chunks of layers on each stage. A stage with v chunks has v parts of the stack that do not follow \
one another: n stages are crossed n·v−1 times a pass, and the bubble is (n−1)/(m·v).

- **of**: train
- **takes**: a whole number
- **default**: 1

```par
"""


def printed(capsys, *words):
    assert main(["explain", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.mark.parametrize("words", [("All-Gather",), ("all", "gather"), ("ALLGATHER",)])
def test_a_primitive(words, capsys):
    assert printed(capsys, *words) == ALL_GATHER


def test_words_are_one_name(capsys):
    assert printed(capsys, "tensor,", "row").startswith("tensor, row (strategy)\n")


def test_a_diagnostic_shows_its_correction(capsys):
    shown = printed(capsys, "par201")
    assert shown.startswith("PAR201 indivisible (diagnostic)\n\n")
    assert "\nseverity  error\n" in shown
    assert "\nexample\n  mesh tp = 3\n" in shown
    assert "\ncorrected\n  mesh tp = 4\n" in shown


def test_all_meanings_are_shown(capsys):
    shown = printed(capsys, "ring")
    assert shown.startswith("ring (clause)\n")
    assert "\n\nring (price list)\n" in shown


def test_markdown(capsys):
    assert printed(capsys, "chunks", "--format", "markdown").startswith(CHUNKS)
    shown = printed(capsys, "PAR201", "--format=markdown")
    assert shown.count("```par\n") == 2
    assert "\nCorrected:\n\n```par\nmesh tp = 4\n" in shown


def test_the_table_of_contents(capsys):
    shown = printed(capsys)
    lines = shown.splitlines()
    assert [line for line in lines if line in HEADINGS.values()] == list(HEADINGS.values())
    assert "  P   R   C   R(partial)" in lines
    assert "PAR201 indivisible" in shown
    assert max(map(width, lines)) <= 80
    listed = printed(capsys, "--format", "markdown")
    assert listed.startswith("## statements\n\n- `dim`\n")
    assert listed.count("\n- `") == len(EXPLANATIONS)


def test_an_unknown_name(capsys):
    assert main(["explain", "All-Gahter"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("there is nothing to explain about All-Gahter; did you mean All-Gather")
    assert err.count("\n") == 1
    assert main(["explain", "§§§\x1b"]) == 2
    assert capsys.readouterr().err == (
        "there is nothing to explain about §§§␛; `parspec explain` lists what there is\n"
    )


@pytest.mark.parametrize("columns", [60, 80])
def test_texts_fit_the_screen(columns):
    for explanation in EXPLANATIONS:
        shown = explained_text((explanation,), Screen(PLAIN, columns))
        prose = shown.partition("\nexample\n")[0]
        assert max(map(width, prose.splitlines())) <= columns


def test_colours_change_nothing_but_colours():
    plain = explained_text(EXPLANATIONS[:3], Screen(PLAIN, 80))
    coloured = explained_text(EXPLANATIONS[:3], Screen(COLOURED, 80))
    assert coloured.startswith("\x1b[1mdim\x1b[0m \x1b[2m(statement)\x1b[0m\n")
    assert plain != coloured
    for code in COLOURED.codes.values():
        coloured = coloured.replace(code, "")
    assert coloured.replace("\x1b[0m", "") == plain

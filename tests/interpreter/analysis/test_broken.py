"""One broken statement: one syntax error at most, and everything else is still analysed."""

import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
MLP = (EXAMPLES / "megatron_mlp.par").read_text(encoding="utf-8")
TOKEN = re.compile(r"#[^\n]*|\w+|->|<=|[^\s\w]")


def syntax_errors(analysis):
    return [finding for finding in analysis.findings if finding.name == "syntax_error"]


def tokens(text):
    return [match for match in TOKEN.finditer(text) if not match.group().startswith("#")]


@pytest.mark.parametrize("place", range(len(tokens(MLP))))
def test_every_single_token_deletion(analyzed, place):
    token = tokens(MLP)[place]
    text = MLP[: token.start()] + MLP[token.end() :]
    analysis = analyzed(text)
    assert len(syntax_errors(analysis)) <= 1
    line = MLP.count("\n", 0, token.start())
    for name, where in {"up": 12, "act": 13, "down": 14}.items():
        if line not in (where, where - 1):
            known = {layer.name for layer in analysis.model.items}
            depends = line < 11 and name not in known  # a dim, the mesh or a declaration is gone
            assert name in known or depends


def test_every_prefix(analyzed):
    for end in range(len(MLP)):
        assert len(syntax_errors(analyzed(MLP[:end]))) <= 1


@pytest.mark.parametrize("name", ["article", "megatron_mlp", "llama3_70b_ffn"])
def test_a_broken_statement_in_the_middle_takes_nothing_with_it(analyzed, name):
    text = (EXAMPLES / f"{name}.par").read_text(encoding="utf-8")
    whole = analyzed(text)
    lines = text.splitlines(keepends=True)
    starts = [i for i, line in enumerate(lines) if re.match(r"\s*(layer|input|weight|dim) ", line)]
    middle = starts[len(starts) // 2]
    broken = analyzed("".join([*lines[:middle], "dim Q = = 5\n", *lines[middle:]]))
    assert len(syntax_errors(broken)) == 1
    assert [layer.name for layer in broken.layers] == [layer.name for layer in whole.layers]
    assert [(m.primitive, m.traffic) for m in broken.moves] == [
        (m.primitive, m.traffic) for m in whole.moves
    ]


def test_a_stack_may_leave_what_no_sound_layer_gives(analyzed):
    broken = """mesh tp = 2
dim B = 4, L = 3
input x[B]
stack s[L]: x -> y {
  layer h: h[B] = gelu(x)
  layer bad: y[B] = h *
}
layer z: z[B] = relu(y)
output z
"""
    found = analyzed(broken)
    assert [finding.name for finding in found.findings] == ["syntax_error"]
    assert [layer.name for layer in found.layers] == ["s.h", "z"]


def test_a_name_of_an_axis_stays_the_axis(analyzed):
    analysis = analyzed(
        """
mesh a = 2, b = 2
axis c = rest, b = 8 of a * b
dim D = 8
input x[D]
layer l: y[D] = gelu(x) partition D on c
output y
"""
    )
    assert "duplicate_name" in [found.name for found in analysis.findings]
    assert [layer.name for layer in analysis.layers] == ["l"]

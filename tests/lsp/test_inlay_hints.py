"""Inlay hints: drawn into the source, each in the place where it shows."""

import pytest
from lsp_fixtures import snapshot_of

from parspec.lsp.features.inlay_hints import inlay_hints
from parspec.lsp.features.prose import plain
from parspec.lsp.ranges import Range

MLP = """\
mesh tp = 8
dim B = 4096, D = 8192, F = 28672
input x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w  partition F on tp  # column
layer act:  a[B, F] = gelu(h)
layer down: y[B, D] = a * v
output y replicated on tp
"""


def hinted(
    text, kinds=("state", "pattern", "follows", "primitive"), least=0, within=None, **others
):
    """The lines that hints are in, with the hints in them."""
    snapshot = snapshot_of(text, **others)
    hints = inlay_hints(snapshot, within or Range(0, len(text)), kinds, least)
    for hint in reversed(hints):
        text = f"{text[: hint.offset]}⟨{hint.text}⟩{text[hint.offset :]}"
    return [line for line in text.split("\n") if "⟨" in line]


def test_what_a_layer_follows_and_what_moves():
    assert hinted(MLP) == [
        "layer act:  a[B, F] = gelu(h)⟨follows h: F on tp⟩",
        "layer down: y[B, D] = a * v⟨follows a: F on tp⟩",
        "output y⟨All-Reduce y → R on tp · 1.06 GB · 117 MB/device⟩ replicated on tp",
    ]


def test_state_stands_behind_the_use_with_its_indices():
    spec = """\
mesh N = 4
dim B = 8, D = 16
dim D2 = D
input x[B, D] partition B on N
weight w[D, D2]
layer up: h[B, D2] = x[B, D] * w partition D2 on N
output h
"""
    assert hinted(spec) == [
        "layer up: h[B, D2] = x[B, D]⟨All-Gather x → R on N · 960 B · 192 B/device⟩ * w"
        " partition D2 on N"
    ]


def test_inside_an_expression_the_named_variables_are_followed():
    spec = """\
mesh N = 4
dim B = 8
input g[B], u[B] partition B on N
layer act: h[B] = silu(g) * u
output h
"""
    assert hinted(spec) == ["layer act: h[B] = silu(g) * u⟨follows g: B on N⟩"]
    other = spec.replace("silu(g) * u", "u * silu(g)")
    assert hinted(other) == ["layer act: h[B] = u * silu(g)⟨follows g and u: B on N⟩"]


def test_a_state_that_nothing_moves_for_stands_alone():
    spec = """\
mesh N = 4
dim B = 8, D = 16
input x[B, D] replicated on N
layer out: y[B, D] = gelu(x) partition D on N
output y
"""
    line = "layer out: y[B, D] = gelu(x⟨→ P(D) on N⟩) partition D on N"
    assert hinted(spec) == [line]


def test_without_primitives_their_states_are_told():
    assert hinted(MLP, kinds=("state",)) == ["output y⟨→ R on tp⟩ replicated on tp"]


def test_statistics_of_one_function_are_told_together():
    spec = """\
mesh N = 4
dim B = 8, D = 16
input x[B, D] partition D on N
layer prob: p[B, D] = softmax over D (x) partition D on N
output p
"""
    assert hinted(spec, kinds=("primitive",)) == [
        "layer prob: p[B, D] = softmax over D (x) partition D on N"
        "⟨All-Reduce maximum, sum of x · 480 B · 96 B/device⟩"
    ]


def test_stages_and_carry_stand_at_the_stack():
    spec = """\
mesh pp = 2
dim B = 8, D = 16, L = 4
dim D2 = D
input x[B, D]
stack deep[L]: x -> y partition L on pp {
  weight w[D, D2]
  layer one: y[B, D2] = x * w
}
output y
"""
    assert hinted(spec, kinds=("primitive",)) == [
        "stack deep[L]: x -> y partition L on pp⟨Send y · 256 B · 256 B/device⟩ {"
    ]


def test_a_block_from_elsewhere_tells_what_moves_inside_at_its_use():
    model = """\
block pair(x[B, D]) -> y {
  dim F
  weight w[D, F], v[F, D]
  layer up:   h[B, F] = x * w
  layer down: y[B, D] = h * v
}
"""
    spec = """\
import "model.par"
mesh N = 4
dim B = 8, D = 16, F = 32
input x[B, D]
layer p: z[B, D] = pair(x) partition F on N
layer q: t[B, D] = pair(z) partition F on N
output t replicated on N
"""
    lines = hinted(spec, model=model.replace("  dim F\n", ""))
    assert lines == [
        "layer q: t[B, D] = pair(z) partition F on N⟨inside: 1.92 kB · 384 B/device⟩",
        "output t⟨All-Reduce t → R on N · 1.92 kB · 384 B/device⟩ replicated on N",
    ]


def test_in_a_block_its_uses_are_added():
    spec = """\
mesh N = 4
dim B = 8, D = 16, F = 32
input x[B, D]
weight s[D, F]
block side(x[B, D]) -> z {
  layer up: t[B, F] = x * s partition B on N
  layer out: z[B, F] = t partition F on N
}
layer p: y1[B, F] = side(x)
layer q: y2[B, F] = side(x)
output y1, y2
"""
    within = hinted(spec, kinds=("primitive",))
    assert within[:1] == [
        "  layer out: z[B, F] = t⟨All-to-All t → P(F) on N · 1.54 kB · 192 B/device⟩"
        " partition F on N"
    ]


@pytest.mark.parametrize(
    ("kinds", "least", "count"),
    [
        ((), 0, 0),
        (("state",), 0, 1),
        (("follows",), 0, 2),
        (("primitive",), 0, 1),
        (("primitive",), 1056964608, 1),
        (("primitive",), 1056964609, 0),
    ],
)
def test_what_is_wanted(kinds, least, count):
    hints = inlay_hints(snapshot_of(MLP), Range(0, len(MLP)), kinds, least)
    assert len(hints) == count


def test_only_the_range_asked_for():
    start = MLP.index("layer act")
    assert hinted(MLP, within=Range(start, MLP.index("layer down"))) == [
        "layer act:  a[B, F] = gelu(h)⟨follows h: F on tp⟩"
    ]


def test_a_click_leads_to_the_producer_and_the_tooltip_has_the_formula():
    snapshot = snapshot_of(MLP)
    hint = inlay_hints(snapshot, Range(0, len(MLP)), ("primitive",))[0]
    (target,) = [part.target for part in hint.parts if part.target]
    assert MLP[slice(*target.range)] == "y"
    assert target.range.start == MLP.index("y[B, D]")
    assert "order 4: 2(N−1)/N·M + 2(N−1)·M = 1.06 GB" in plain(hint.why)


def test_several_plans_show_their_primitives_only():
    spec = MLP.replace("mesh tp = 8\n", "") + (
        "plan eight { mesh tp = 8 }\nplan two { mesh tp = 2 }\n"
    )
    lines = hinted(spec)
    assert lines == [
        "output y⟨eight: All-Reduce y → R on tp · 1.06 GB · 117 MB/device⟩"
        "⟨two: All-Reduce y → R on tp · 201 MB · 67.1 MB/device⟩ replicated on tp"
    ]


def test_a_broken_statement_keeps_hints_elsewhere():
    spec = MLP.replace("weight w[D, F]", "weigth u[D, D] ]\nweight w[D, F]")
    assert len(hinted(spec)) == 3


def test_a_step_inside_a_layer_of_a_stack_is_seen_through():
    source = """mesh tp = 2
dim B = 4, F = 8, L = 3
input x[B, F] partition F on tp
stack s[L]: x -> y {
  layer a: y[B, F] = silu(x) * x
}
output y
"""
    assert hinted(source) == ["  layer a: y[B, F] = silu(x) * x⟨follows x: F on tp⟩"]


# -- patterns ------------------------------------------------------------------------------------

PATTERNS = """\
mesh pod = 2, dp = 2, cp = 2, tp = 4, pp = 2
dim L = 4, B = 8, S = 16, D = 64, H = 8, K = 8
input x[B, S, D]
block mlp(u[B, S, D]) -> v {
  weight a[D, H, K]
  layer up:   t[B, S, H, K] = u * a
  layer down: v[B, S, D] = t * a  partition B on dp
}
stack decoder[L]: x -> y {
  weight w[D, H, K]
  layer q:   q[B, S, H, K] = x * w
  layer act: r[B, S, H, K] = gelu(q) + q
  layer o:   z[B, S, D] = r * w
  layer m:   y = mlp(z)
}
output y
"""


def given(*patterns):
    return hinted(PATTERNS + "".join(f"{each}\n" for each in patterns), kinds=("pattern",))


def test_what_patterns_give_a_layer():
    assert given(
        "for *.*: partition B on pod * dp, S on cp zigzag",
        "for decoder.o, decoder.{q,act}: partition H on tp",
    ) == [
        "  layer up:   t[B, S, H, K] = u * a⟨for *.*: B on pod * dp, S on cp zigzag⟩",
        "  layer down: v[B, S, D] = t * a  partition B on dp⟨for *.*: B on pod, S on cp zigzag⟩",
        "  layer q:   q[B, S, H, K] = x * w"
        "⟨for *.*: B on pod * dp, S on cp zigzag; for decoder.{q,act}: H on tp⟩",
        "  layer act: r[B, S, H, K] = gelu(q) + q"
        "⟨for *.*: B on pod * dp, S on cp zigzag; for decoder.{q,act}: H on tp⟩",
        "  layer o:   z[B, S, D] = r * w"
        "⟨for *.*: B on pod * dp, S on cp zigzag; for decoder.o: H on tp⟩",
    ]


def test_what_patterns_give_in_other_words():
    assert given("for decoder: partition L on pp", "for decoder.o: replicated on tp") == [
        "stack decoder[L]: x -> y⟨for decoder: L on pp⟩ {",
        "  layer o:   z[B, S, D] = r * w⟨for decoder.o: replicated on tp⟩",
    ]
    assert given(
        "for decoder.m: partition H on tp", "for decoder.m.down: partition none on tp"
    ) == [
        "  layer up:   t[B, S, H, K] = u * a⟨for decoder.m: H on tp⟩",
        "  layer down: v[B, S, D] = t * a  partition B on dp⟨for decoder.m.down: none on tp⟩",
    ]


def test_the_pattern_that_holds_is_told():
    assert given("for *: partition S on tp", "for decoder.o: partition B on tp")[-1] == (
        "  layer o:   z[B, S, D] = r * w⟨for decoder.o: B on tp⟩"
    )
    assert given("for *: store on dp", "for q: partition H on tp") == []


def test_what_all_are_given_is_not_said_at_each():
    assert given("for *: partition B on dp") == []


def test_a_pattern_stands_behind_other_hints():
    spec = """\
mesh dp = 2, tp = 4
dim B = 8, F = 8
input x[B, F]
layer up: h[B, F] = gelu(x)  partition F on tp
layer act: a[B, F] = gelu(h)
output a
for {up,act}: partition B on dp
"""
    assert hinted(spec)[-1] == (
        "layer act: a[B, F] = gelu(h)⟨follows h: F on tp⟩⟨· for {up,act}: B on dp⟩"
    )


def test_a_click_on_a_pattern_leads_to_it():
    text = PATTERNS + "for decoder.act, decoder.q: partition H on tp\n"
    hint = inlay_hints(snapshot_of(text), Range(0, len(text)), ("pattern",))[0]
    assert [part.text for part in hint.parts] == ["for ", "decoder.q", ": H on tp"]
    where = hint.parts[1].target.range
    assert (text[slice(*where)], where.start) == ("decoder.q", text.index("decoder.q: partition"))
    assert plain(hint.why) == "Partitioned by a for statement, as if that stood here."


def test_a_pattern_of_the_only_plan_and_of_an_imported_file():
    plan = "plan wide {\n  mesh tp = 4\n  for up: partition B on tp\n}\n"
    model = "dim B = 8\ninput x[B]\nlayer up: h[B] = gelu(x)\noutput h\n"
    line = "layer up: h[B] = gelu(x)⟨for up: B on tp⟩"
    assert hinted(model + plan, kinds=("pattern",)) == [line]
    other = "mesh tp = 4\nfor up: partition B on tp\n"
    assert hinted('import "other.par"\n' + model, kinds=("pattern",), other=other) == [line]


PLANNED = """\
dim B = 64, S = 32, D = 16, F = 128, L = 4
input x[B, S, D]
stack deep[L]: x -> r {
  weight w[D, F], v[F, D]
  layer norm: n[B, S, D] = softmax over D (x)
  layer up:   h[B, S, F] = n * w
  layer act:  a[B, S, F] = gelu(h)
  layer down: y[B, S, D] = a * v
  layer res:  r[B, S, D] = x + y
}
layer last: z[B, S, D] = tanh(r)
output z
"""
PLANS = """\
import "model.par"
for deep.{up,act,down}: partition F on tp
plan row {
  mesh tp = 4
}
plan spread {
  mesh pp = 2, dp = 2, tp = 4
  for deep: partition L on pp
  for *: partition B on dp
  for deep.{norm,res}, last: partition S on tp
  for deep.up: store D on dp
}
"""


def test_a_plan_shows_at_its_clauses_what_they_bring_to_a_model():
    assert hinted(PLANS, model=PLANNED) == [
        "for deep.{up,act,down}: partition F on tp"
        "⟨row: All-Reduce y on tp · 1.97 MB · 393 kB/device⟩"
        "⟨spread: Reduce-Scatter y on tp · 983 kB · 49.2 kB/device⟩",
        "  for deep: partition L on pp⟨Send r on pp · 65.5 kB · 8.19 kB/device⟩",
        "  for deep.{norm,res}, last: partition S on tp"
        "⟨All-Gather n on tp · 983 kB · 49.2 kB/device⟩",
        "  for deep.up: store D on dp⟨All-Gather w on dp · 24.6 kB · 1.02 kB/device⟩",
    ]


def test_what_a_clause_brings_leads_to_who_reads_it():
    snapshot = snapshot_of(PLANS, model=PLANNED)
    first = inlay_hints(snapshot, Range(0, len(PLANS)))[0]
    (target,) = [part.target for part in first.parts if part.target]
    assert target.file.endswith("model.par")
    assert PLANNED[slice(*target.range)] == "y"
    assert PLANNED[: target.range.start].count("\n") == 8  # in `res`


MANY = """\
mesh tp = 4
dim B = 64, D = 16, F = 128
input x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w
layer prob: p[B, F] = softmax over F (h)
layer down: y[B, D] = p * v
layer act:  a[B, D] = gelu(y) partition B on tp
layer rank: s[B, F] = sort over F (h)
layer turn: t[B, F] = tanh(h) partition B on tp
output a, s, t
"""


def test_what_a_clause_brings_is_summed_up_where_it_is_much():
    plan = 'import "model.par"\nfor up: partition F on tp\n'
    assert hinted(plan, model=MANY) == [
        "for up: partition F on tp"
        "⟨All-Gather h on tp · 61.4 kB · 12.3 kB/device⟩"
        "⟨All-to-All h on tp · 24.6 kB · 3.07 kB/device⟩"
        "⟨Reduce-Scatter y on tp · 7.68 kB · 1.54 kB/device⟩"
        "⟨1 more · 3.84 kB · 768 B/device⟩"
    ]


def test_clauses_beside_the_model_bring_nothing_that_is_not_shown_there():
    text = f"{MANY}for up: partition F on tp\n"
    assert not [line for line in hinted(text) if line.startswith("for")]

"""Code lenses: drawn above what they are about."""

from lsp_fixtures import drawn, snapshot_of

from parspec.lsp.features.code_lens import code_lenses
from parspec.lsp.features.inlay_hints import inlay_hints
from parspec.lsp.ranges import Range

SPEC = """\
mesh tp = 4
dim B = 64, D = 1024, F = 4096, L = 2
input x[B, D]
stack deep[L]: x -> r {
  weight w[D, F], v[F, D]
  layer up:   h[B, F] = x * w  partition F on tp
  layer down: y[B, D] = h * v  partition F on tp
  layer res:  r[B, D] = x + y
}
output r
plan eight {
  mesh tp = 8
}
"""


def lenses(text, hints=()):
    snapshot = snapshot_of(text)
    return drawn(text, [(*lens.range, lens.title) for lens in code_lenses(snapshot, hints)])


def test_file_stack_layer_and_plan():
    assert (
        lenses(SPEC)
        == """\
mesh tp = 4
^ traffic 1.97 MB · 393 kB/device · memory 8.91 MB/device
stack deep[L]: x -> r {
      ^^^^ traffic 1.97 MB · 393 kB/device
  layer res:  r[B, D] = x + y
        ^^^ traffic 1.97 MB · 393 kB/device · memory 393 kB/device a turn
plan eight {
     ^^^^^ traffic 4.13 MB · 459 kB/device · memory 4.72 MB/device"""
    )


def test_the_report_behind_a_lens():
    assert [lens.plan for lens in code_lenses(snapshot_of(SPEC))] == [None, None, None, "eight"]


def test_a_model_that_only_plans_spread():
    plan = "plan four {\n  mesh tp = 4\n}\n"
    text = SPEC.replace("mesh tp = 4\n", "", 1) + plan
    shown = lenses(text)
    assert "      ^^^^ eight: traffic 4.13 MB · 459 kB/device\n" in shown
    assert "      ^^^^ four: traffic 1.97 MB · 393 kB/device\n" in shown
    assert "plan four {\n     ^^^^ traffic 1.97 MB · 393 kB/device · memory 8.91 MB/device" in shown


def test_nothing_where_nothing_moves():
    assert lenses("dim B = 4\ninput x[B]\nlayer y: y[B] = gelu(x)\noutput y\n") == ""
    assert lenses("mesh N = 2\ndim B = 4\ninput x[B]\nlayer y: y[B] = gelu(x)\noutput y\n") == (
        "mesh N = 2\n^ no traffic · memory 16 B/device"
    )


def test_none_where_a_hint_beside_it_says_the_same():
    hints = inlay_hints(snapshot_of(SPEC), Range(0, len(SPEC)))
    assert "layer res" not in lenses(SPEC, hints)
    assert "^^^^ traffic 1.97 MB" in lenses(SPEC, hints)
    few = inlay_hints(snapshot_of(SPEC), Range(0, len(SPEC)), ("state", "follows"))
    assert lenses(SPEC, few) == lenses(SPEC)


def test_the_time_has_a_name():
    mesh = "link wire { bandwidth = 50 GB/s }\nmesh tp = 4 over wire"
    linked = SPEC.replace("mesh tp = 4", mesh, 1)
    assert (
        "deep[L]: x -> r {\n      ^^^^ traffic 1.97 MB · 393 kB/device · communication 7.86 us"
        in (lenses(linked))
    )


def test_a_file_without_layers_has_none():
    assert lenses("mesh tp = 4\n") == ""


def test_broken_text():
    assert lenses("layer\nstack {\nplan\n") == ""


def test_a_model_that_only_plans_spread_over_its_mesh():
    cut = "  partition F on tp"
    patterns = "for deep.{up, down}: partition F on tp"
    text = SPEC.replace(cut, "").replace("  mesh tp = 8\n", f"  mesh tp = 8\n  {patterns}\n")
    shown = lenses(text)
    assert shown.startswith("stack deep[L]: x -> r {\n      ^^^^ traffic 4.13 MB · 459 kB/device\n")
    assert "plan eight {\n     ^^^^^ traffic 4.13 MB · 459 kB/device · memory" in shown

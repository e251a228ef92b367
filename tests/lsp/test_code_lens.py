"""Code lenses: drawn above what they are about."""

from lsp_fixtures import drawn, snapshot_of

from parspec.lsp.features.code_lens import code_lenses

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


def lenses(text):
    snapshot = snapshot_of(text)
    return drawn(text, [(*lens.range, lens.title) for lens in code_lenses(snapshot)])


def test_file_stack_layer_and_plan():
    assert (
        lenses(SPEC)
        == """\
mesh tp = 4
^ traffic 1.97 MB · 393 kB/device · memory 8.91 MB/device
stack deep[L]: x -> r {
      ^^^^ traffic 1.97 MB · 393 kB/device
  layer res:  r[B, D] = x + y
        ^^^ traffic 1.97 MB · 393 kB/device · memory 393 kB/device
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


def test_broken_text():
    assert lenses("layer\nstack {\nplan\n") == ""

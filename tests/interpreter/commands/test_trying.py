"""Fixes that `check` shows: each was tried, and does what it is offered for."""

from pathlib import Path

import pytest
from specs import analyses_of, analysis_of

from parspec.grammar.values import value
from parspec.interpreter.commands import trying
from parspec.interpreter.commands.main import main
from parspec.interpreter.commands.trying import Beside, Trials
from parspec.interpreter.fixes.fixes import surest
from parspec.interpreter.spec.readers import DiskReader, Reader, Unread

NORMED = """\
mesh N = 8
dim B = 64, D = 32, D2 = D
input x[B, D]
weight g[D], w[D, D2]
layer norm: a[B] = rmsnorm over D (x, g)
layer up: h[B, D2] = a * w
output h
"""
MISSING = NORMED.replace("rmsnorm over D (x, g)", "gelu(x)").replace("g[D], ", "")


@pytest.fixture
def shown(tmp_path, monkeypatch, capsys):
    """What `check` offers for a text."""
    monkeypatch.chdir(tmp_path)

    def helps(text, *options):
        Path("spec.par").write_text(text, encoding="utf-8")
        main(["check", "spec.par", *options])
        lines = capsys.readouterr().out.splitlines()
        return [line.partition("= help: ")[2] for line in lines if "= help: " in line]

    return helps


def trials(text):
    analyses = analyses_of(text)

    def again(texts, plan):
        return analysis_of(texts.get("spec.par", text), plan=plan)

    return Trials(analyses, again), analyses[0]


def test_what_leads_to_another_mistake_is_not_offered(shown):
    assert shown(NORMED) == ["Write `a[B, D]`"]
    assert shown(MISSING) == ["Write `a[B, D]`"]  # summed, `a` lacks what `up` sums over


def test_each_of_two_ways_is_offered_where_both_do(shown):
    text = "mesh N = 8\ndim B = 64, F = 32\ninput h[B, F]\nlayer s: t[B] = gelu(h)\noutput t\n"
    assert shown(text) == ["Write `t[B, F]`", "Write `sum over F (gelu(h))`"]


DEVICES = """\
device box {{ memory = 80 GB  flops = 1 Tflop/s  hbm = 1 TB/s }}
mesh dp = 2, tp = {tp} on 4 box
dim B = 64, D = 32, F = 32
input x[B, D] partition B on dp
weight w[D, F]
layer up: h[B, F] = x * w{clause}
output h
"""


def test_another_number_of_devices_that_repeats_the_work_is_not_offered(shown):
    assert shown(DEVICES.format(tp=4, clause="")) == []
    assert shown(DEVICES.format(tp=4, clause="  partition F on tp")) == [
        "Let `tp` fill the rest: 2",
        "Let `dp` fill the rest: 1",
        "Use 8 devices",
    ]


def test_a_fix_is_tried_in_the_plan_in_which_its_finding_is(shown):
    text = """\
dim B = 64, D = 32, D2 = D, L = 30
input x[B, D]
stack s[L]: x -> y {
  weight w[D, D2]
  layer a: y[B, D2] = x * w
}
output y
plan four { mesh pp = 4  for s: partition L on pp  for *: frozen }
"""
    assert shown(text)[:3] == ["Write `L uneven`", "Write `L = 32`", "Write `L = 28`"]


def test_without_patience_a_fix_is_shown_untried(shown, monkeypatch):
    monkeypatch.setattr(trying, "PATIENCE", 79)
    assert shown(NORMED.replace("rmsnorm over D (x, g)", "gelu(x)")) == [
        "Write `a[B, D]`",
        "Write `sum over D (gelu(x))`",
    ]


def test_patience_counts_the_statements_that_are_looked_at_again():
    each, analysis = trials(MISSING)
    (finding,) = analysis.findings
    assert [fix.title for fix in each.offered(finding, analysis.model)] == ["Write `a[B, D]`"]
    assert each.left == trying.PATIENCE - 2 * 40
    each.left = 0
    assert each.offered(finding, analysis.model) == surest(finding, analysis.model)


def test_a_fix_in_an_imported_file_is_tried_there(tmp_path, monkeypatch, shown):
    tmp_path.joinpath("model.par").write_text(MISSING.partition("output")[0], encoding="utf-8")
    assert shown('import "model.par"\noutput h\n') == ["Write `a[B, D]`"]
    assert "a[B] =" in tmp_path.joinpath("model.par").read_text("utf-8")


@value
class Nothing(Reader):
    """A reader that has no file."""

    def read(self, file: str) -> str | Unread:
        return Unread("missing")


def test_other_texts_come_before_those_of_a_reader(tmp_path):
    beside = Beside({"a.par": "dim B"}, Nothing())
    assert beside.read("a.par") == "dim B"
    assert beside.read("b.par") == Unread("missing")
    assert beside.real(str(tmp_path)) == DiskReader().real(str(tmp_path))

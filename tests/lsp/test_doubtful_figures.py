"""Figures of a spec with errors: whatever shows one says so, and totals are not shown as if they
were those of the spec."""

import pytest
from hover_fixtures import shown
from lsp_fixtures import MAIN, snapshot_of
from test_code_lens import lenses
from test_inlay_hints import hinted

from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.output.reports.html import report_html
from parspec.interpreter.output.reports.markdown import report_markdown
from parspec.interpreter.output.reports.text import report_text
from parspec.interpreter.output.terminal.screen import PLAIN, Screen
from parspec.interpreter.output.wording.errors import doubt_of, errors_of
from parspec.lsp.client import Client
from parspec.lsp.convert.report import summary
from parspec.lsp.features.inlay_hints import inlay_hints
from parspec.lsp.ranges import Range
from parspec.lsp.session import Session
from parspec.lsp.settings import settings

GATHERED = """\
mesh dp = 4
dim B = 8, D = 16, F = 32
input x[B, D]
weight w1[D, F] store F on dp
weight w2[F, D] store F on dp
layer up:   h[B, F] = x * w1  partition B on dp
layer down: y[B, D] = h * w2  partition B on dp
output y
"""
BROKEN = GATHERED.replace("weight w2[F, D] store F on dp", "weight w2[F, D], store F on dp")
KEPT = f"{GATHERED}expect traffic <= 8 kB\n"
MISSED = f"{GATHERED}expect traffic <= 7 B\n"
DOUBT = "of what is understood: 1 error"


def status(text):
    session = Session(Client({"capabilities": {}}), settings(None))
    session.open(f"file://{MAIN}", 1, text)
    return summary(session, f"file://{MAIN}")["text"]


def test_totals_are_not_shown_where_an_error_leaves_them_open():
    assert status(KEPT) == "7.68 kB · 1.54 kB/device"
    assert status(BROKEN) == "1 error"
    assert lenses(GATHERED).startswith("mesh dp = 4\n^ traffic 7.68 kB · 1.54 kB/device · memory")
    assert lenses(BROKEN).startswith("mesh dp = 4\n^ 1 error\n")


def test_what_is_not_kept_is_told_beside_the_figures():
    assert status(MISSED) == "7.68 kB · 1.54 kB/device · 1 error"
    first = lenses(MISSED).split("\n")[1]
    assert first.startswith("^ traffic 7.68 kB") and first.endswith("/device · 1 error")
    assert hinted(MISSED) == hinted(GATHERED)


def test_hints_and_lenses_of_a_layer_name_the_errors():
    (hint,) = hinted(BROKEN, kinds=("primitive",))
    assert "⟨All-Gather w1 → R on dp · 3.84 kB · 768 B/device · 1 error⟩" in hint
    assert lenses(BROKEN).split("\n")[2:] == [
        "layer up:   h[B, F] = x * w1  partition B on dp",
        "      ^^ traffic 3.84 kB · 768 B/device · memory 1.22 kB/device · 1 error",
    ]


def test_a_hint_and_a_lens_that_say_the_same_are_told_once():
    hints = inlay_hints(snapshot_of(BROKEN), Range(0, len(BROKEN)))
    assert lenses(BROKEN, hints) == "mesh dp = 4\n^ 1 error"


@pytest.mark.parametrize(
    "place", ["mesh ‸dp", "dim B = 8, ‸D", "layer ‸up", "weight ‸w1", "x * ‸w1"]
)
def test_hovers_say_of_what_their_figures_are(place):
    word = place.replace("‸", "")
    assert shown(BROKEN.replace(word, place, 1)).endswith(DOUBT)
    assert DOUBT not in shown(MISSED.replace(word, place, 1))


def test_hovers_of_words_and_of_what_is_not_told_are_as_they_were():
    assert DOUBT not in shown(BROKEN.replace("partition", "‸partition", 1))


def test_each_plan_has_its_own_errors():
    model = GATHERED.replace("mesh dp = 4\n", "")
    plans = "plan four {\n  mesh dp = 4\n}\nplan six {\n  mesh dp = 6\n}\n"
    assert status(f"{model}{plans}") == "four 7.68 kB · 1.54 kB/device, six 1 error"


def reports(text):
    analysis = snapshot_of(text).analysis
    found = checked(MAIN, (analysis,))
    moves = analysis.moves
    plain = report_text(found, moves, Screen(PLAIN, 120))
    return report_markdown(found, moves), report_html(found, moves), plain


def test_reports_say_of_what_their_figures_are():
    markdown, page, plain = reports(BROKEN)
    assert f"figures  of one forward pass, traffic at composed prices, {DOUBT}\n" in plain
    assert f"traffic at composed prices, **{DOUBT}**." in markdown
    assert f'prices, <span class="verdict error">{DOUBT}</span></dd>' in page
    for text in reports(MISSED):
        assert DOUBT not in text


@pytest.mark.parametrize(
    ("mistake", "errors", "doubt"),
    [
        ("", "", ""),
        ("expect traffic <= 1 B", "1 error", ""),
        ("expect no All-Gather in upp", "1 error", ""),
        ("dim Q = ", "1 error", "1 error"),
        ("for up: partition Z on dp, B on dpp", "2 errors", "2 errors"),
        ("for up: partition B on dp, D on dp", "1 error", "1 error"),
    ],
)
def test_which_errors_leave_figures_open(mistake, errors, doubt):
    analysis = snapshot_of(f"{GATHERED}{mistake}\n").analysis
    assert (errors_of(analysis), doubt_of(analysis)) == (errors, doubt)

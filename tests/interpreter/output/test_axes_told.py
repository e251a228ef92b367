"""Axes and their pieces: what is said of a layer on either, and which views the pieces are."""

import csv
import io
import json

import pytest
from specs import analysis_of

from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.output.comparisons.compared import compared
from parspec.interpreter.output.comparisons.prose import grounds
from parspec.interpreter.output.comparisons.values import Variant
from parspec.interpreter.output.reports.csv import report_csv
from parspec.interpreter.output.reports.html import report_html
from parspec.interpreter.output.reports.json import report_json
from parspec.interpreter.output.reports.markdown import report_markdown
from parspec.interpreter.output.reports.text import report_text
from parspec.interpreter.output.terminal.screen import PLAIN, Screen
from parspec.interpreter.output.wording.axes import mesh_of, said_on, strategy_on
from parspec.interpreter.output.wording.facts import axes_by_size

MODEL = """\
dim B = 64, S = 64, D = 32, F = 64, E = 8
dim C = capacity(tokens = B * S, experts = E, top = 1)
input x[B, S, D]
weight wr[D, E], w1[E, D, F], w2[E, F, D]
layer r: r[B, S, E] = x * wr
layer send: xe[E, C, D] = dispatch(x, r)
layer up: h[E, C, F] = xe * w1
layer down: ye[E, C, D] = h * w2
layer back: y[B, S, D] = combine(ye, r)
output y
for *: partition B on dp
"""
MESH = "mesh dp = 16, tp = 4\n"
CUT = (
    "axis edp = 2, ep = 8 of dp\nfor up, down: partition E on ep\nfor up, down: partition F on tp\n"
)
EXPERTS = analysis_of(MODEL + MESH + CUT)
WIDE = Screen(PLAIN, 120)


def layer(name, analysis=EXPERTS):
    return next(each for each in analysis.layers if each.name == name)


def strategies(name, *axes, analysis=EXPERTS):
    return [strategy_on(layer(name, analysis), axis) for axis in axes]


def test_pieces_have_strategies_of_their_own_or_that_of_their_axis():
    assert strategies("up", "dp.0", "dp.1", "tp") == ["data", "expert", "tensor, column"]
    assert strategies("send", "dp.0", "dp.1", "dp", "tp") == ["data", "data", "data", "repeated"]
    assert strategies("up", "dp") == ["data, expert"]
    assert strategies("up", "none") == [None]


def test_a_piece_that_is_not_partitioned_has_no_strategy_beside_one_that_is():
    half = analysis_of(
        "mesh dp = 16\naxis a = 2, b = 8 of dp\ndim B = 64\ninput x[B]\n"
        "layer y: y[B] = gelu(x) partition B on b\noutput y\n"
    )
    assert strategies("y", "dp.0", "dp.1", analysis=half) == [None, layer("y", half).strategy[0][1]]


def test_what_is_said_on_axes_and_pieces():
    said = (("tp.0", "G"), ("tp.1", "R"), ("dp", "B"))
    asked = ("tp.0", "tp.1", "tp", "dp", "dp.0", "pp")
    assert [said_on(said, axis) for axis in asked] == ["G", "R", "G, R", "B", "B", None]


@pytest.mark.parametrize(
    ("mesh", "told"),
    [
        ("mesh dp = 2, tp = 4", ["dp = 2", "tp = 4"]),
        (
            "mesh dp = 16 over ib, tp\naxis edp = 2, ep = 8 over nvlink of dp\naxis e = ep",
            ["dp = 16 over ib (dp.0 edp = 2, dp.1 ep = 8 over nvlink, e = 8)", "tp"],
        ),
        (
            "mesh dp = 4, tp = 4\naxis all = dp * tp\naxis o = 2, i = 8 of dp * tp",
            [
                "dp = 4 (dp.0 o = 2, dp.1 = 2)",
                "tp = 4",
                "all = 16 of dp * tp",
                "i = 8 of dp.1 * tp",
            ],
        ),
    ],
)
def test_a_mesh_with_its_views(mesh, told):
    links = "link ib { bandwidth = 50 GB/s }\nlink nvlink { bandwidth = 450 GB/s }\n"
    assert list(mesh_of(analysis_of(links + mesh + "\n").model)) == told


def test_every_report_says_what_pieces_are_and_what_is_done_on_them():
    found = checked("experts.par", (EXPERTS,))
    legend = "dp = 16 (dp.0 edp = 2, dp.1 ep = 8)"
    assert f"mesh     {legend}, tp = 4\n" in report_text(found, EXPERTS.moves, WIDE)
    assert f"Mesh `{legend}` · `tp = 4`." in report_markdown(found, EXPERTS.moves)
    assert legend.replace(" ", "\u00a0") in report_html(found, EXPERTS.moves)
    report = json.loads(report_json(found, EXPERTS.moves))
    assert report["views"] == [
        {"axis": "edp", "size": 2, "link": None, "covers": ["dp.0"]},
        {"axis": "ep", "size": 8, "link": None, "covers": ["dp.1"]},
    ]
    rows = {row["layer"]: row for row in csv.DictReader(io.StringIO(layers_csv(found)))}
    up, send = rows["up"], rows["send"]
    assert [up[f"strategy.{a}"] for a in ("dp.0", "dp.1")] == ["data", "expert"]
    assert [up[f"partition.{a}"] for a in ("dp.0", "dp.1")] == ["C", "E"]
    assert [send[f"strategy.{a}"] for a in ("dp.0", "dp.1")] == ["data", "data"]
    assert [send[f"partition.{a}"] for a in ("dp.0", "dp.1")] == ["B", "B"]


def layers_csv(found):
    return report_csv(found, (), "layers")


def test_a_comparison_holds_the_pieces_of_one_plan_against_the_whole_axis_of_another():
    plain = analysis_of(MODEL + MESH + "for up, down: partition F on tp\n")
    found = compared([Variant("cut", EXPERTS), Variant("plain", plain)])
    told = {
        (*difference.members, difference.axis): difference.values
        for difference in found.differences
        if difference.subject == "strategy"
    }
    assert told == {("up", "down", "dp"): ("data (C), expert (E)", "data (C)")}


def test_a_comparison_says_which_pieces_there_are():
    plain = analysis_of(MODEL + MESH)
    both = [Variant("cut", EXPERTS), Variant("plain", plain)]
    pieces = "dp.0 edp = 2, dp.1 ep = 8"
    assert ("pieces", f"cut: {pieces}; plain: none") in [*grounds(compared(both))]
    assert ("pieces", pieces) in [*grounds(compared([both[0], both[0]]))]
    assert "pieces" not in dict(grounds(compared([both[1], both[1]])))


BOTH_ORDERS = """\
mesh dp = 2, tp = 4
dim B = 64, D = 32, F = 64
input x[B, D]
weight w[D, F]
layer up: y[B, F] = x * w  partition F on {}
layer act: s[B, F] = gelu(y)  partition none on dp, none on tp
layer re: r[B, F] = gelu(s)  partition F on dp * tp
output r replicated on dp, tp
"""


def test_what_moves_on_the_same_axes_is_summed_up_in_the_order_of_the_mesh():
    analysis = analysis_of(BOTH_ORDERS.format("tp * dp"))
    assert [m.axes for m in analysis.moves if m.primitive] == [("tp", "dp"), ("dp", "tp")]
    ((axes, amount),) = analysis.totals.by_axis
    assert (axes, amount) == ("dp,tp", sum(dict(m.traffic)["composed"] for m in analysis.moves))
    found = compared((Variant("a", analysis), Variant("b", analysis)))
    names = {figure.name for figure in found.figures if figure.group == "traffic by axis"}
    assert names == {"dp,tp"}
    assert {exchange.axes for exchange in found.exchanges} == {("dp", "tp")}
    assert axes_by_size(analysis.totals) == (("dp, tp", amount),)


def test_a_report_says_what_the_order_of_axes_means_where_it_is_not_that_of_the_mesh():
    def told(cut):
        analysis = analysis_of(BOTH_ORDERS.format(cut))
        return report_text(checked("spec.par", (analysis,)), analysis.moves, WIDE)

    line = "axes     on tp, dp: in the order in which they partition the dimension\n"
    assert line in told("tp * dp")
    assert "axes   " not in told("dp * tp")


def test_axes_and_places_of_axes_have_one_order():
    mesh = EXPERTS.model.mesh
    assert mesh.in_order(("tp", "dp.1", "dp.0")) == ("dp.0", "dp.1", "tp")
    assert mesh.in_order(("none", "tp.10", "tp.9")) == ("tp.9", "tp.10", "none")

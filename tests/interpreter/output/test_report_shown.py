"""Reports as text and as JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pytest
from handmade import FILE, TEXT, all_reduce, analysis, model, relisted, symbolic, unknown_axis

from parspec.interpreter.analysis.result import StageResult, Totals
from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.output.checks.json import check_json
from parspec.interpreter.output.reports.axes import axes_of
from parspec.interpreter.output.reports.json import report_json
from parspec.interpreter.output.reports.text import report_text
from parspec.interpreter.output.terminal.cells import width
from parspec.interpreter.output.terminal.drawing import Row, add_row, drawn, listing, open_table
from parspec.interpreter.output.terminal.screen import COLOURED, PLAIN, Screen
from parspec.interpreter.output.wording.quantities import figure_in_bytes
from parspec.interpreter.spec.model import Axis, Mesh
from parspec.interpreter.theory.formulas import product, symbol
from parspec.interpreter.theory.layouts import layout

SCREEN = Screen(PLAIN, 80)


def validated(name, text):
    schemas = files("parspec.interpreter.output") / "schemas"
    schema = json.loads((schemas / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    value = json.loads(text)
    jsonschema.Draft202012Validator(schema).validate(value)
    return value


def text_of(made, moves=None, screen=SCREEN):
    return report_text(checked(FILE, (made,)), made.moves if moves is None else moves, screen)


def json_of(made):
    return validated("report", report_json(checked(FILE, (made,)), made.moves))


def test_text():
    assert text_of(analysis()) == (
        """\
mlp.par
mesh     N = 8
dims     B = 4096, D = 8192, F = 28672
figures  of one forward pass, traffic at composed prices
states   P(d) a slice of d · R a copy · R(partial) an addend · C(k) on node k
layers   bytes/turn: operands and result on a device · time: all its turns
moves    (order) · per device, time: the busiest, all turns · ≈ for N >> 1

layers    N               bytes/turn  time
up        tensor, column      155 MB     -
  x       R
  w_up    P(F)
  → h     P(F)
act       split F             155 MB     -
          follows h
  h       P(F)
  → a     P(F)
down      tensor, row         155 MB     -
  a       P(F)
  w_down  P(F)
  → y     R(partial)

between stages and at outputs                          traffic  per device  time
y  All-Reduce (4) of y on N: R(partial) → R            1.06 GB      117 MB     -
   2(N−1)/N·M + 2(N−1)·M = 1.06 GB (≈ 2·N·M), N = 8, M = 67.1 MB

parameters         470M
traffic            forward 1.06 GB
by axis            N 1.06 GB
by primitive       All-Reduce 1.06 GB
memory per device  total 400 MB · weights 117 MB

line  expect                    value
11    traffic <= 1.2 GB  holds  1.06 GB
"""
    )


def test_repeated_moves_say_how_often():
    move = all_reduce(100, 4, times=32, groups=2)
    text = text_of(analysis(), (move,))
    assert (
        "   2(N−1)/N·M + 2(N−1)·M = 750 B (≈ 2·N·M)\n   N = 4, M = 100 B; 32 times in 2 groups"
        in text
    )
    assert "48 kB" in text


def test_a_price_that_is_the_size_says_it_once():
    send = replace(
        all_reduce(100, 4, times=3),
        primitive="Send",
        order=1,
        traffic=(("composed", 300), ("approx", 300), ("ring", 300)),
        layer="decoder",
    )
    text = text_of(analysis(), (send,))
    assert "decoder  Send (1) of y on N: R(partial) → R" in text
    assert "         M = 100 B, 3 times\n" in text


def test_parts_of_an_axis_have_columns_of_their_own():
    made = analysis()
    up, *rest = made.layers
    split = layout({"F": ("N.0",), "D": ("N.1",)})
    states = tuple(replace(state, layout=split) for state in up.states)
    divided = relisted(made, layers=(replace(up, states=states), *rest))
    assert axes_of(divided) == ("N", "N.0", "N.1")
    alone = relisted(divided, layers=divided.layers[:1], tensors=())
    assert axes_of(alone) == ("N.0", "N.1")
    assert (
        "layers  N.0             N.1             bytes/turn  time\n"
        "up      tensor, column  tensor, column      155 MB     -\n"
        "  x     P(F)            P(D)\n"
    ) in text_of(alone)


def test_symbolic_sizes_stay_formulas():
    text = text_of(symbolic())
    assert "mesh     N\n" in text
    assert "2(N−1)/N·M + 2(N−1)·M = (134217728·N − 134217728/N) B (≈ 2·N·M)" in text


def test_formulas_stand_among_figures_where_they_are_short():
    assert figure_in_bytes(product((63, symbol("B"), symbol("D")))) == "63·B·D B"
    assert figure_in_bytes(product((63, *map(symbol, ("BATCH", "HIDDEN", "LAYERS"))))) == "symbolic"
    assert figure_in_bytes(None) == "-"


def test_totals_are_sorted_by_size():
    made = analysis()
    amounts = (("a", 5), ("b", 700), ("c", 30))
    totals = replace(made.totals, by_axis=amounts, by_primitive=amounts)
    text = text_of(replace(made, totals=totals))
    assert "by axis            b 700 B · c 30 B · a 5 B\n" in text
    assert "by primitive       b 700 B · c 30 B · a 5 B\n" in text


def test_free_moves_say_so():
    free = replace(
        all_reduce(100, 4),
        primitive=None,
        before="R",
        after="P(B)",
        order=0,
        traffic=(("composed", 0), ("approx", 0), ("ring", 0)),
        per_device=0,
        layer="act",
    )
    text = text_of(analysis(), (free,))
    assert "act  y, free, on N: R → P(B)" in text
    assert "0 B         0 B" in text


def test_stages_and_times():
    made = analysis()
    totals = replace(
        made.totals, step_time=0.012, compute_time=0.01, tokens_per_second=1234567.0, mfu=0.41
    )
    stages = (StageResult(0, ("embed", "decoder 0-4"), made.totals.memory),)
    text = text_of(replace(made, totals=totals, stages=stages))
    assert "time               compute 10 ms · step 12 ms\n" in text
    assert "throughput         1.23M tokens/s · 41% of peak FLOPs\n" in text
    assert "0      embed, decoder 0-4  400 MB\n" in text


def test_times_without_links_are_not_nothing():
    made = analysis()
    timed = replace(made, totals=replace(made.totals, communication_time=0.0))
    assert "communication 0 s" not in text_of(timed)
    linked = replace(made.model, mesh=Mesh((Axis("N", 8, "nvlink"),)))
    assert "communication 0 s" in text_of(replace(timed, model=linked))


def test_mistakes_are_counted_in_the_header():
    wrong = TEXT.replace("partition F on N", "partition F on tp", 1)
    made = analysis(model=model(wrong), findings=(unknown_axis(wrong, "tp"),))
    assert "found    1 error; parspec check shows them, given the same options\n" in text_of(made)


@pytest.mark.parametrize("columns", [60, 70, 80])
def test_nothing_is_wider_than_the_screen(columns):
    for made in (analysis(), symbolic()):
        for line in text_of(made, screen=Screen(PLAIN, columns)).splitlines():
            assert width(line) <= columns


def test_colours_only_where_wanted():
    assert "\x1b" not in text_of(analysis())
    assert "\x1b" in text_of(analysis(), screen=Screen(COLOURED, 80))


def test_json():
    report = json_of(analysis())
    assert report["mesh"] == [{"axis": "N", "size": 8, "link": None}]
    assert report["layers"][1]["follows"] == {"N": "h"}
    assert report["layers"][2]["states"][2] == {
        "tensor": "y",
        "path": "y",
        "role": "out",
        "pass": "forward",
        "layout": {"N": "R(partial)"},
    }
    (primitive,) = report["primitives"]
    assert primitive["axis"] == "N"
    assert primitive["from"] == "R(partial)"
    assert primitive["traffic_bytes"] == 1_056_964_608
    assert primitive["per_device_bytes"] == 117_440_512
    assert primitive["formula"] == "2(N−1)/N·M + 2(N−1)·M"
    assert primitive["approx"] == "2·N·M"
    assert primitive["m_bytes"] == 67_108_864
    assert report["totals"]["traffic_bytes"] == {
        "forward": 1_056_964_608,
        "backward": None,
        "update": None,
    }
    assert report["totals"]["memory_per_device"]["gradients"] is None
    assert report["expects"] == [
        {
            "text": "traffic <= 1.2 GB",
            "holds": True,
            "value": "1.06 GB",
            "plan": None,
            "file": "mlp.par",
            "line": 11,
        }
    ]
    assert report["diagnostics"] == []


def test_json_of_symbolic_sizes_is_null_with_the_formula_beside_it():
    report = json_of(symbolic())
    assert report["mesh"][0]["size"] is None
    (primitive,) = report["primitives"]
    assert primitive["traffic_bytes"] is None
    assert eval(primitive["traffic"]["composed"], {"N": 8}) == 1_056_964_608
    formula = report["totals"]["formulas"]["traffic_bytes"]["forward"]
    assert eval(formula, {"N": 8}) == 1_056_964_608


def test_json_numbers_are_exact():
    made = analysis()
    huge = 10**40 + 1
    totals = replace(made.totals, parameters=huge)
    assert json_of(replace(made, totals=totals))["totals"]["parameters"] == huge


def test_json_of_diagnostics():
    wrong = TEXT.replace("partition F on N", "partition F on tp", 1)
    made = analysis(model=model(wrong), findings=(unknown_axis(wrong, "tp"),))
    found = checked(FILE, (made,))
    value = validated("check", check_json((found,), found.diagnostics))
    tp = {"start": {"line": 7, "character": 45}, "end": {"line": 7, "character": 47}}
    assert value["diagnostics"] == [
        {
            "code": "PAR101",
            "name": "unknown_name",
            "severity": "error",
            "message": "there is no axis tp; did you mean N?",
            "data": {"kind": "axis", "name": "tp", "near": ["N"]},
            "plans": [],
            "file": "mlp.par",
            "range": tp,
            "related": [
                {
                    "message": "an axis is declared here",
                    "file": "mlp.par",
                    "range": {
                        "start": {"line": 3, "character": 6},
                        "end": {"line": 3, "character": 7},
                    },
                }
            ],
            "fixes": [
                {
                    "title": "Replace `tp` with `N`",
                    "edits": [{"file": "mlp.par", "range": tp, "text": "N"}],
                }
            ],
        }
    ]
    assert [expect["line"] for expect in value["expects"]] == [11]


def test_totals_of_symbols_are_summed_up_in_words():
    made = symbolic()
    assert isinstance(made.totals, Totals)
    totals = replace(made.totals, parameters=symbol("D") * symbol("F"))
    assert "parameters         D·F\n" in text_of(replace(made, totals=totals))


@pytest.mark.parametrize("palette", [PLAIN, COLOURED])
def test_a_listing_that_fits_is_what_rich_would_draw(palette):
    columns = ("group\n(32 times)", "tp", "bytes", "time")
    rows = [
        Row(("层", "tensor, column\nfollows x", "4.1 kB", "-"), "strong"),
        Row(("  → x", "P(D)")),
        Row(("\x1b", "R", "12 B", "3 ms")),
    ]
    screen = Screen(palette, 80)
    table = open_table(columns, 2)
    for row in rows:
        add_row(table, row.cells)
    ours, theirs = drawn((listing(columns, 2, rows, screen),), screen), drawn((table,), screen)
    assert lines_without_colours(ours) == lines_without_colours(theirs)
    assert lines_without_colours(ours)[1] == "(32 times)  tp               bytes  time"


def lines_without_colours(text):
    return [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()]


def test_a_listing_that_does_not_fit_stays_within_the_columns():
    text = drawn((listing(("a", "b"), 0, [Row(("x" * 50, "y z " * 20))], SCREEN),), SCREEN)
    assert max(map(width, text.splitlines())) <= 80

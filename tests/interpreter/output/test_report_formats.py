"""Reports as CSV, Markdown and HTML: the numbers of the JSON, and nothing that a spec says taken
for markup."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from handmade import NO_MEMORY, TEXT, all_reduce, analysis, model, relisted, symbolic, unknown_axis

from parspec.interpreter.analysis.result import ExpectResult, StageResult
from parspec.interpreter.commands.loading import analysed, spec
from parspec.interpreter.commands.main import main
from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.output.reports.csv import report_csv
from parspec.interpreter.output.reports.html import report_html
from parspec.interpreter.output.reports.json import report_json
from parspec.interpreter.output.reports.markdown import report_markdown
from parspec.interpreter.output.reports.page.picture import MOST_LAYERS
from parspec.interpreter.output.reports.page.tables import MOST_ROWS
from parspec.interpreter.output.wording.facts import MOST_STAGES, at_work, stage_rows

EXAMPLES = Path(__file__).parents[3] / "examples"
PLANS = [
    ("megatron_mlp", None),
    ("article", None),
    ("llama3_70b_plans", "tp8_pp4_dp8"),
    ("llama3_405b_16k", None),
    ("mixtral_8x7b", None),
]
HOSTILE = "<script>alert('1')</script> & \"|`*_@user\u202e\x1b.par"


def example(name, plan):
    return found(analysed(spec(str(EXAMPLES / f"{name}.par")), plan))


def found(made):
    return checked(made.model.file, (made,))


def moves_of(report):
    return tuple(at_work(report.analyses[0].moves))


def json_of(report):
    return json.loads(report_json(report, moves_of(report)))


def html_of(report):
    return report_html(report, moves_of(report))


def markdown_of(report):
    return report_markdown(report, moves_of(report))


def csv_of(report, table):
    return list(csv.DictReader(io.StringIO(report_csv(report, moves_of(report), table))))


@pytest.fixture(scope="module", params=PLANS, ids=lambda param: param[0])
def report(request):
    return example(*request.param)


# CSV


def field(value):
    return "" if value is None else str(value)


def same_number(text, value):
    return text == "" if value is None else float(text) == value


def test_csv_of_primitives_is_the_json_of_them(report):
    rows = csv_of(report, "primitives")
    primitives = json_of(report)["primitives"]
    assert len(rows) == len(primitives)
    for row, primitive in zip(rows, primitives, strict=True):
        for name in ("pass", "layer", "tensor", "path", "axis", "from", "to", "primitive"):
            assert row[name] == field(primitive[name])
        for name in ("order", "times", "group", "groups", "m_bytes", "traffic_bytes"):
            assert same_number(row[name], primitive[name])
        for name in ("per_device_bytes", "time_s"):
            assert same_number(row[name], primitive[name])
        assert (row["price"], row["price_approx"]) == (primitive["formula"], primitive["approx"])


def test_csv_of_layers_and_tensors_is_the_json_of_them(report):
    expected = json_of(report)
    for row, layer in zip(csv_of(report, "layers"), expected["layers"], strict=True):
        assert row["layer"] == layer["name"]
        for axis, strategy in layer["strategy"].items():
            assert row.get(f"strategy.{axis}", strategy) == strategy
        for axis, dim in layer["partition"].items():
            assert row.get(f"partition.{axis}", dim) == dim
        for axis, tensor in layer["follows"].items():
            assert row[f"follows.{axis}"] == tensor
        for name in ("turns", "bytes_per_device", "flops_per_device", "time_s"):
            assert same_number(row[name], layer[name])
    for row, tensor in zip(csv_of(report, "tensors"), expected["tensors"], strict=True):
        assert (row["path"], row["dims"]) == (tensor["path"], " ".join(tensor["dims"]))
        assert same_number(row["bytes"], tensor["bytes"])
        assert row["formula"] == field(tensor["formula"])
        for axis, state in tensor["layout"].items():
            assert axis == "order" or row[f"state.{axis}"] == state


def test_csv_by_the_letter():
    made = analysis(moves=(replace(all_reduce(100, 4), axes=("dp", "tp"), statistic='a "max"'),))
    text = report_csv(found(made), made.moves, "primitives")
    head, row, end = text.split("\r\n")
    assert head.startswith("pass,layer,tensor,path,statistic,axis,from,to,primitive,order,times,")
    assert row.startswith('forward,,y,y,"a ""max""","dp,tp",R(partial),R,All-Reduce,4,1,4,1,100,')
    assert end == ""


def test_csv_of_symbols_has_the_formula_in_its_own_column():
    (row,) = csv_of(found(symbolic()), "primitives")
    assert row["traffic_bytes"] == ""
    assert eval(row["traffic_formula"], {"N": 8}) == 1_056_964_608


# Markdown


def tables_of(markdown):
    """Tables as lists of rows; a row is the list of its cells."""
    tables = []
    for line in markdown.splitlines():
        if not line.startswith("| "):
            tables.append([])
        else:
            tables[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return [table for table in tables if table]


def test_markdown_tables_are_tables(report):
    for head, ruler, *rows in tables_of(markdown_of(report)):
        assert all(re.fullmatch("-+:?", cell) for cell in ruler)
        assert rows
        assert all(len(row) == len(ruler) == len(head) for row in rows)


def test_markdown():
    assert markdown_of(found(analysis())) == (
        """\
### `mlp.par`

Mesh `N = 8`.
Dimensions `B = 4096` · `D = 8192` · `F = 28672`.
Figures of one forward pass, traffic at composed prices.

1 expectation, all held.

|  | value |
| --- | ---: |
| parameters | 470M |
| traffic | 1.06 GB |
| traffic of a device | 117 MB |
| memory of a device | 400 MB (weights 117 MB) |

**Primitives**

| layer | pass | primitive | axis | states | times | traffic | per device | time |
| --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: |
| output | forward | All-Reduce of `y` | `N` | `R(partial)` → `R` | 1 | 1.06 GB | 117 MB | - |

**Traffic by**

|  |  | traffic |
| --- | --- | ---: |
| pass | forward | 1.06 GB |
| axis | `N` | 1.06 GB |
| primitive | All-Reduce | 1.06 GB |
"""
    )


def test_markdown_begins_with_what_is_wrong():
    wrong = TEXT.replace("partition F on N", "partition F on tp", 1)
    (expect,) = analysis().expects
    failed = ExpectResult("traffic <= 1 GB | 2", False, "1.06 GB", expect.site)
    made = analysis(
        model=model(wrong), findings=(unknown_axis(wrong, "tp"),), expects=(expect, failed)
    )
    text = markdown_of(found(made))
    assert "| error PAR101 | `mlp.par:7` | there is no axis tp; did you mean N? |" in text
    assert "**Expectations (1 of 2 hold)**" in text
    assert r"| `traffic <= 1 GB \| 2` | fails | 1.06 GB | 11 |" in text
    assert text.index("PAR101") < text.index("parameters")


def test_markdown_lists_the_primitives_that_move_most_first():
    moves = tuple(all_reduce(100 * size, 4) for size in range(1, 15))
    text = report_markdown(found(analysis()), moves)
    assert "**The 10 of 14 primitives that move most**" in text
    traffic = [row[6] for table in tables_of(text) for row in table[2:] if len(row) == 9]
    assert traffic[:3] == ["10.5 kB", "9.75 kB", "9 kB"]
    assert len(traffic) == 10


def test_markdown_takes_nothing_for_markup():
    text = markdown_of(found(analysis(model=model(file=HOSTILE))))
    (title,) = [line for line in text.splitlines() if line.startswith("###")]
    assert title == "### `` <script>alert('1')</script> & \"\\|`*_@user�␛.par ``"


# HTML


def parsed(page):
    """The page as a tree. What it is made of is well-formed XML but for the style and the script,
    which are left out."""
    assert page.startswith("<!DOCTYPE html>\n<html ")
    body = re.sub(r"<(style|script)>.*?</\1>", "", page.split("\n", 1)[1], flags=re.DOTALL)
    return ElementTree.fromstring(body)


def text_of(node):
    return "".join(node.itertext()).strip()


def rows_of(tree, section):
    """The rows of a section's table, each a list of cells."""
    body = tree.find(f".//section[@id='{section}']//tbody")
    return [] if body is None else [list(row) for row in body]


def number_in(cell):
    figure = cell.find(".//data")
    return None if figure is None else float(figure.get("value"))


def test_page_has_the_numbers_of_the_json(report):
    tree, expected = parsed(html_of(report)), json_of(report)
    layers = rows_of(tree, "layers")
    assert [text_of(row[0]) for row in layers] == [layer["name"] for layer in expected["layers"]]
    for row, layer in zip(layers, expected["layers"], strict=True):
        figures = [number_in(row[place]) for place in (1, -3, -2, -1)]
        names = ("turns", "bytes_per_device", "flops_per_device", "time_s")
        assert figures == [layer[name] for name in names]
    primitives = rows_of(tree, "primitives")
    for row, primitive in zip(primitives, expected["primitives"], strict=True):
        assert [text_of(cell) for cell in (row[2], row[4])] == [
            primitive["primitive"],
            primitive["axis"].replace(",", ", "),
        ]
        assert [text_of(cell) for cell in row[5:7]] == [primitive["from"], primitive["to"]]
        names = ("times", "group", "traffic_bytes", "per_device_bytes", "time_s")
        assert [number_in(cell) for cell in row[7:]] == [primitive[name] for name in names]
        assert primitive["formula"] in text_of(row[9])
    for row, tensor in zip(rows_of(tree, "variables"), expected["tensors"], strict=True):
        assert text_of(row[0]) == tensor["path"]
        assert [number_in(cell) for cell in row[4:6]] == [
            tensor["bytes"],
            tensor["bytes_per_device"],
        ]
        states = [state for axis, state in tensor["layout"].items() if axis != "order"]
        assert [text_of(cell) for cell in row[6:]] == states


def test_page_has_the_totals_of_the_json(report):
    tree, totals = parsed(html_of(report)), json_of(report)["totals"]
    shown = {
        text_of(row[0]): number_in(row[1])
        for row in tree.findall(".//section[@id='traffic']//tbody/tr")
    }
    axes = {name.replace(",", ", "): amount for name, amount in totals["by_axis"].items()}
    assert shown == {**axes, **totals["by_primitive"]}
    (figures,) = tree.findall(".//dl[@class='figures']")
    cells = {text_of(cell[0]): cell[1] for cell in figures}
    assert number_in(cells["Parameters"]) == totals["parameters"]
    passes = [amount for amount in totals["traffic_bytes"].values() if amount is not None]
    assert number_in(cells["Traffic"]) == sum(passes)
    if totals["memory_per_device"]["total"] is not None:
        assert number_in(cells["Memory per device"]) == totals["memory_per_device"]["total"]


def test_picture_shows_every_layer_state_and_primitive(report):
    tree, expected = parsed(html_of(report)), json_of(report)
    picture = tree.find(".//div[@class='sheet']")
    links = [link.get("href") for link in picture.iter("a")]
    assert links == [f"#layer-{place}" for place in range(len(expected["layers"]))]
    ids = {node.get("id") for node in tree.iter()}
    assert {link.removeprefix("#") for link in links} <= ids
    assert len(picture.findall(".//g[@class='move']")) == len(expected["primitives"])
    states = sum(
        len(state["layout"]) - ("order" in state["layout"])
        for layer in expected["layers"]
        for state in layer["states"]
    )
    assert len([node for node in picture.iter("rect") if "state" in node.get("class")]) >= states


def test_arrows_are_as_thick_as_their_traffic():
    moves = tuple(replace(all_reduce(size, 4), layer="act", tensor="h") for size in (1000, 500))
    picture = parsed(report_html(found(analysis()), moves)).find(".//div[@class='sheet']")
    thick, thin = (path.get("d") for path in picture.iter("path") if path.get("class") == "arrow")

    def height(shape):
        top = float(re.match(r"M[\d.]+ ([\d.]+)", shape)[1])
        return float(re.search(r"V([\d.]+)H[\d.]+z", shape)[1]) - top

    assert height(thick) == pytest.approx(2 * height(thin))


def test_on_the_way_back_arrows_point_back():
    moves = tuple(
        replace(all_reduce(100, 4), layer="act", direction=d) for d in ("forward", "backward")
    )
    picture = parsed(report_html(found(analysis()), moves)).find(".//div[@class='sheet']")
    there, back = (
        [float(x) for x in re.findall(r"[ML]([\d.]+) ", path.get("d"))]
        for path in picture.iter("path")
        if path.get("class") == "arrow"
    )
    assert there[0] < there[1]
    assert back[0] > back[1]
    assert "y, backward" in text_of(picture)


def test_symbols_stand_as_formulas():
    page = html_of(found(symbolic()))
    assert "(134217728·N − 134217728/N) B" in page
    assert "2(N−1)/N·M + 2(N−1)·M" in page


def test_everything_hostile_is_text():
    wrong = TEXT.replace("partition F on N", "partition F on tp", 1)
    made = analysis(
        model=model(wrong, file=HOSTILE, plan="</title><b>"),
        findings=(unknown_axis(wrong, "tp", file=HOSTILE),),
    )
    page = html_of(found(made))
    tree = parsed(page)
    assert text_of(tree.find(".//h1")).startswith("<script>alert('1')</script> & \"|`*_@user�␛.par")
    assert page.count("<script>") == page.count("</script>") == 1
    assert "\u202e" not in page
    assert "\x1b" not in page
    for node in tree.iter():
        assert not [name for name in node.attrib if name.startswith("on") or name == "style"]
        assert node.tag != "b" or node.find("data") is not None


def test_page_needs_nothing_from_elsewhere(report):
    page = html_of(report)
    tree = parsed(page)
    assert not [node for node in tree.iter() if node.get("src")]
    assert not re.search(r"https?:|url\(|@import", page)
    assert all(node.get("href").startswith("#") for node in tree.iter() if node.get("href"))
    (policy,) = [
        node.get("content")
        for node in tree.iter("meta")
        if node.get("http-equiv") == "Content-Security-Policy"
    ]
    for name in ("style", "script"):
        text = re.search(f"<{name}>(.*?)</{name}>", page, flags=re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")


def test_page_is_the_same_bytes_twice():
    one, other = (html_of(example("mixtral_8x7b", None)) for _ in range(2))
    assert one == other


def test_very_many_layers_and_primitives_are_cut_with_a_note():
    made = analysis()
    many = 2 * MOST_ROWS
    layers = tuple(replace(made.layers[1], name=f"act{place}") for place in range(many))
    moves = tuple(all_reduce(size, 4) for size in range(1, many + 1))
    page = report_html(found(relisted(made, layers=layers)), moves)
    tree = parsed(page)
    assert len(page) < 3_000_000
    assert len(rows_of(tree, "layers")) == len(rows_of(tree, "primitives")) == MOST_ROWS
    notes = [text_of(node) for node in tree.iter("p")]
    assert f"The first {MOST_LAYERS} of {many} layers." in notes
    assert f"{MOST_ROWS} of {many} layers. --format csv lists them all." in notes
    assert number_in(rows_of(tree, "primitives")[0][9]) == 7.5 * many
    assert len(list(tree.find(".//div[@class='sheet']").iter("a"))) == MOST_LAYERS


def test_numbers_of_any_size():
    made = analysis()
    totals = replace(made.totals, parameters=10**400, by_axis=(("N", 10**400), ("M", 1)))
    page = html_of(found(replace(made, totals=totals)))
    assert f'<data value="{10**400}">' in page
    assert {"Infinity", "NaN"}.isdisjoint(re.findall(r'<data value="([^"]*)"', page))


# The command


@pytest.mark.parametrize("form", ["csv", "markdown", "html"])
def test_command(form, capfdbinary):
    file = str(EXAMPLES / "megatron_mlp.par")
    assert main(["report", "--format", form, file]) == 0
    written = capfdbinary.readouterr().out
    loaded = found(analysed(spec(file)))
    expected = {
        "csv": report_csv(loaded, moves_of(loaded), "primitives"),
        "markdown": markdown_of(loaded),
        "html": html_of(loaded),
    }[form]
    assert written.decode() == expected


def test_command_tables(capsys):
    file = str(EXAMPLES / "megatron_mlp.par")
    assert main(["report", "--format", "csv", "--table", "layers", file]) == 0
    assert capsys.readouterr().out.startswith("layer,turns,")
    assert main(["report", "--table", "layers", file]) == 2
    assert "--table is for --format csv" in capsys.readouterr().err


def test_of_very_many_stages_the_first_are_listed():
    memory = replace(NO_MEMORY, weights=1, total=1)
    stages = tuple(StageResult(stage, (f"s {stage}",), memory) for stage in range(MOST_STAGES + 9))
    rows = list(stage_rows(analysis(stages=stages)))
    assert rows[MOST_STAGES - 1] == (str(MOST_STAGES - 1), (f"s {MOST_STAGES - 1}",), "1 B")
    assert rows[MOST_STAGES:] == [("…", ("9 more",), "")]

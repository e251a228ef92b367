"""Hovers in a file that has plans, that imports another, that is imported."""

from hover_fixtures import MODEL, TWO_PLANS, lines_of, shown, with_mark
from lsp_fixtures import FOLDER, Files, cut, snapshot_of

from parspec.lsp.analysing import Written, analysed
from parspec.lsp.features.hover import hover

PLANS = MODEL + TWO_PLANS


def test_import_tells_what_it_brings():
    text = shown(
        'import "mo‸del.par"\n', model="# The sizes.\n\ndim B = 4\nlink a { bandwidth = 1 GB/s }\n"
    )
    assert (
        text
        == """\
```par
import "model.par"
```

The sizes.

dims: `B`
links: `a`"""
    )
    assert shown('import "no‸ne.par"\n').endswith("it cannot be read")


def test_plans_side_by_side_where_only_they_have_a_mesh():
    assert (
        shown(with_mark(PLANS, "layer down", "layer ‸down"))
        == """\
```par
layer down: y[B, D] = h * v
```

- `row`: **tensor, row** on `tp` (F)
- `data`: **data** on `dp` (B)"""
    )
    assert shown(with_mark(PLANS, "h * v", "‸h * v")).endswith("""\
- `row`: **`P(F)`** on `tp` · 524 kB · 131 kB/device
- `data`: **`P(B)`** on `dp` · 524 kB · 262 kB/device""")


def test_a_plan_itself_and_names_inside_it():
    text = shown(with_mark(PLANS, "plan row", "plan ‸row"))
    assert text.startswith(
        "```par\nplan row\n```\n\none All-Reduce\n\n**no traffic · memory 4.46 MB/device**"
    )
    assert "- `data`" not in shown(with_mark(PLANS, "up, down", "up, ‸down"))


def shown_in_model(word, mark, mesh=""):
    """The hover in model.par, which main.par imports."""
    text, offset = cut(with_mark(MODEL + mesh, word, mark))
    importer = snapshot_of('import "model.par"\n' + TWO_PLANS, model=text)
    snapshot = analysed(Written(f"{FOLDER}/model.par", text), Files({}))
    return lines_of(hover(snapshot, offset, [importer]))


def test_a_layer_without_a_mesh_is_told_where_it_is_imported():
    assert (
        shown_in_model("layer down", "layer ‸down")
        == """\
```par
layer down: y[B, D] = h * v
```

operands and result 9.04 MB/device · 537 Mflop/device

where it is imported:

- `main.par`, plan `row`: **tensor, row** on `tp` (F)
- `main.par`, plan `data`: **data** on `dp` (B)"""
    )


def test_a_dim_of_a_file_that_is_imported():
    assert shown_in_model("F = 4096", "‸F = 4096").endswith(
        "where it is imported:\n\n- `main.par`, plan `row`: 4096 · on `tp` by 2 layers\n"
        "- `main.par`, plan `data`: 4096"
    )


def test_a_file_with_a_mesh_of_its_own_is_not_told_of_others():
    assert "imported" not in shown_in_model("layer up", "layer ‸up", "mesh dp = 2\n")


SPREAD = (
    MODEL.replace("layer down: y[B, D] = h * v", "layer down: y[B, D] = h * v partition F on tp")
    + "mesh tp = 4\noutput y replicated on tp\nfor up: partition F on tp\n"
).replace("output y\n", "")
OTHERS = "plan wide { mesh tp = 8 }\nplan same { dim B = 64 }\nplan broad { mesh tp = 8 }\n"


def test_plans_under_which_a_layer_is_otherwise_are_told_below_it():
    told = shown(with_mark(SPREAD + OTHERS, "layer down", "layer ‸down"))
    assert "**tensor, row** on `tp` (F)\n\nat its output:\n\n" in told
    assert told.endswith(
        "otherwise under plans:\n\n"
        "- `wide`, `broad`: **tensor, row** on `tp` (F) · at its output **2.06 MB · 229 kB/device**"
    )
    assert "otherwise under" not in shown(with_mark(SPREAD + OTHERS, "layer up", "layer ‸up"))
    inside = SPREAD + OTHERS.replace("wide {", "wide { for down: partition F on tp")
    assert "otherwise under" not in shown(with_mark(inside, "wide { for down", "wide { for ‸down"))


def test_plans_side_by_side_where_only_they_spread_the_model_over_the_mesh():
    text = MODEL + "mesh tp = 4\n" + TWO_PLANS.replace("  mesh tp = 4\n", "")
    assert shown(with_mark(text, "layer down", "layer ‸down")).endswith(
        "- `row`: **tensor, row** on `tp` (F)\n- `data`: **data** on `dp` (B)"
    )
    idle = MODEL + "mesh tp = 4\nplan more { dim B = 128 }\n"
    assert "- `more`: **`R`** on every axis" in shown(with_mark(idle, "input x", "input ‸x"))
    assert "**repeated** on `tp`" in shown(with_mark(idle, "layer down", "layer ‸down"))

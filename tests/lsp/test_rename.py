"""Renaming: what changes, what is refused, and that nothing else changes its meaning."""

import json
from pathlib import Path

import pytest
from lsp_fixtures import FOLDER, Files, at_cursor, changed, snapshot_of

from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.output.reports.json import report_json
from parspec.interpreter.spec.readers import DiskReader
from parspec.lsp.analysing import Written, analysed
from parspec.lsp.features.rename import Refusal, renamable, rename

EXAMPLES = Path(__file__).parents[2] / "examples"


def renamed(source, new, **others):
    """The main file after renaming what is at the cursor, or why that is refused."""
    snapshot, offset = at_cursor(source, **others)
    edits = rename((snapshot,), offset, new)
    if isinstance(edits, Refusal):
        return edits.message
    own = [(*e.location.range, e.text) for e in edits if e.location.file == snapshot.file]
    return changed(snapshot.text, own)


SPEC = """\
link wire { bandwidth = 50 GB/s }
device box { memory = 80 GiB }
mesh tp = 2 over wire on 2 box
axis ep = tp
dim B = 4, D = 8, L = 2
op double: pointwise
block mlp(p[B, D]) -> o {
  layer up: o[B, D] = double(p)
}
input x[B, D]
weight w[D]
stack decoder[L]: x -> y {
  layer ffn: m[B, D] = mlp(x)
  layer mul: y[B, D] = m * w
}
output y
for decoder.{ffn,mul}: partition B on tp
train adam { global_batch = B  divisor = tp }
plan big {
  dim B = 8
  for decoder.ffn.up: partition D on tp
}
expect y is P(B) on tp in decoder
expect decoder.ffn.o is P(B) on ep
expect All-Reduce of grad(w) on tp
"""


@pytest.mark.parametrize(
    ("name", "at", "places"),
    [
        ("wire", "link wire", 2),
        ("box", "device box", 2),
        ("tp", "mesh tp", 7),
        ("ep", "axis ep", 2),
        ("B", "dim B", 11),
        ("D", "4, D", 8),
        ("L", "8, L", 2),
        ("double", "op double", 2),
        ("mlp", "block mlp", 2),
        ("p", "mlp(p", 2),
        ("o", "-> o", 3),
        ("up", "layer up", 2),
        ("x", "input x", 3),
        ("w", "weight w", 3),
        ("decoder", "stack decoder", 5),
        ("ffn", "layer ffn", 4),
        ("mul", "layer mul", 2),
        ("m", "ffn: m", 2),
        ("y", "mul: y", 4),
        ("big", "plan big", 1),
    ],
)
def test_every_place_of_a_name_and_no_other(name, at, places):
    source = SPEC.replace(at, f"{at[: -len(name)]}‸{name}", 1)
    result = renamed(source, "new_name")
    assert result.count("new_name") == places
    back = result.replace("new_name", "‸new_name", 1)
    assert renamed(back, name) == SPEC


def test_a_dim_in_two_files():
    model = "dim B, D = 8\ninput x[B, D]\nlayer up: h[B, D] = gelu(x)\noutput h\n"
    plan = 'import "model.par"\nmesh tp = 2\ndim B = 4\nfor up: partition ‸B on tp\n'
    snapshot, offset = at_cursor(plan, model=model)
    edits = rename((snapshot,), offset, "批次")
    own = [(*e.location.range, e.text) for e in edits if e.location.file == snapshot.file]
    other = [(*e.location.range, e.text) for e in edits if e.location.file != snapshot.file]
    assert changed(snapshot.text, own) == plan.replace("‸", "").replace("B", "批次")
    assert changed(model, other) == model.replace("B", "批次")


def test_emoji_and_chinese_names_around():
    source = "dim 批 = 4  # 🚀 批\ninput 入[‸批]\nlayer 层: 出[批] = gelu(入)  # 批\n"
    assert renamed(source, "B🚀") == "`B🚀` is not a name: letters, digits and `_`, no digit first"
    assert renamed(source, "序列") == (
        "dim 序列 = 4  # 🚀 批\ninput 入[序列]\nlayer 层: 出[序列] = gelu(入)  # 批\n"
    )


@pytest.mark.parametrize(
    ("source", "new", "message"),
    [
        ("dim ‸B = 4, D = 8\n", "D", "`D` is a dimension already: main.par:1"),
        ("dim ‸B = 4\n", "layer", "`layer` is a keyword"),
        ("dim ‸B = 4\n", "4B", "`4B` is not a name: letters, digits and `_`, no digit first"),
        ("d‸im B = 4\n", "dims", "there is no name here"),
        (
            "dim B = 4\ninput x[B]\nlayer a: y[B] = ge‸lu(x)\n",
            "g",
            "`gelu` is a function of the language",
        ),
        ("cost ri‸ng\n", "loop", "`ring` is a word of the language"),
        (
            "import std.h100\nmesh tp = 8 over nv‸link on 8 h100\n",
            "l",
            "`nvlink` is a name of the library (std/h100.par)",
        ),
        (
            "import std.swiglu\ndim B = 4, S = 2, ‸D = 8, F = 8\n",
            "E",
            "`D` is a name of the library (std/dims.par)",
        ),
        (
            "dim B = 4, L = 2\ninput x[B], v[B]\n"
            "stack s[L]: x -> y {\n  weight ‸w[B]\n  layer a: y[B] = v * w\n}\n",
            "v",
            "`v` would mean something else: main.par:5",
        ),
        (
            "dim B = 4, L = 2\ninput x[B]\n"
            "stack s[L]: x -> y {\n  layer a: ‸h[B] = gelu(x)\n  layer b: y = gelu(h)\n}\n",
            "x",
            "`x` is a tensor already: main.par:2",
        ),
        (
            "dim B = 4, L = 2\ninput ‸x[B]\n"
            "stack s[L]: x -> y {\n  layer a: h[B] = gelu(x)\n  layer b: y = gelu(h)\n}\n",
            "h",
            "`h` is a tensor already: main.par:4",
        ),
        (
            "mesh tp = 2\ndim B = 4, L = 2\ninput x[B]\n"
            "stack s[L]: x -> y {\n  layer ‸q: y[B] = gelu(x)\n}\n"
            "stack t[L]: y -> z {\n  layer q: z[B] = gelu(y)\n}\n"
            "for *.q: partition B on tp\n",
            "k",
            "main.par:10 names something else beside it",
        ),
        (
            "mesh tp = 2\ndim B = 4, L = 2\ninput x[B]\n"
            "stack s[L]: x -> y {\n  layer q: y[B] = gelu(x)\n}\n"
            "stack t[L]: y -> z {\n  layer q: z[B] = gelu(y)\n}\n"
            "for *.‸q: partition B on tp\n",
            "k",
            "`q` means several things here: rename one where it is declared",
        ),
    ],
)
def test_what_is_refused(source, new, message):
    assert renamed(source, new) == message


def test_the_same_name_again_changes_nothing():
    assert renamed("dim ‸B = 4\ninput x[B]\n", "B") == "dim B = 4\ninput x[B]\n"


def test_a_name_in_a_broken_statement_is_renamed_where_it_is_understood():
    source = "mesh tp = 2\ndim ‸B = 4\ninput x[B]\nlayer a: y[B] = gelu(x) partition B onn tp\n"
    assert renamed(source, "N") == source.replace("‸", "").replace("B", "N")


# -- laws ----------------------------------------------------------------------------------------


def snapshot_with(file, texts):
    """The snapshot of an example, some files of the folder being as in `texts`."""

    class Reader(DiskReader):
        def read(self, name):
            return texts[name] if name in texts else super().read(name)

    return analysed(Written(file, texts[file]), Reader())


def reported(snapshot):
    """What `report` says of a spec and its plans, without columns."""
    found = []
    for analysis in snapshot.analyses:
        report = json.loads(report_json(checked(snapshot.file, (analysis,)), analysis.moves))
        for diagnostic in report["diagnostics"]:
            del diagnostic["range"], diagnostic["related"], diagnostic["fixes"]
        found.append(report)
    return json.dumps(found, ensure_ascii=False)


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.par")), ids=lambda path: path.stem)
def test_renaming_there_and_back_and_the_same_analysis(example):
    """Every name of an example is renamed: the analysis is the same but for the name, and renaming
    back gives the same texts."""
    file = str(example)
    before = snapshot_with(file, {file: example.read_text("utf-8")})
    report = reported(before)
    names = before.names
    symbols = {
        symbol: entry
        for listing in names.listings
        for entry in listing.every()
        if names.file(entry) == file
        for symbol in names.symbols(entry)
    }
    done = 0
    for symbol, entry in list(symbols.items())[:: max(1, len(symbols) // 12)]:
        offset = names.location(entry).range.start
        if isinstance(renamable(before, offset), Refusal):
            continue
        new = f"{symbol.name}_renamed"
        edits = rename((before,), offset, new)
        assert not isinstance(edits, Refusal), edits
        texts = applied(before, edits)
        after = snapshot_with(file, texts)
        assert reported(after).replace("_renamed", "") == report, symbol.name
        at = moved(edits, file, offset)
        back = rename((after,), at, symbol.name)
        assert not isinstance(back, Refusal), back
        assert applied(after, back) == {name: before.sources[name].text for name in texts}
        done += 1
    assert done > 1


def applied(snapshot, edits):
    """The texts of the files that edits are in, and of the file itself, afterwards."""
    files = dict.fromkeys([snapshot.file, *(edit.location.file for edit in edits)])
    return {
        file: changed(
            snapshot.sources[file].text,
            [(*e.location.range, e.text) for e in edits if e.location.file == file],
        )
        for file in files
    }


def moved(edits, file, offset):
    """Where an offset in front of a renamed name comes to lie."""
    return offset + sum(
        len(e.text) - (e.location.range.end - e.location.range.start)
        for e in edits
        if e.location.file == file and e.location.range.start < offset
    )


def test_renaming_keeps_what_other_files_see():
    texts = {
        "model.par": "dim B, D = 8\ninput x[B, D]\nlayer up: h[B, D] = gelu(x)\noutput h\n",
        "one.par": 'import "model.par"\ndim B = 4\nmesh tp = 2\nfor up: partition B on tp\n',
        "two.par": 'import "model.par"\ndim B = 4, N = 2\n',
    }
    model, one, two = (
        analysed(Written(f"{FOLDER}/{name}", text), Files(texts)) for name, text in texts.items()
    )
    edits = rename((model, one, two), texts["model.par"].index("B"), "Batch")
    files = [edit.location.file.rpartition("/")[2] for edit in edits]
    assert files == ["model.par"] * 3 + ["one.par"] * 2 + ["two.par"]
    refused = rename((model, one, two), texts["model.par"].index("B"), "N")
    assert refused == Refusal("`N` is a dimension already: two.par:2")


def test_what_may_be_renamed():
    snapshot = snapshot_of("dim B = 4\ninput xs[B]\n")
    assert renamable(snapshot, 17) == (16, 18)
    assert renamable(snapshot, 18) == (16, 18)
    assert renamable(snapshot, 0) == Refusal("there is no name here")

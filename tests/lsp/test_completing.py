"""Completion: what is suggested where."""

import pytest
from lsp_fixtures import at_cursor, changed

from parspec.lsp.features.completion import completion, expects_name, expects_path
from parspec.lsp.features.documentation import of_declaration, of_library, of_word
from parspec.lsp.features.import_paths import import_paths
from parspec.lsp.features.prose import plain
from parspec.lsp.ranges import Location, Range

HEAD = """\
import std.h100
mesh dp = 4, tp = 2
dim B = 4, D = 8, F = 32, L = 2
op double: pointwise
op linear(X[B, I], W[I, O]) -> Y[B, O] = X * W
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w
stack decoder[L]: h -> y {
  weight g[F]
  layer mul: m[B, F] = h * g
  layer act: y[B, F] = gelu(m)
}
"""


def suggested(source, files=()):
    """What is suggested at the cursor, best first."""
    snapshot, offset = at_cursor(source)
    found = completion(snapshot, offset, files)
    ranked = sorted(found.suggestions, key=lambda each: (each.rank, each.label))
    return [each.label for each in ranked]


def labelled(source):
    """The suggestions at the cursor by their labels."""
    return {each.label: each for each in completion(*at_cursor(source)).suggestions}


def best(source):
    """The suggestions of the first rank."""
    found = completion(*at_cursor(source)).suggestions
    first = min(each.rank for each in found)
    return sorted(each.label for each in found if each.rank == first)


CLAUSES = ["at", "centralized", "partial", "partition", "recompute", "replicated"]
PRIMITIVES = [
    *("All-Gather", "All-Reduce", "All-to-All", "Broadcast", "Gather", "Permute", "Reduce"),
    *("Reduce-Scatter", "Scatter", "Send"),
]


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        ("layer a: z[B, F] = h partition ‸", ["B", "F"]),
        ("layer a: z[B, F] = h partition F on ‸", ["dp", "tp"]),
        ("layer a: z[‸", ["B", "D", "F", "L"]),
        ("layer a: z[B, F] = ‸", ["y"]),
        ("for ‸", ["decoder", "up"]),
        ("for decoder.‸", ["act", "mul"]),
        ("for decoder.{‸", ["act", "mul"]),
        ("for decoder.{act,‸", ["mul"]),
        ("for decoder: partition ‸", ["L"]),
        ("for decoder.{act,mul}, up: partition B on dp, ‸", ["B", "D", "F"]),
        ("expect y is ‸", ["C", "P", "R"]),
        ("expect no All-Gather in ‸", ["decoder", "up"]),
        ("output ‸", ["y"]),
        ("stack s[L]: ‸", ["h", "y"]),
        ("stack s[L]: y -> ‸ {\n  layer a: k[B, F] = y\n  layer b: m = k\n}", ["m"]),
        ("op o(X[B, I]) -> Y[B] = ‸", ["X"]),
        ("train ‸", ["adam", "sgd"]),
        ("train adam { zero = ‸", ["0", "1", "2", "3"]),
        ("train adam { schedule = 1‸", ["1f1b", "gpipe", "interleaved"]),
        ("infer { phase = ‸", ["decode", "prefill"]),
        ("train adam { global_batch = ‸", ["B", "D", "F", "L"]),
        ("train adam { divisor = ‸", ["dp", "tp"]),
        ("cost ‸", ["approx", "composed", "ring"]),
        ("communication ‸", ["explicit"]),
        ("import ‸", ["std"]),
        ("mesh pp = 4 over ‸", ["ib", "nvlink"]),
        ("mesh pp = 4 on 4 ‸", ["h100"]),
        ("expect traffic ‸", ["<", "<=", "==", ">", ">="]),
        ("expect decoder.y is R(‸", ["partial"]),
        ("stages dp: ‸", ["decoder", "up"]),
        ("link wire { ‸", ["bandwidth", "efficiency", "latency", "start", "within"]),
        ("link wire { latency = 2 us  ‸", ["bandwidth", "efficiency", "start", "within"]),
        ("device box { ‸", ["flops", "hbm", "memory"]),
        ("axis ep = ‸", ["dp", "tp"]),
        ("weight v[D] partial ‸", ["on"]),
    ],
)
def test_the_best_suggestions(line, labels):
    assert best(HEAD + line) == labels


@pytest.mark.parametrize(
    ("line", "some", "none"),
    [
        ("layer a: z[B, F] = h ‸", CLAUSES, ["w", "of", "over", "store", "frozen", "uneven"]),
        ("layer a: z[B, F] = ‸\nlayer b: r = h\nweight v[D]", ["h", "w"], ["r", "v", "z"]),
        ("stack s[L]: ‸\nlayer b: r = h", ["x"], ["r", "w", "g"]),
        ("stack s[L]: y -> k {\n  layer a: k = ‸\n  layer b: m = k\n}", ["y"], ["m", "k"]),
        ("output ‸", ["x"], ["w", "g"]),
        ("output ‸", ["decoder.m"], ["m", "decoder.y", "decoder.h", "decoder.g"]),
        ("expect y ‸", ["is"], ["<=", "forward", "per device", "on"]),
        ("expect decoder.y ‸", ["is"], ["<=", "on"]),
        ("expect traffic ‸", ["<=", "on", "forward", "per device"], []),
        ("for ‸", ["*"], []),
        ("expect no All-Gather in ‸", [], ["*"]),
        ("expect ‸", [*PRIMITIVES, "traffic", "memory", "no", "y"], ["partition", "dim"]),
        ("expect All-‸", PRIMITIVES, []),
        ("expect traffic <= 2 ‸", ["GB", "KiB", "on", "in", "per device"], ["ms", "%", "dim"]),
        ("expect y is P(‸", ["B", "F"], ["tp", "D", "L", "partial"]),
        ("expect x is P(‸", ["B", "D"], ["tp", "F", "L", "partial"]),
        ("expect x is R(‸", ["partial", "max"], ["B", "D"]),
        ("expect All-Reduce of ‸", ["x", "y", "h"], PRIMITIVES),
        ("layer a: z[B] : ‸", ["bf16", "fp8"], ["B"]),
        ("layer a: z = ‸", ["softmax", "double", "linear", "x"], ["z"]),
        ("layer a: z = linear(x, w) partition ‸", ["I", "O", "B", "D", "F"], []),
        ("import std.‸", ["gqa", "v5p"], ["std", "h100", "h200", "linear"]),
        ("dim Q = ‸", ["B", "capacity", "tp"], ["Q"]),
        ("layer a: ‸", [], ["x", "h"]),
        ("input ‸", [], ["x", "h"]),
        ("weight v[D] ‸", ["frozen", "store", "partition"], ["on"]),
        ("plan p {\n  ‸\n}", ["mesh", "dim", "for", "train"], ["layer", "plan", "import"]),
        ("block b(v[B]) -> u {\n  ‸\n}", ["layer", "weight", "stack"], ["dim", "mesh"]),
        ("stack s[L]: y -> z {\n  layer a: z = ‸\n}", ["y", "x", "gelu"], ["g"]),
        ("stack s[L]: y -> z {\n  ‸", ["layer", "weight"], ["dim", "partition"]),
        ("stack s[L]: y -> z {\n  weight v[F]\n  layer a: z = ‸", ["v", "y", "w"], ["g"]),
        ("‸", ["layer", "dim", "train", "import"], ["partition", "mesh"]),
        ("lay‸", ["layer"], []),
        ("layer a: z[B, F] = h partition F onn tp replicated on ‸", ["tp", "B", "x"], []),
    ],
)
def test_what_is_among_the_suggestions(line, some, none):
    labels = suggested(HEAD + line)
    assert set(some) <= set(labels)
    assert not set(none) & set(labels)


@pytest.mark.parametrize(
    ("bound", "units"),
    [("traffic <= 1", {"GB", "GiB"}), ("step <= 1", {"ms", "s"}), ("mfu >= 40", {"%"})],
)
def test_units_of_the_figure_come_first(bound, units):
    first = set(best(f"{HEAD}expect {bound} ‸"))
    assert units <= first
    assert not first & ({"GB", "ms", "%", "GB/s"} - units)


def test_nothing_is_suggested_in_a_comment():
    snapshot, offset = at_cursor("dim B = 4  # a com‸ment\n")
    assert completion(snapshot, offset) is None


def test_statements_come_first_where_a_line_begins_and_last_where_one_goes_on():
    assert best(HEAD + "‸")[:3] == ["dim", "expect", "for"]
    assert "partition" in best(HEAD + "layer a: z[B, F] = h ‸")
    assert "dim" not in best(HEAD + "layer a: z[B, F] = h ‸")


def test_a_new_line_may_go_on_with_the_statement_before():
    labels = suggested(HEAD + "layer a: z[B, F] = h\n  ‸")
    assert {"partition", "layer"} <= set(labels)


def test_what_is_typed_is_replaced():
    snapshot, offset = at_cursor("dim B = 4\nexpect no All-Red‸")
    found = completion(snapshot, offset)
    assert changed(snapshot.text, [(*found.replaces, "All-Reduce")]).endswith("no All-Reduce")


def test_files_that_can_be_imported():
    files = ["/repo/main.par", "/repo/model.par", "/repo/deep/part.par"]
    assert suggested('import "‸', files) == ["deep/part.par", "model.par", "../"]
    snapshot, offset = at_cursor('import "mod‸')
    replaced = completion(snapshot, offset, files).replaces
    assert snapshot.text[slice(*replaced)] == "mod"


@pytest.mark.parametrize(
    ("typed", "paths"),
    [
        ("", ["model.par", "deep/", "../"]),
        ("mod", ["model.par", "deep/", "../"]),
        ("deep/", ["deep/part.par", "deep/er/"]),
        ("../", ["../other.par", "../plans/", "../../"]),
        ("../../pl", ["../../../"]),
        ("../plans/", ["../plans/model.par", "../plans/deep/"]),
        ("nowhere/", []),
    ],
)
def test_folders_and_files_that_are_there(tmp_path, typed, paths):
    root = tmp_path / "a"
    for name in ("plans/main.par", "plans/model.par", "plans/deep/part.par", "other.par"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (root / "plans/deep/er").mkdir()
    (root / "plans/.hidden").mkdir()
    (root / "plans/notes.txt").touch()
    file = str(root / "plans/main.par")
    found = [each for each in import_paths(file, typed, ()) if not each.startswith("../../a")]
    assert sorted(found, key=_place) == sorted(paths, key=_place)


def _place(path):
    return path.endswith("/"), path


def test_hardware_of_the_library_comes_with_its_import():
    snapshot, offset = at_cursor("# Eight.\n\ndim B = 8\nmesh tp = 8 over nv‸ on 8 h200\n")
    links = [each for each in completion(snapshot, offset).suggestions if each.kind == "link"]
    found = {each.label: each for each in links}
    assert len(found) == len(links)
    best = found["nvlink"]
    assert (best.detail, best.library, best.rank) == ("import std.h200", "std.h200", 4)
    (edit,) = best.adds
    text = changed(snapshot.text, [(*edit.location.range, edit.text)])
    assert text.startswith("# Eight.\n\nimport std.h200\ndim B = 8\n")


def test_links_of_one_name_are_told_apart_by_their_files():
    found = completion(*at_cursor("dim B = 8\nmesh tp = 8 over ‸\n")).suggestions
    ici = {each.label: (each.insert, each.library) for each in found if "ici" in each.label}
    assert ici == {
        f"ici (std.{chip})": ("ici", f"std.{chip}") for chip in ("v4p", "v5e", "v5p", "v6e")
    }


@pytest.mark.parametrize(
    ("spec", "devices"),
    [
        ("mesh tp = 8 on 8 ‸", {"a100_80", "b200", "h100", "mi300x"}),
        ("plan p {\n  mesh tp = 8 on 8 ‸\n}", {"h100"}),
        ("mesh tp = 8 on 8 ‸\nlayer", {"h100"}),
    ],
)
def test_devices_of_the_library(spec, devices):
    found = completion(*at_cursor(spec)).suggestions
    assert devices <= {each.label for each in found if each.kind == "device"}


def test_the_import_stands_below_the_others():
    snapshot, offset = at_cursor('import "m.par"  # sizes\nmesh tp = 8 on 8 h‸\n')
    found = next(e for e in completion(snapshot, offset).suggestions if e.label == "h100")
    (edit,) = found.adds
    assert changed(snapshot.text, [(*edit.location.range, edit.text)]) == (
        'import "m.par"  # sizes\nimport std.h100\nmesh tp = 8 on 8 h\n'
    )


def test_what_is_imported_needs_no_import_and_what_would_clash_is_not_offered():
    found = completion(*at_cursor("import std.h100\nmesh tp = 8 over nvlink on 8 ‸\n")).suggestions
    devices = {each.label: each.library for each in found if each.kind == "device"}
    assert devices["h100"] == ""
    assert "h200" not in devices  # its links are called as those of h100
    assert devices["v5p"] == "std.v5p"


def test_a_library_is_described():
    found = labelled("import std.‸")
    assert found["h100"].detail == "NVIDIA H100 SXM, 80 GiB."
    assert found["h100"].library == "std.h100"
    told = plain(of_library("std.h100", "library", "h100"))
    assert told.startswith("NVIDIA H100 SXM, 80 GiB.")
    assert told.endswith("links: nvlink ib\ndevices: h100")
    assert "blocks: attention" in plain(of_library("std.attention", "library", "attention"))
    assert plain(of_library("std.h100", "device", "h100")).startswith("device h100 { memory = 80")
    assert of_library("std.none", "device", "h100") == ()


def test_chinese_names_after_emoji():
    head = "dim 批次 = 4, 特征 = 8  # 🚀\ninput 输入[批次]\n"
    assert suggested(head + "layer 层: 出[批‸")[:2] == ["批次", "特征"]
    assert "输入" in suggested(head + "layer 层: 出[批次] = ‸")


def test_details_say_what_a_name_is():
    assert labelled(HEAD + "layer a: z[B, F] = h partition ‸")["F"].detail == "F = 32"
    found = labelled(HEAD + "layer a: z[B, F] = ‸")
    assert found["w"].detail == "w[D, F]"
    assert found["h"].detail == "layer up: h[B, F] = x * w"


def test_snippets_are_beside_the_plain_words():
    assert labelled("‸")["plan"].snippet == "plan ${1:name} {\n  $0\n}"
    found = labelled(HEAD + "layer a: z[B, F] = ‸")
    assert found["softmax"].snippet == "softmax over ${1:F} (${2:y})"
    assert found["double"].snippet == "double(${1:y})"
    assert found["linear"].snippet == "linear(${1:X}, ${2:W})"
    assert found["rmsnorm"].snippet == "rmsnorm over ${1:F} (${2:y})"
    assert found["dropout"].snippet == "dropout(${1:y}, ${2:0.1})"
    found = completion(*at_cursor(HEAD + "expect x is R(‸")).suggestions
    assert not any(each.snippet for each in found)


def test_behind_a_blank_only_where_something_must_follow():
    snapshot, offset = at_cursor(HEAD + "for up: partition B on ‸")
    assert expects_name(snapshot, offset)
    snapshot, offset = at_cursor(HEAD + "layer a: z[B, F] = h ‸")
    assert not expects_name(snapshot, offset)


def test_behind_a_slash_only_in_the_path_of_an_import():
    snapshot, offset = at_cursor('import "../‸"')
    assert expects_path(snapshot, offset)
    snapshot, offset = at_cursor("dim F = D /‸")
    assert not expects_path(snapshot, offset)


def test_words_are_documented_by_their_explanations():
    assert plain(of_word("softmax", "function")).startswith(
        "softmax over T (s): exp(s) over its sum along T."
    )
    assert "expect All-Reduce" in plain(of_word("All-Reduce", "primitive"))
    assert of_word("nonsense", "function") == ()


def test_names_are_documented_by_their_declarations():
    snapshot, _ = at_cursor("dim B = 4  # samples\n\n# The first.\ninput x[B]\n‸")
    at = Location(snapshot.file, Range(4, 4))
    assert plain(of_declaration(snapshot, at, "B")) == "dim B = 4\n\nsamples"
    at = Location(snapshot.file, Range(41, 41))
    assert plain(of_declaration(snapshot, at, "x")) == "input x[B]\n\nThe first."

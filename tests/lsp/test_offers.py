"""Offers: at every place of every statement what may stand there, and nothing that cannot."""

import re

import pytest
from lsp_fixtures import at_cursor, changed, snapshot_of

from parspec.grammar.machine import Run
from parspec.lsp.features.completion import completion
from parspec.lsp.features.diagnostics import diagnostics
from parspec.lsp.features.documentation import of_library

HEAD = """\
import std.h100
mesh dp = 4, tp = 2 on 8 h100
dim B = 4, D = 8, F = 32, L = 2
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w
stack decoder[L]: h -> y {
  weight g[F]
  layer mul: m[B, F] = h * g
  layer act: y[B, F] = gelu(m)
}
"""


def offered(source):
    """What is offered at the cursor: the labels of each rank, best first; statements left out."""
    found = completion(*at_cursor(source)).suggestions
    ranks = sorted({each.rank for each in found if each.kind != "statement"})
    told = (sorted(each.label for each in found if each.rank == rank) for rank in ranks)
    return [labels for labels in told if labels]


def every(source):
    """All that is offered at the cursor but statements, by label."""
    found = completion(*at_cursor(source)).suggestions
    return {each.label: each for each in found if each.kind != "statement"}


def statements(source):
    """The statements that are offered at the cursor."""
    found = completion(*at_cursor(source)).suggestions
    return {each.label for each in found if each.kind == "statement"}


def accepted(source, label):
    """The text after a suggestion is taken, its places filled in as they stand."""
    snapshot, offset = at_cursor(source)
    found = completion(snapshot, offset)
    one = next(each for each in found.suggestions if each.label == label)
    text = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", one.snippet or one.insert or one.label)
    edits = [(*edit.location.range, edit.text) for edit in one.adds]
    return changed(snapshot.text, [(*found.replaces, re.sub(r"\$\d", "", text)), *edits])


def errors(text):
    """The messages of the errors of a spec."""
    snapshot = snapshot_of(text)
    found = diagnostics(snapshot)[snapshot.file]
    return [each.message for each in found if each.severity == "error"]


# -- names of their own ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        *("dim ‸", "dim ‸ = 512", "dim Q = 4, ‸", "mesh ‸", "mesh ‸ = 4, pp = 2", "axis ‸"),
        *("axis ‸ = dp", "link ‸", "link ‸ { latency = 1 us }", "device ‸", "input ‸"),
        *("input ‸[B]", "weight ‸", "weight ‸[D, F]", "cache ‸", "layer ‸", "layer ‸: z = x"),
        *("layer a: ‸", "layer a: ‸[B] = x", "op ‸", "op a(‸", "op a(X[‸", "block ‸"),
        *("block b(‸", "stack ‸", "stack ‸[L]: y -> z {", "plan ‸", "plan ‸ {"),
    ],
)
def test_nothing_where_a_name_is_new(line):
    assert every(f"{HEAD}weight v[D]\n{line}") == {}


def test_a_plan_sizes_what_there_is():
    assert offered(HEAD + "plan p {\n  dim ‸\n}") == [["B", "D", "F", "L"]]
    assert offered(HEAD + "plan p {\n  dim B = 8, ‸ = 4\n}") == [["D", "F", "L"]]
    assert offered(HEAD + "plan p {\n  mesh ‸\n}") == [["dp", "tp"]]


def test_a_file_sizes_what_an_import_leaves_to_it():
    assert offered("import std.swiglu\ndim B = 8\ndim ‸") == [["D", "F", "S"]]


# -- sizes and hardware ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "ranks"),
    [
        ("dim Q = ‸", [["B", "D", "F", "L"], ["capacity"], ["dp", "tp"]]),
        ("dim Q = 4 ‸", [["padded", "uneven", "unit"]]),
        ("dim Q = 4 unit 2 ‸", [["padded", "uneven"]]),
        ("dim Q = capacity(tokens = B, ‸", [["experts", "factor", "top"]]),
        ("axis ep = ‸", [["dp", "tp"], ["rest"]]),
        ("axis ep = dp * ‸", [["tp"]]),
        ("axis ep = 2 of dp * ‸", [["tp"]]),
        ("plan p {\n  mesh a = 2, b = ‸\n}", [["a"], ["rest"], ["capacity"]]),
        ("link a { bandwidth = 50 ‸", [["GB/s", "Gbit/s", "TB/s"], None]),
        ("link a { latency = 5 ‸", [["ms", "s", "us"], ["ns", "µs"]]),
        ("link a { efficiency = 90 ‸", [["%"], ["bandwidth", "latency", "start", "within"]]),
        ("link a { within = 8 ‸", [["bandwidth", "efficiency", "latency", "start"]]),
        ("device d { memory = 80 ‸", [["GB", "GiB", "MB", "TB"], None]),
        ("device d { flops = 989 ‸", [["Pflop/s", "Tflop/s"], None]),
        ("train adam { global_batch = 4 ‸", [None]),
        ("expect mfu >= ‸", []),
        ("expect mfu >= 40 ‸", [["%"]]),
        ("expect step <= 40 ‸", [["ms", "s", "us"], ["ns", "µs"]]),
    ],
)
def test_sizes_and_units(line, ranks):
    found = offered(HEAD + line)
    assert len(found) == len(ranks)
    assert all(want is None or want == got for want, got in zip(ranks, found, strict=True))


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("link a { bandwidth = 50 ‸", "/s"),
        ("device d { memory = 8 ‸", "B"),
        ("expect flops <= 4 ‸", "flop"),
    ],
)
def test_units_of_one_kind_only(line, kind):
    units = [each.label for each in every(HEAD + line).values() if each.kind == "unit"]
    assert units and all(kind in unit or (kind == "B" and "bit" in unit) for unit in units)
    assert not statements(HEAD + "link a { bandwidth = 50 ‸")


@pytest.mark.parametrize(
    ("line", "best"),
    [
        ("expect memory <= 80G‸", ["80 GB", "80 GiB"]),
        ("expect memory <= 80‸", ["80 GB", "80 GiB", "80 MB", "80 TB"]),
        ("expect step <= 40m‸", ["40 ms"]),
        ("link a { bandwidth = 900g‸", ["900 GB/s", "900 Gbit/s"]),
        ("dim Q = 40‸", ["B", "D", "F", "L"]),
    ],
)
def test_a_number_with_its_unit(line, best):
    assert offered(HEAD + line)[0] == best


def test_settings_that_are_written_are_not_offered_but_where_they_stand():
    line = "train adam { zero = 1  sch‸ = gpipe  chunks = 2 }"
    assert {"zero", "chunks"}.isdisjoint(every(HEAD + line))
    assert "train adam { zero = 1  schedule = gpipe  chunks = 2 }" in accepted(
        HEAD + line, "schedule"
    )


# -- clauses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("input q[B] ‸", "at centralized partial partition replicated"),
        ("weight v[D] ‸", "at centralized frozen partial partition replicated store"),
        ("cache k[B] ‸", "at centralized partial partition replicated"),
        ("var v[B] ‸", "centralized partial partition replicated"),
        ("output y ‸", "at centralized partial partition replicated"),
        ("layer a: z = gelu(y) ‸", "at centralized partial partition recompute replicated"),
        (
            "layer a: z = x * w ‸",
            "at centralized frozen partial partition recompute replicated store",
        ),
        ("for *: ‸", "at centralized frozen partial partition recompute replicated store"),
        ("for decoder.act: ‸", "at centralized partial partition recompute replicated"),
        (
            "for decoder: ‸",
            "at centralized frozen partial partition recompute replicated store uneven",
        ),
        ("for *: recompute ‸", "at centralized frozen partial partition replicated store"),
        ("layer a: z = gelu(y) partition B on dp * tp ‸", "at recompute ring zigzag"),
        ("output y replicated on dp ‸", "at centralized partial partition replicated"),
    ],
)
def test_clauses_that_the_statement_takes(line, words):
    assert " ".join(sorted(every(HEAD + line))) == words


@pytest.mark.parametrize(
    ("line", "ranks"),
    [
        ("input q[B] partition ‸", [["B"], ["none"], ["?"]]),
        ("layer a: z = gelu(y) partition ‸", [["B", "F"], ["none"], ["?"]]),
        ("for decoder: partition ‸", [["L"], ["B", "F"], ["none"], ["?"]]),
        ("for decoder.mul: store ‸", [["F"], ["on"]]),
        ("layer a: z = x * w store ‸", [["D", "F"], ["on"]]),
        ("layer a: z = gelu(y) partition B on tp, F on ‸", [["dp"]]),
        ("layer a: z = gelu(y) partition B on tp replicated on ‸", [["dp"]]),
        ("layer a: z = softmax ‸", [["over"]]),
        ("layer a: z = gelu ‸", []),
        ("layer a: z = x[‸", [["B", "D"], ["F", "L"]]),
        ("layer a: z = x[B, ‸", [["D"], ["F", "L"]]),
        ("weight v[‸, F]", [["B", "D", "L"]]),
        ("stages dp: up + ‸", [["decoder"]]),
        ("stages dp: up + 1 ‸", [["decoder"]]),
        ("stages dp: 2 ‸", [["decoder"], ["of"]]),
    ],
)
def test_names_in_clauses(line, ranks):
    assert offered(HEAD + line) == ranks


def test_a_product_is_offered_for_its_factors():
    head = "mesh tp = 2\ndim B = 4, G = 2, R = 2\ndim H = G * R\ninput x[B, G], z[B, H]\n"
    assert offered(head + "layer a: y = gelu(x) partition ‸")[:2] == [["B", "G"], ["H"]]
    assert offered(head + "layer a: y = gelu(z) partition ‸")[:2] == [["B", "H"], ["G", "R"]]


def test_what_a_block_has_inside_may_be_split():
    head = """\
mesh tp = 2
dim B = 4, D = 8, F = 16
block mlp(x[B, D]) -> y {
  weight v[D, F], w[F, D]
  layer up: h[B, F] = x * v
  layer down: y[B, D] = h * w
}
input x[B, D]
"""
    assert offered(head + "layer m: y = mlp(x) partition ‸")[0] == ["B", "D", "F"]
    assert offered(head + "layer m: y = mlp(x)\nfor m: store ‸")[0] == ["D", "F"]
    assert "frozen" in every(head + "layer m: y = mlp(x) ‸")


# -- layers ----------------------------------------------------------------------------------------


def test_the_last_result_and_unread_weights_come_first():
    head = f"{HEAD}weight v[F, D], u[D]\n"
    assert offered(head + "layer a: z = ‸")[0] == ["u", "v", "y"]
    assert offered(head + "layer a: z = y * ‸")[0] == ["u", "v"]
    inside = "stack s[L]: y -> z {\n  weight k[F]\n  layer a: q[B, F] = y\n  layer b: z = ‸\n}"
    assert offered(head + inside)[0] == ["k", "q"]


SMALL = """\
mesh tp = 4
dim B = 64, D = 32, F = 64
input x[B, D]
layer a: y[B, D] = swig‸
output y replicated on tp
"""


def test_blocks_of_the_library_come_with_their_import():
    block = every(SMALL)["swiglu_mlp"]
    assert (block.kind, block.detail) == ("block", "import std.swiglu")
    assert (
        accepted(SMALL.replace("D = 32", "S = 8, D = 32"), "swiglu_mlp")
        == """\
import std.swiglu
mesh tp = 4
dim B = 64, S = 8, D = 32, F = 64
input x[B, D]
layer a: y[B, D] = swiglu_mlp(x)
output y replicated on tp
"""
    )
    spec = SMALL.replace("D = 32", "S = 8, D = 32").replace("[B, D]", "[B, S, D]")
    assert errors(accepted(spec, "swiglu_mlp")) == []
    told = of_library("std.swiglu", "block", "swiglu_mlp")
    assert "swiglu_mlp(x[B, S, D]) -> y" in str(told)


@pytest.mark.parametrize(
    "clash", ["dim T = 5\n", "dim S\n", "op gqa: pointwise\n", "block attention(k[B]) -> y {\n}\n"]
)
def test_a_block_that_would_clash_is_not_offered(clash):
    assert "gqa" in every(SMALL)
    assert every(clash + SMALL).get("gqa") is None or "op gqa" in clash
    assert all(each.library != "std.gqa" for each in every(clash + SMALL).values())


def test_a_block_does_not_call_itself():
    source = "dim B = 4\nblock b(x[B]) -> y {\n  layer a: y[B] = ‸\n}\nblock c(x[B]) -> y {\n}\n"
    assert "b" not in every(source)
    assert "c" in every(source)


def test_of_very_many_names_those_that_begin_as_typed():
    many = "".join(f"layer l{n}: t{n}[B, D] = x\n" for n in range(500))
    found = completion(*at_cursor(f"dim B = 4, D = 8\ninput x[B, D]\n{many}layer a: z = t49‸"))
    assert found.partial
    tensors = {each.label for each in found.suggestions if each.kind == "activation"}
    assert tensors == {"t49", *(f"t49{n}" for n in range(10))}


# -- expectations ----------------------------------------------------------------------------------

PLAN = f"{HEAD}layer dn: q[B, D] = h * w partition F on tp\noutput q replicated on tp\noutput y\n"


@pytest.mark.parametrize("line", ["expect no ‸", "expect no A‸", "expect no ‸All-Reduce"])
@pytest.mark.parametrize("after", ["", "\n", "\noutput h\n"])
def test_what_is_not_to_be(line, after):
    found = every(PLAN + line + after)
    assert {"communication", "All-Reduce", "All-to-All", "Reduce-Scatter"} <= set(found)
    assert {"traffic", "q", "no"}.isdisjoint(found)


def test_figures_where_a_bound_stands_already():
    found = every(PLAN + "expect ‸ <= 80 GB")
    assert {"traffic", "memory", "cache", "communication"} <= set(found)
    assert {"up", "B", "tp"}.isdisjoint(found)


@pytest.mark.parametrize(
    ("line", "best"),
    [
        ("expect no ‸", ["communication"]),
        ("expect All-Reduce of ‸", ["q"]),
        ("expect All-Reduce of q on ‸", ["tp"]),
        ("expect traffic <= ‸", ["768 B"]),
        ("expect parameters <= ‸", ["320"]),
        ("expect cache ‸", ["<", "<=", "==", ">", ">="]),
    ],
)
def test_what_is_so_comes_first(line, best):
    assert offered(PLAN + line)[0] == best


def test_a_bound_that_is_offered_holds():
    for figure, bound in (("traffic", "768 B"), ("parameters", "320"), ("memory", None)):
        source = f"{PLAN}expect {figure} <= ‸\n"
        bound = bound or offered(source)[0][0]
        assert errors(accepted(source, bound)) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("expect All-Reduce ‸", "backward forward in of on update"),
        ("expect Reduce ‸", "backward forward in of on update"),
        ("expect y ‸", "is"),
        ("expect traffic ‸", "< <= == > >= backward forward in on per device update"),
        ("expect memory ‸", "< <= == > >= backward forward update"),
        ("expect parameters ‸", "< <= == > >="),
    ],
)
def test_what_an_expectation_is_narrowed_to(line, words):
    assert " ".join(sorted(every(PLAN + line))) == words


# -- statements ------------------------------------------------------------------------------------


def test_statements_that_stand_once():
    once = {"mesh", "train", "infer", "cost", "dtype", "communication"}
    assert once - statements("dim B = 4\n‸") == set()
    assert once - statements(f"{HEAD}infer {{ phase = decode }}\ncost ring\n‸") == {
        *("mesh", "train", "infer", "cost"),
    }
    assert "mesh" in statements(HEAD + "plan p {\n  ‸\n}")
    assert "mesh" in statements("‸mesh dp = 2\ndim B = 4\n")


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("dim", "dim S = 4096"),
        ("input", "input tokens[B, D]"),
        ("weight", "weight v[B, D]"),
        ("layer", "layer down: z[B, F] = y"),
        ("output", "output y"),
        ("for", "for *: partition B on dp"),
        ("axis", "axis ep = dp * tp"),
        ("stack", "stack decoder[L]: y -> y {\n  \n}"),
        ("train", "train adam { global_batch = B  microbatches = 1 }"),
        ("import", "import "),
    ],
)
def test_what_is_likely_is_filled_in(word, line):
    assert accepted(HEAD + "‸", word) == HEAD + line


def test_a_layer_reads_what_fits():
    text = accepted(f"{HEAD}weight v[F, D]\n‸", "layer")
    assert text.endswith("layer down: z[B, D] = y * v")
    assert errors(f"{text}\noutput z\n") == []
    assert accepted("‸", "layer") == "layer up: h[] = "
    assert accepted("‸", "import") == "import std.h100"


@pytest.mark.parametrize(
    ("line", "label", "text"),
    [
        ("layer a: z = gelu(y) ‸", "partition", "partition B on dp"),
        ("layer a: z = gelu(y) partition B on dp ‸", "partition", "partition B on tp"),
        ("layer a: z = x * w ‸", "store", "store on dp"),
        ("layer a: z = x * w ‸", "at", "at dp[0]"),
        ("stack s[L]: y -> z ‸", "partition", "partition L on dp"),
        ("layer a: z = ‸", "gelu", "gelu(y)"),
        ("layer a: z = ‸", "softmax", "softmax over F (y)"),
        ("layer a: z[B] = ‸", "sum", "sum over F (y)"),
        ("layer a: z[B, F] = ‸", "softmax", "softmax over F (y)"),
    ],
)
def test_clauses_and_calls_are_filled_in(line, label, text):
    assert accepted(HEAD + line, label) == HEAD + line.replace("‸", text)


@pytest.mark.parametrize(
    ("line", "label", "text"),
    [
        ("layer a: z = ge‸(y)", "gelu", "layer a: z = gelu(y)"),
        ("layer a: z = y part‸ B on tp", "partition", "layer a: z = y partition B on tp"),
        ("la‸ a: z = y", "layer", "layer a: z = y"),
        ("layer a: z = y repl‸ partition B on dp", "replicated", None),
    ],
)
def test_what_stands_there_already_is_not_written_again(line, label, text):
    want = text or "layer a: z = y replicated on dp partition B on dp"
    assert accepted(HEAD + line, label) == HEAD + want


# -- everywhere ------------------------------------------------------------------------------------

PLACES = [
    *("dim Q = 4 ‸", "axis ep = ‸", "link a { ‸", "weight v[D] ‸", "input q[B] : ‸"),
    *("layer a: z[B, F] = ‸", "layer a: z[B, F] = y ‸", "layer a: z[B, F] = y partition ‸"),
    *("layer a: z[B, F] = y partition B on ‸", "for ‸", "for decoder.‸", "for decoder: ‸"),
    *("stages dp: ‸", "train ‸", "train adam { ‸", "expect ‸", "expect no ‸", "expect y is ‸"),
    *("expect traffic ‸", "expect All-Reduce of ‸", "cost ‸", "import ‸", "stack s[L]: ‸"),
    *("op o(X[B, I]) -> Y[B] = ‸", "output ‸", "layer a: z[B, F] = softmax over F (y, ‸"),
]


@pytest.mark.parametrize("line", PLACES)
def test_what_is_taken_can_go_on(line):
    """No token of what is put in, up to its first empty place, is one that the grammar refuses."""
    source = HEAD + line
    begin = source.index("‸") - line.index("‸")
    for label, found in every(source).items():
        whole = found.snippet or found.insert or label
        text = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", re.split(r"\$\d", whole)[0])
        run = Run()
        typed = (source[begin:] + text).replace("‸", "")
        assert all(map(run.feed, run.tokens(f"{typed} "))), typed
    assert len(every(source)) == len(set(every(source)))


@pytest.mark.parametrize("line", [*PLACES, "mesh pp = 4 over ‸", 'import "./‸'])
def test_nothing_twice(line):
    found = [each.label for each in completion(*at_cursor(HEAD + line)).suggestions]
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("typed", "paths"),
    [
        ("", ["deep/part.par", "model.par", "../"]),
        ("./", ["./deep/part.par", "./model.par", "./../"]),
        ("deep/", ["deep/part.par"]),
    ],
)
def test_each_file_once(typed, paths):
    files = ["/repo/main.par", "/repo/model.par", "/repo/deep/part.par"]
    found = completion(*at_cursor(f'import "{typed}‸'), files).suggestions
    assert [e.label for e in sorted(found, key=lambda each: (each.rank, each.label))] == paths


def test_files_are_offered_in_quotes():
    found = completion(*at_cursor("import ‸"), ["/repo/model.par"]).suggestions
    assert [each.label for each in found if each.kind != "statement"] == ['"model.par"', "std"]

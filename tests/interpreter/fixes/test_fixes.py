"""Fixes that are shown without having been tried."""

import pytest
from specs import analysis_of

from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.fixes.fixes import CERTAIN, fixes, is_safe, surest


def found(text, file="spec.par"):
    """The findings of a text, with what mends each."""
    analysis = analysis_of(text, file)
    return [(finding, analysis.model) for finding in analysis.findings]


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("unit_mismatch", ["Write `50 GB/s`"]),
        ("partial_left", ["Write `replicated on N`"]),
        ("pad_reaches_reduction", ["Write `over V masked`"]),
        ("unpinned", ["Write `expect All-Reduce of y on N`"]),
        ("unknown_name", ["Add `M = 1` to the mesh"]),
        ("hole", ["Replace `?` with `B`"]),
        ("indivisible", []),
        ("unused_name", []),
    ],
)
def test_a_command_shows_what_needs_no_trial(name, titles):
    ((finding, model),) = found(catalogue.entry(name).example)
    assert [fix.title for fix in surest(finding, model)] == titles


def test_an_unknown_dimension_is_declared_below_the_others():
    ((finding, model),) = found("dim D = 4  # hidden\ninput x[B, D]\noutput x\n")
    (fix,) = fixes(finding, model)
    assert (fix.title, fix.edits[0].text) == ("Declare `dim B`", "\ndim B")


def test_a_name_is_replaced_without_asking_where_one_only_is_close():
    ((typo, _),) = found("dim Batch = 4\ninput x[batch]\noutput x\n")
    assert is_safe(typo)
    ((torn, _),) = found("dim Bx = 4, By = 4\ninput x[Bx], y[By], z[B]\noutput x, y, z\n")
    assert not is_safe(torn)


def test_a_file_of_a_close_name_is_imported_from_the_same_folder(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "model.par").write_text("dim B = 4\n")
    ((finding, model),) = found('import "parts/modle.par"\n', str(tmp_path / "plan.par"))
    assert [fix.title for fix in fixes(finding, model)] == ['Write `"parts/model.par"`']


def test_only_names_of_the_catalogue_are_mended():
    for name in CERTAIN:
        assert catalogue.entry(name).name == name


@pytest.mark.parametrize(
    ("bound", "holds"),
    [("1 kB", "Raise the bound to 64.6 kB"), ("60 kB", "Raise the bound to 64.6 kB")],
)
def test_a_bound_is_rounded_so_that_it_holds(bound, holds):
    text = catalogue.entry("expect_failed").example.replace("1 kB", bound)
    ((finding, model),) = found(text)
    assert [fix.title for fix in fixes(finding, model)] == [holds]


@pytest.mark.parametrize(
    ("bound", "title"),
    [
        ("step <= 1 us", "Raise the bound to 14.3 us"),
        ("compute <= 1 ns", "Raise the bound to 132 ns"),
        ("communication <= 1 ns", "Raise the bound to 14.1 us"),
        ("flops <= 1 flop", "Raise the bound to 1.05 Mflop"),
        ("parameters <= 1", "Raise the bound to 8200"),
    ],
)
def test_a_bound_is_raised_in_the_unit_of_its_figure(bound, title):
    hardware = (
        "device box { memory = 1 GB  flops = 1 Tflop/s  hbm = 1 TB/s }\n"
        "link wire { bandwidth = 100 GB/s  latency = 1 us }\n"
    )
    example = catalogue.entry("expect_failed").example
    text = hardware + example.replace("mesh N = 8", "mesh N = 8 over wire on 8 box")
    ((finding, model),) = found(text.replace("traffic <= 1 kB", bound))
    assert [fix.title for fix in fixes(finding, model)] == [title]


HARDWARE = """
import std.h100
{more}
mesh dp = 2 over {link} on 2 {device}
dim B = 8
input x[B] partition B on dp
output x
"""


def titles(text):
    """The titles of all fixes of a text in which one thing is wrong."""
    ((finding, model),) = found(text)
    return [each.title for each in fixes(finding, model)]


def test_a_device_of_the_library_is_imported_not_taken_for_another():
    text = HARDWARE.format(more="", link="ib", device="h200")
    assert titles(text) == ["Replace `import std.h100` with `import std.h200`"]
    alone = text.replace("import std.h100", "").replace("over ib ", "")
    assert titles(alone) == ["Add `import std.h200`"]
    assert titles(HARDWARE.format(more="", link="ib", device="h10")) == [
        "Replace `h10` with `h100`"
    ]


@pytest.mark.parametrize("first", ["library", "own"])
def test_a_link_that_the_library_has_too_is_repeated_where_the_user_declares_it(first):
    text = HARDWARE.format(more="link ib { bandwidth = 25 GB/s }", link="ib", device="h100")
    if first == "own":
        text = "{1}\n{0}{2}".format(*text.lstrip().partition("link ib { bandwidth = 25 GB/s }"))
    ((finding, model),) = found(text)
    assert (finding.name, finding.site.file) == ("duplicate_name", "spec.par")
    assert dict(finding.data)["library"] == ("std.h100",)
    assert [note.site.file for note in finding.related] == ["std/h100.par"]
    assert fixes(finding, model) == ()


CALL = """
dim B = 8, D = 4, S = 2
input x[B, S, D]
weight w[D]
layer f: y[B, S, D] = {call}
output y
"""


@pytest.mark.parametrize(
    ("call", "here", "title"),
    [
        ("matmul(x, w)", "a product is `x * w`", "Write `x * w`"),
        ("layer_norm(x, w)", "it is `layernorm over D", "Replace `layer_norm` with `layernorm`"),
        ("RMS_Norm(x, w)", "it is `rmsnorm over D", "Replace `RMS_Norm` with `rmsnorm`"),
        ("sdpa(x, x * w)", "attention is three layers", None),
        ("matmul(x, gelu(w))", "a product is `x * w`", None),
    ],
)
def test_a_function_of_another_tool_is_told_by_what_it_is_here(call, here, title):
    text = CALL.format(call=call)
    finding, model = next(each for each in found(text) if each[0].name == "unknown_name")
    assert dict(finding.data)["here"].startswith(here)
    assert [each.title for each in fixes(finding, model)] == ([] if title is None else [title])


LIBRARY = """
dim B = 8, D = 4, S = 2, {dims}
input x[B, S, D]
layer f: y[B, S, D] = {call}
output y
"""


def read_again(text, fix, model):
    """The findings of a text with a fix in it."""
    return [finding.name for finding, _ in found(mend(text, fix, model))]


def mend(text, fix, model):
    """A text with a fix in it."""
    document = dict(model.documents)["spec.par"]
    places = [(document.start_of(edit.site.chunk), edit.site.span, edit.text) for edit in fix.edits]
    for start, span, new in sorted(places, key=lambda place: place[0] + place[1].start)[::-1]:
        text = text[: start + span.start] + new + text[start + span.end :]
    return text


@pytest.mark.parametrize(
    ("dims", "call", "near", "title"),
    [
        ("F = 8", "swiglu_mlp(x)", (), "Add `import std.swiglu`"),
        ("F = 8", "swiglu_mpl(x)", ("swiglu_mlp",), "Add `import std.swiglu` for `swiglu_mlp`"),
        ("T = S, G = 2, R = 2, K = 4, H = G * R", "gqa(x)", (), "Add `import std.gqa`"),
        ("G = 2, T = S, R = 2, H = G * R, K = 4", "gqa(x)", (), "Add `import std.gqa`"),
    ],
)
def test_a_block_of_the_library_is_imported_not_taken_for_a_function(dims, call, near, title):
    text = LIBRARY.format(dims=dims, call=call)
    ((finding, model),) = found(text)
    assert dict(finding.data)["near"] == near
    (fix,) = fixes(finding, model)
    assert (fix.title, is_safe(finding)) == (title, False)
    assert read_again(text, fix, model) == []


SYMBOLIC = """{dims}
dim L = 2
input x[B, S, D]
stack net[L]: x -> y {{
  layer mlp: y[B, S, D] = swiglu_mlp(x)
}}
output y
"""


@pytest.mark.parametrize(
    ("dims", "left"),
    [
        ("dim B, S, D, F", ""),
        ("dim B  # sequences\ndim S, D, F", ""),
        ("dim B = 8, S, D, F", "dim B = 8"),
        ("dim A = 4, S, D, F = 2, B", "dim A = 4, F = 2"),
    ],
)
def test_what_the_library_and_the_spec_leave_without_a_size_is_taken_away(dims, left):
    text = SYMBOLIC.format(dims=dims)
    finding, model = next(each for each in found(text) if each[0].name == "unknown_name")
    (fix,) = fixes(finding, model)
    assert fix.title == "Add `import std.swiglu`"
    mended = mend(text, fix, model)
    assert mended.split("dim L")[0].strip() == f"import std.swiglu\n{left}".strip()
    assert "unknown_name" not in read_again(text, fix, model)
    assert "duplicate_name" not in read_again(text, fix, model)


def test_no_other_file_is_broken_for_an_import(tmp_path):
    text = SYMBOLIC.format(dims="dim B, S, D, F")
    declared, _, calling = text.partition("dim L")
    (tmp_path / "dims.par").write_text(declared)
    plan = f'import "dims.par"\ndim L{calling}'
    ((finding, model),) = found(plan, f"{tmp_path}/spec.par")
    assert (finding.name, fixes(finding, model)) == ("unknown_name", ())


def test_a_dimension_that_the_library_declares_is_removed():
    text = SYMBOLIC.format(dims="import std.swiglu\ndim B, S = 8")
    ((finding, model),) = found(text)
    assert catalogue.message(finding) == (
        "dimension B is declared twice, here and in std.dims; give it a size here, or leave it out"
    )
    (fix,) = fixes(finding, model)
    assert fix.title == "Remove `dim B`"
    assert mend(text, fix, model) == text.replace("dim B, S", "dim S")


def test_a_block_of_the_library_is_no_hardware():
    block = "block swiglu_mlp(x[B]) -> y {\n  layer l: y[B] = gelu(x)\n}\n"
    text = f"import std.swiglu\ndim B = 4\n{block}input x[B]\noutput x\n"
    (message,) = (catalogue.message(f) for f, _ in found(text) if f.name == "duplicate_name")
    assert message.endswith("here and in std.swiglu; call this one something else")


@pytest.mark.parametrize("more", ["T = 5", "H = 4"])
def test_a_file_that_sizes_what_the_spec_sizes_otherwise_is_not_offered(more):
    text = LIBRARY.format(dims=f"G = 2, R = 2, K = 4, {more}", call="gqa(x)")
    ((finding, model),) = found(text)
    assert (finding.name, fixes(finding, model)) == ("unknown_name", ())


@pytest.mark.parametrize(
    ("call", "near"),
    [
        ("swigluu(x)", ()),  # swiglu takes two
        ("swigluu(x, x)", ("swiglu",)),
        ("gelu_mlp(x)", ()),  # another one of a longer name
        ("geluu(x)", ("gelu", "relu")),
    ],
)
def test_a_function_is_meant_that_takes_what_is_given(call, near):
    ((finding, _),) = found(LIBRARY.format(dims="F = 8", call=call))[-1:]
    assert (finding.name, dict(finding.data)["near"]) == ("unknown_name", near)


def test_a_function_along_a_dimension_is_given_the_last_one():
    ((finding, model),) = found(CALL.format(call="softmax(x * w)"))
    assert dict(finding.data)["wants"] == "a dimension, `softmax over D (...)`"
    assert [each.title for each in fixes(finding, model)] == ["Write `softmax over D`"]


STACK = """
dim B = 8, D = 4, L = 2
input x[B, D]
stack s[L]: x -> {out} {{
  layer f: q[B, D] = gelu(x)
  layer g: y[B, D] = gelu(q)
}}
layer o: z[B, D] = gelu({read})
output z
"""


def test_a_stack_that_leaves_what_it_does_not_make_is_offered_what_it_makes():
    ((finding, model),) = found(STACK.format(out="left", read="y"))
    assert dict(finding.data)["near"] == ("y", "q")
    assert [each.title for each in fixes(finding, model)] == [
        "Replace `left` with `y`",
        "Replace `left` with `q`",
    ]


def test_a_stack_that_leaves_another_letter_is_offered_none():
    ((finding, model),) = found(STACK.format(out="b", read="y"))
    assert (dict(finding.data)["name"], dict(finding.data)["near"]) == ("b", ())
    assert fixes(finding, model) == ()


def test_a_name_inside_a_stack_is_offered_by_its_path():
    findings = [
        each[0] for each in found(STACK.format(out="y", read="q")) if each[0].name == "unknown_name"
    ]
    assert [dict(finding.data)["near"] for finding in findings] == [("s.q",)]


def test_a_product_written_as_elsewhere_is_mended():
    text = CALL.format(call="x @ w")
    ((finding, model),) = found(text)
    assert [each.title for each in fixes(finding, model)] == ["Replace `@` with `*`"]


MESH = "mesh pp = 2 over ib, tp = 2 over {link}{on}\ndim B = 8\ninput x[B]\noutput x\n"


def unknown(text):
    """What is not known, with the titles of its fixes."""
    findings = (each for each in found(text) if each[0].name == "unknown_name")
    return {
        dict(finding.data)["name"]: [fix.title for fix in fixes(finding, model)]
        for finding, model in findings
    }


def test_one_import_brings_all_the_hardware_that_is_missing():
    only = ["Add `import std.h100`"]
    assert unknown(MESH.format(link="nvlink", on=" on 4 h100")) == {
        "ib": only,
        "nvlink": only,
        "h100": only,
    }


def test_only_files_that_bring_all_links_are_offered():
    amd = ["Add `import std.mi300x`", "Add `import std.mi355x`"]
    assert unknown(MESH.format(link="xgmi", on="")) == {"ib": amd, "xgmi": amd}
    none = unknown(MESH.format(link="ici", on=""))
    assert "Add `import std.h100`" in none["ib"]
    assert none["ici"][0] == "Add `import std.v4p`"


def test_a_link_by_its_common_name():
    text = HARDWARE.format(more="", link="InfiniBand", device="h100")
    assert titles(text) == ["Replace `InfiniBand` with `ib`"]


@pytest.mark.parametrize("function", ["layernorm", "rmsnorm"])
def test_the_weights_of_a_norm_lie_along_its_dimension(function):
    text = CALL.format(call=f"{function} over D (x, g)").replace("weight w[D]\n", "")
    assert titles(text)[0] == "Declare `weight g[D]`"
    text = text.replace("(x, g)", "(q)")
    assert unknown(text)["q"][0] == "Declare `input q[B, S, D]`"


def test_files_that_begin_with_the_name_come_first():
    assert titles("import std.a100\n") == [
        "Replace `std.a100` with `std.a100_80`",
        "Replace `std.a100` with `std.a100_40`",
        "Replace `std.a100` with `std.h100`",
    ]


@pytest.mark.parametrize("target", ["std.h100", "std/h100.par"])
def test_a_library_file_in_quotes_loses_them(target):
    ((finding, model),) = found(f'import "{target}"\n')
    (fix,) = fixes(finding, model)
    assert (fix.title, fix.edits[0].text) == (
        "Write `std.h100`, a file of the library",
        "std.h100",
    )


EVERY = """
mesh dp = 2
dim B = 8
input x[B]
layer f: y[B] = gelu(x)
for {all}: partition B on dp
"""


@pytest.mark.parametrize("word", ["all", "every"])
def test_a_pattern_for_everything_is_a_star(word):
    text = EVERY.format(all=word) + "output y\n"
    assert titles(text)[0] == f"Replace `{word}` with `*`"


def test_a_result_that_nobody_reads_is_shown_as_an_output_without_a_trial():
    ((finding, model),) = found(EVERY.format(all="*"))
    assert [fix.title for fix in surest(finding, model)] == ["Add `output y`"]


PINNED = """
mesh tp = 2
dim B = 8, D = 4, F = 8
input x[B, D]
weight w[D, F], v[F, D]
layer up: h[B, F] = x * w partition F on tp
layer down: y[B, D] = h * v
output y replicated on tp
expect {expect}
"""


def test_what_is_partitioned_is_so_by_a_dimension():
    text = PINNED.format(expect="h is partitioned on tp")
    assert titles(text) == ["Write `P(B)`", "Write `P(F)`"]
    ((finding, model),) = found(text)
    assert surest(finding, model) == ()


def test_a_gradient_by_its_name_elsewhere():
    text = PINNED.format(expect="no All-Reduce of w.grad on tp")
    assert titles(text) == ["Replace `w.grad` with `grad(w)`"]


@pytest.mark.parametrize(
    ("bound", "title"),
    [
        ("flops <= 1e15", "Write `1 Pflop`"),
        ("flops <= 123456789012345", "Write `123456789012345 flop`"),
        ("flops <= 3", "Write `3 Tflop`"),
        ("traffic <= 1200000000", "Write `1.2 GB`"),
        ("traffic <= 1_234_567", "Write `1_234_567 B`"),
        ("memory <= 80", "Write `80 GB`"),
        ("time <= 0.5", "Write `0.5 s`"),
        ("time <= 5", "Write `5 ms`"),
    ],
)
def test_a_bound_is_given_the_unit_in_which_it_is_plausible(bound, title):
    assert titles(PINNED.format(expect=bound)) == [title]


@pytest.mark.parametrize(
    ("setting", "title"),
    [
        ("memory = 80", "Write `80 GiB`"),
        ("memory = 85899345920", "Write `85899345920 B`"),
        ("flops = 989e12", "Write `989e12 flop/s`"),
        ("flops = 989", "Write `989 Tflop/s`"),
        ("hbm = 3.35", "Write `3.35 TB/s`"),
    ],
)
def test_a_figure_of_a_device_is_given_the_unit_in_which_it_is_plausible(setting, title):
    text = f"device d {{ {setting} }}\nmesh N = 2 on 2 d\ndim B = 8\ninput x[B]\noutput x\n"
    assert title in [
        fix.title
        for finding, model in found(text)
        if finding.name == "unit_mismatch"
        for fix in fixes(finding, model)
    ]


def test_an_argument_of_a_capacity_that_is_close():
    text = "dim B = 8, E = 2\ndim C = capacity(tokens = B, experts = E, topk = 2)\n"
    finding, model = next(each for each in found(text) if each[0].name == "wrong_arguments")
    assert text.splitlines()[1][slice(*finding.site.span)] == "topk"
    assert [fix.title for fix in fixes(finding, model)] == ["Replace `topk` with `top`"]


ADDED = """\
dim B = 64, D = 32, H = 4, K = 8
input x[B, D]
weight w[D, H, K]
layer q: q[B, H, K] = {}
output q
"""


@pytest.mark.parametrize(
    ("written", "declared"),
    [
        ("x * w + b", ["weight b[H, K]", "input b[H, K]"]),
        ("b[K] + x * w", ["weight b[K]", "input b[K]"]),
        ("gelu(x * w - b)", ["weight b[H, K]", "input b[H, K]"]),
        ("x * w + b[B, H, K]", ["input b[B, H, K]", "weight b[B, H, K]"]),
    ],
)
def test_what_is_added_to_a_product_with_a_weight_is_one_if_its_dimensions_are(written, declared):
    ((finding, model),) = found(ADDED.format(written))
    assert [fix.title for fix in fixes(finding, model)] == [f"Declare `{d}`" for d in declared]


STAGES = """\
mesh pp = 4
dim B = 64, D = 32, D2 = D, L = {size}
input x[B, D]
stack s[L]: x -> y {{
  weight w[D, D2]
  layer a: y[B, D2] = x * w
}}
output y
{more}
"""


@pytest.mark.parametrize(
    ("size", "more", "titles"),
    [
        (30, "for s: partition L on pp", ["L uneven", "L = 32", "L = 28"]),
        (3, "for s: partition L on pp", ["L uneven", "L = 4"]),
        ("5 * 6", "for s: partition L on pp", ["L uneven"]),
        (30, "stages pp: 4 of 7 s", ["2 of 8 s | 2 of 7 s"]),
        (29, "stages pp: 4 of 7 s", ["8 s | 3 of 7 s"]),
        (32, "stages pp: 4 of 7 s", ["4 of 8 s", "8 of 4 s", "16 of 2 s", "32 of 1 s"]),
    ],
)
def test_layers_are_dealt_out_in_other_ways_or_there_are_more_or_fewer(size, more, titles):
    ((finding, model),) = found(STAGES.format(size=size, more=more))
    assert finding.name == "layers_lost"
    assert [fix.title for fix in fixes(finding, model)] == [f"Write `{title}`" for title in titles]


def test_chunks_count_where_a_size_is_made_to_divide():
    train = "train adam { global_batch = B microbatches = 8 schedule = interleaved chunks = 2 }"
    text = STAGES.format(size=30, more=f"for s: partition L on pp\n{train}")
    lost = next(each for each in found(text) if each[0].name == "layers_lost")
    assert [fix.title for fix in fixes(*lost)][1:] == ["Write `L = 32`", "Write `L = 24`"]


def test_chunks_that_do_not_divide_are_not_told_of_uneven_stacks():
    ((finding, _),) = found(STAGES.format(size=30, more="stages pp: 4 of 7 s"))
    assert catalogue.message(finding).endswith(
        "2 lost, 30 mod 4 = 2; let 2 of the 4 chunks take 8 layers, others 7"
    )

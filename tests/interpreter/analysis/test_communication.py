"""Communication that another clause, or another order of layers, makes less."""

import pytest

from parspec.interpreter.diagnostics import catalogue


def found(analysis, *names):
    """(name, layer, data) of the findings about communication."""
    names = names or ("redundant_gather", "unexpected_collective", "hidden_comm")
    return [
        (f.name, dict(f.data)["layer"], dict(f.data)) for f in analysis.findings if f.name in names
    ]


GATHERED = """
mesh data = 4, tensor = 2
dim T = 4096, D = 4096, F = 16384, V = 151936
input ids[T] : i32
weight emb[V, D], w[D, F]
layer embed: e0[T, D] = lookup(ids, emb) partition T on data, V on tensor
{keep}
layer up: h[T, F] = e * w partition T on data, F on tensor
output h
"""


def test_gathered_and_sliced_again(analyzed):
    keep = "layer keep: e[T, D] = e0 partition none on data, none on tensor"
    ((name, layer, data),) = found(analyzed(GATHERED.format(keep=keep)))
    assert (name, layer) == ("redundant_gather", "keep")
    assert data["axis"] == "data"
    assert data["bytes"] == 4096 * 4096 * 2
    assert data["keep"] == "All-Reduce over tensor"
    assert data["clause"] == "T on data"


def test_gathered_and_sliced_again_through_another_copy(analyzed):
    keep = """layer keep: e1[T, D] = e0 partition none on data, none on tensor
layer again: e[T, D] = e1 partition none on data, none on tensor"""
    assert [(n, la) for n, la, _ in found(analyzed(GATHERED.format(keep=keep)))] == [
        ("redundant_gather", "keep")
    ]


def test_the_clause_that_keeps_slices_is_clean(analyzed, complaints):
    keep = "layer keep: e[T, D] = e0 partition T on data, none on tensor"
    assert complaints(analyzed(GATHERED.format(keep=keep))) == []


def test_the_fix_puts_the_clause_that_mends_it(analyzed):
    keep = "layer keep: e[T, D] = e0 partition none on data, none on tensor"
    text = GATHERED.format(keep=keep)
    analysis = analyzed(text)
    (finding,) = [f for f in analysis.findings if f.name == "redundant_gather"]
    ((edit,),) = [fix.edits for fix in finding.fixes]
    (document,) = [d for _, d in analysis.model.documents]
    start = document.start_of(edit.site.chunk)
    span = edit.site.span
    mended = text[: start + span.start] + edit.text + text[start + span.end :]
    assert "partition T on data, none on tensor" in mended
    assert found(analyzed(mended)) == []


def test_a_reduced_copy_that_is_sliced_again(analyzed):
    spec = """
mesh tp = 4
dim B = 8, S = 64, D = 64, F = 256
input h[B, S, F] partition F on tp
weight w[F, D], g[D]
layer down: o[B, S, D] = h * w partition F on tp
layer all: a[B, S, D] = o partition none on tp
layer norm: n[B, S, D] = rmsnorm over D (a, g) partition S on tp
output n
"""
    ((name, layer, data),) = found(analyzed(spec))
    assert (name, layer, data["primitive"]) == ("redundant_gather", "all", ("All-Reduce",))
    assert data["keep"] is None
    assert data["bytes"] == 8 * 64 * 64 * 2


def test_the_last_layer_of_a_turn_gathers_what_the_next_turn_slices(analyzed):
    spec = """
mesh tp = 4
dim B = 8, S = 64, D = 64, D2 = D, L = 6
input x[B, S, D]
stack decoder[L]: x -> y {
  weight w[D, D2]
  layer up: a[B, S, D2] = x * w partition S on tp
  layer all: y[B, S, D2] = a partition none on tp
}
output y partition S on tp
"""
    assert [(n, la) for n, la, _ in found(analyzed(spec))] == [("redundant_gather", "decoder.all")]


ROWS = """
mesh dp = 8
dim B = 24, S = 4096, W = 16
input x[B, S, W] : f32 partition B on dp
{layers}
output y {output}
"""


@pytest.mark.parametrize(
    "expression", ["sort over S (x)", "cumsum over W (x)", "gelu(x)", "softmax over S (x)"]
)
def test_a_layer_that_works_on_each_slice_by_itself(analyzed, expression):
    layers = f"layer each: y[B, S, W] : f32 = {expression} partition none on dp"
    spec = ROWS.format(layers=layers, output="partition B on dp")
    ((name, layer, data),) = found(analyzed(spec))
    assert (name, layer) == ("unexpected_collective", "each")
    assert (data["expected"], data["bytes"], data["dim"]) == (0, 24 * 4096 * 16 * 4, "B")


def test_moved_to_another_dimension_and_back(analyzed):
    layers = "layer each: y[B, S, W] : f32 = sort over S (x) partition W on dp"
    spec = ROWS.format(layers=layers, output="partition B on dp")
    assert [(n, la) for n, la, _ in found(analyzed(spec))] == [("unexpected_collective", "each")]


def test_a_run_of_layers_that_all_ask_for_the_same(analyzed):
    layers = """layer one: a[B, S, W] : f32 = gelu(x) partition none on dp
layer two: y[B, S, W] : f32 = sort over S (a) partition none on dp"""
    spec = ROWS.format(layers=layers, output="partition B on dp")
    assert [(n, la) for n, la, _ in found(analyzed(spec))] == [("unexpected_collective", "one")]


def test_a_pattern_is_reported_at_the_layer(analyzed):
    layers = "layer each: y[B, S, W] : f32 = sort over S (x)\nfor each: partition none on dp"
    analysis = analyzed(ROWS.format(layers=layers, output="partition B on dp"))
    (finding,) = [f for f in analysis.findings if f.name == "unexpected_collective"]
    (each,) = [item for item in analysis.model.items if item.name == "each"]
    assert finding.site == each.site
    assert finding.fixes == ()


@pytest.mark.parametrize("output", ["", "replicated on dp"])
def test_what_is_wanted_whole_may_be_gathered_first(analyzed, output):
    layers = "layer each: y[B, S, W] : f32 = sort over S (x) partition none on dp"
    assert found(analyzed(ROWS.format(layers=layers, output=output))) == []


def test_what_a_function_needs_whole_is_gathered(analyzed):
    layers = "layer each: y[B, S, W] : f32 = sort over B (x) partition none on dp"
    assert found(analyzed(ROWS.format(layers=layers, output="partition B on dp"))) == []


LOSS = """
mesh tp = 2
dim B = 4, S = 9216, D = 2048, V = 151936
input x[B, S, D], labels[B, S] : i32
weight head[D, V]
layer logits: z[B, S, V] : f32 = x * head partition V on tp
{loss}
output l
"""


@pytest.mark.parametrize(
    ("loss", "layer"),
    [
        ("layer loss: l[B, S] = crossentropy over V (z, labels) partition none on tp", "loss"),
        ("layer loss: l[B, S] = crossentropy over V (z, labels) partition B on tp", "loss"),
        (
            "layer all: a[B, S, V] : f32 = z partition none on tp\n"
            "layer loss: l[B, S] = crossentropy over V (a, labels)",
            "all",
        ),
        ("layer best: l[B, S] = max over V (z) partition none on tp", "best"),
    ],
)
def test_statistics_instead_of_the_logits(analyzed, loss, layer):
    ((name, where, data),) = found(analyzed(LOSS.format(loss=loss)))
    assert (name, where) == ("hidden_comm", layer)
    assert (data["full_GiB"], data["sharded_GiB"]) == (20.87, 10.43)
    assert data["full_bytes"] == 22403874816
    assert data["bytes_per_device_best"] < data["bytes_per_device_now"] / 1000


def test_the_figures_of_a_loss(analyzed):
    loss = "layer loss: l[B, S] = crossentropy over V (z, labels) partition none on tp"
    ((_, _, data),) = found(analyzed(LOSS.format(loss=loss)))
    assert data["bytes_per_device_now"] == 22403874816 // 2
    assert data["bytes_per_device_best"] == 3 * 4 * 9216 * 4  # maximum, sum, target: fp32


def test_partitioned_along_the_vocabulary_is_clean(analyzed, complaints):
    loss = "layer loss: l[B, S] = crossentropy over V (z, labels) partition V on tp"
    assert complaints(analyzed(LOSS.format(loss=loss))) == []


def test_a_norm_whose_result_is_wanted_whole_gathers_either_way(analyzed):
    spec = """
mesh tp = 4
dim B = 64, D = 4096, I = 2048
input x[B, D]
weight w[D, I], g[I]
layer up: q[B, I] = x * w partition I on tp
layer whole: qg[B, I] = q partition none on tp
layer norm: n[B, I] = rmsnorm over I (qg, g)
output n replicated on tp
"""
    assert found(analyzed(spec)) == []


def test_addends_are_added_up_before_they_are_reduced(analyzed):
    spec = """
mesh tp = 4
dim B = 64, D = 1024, F = 4096, I = 1024
input h[B, F] partition F on tp
input g[B, I] partition I on tp
weight w2[F, D], s2[I, D]
layer down: r[B, D] = h * w2 partition F on tp
layer sdown: s0[B, D] = g * s2 partition I on tp
layer own: s[B, D] = s0 partition none on tp
layer add: y[B, D] = s + r
output y replicated on tp
"""
    analysis = analyzed(spec)
    ((name, layer, data),) = found(analysis)
    assert (name, layer, data["factor"]) == ("hidden_comm", "own", None)
    (finding,) = [f for f in analysis.findings if f.name == "hidden_comm"]
    assert "left partial" in catalogue.message(finding)


REPEATED = """
mesh {mesh}
dim B = 1, S = 32768
dim T = S
dim G = 8, R = 4, K = 128
dim H = G * R
input q[B, S, H, K] partition S on cp
input k[B, T, G, K], v[B, T, G, K] partition T on cp
block attention(q[B, S, H, K], k[B, T, H, K], v[B, T, H, K]) -> c fused {{
  layer score: s[B, H, S, T] = q * k
  layer prob: p[B, H, S, T] = softmax over T (s)
  layer ctx: c[B, S, H, K] = p * v
}}
layer kr: kr[B, T, H, K] = k
layer vr: vr[B, T, H, K] = v
layer attn: c[B, S, H, K] = attention(q, kr, vr) partition {clause}
output c
"""


@pytest.mark.parametrize("ring", ["", " ring"])
def test_kv_heads_move_before_they_are_repeated(analyzed, ring):
    analysis = analyzed(REPEATED.format(mesh="cp = 4", clause=f"S on cp{ring}"))
    ((name, _, data),) = found(analysis)
    assert (name, data["factor"], data["before"]) == ("hidden_comm", 4, ("k", "v"))
    whole = 32768 * 8 * 128 * 2
    assert data["bytes_per_device_best"] == 2 * whole * 3 // 4
    assert data["bytes_per_device_now"] == 4 * data["bytes_per_device_best"]
    (finding,) = [f for f in analysis.findings if f.name == "hidden_comm"]
    (attn,) = [c for c in analysis.model.documents[0][1].every if c.text.startswith("layer attn")]
    assert finding.site.chunk == attn.key


def test_repeated_heads_that_change_places(analyzed):
    spec = REPEATED.format(mesh="cp = 4", clause="H on cp")
    data = [data for _, _, data in found(analyzed(spec))]
    assert [one["factor"] for one in data] == [4]


def test_repeated_heads_that_stay_are_nobodys_business(analyzed):
    spec = """
mesh dp = 4
dim B = 8, T = 64, G = 8, R = 4, K = 16
dim H = G * R
input k[B, T, G, K] partition B on dp
layer kr: kr[B, T, H, K] = k
layer act: a[B, T, H, K] = gelu(kr)
output a
"""
    assert found(analyzed(spec)) == []


def test_widened_elements_move_before_they_are_widened(analyzed):
    spec = """
mesh tp = 4
dim B = 64, V = 1024
input z[B, V] partition V on tp
layer wide: zf[B, V] : f32 = z
layer order: y[B, V] : f32 = sort over V (zf) partition none on tp
output y
"""
    ((name, layer, data),) = found(analyzed(spec))
    assert (name, layer, data["factor"]) == ("hidden_comm", "order", 2)


def test_sequence_parallel_norms_and_column_parallel_products_are_clean(analyzed):
    spec = """
mesh tp = 4
dim B = 8, S = 64, D = 64, F = 256, L = 4
input x[B, S, D]
stack decoder[L]: x -> x2 {
  weight g[D], w1[D, F], w2[F, D]
  layer norm: a[B, S, D] = rmsnorm over D (x, g) partition S on tp
  layer up:   h[B, S, F] = a * w1 partition F on tp
  layer act:  u[B, S, F] = gelu(h) partition F on tp
  layer down: d[B, S, D] = u * w2 partition F on tp
  layer res:  x2[B, S, D] = x + d partition S on tp
}
output x2
"""
    assert found(analyzed(spec)) == []


def test_gradients_of_weights_count_against_the_saving(analyzed):
    spec = """
mesh dp = 4
dim B = 8, D = 1024, F = 4096
input x[B, D] partition B on dp
weight w[D, F]
layer fc: h[B, F] = x * w partition none on dp
output h partition B on dp
"""
    assert [(n, la) for n, la, _ in found(analyzed(spec))] == [("unexpected_collective", "fc")]
    assert found(analyzed(spec + "train sgd { global_batch = B }\n")) == []


def test_symbolic_sizes_give_no_figures(analyzed):
    spec = """
mesh N = 4
dim B, D, V
input x[B, D], labels[B] : i32
weight head[D, V]
layer logits: z[B, V] = x * head partition V on N
layer loss: l[B] = crossentropy over V (z, labels) partition none on N
output l
"""
    ((name, _, data),) = found(analyzed(spec))
    assert (name, data["factor"]) == ("hidden_comm", None)
    assert "bytes_per_device_now" not in data

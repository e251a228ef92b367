"""Dimensions that do not divide, with the numbers that mend them."""

import pytest

from parspec.interpreter.diagnostics import catalogue


def finding(analysis, name):
    (found,) = [f for f in analysis.findings if f.name == name]
    return dict(found.data)


HEADS = """
mesh tp = {tp}
dim B = 64, D = 6656
dim H = {heads}
input x[B, D]
weight wq[D, H]
layer q: q[B, H] = x * wq partition H on tp
output q
"""


@pytest.mark.parametrize(
    ("heads", "tp", "remainder", "padded"), [(52, 3, 1, 54), (52, 8, 4, 56), (40, 3, 1, 42)]
)
def test_heads_that_do_not_divide(analyzed, heads, tp, remainder, padded):
    facts = finding(analyzed(HEADS.format(heads=heads, tp=tp)), "indivisible")
    assert facts["size"] == heads
    assert facts["ways"] == tp
    assert facts["remainder"] == remainder
    assert facts["padded"] == facts["above"] == padded
    assert facts["below"] == padded - tp
    assert facts["valid"] == tuple(n for n in range(1, heads + 1) if heads % n == 0)


def test_the_message_names_the_numbers(analyzed):
    analysis = analyzed(HEADS.format(heads=52, tp=3))
    (found,) = [f for f in analysis.findings if f.name == "indivisible"]
    message = catalogue.message(found)
    assert "52 mod 3 = 1" in message
    assert "1, 2, 4, 13, 26" in message


def test_valid_degrees_fit_every_dimension_on_the_axis(analyzed):
    spec = """
mesh tp = 8
dim B = 64, D = 3584, G = 4, R = 7, F = 18944
dim H = G * R
input x[B, D]
weight wq[D, H], w1[D, F]
layer q: q[B, H] = x * wq partition H on tp
layer up: u[B, F] = x * w1 partition F on tp
output q
output u
"""
    facts = finding(analyzed(spec), "indivisible")
    assert (facts["dim"], facts["size"], facts["ways"], facts["remainder"]) == ("H", 28, 8, 4)
    assert facts["valid"] == (1, 2, 4)


def test_units_are_never_cut(analyzed):
    spec = """
mesh tp = 8
dim E = 16, C = 128, D = 4096, F = 1536 unit 128
input xe[E, C, D]
weight w1[E, D, F]
layer up: h[E, C, F] = xe * w1 partition F on tp
output h
"""
    facts = finding(analyzed(spec), "block_split")
    assert (facts["local"], facts["unit"], facts["remainder"]) == (192, 128, 64)
    assert facts["valid"] == (1, 2, 3, 4, 6, 12)


def test_a_product_that_runs_out_of_units_offers_copies(analyzed):
    spec = """
mesh tp = 8
dim B = 4, D = 3584, G = 4
dim K = 128 unit 128
dim I = G * K
input x[B, D]
weight wk[D, I]
layer k: k[B, I] = x * wk partition I on tp
output k
"""
    facts = finding(analyzed(spec), "block_split")
    assert (facts["local"], facts["unit"], facts["replicas"]) == (64, 128, 2)
    assert facts["valid_without_replication"] == (1, 2, 4)


def test_kv_heads_are_shared_out_over_an_axis_larger_than_they_are(analyzed, complaints):
    spec = """
mesh tp = 16
dim B = 64, D = 128, G = 8, R = 4, K = 16
dim H = G * R
input x[B, D]
weight wq[D, H, K], wk[D, G, K]
layer q: q[B, H, K] = x * wq partition H on tp
layer k: k[B, G, K] = x * wk partition H on tp
layer s: s[B, H] = q * k
output s
"""
    analysis = analyzed(spec)
    states = {s.tensor: s.layout for la in analysis.layers for s in la.states}
    assert states["q"].cuts == (("G", ("tp.0",)), ("R", ("tp.1",)))
    assert states["k"].cuts == (("G", ("tp.0",)),)
    assert states["s"].cuts == (("G", ("tp.0",)), ("R", ("tp.1",)))
    assert [m for m in analysis.moves if m.primitive] == []
    assert complaints(analysis) == ["repeated_work"]  # each k is made twice
    # products of q : k : s = 32·128 : 2·8·128 : 32, the second of both k is made again
    repeated = finding(analysis, "repeated_work")
    assert repeated["share"] == 8 * 128 / (32 * 128 + 2 * 8 * 128 + 32)


@pytest.mark.parametrize("clause", ["uneven", "padded to tp"])
def test_uneven_and_padded_dimensions_may_be_cut(analyzed, clause, complaints):
    spec = f"""
mesh tp = 2
dim B = 2, S = 8193 {clause}, D = 64
input x[B, S, D]
weight g[D]
layer norm: n[B, S, D] = rmsnorm over D (x, g) partition S on tp
output n
"""
    analysis = analyzed(spec)
    assert complaints(analysis) == []
    (n,) = [tensor for tensor in analysis.tensors if tensor.name == "n"]
    assert n.per_device == 2 * 4097 * 64 * 2


def test_padding_that_a_softmax_sees(analyzed):
    spec = """
mesh tp = 2
dim B = 64, D = 128, V = 50257 padded to tp
input x[B, D]
weight head[D, V]
layer logits: z[B, V] = x * head partition V on tp
layer prob: p[B, V] = softmax over V {masked}(z) partition V on tp
output p
"""
    facts = finding(analyzed(spec.format(masked="")), "pad_reaches_reduction")
    assert (facts["padded"], facts["pad"]) == (50258, 1)
    clean = analyzed(spec.format(masked="masked "))
    assert "pad_reaches_reduction" not in [f.name for f in clean.findings]


def test_parameters_leave_padding_out_and_bytes_count_it(analyzed):
    spec = """
mesh tp = 2
dim B = 64, D = 128, V = 50257 padded to 64
input x[B, D]
weight head[D, V]
layer logits: z[B, V] = x * head partition V on tp
output z
"""
    totals = analyzed(spec).totals
    assert totals.parameters == 128 * 50257
    assert totals.memory.weights == 128 * 50304 * 2 // 2


def test_a_store_that_does_not_divide_warns_with_its_slices(analyzed):
    spec = """
mesh fsdp = 8
dim B = 64, A = 2, N = 1024
input x[B, A]
weight w[A, N] store A on fsdp
layer up: y[B, N] = x * w partition B on fsdp
output y
"""
    facts = finding(analyzed(spec), "uneven_split")
    assert facts["sizes"] == (1, 1, 0, 0, 0, 0, 0, 0)


def test_chunks_dealt_in_zigzag_must_divide_too(analyzed):
    spec = """
mesh cp = 8, tp = 2
dim B = 2, S = 10, D = 64
input x[B, S, D]
weight g[D]
layer norm: n[B, S, D] = rmsnorm over D (x, g) partition S on cp zigzag * tp
output n
"""
    facts = finding(analyzed(spec), "indivisible")
    assert (facts["unit"], facts["padded"]) == (16, 16)


def test_a_product_is_shared_out_over_the_axes_of_a_view(analyzed, complaints):
    analysis = analyzed("""
      mesh dp = 2, tp = 8
      axis ep = dp * tp
      dim G = 8, R = 4, B = 64, D = 128
      dim H = G * R
      input x[B, D]
      weight w[D, H]
      layer q: h[B, H] = x * w partition H on ep
      output h
    """)
    assert complaints(analysis) == []
    (layer,) = analysis.layers
    assert layer.partition == (("dp", "G"), ("tp.0", "G"), ("tp.1", "R"))


def test_a_product_is_shared_out_where_only_a_variable_at_rest_is_partitioned(analyzed, complaints):
    analysis = analyzed("""
      mesh tp = 16
      dim G = 8, R = 4, B = 64, D = 128
      dim H = G * R
      input x[B, D]
      weight w[D, H] partition H on tp
      layer q: h[B, H] = x * w
      output h
    """)
    assert complaints(analysis) == []
    (layer,) = analysis.layers
    assert layer.partition == (("tp.0", "G"), ("tp.1", "R"))


def test_a_view_of_one_node_cuts_nothing(analyzed):
    analysis = analyzed("""
      mesh dp = 8
      axis edp = rest, ep = 1 of dp
      dim B = 64, D = 128, F = 256
      input x[B, D]
      weight w[D, F]
      layer up: h[B, F] = x * w partition B on ep, B on dp
      output h
      expect h is R on ep
    """)
    (layer,) = analysis.layers
    assert layer.partition == (("dp", "B"),)
    assert [expect.holds for expect in analysis.expects] == [True]


@pytest.mark.parametrize(
    ("views", "clause"),
    [("axis a = tp", "F on tp, D on a"), ("axis ep = dp * tp", "F on tp, D on ep")],
)
def test_an_axis_is_not_used_twice_under_another_name(analyzed, views, clause):
    spec = f"""
mesh dp = 2, tp = 2
{views}
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition {clause}
output h replicated on dp, tp
"""
    facts = finding(analyzed(spec), "axis_reused")
    assert facts == {"axis": "tp", "dim": "D", "other": "F", "layer": "up"}


PATTERNS = """
mesh dp = 2, tp = 2
axis ep = dp * tp
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F], v[F, D]
layer up: h[B, F] = x * w
layer down: y[B, D] = h * v
layer last: z[B, D] = gelu(y)
output z replicated on dp, tp
"""


@pytest.mark.parametrize(
    ("clause", "axis", "dim", "other"),
    [
        ("D on ep, F on tp", "tp", "F", "D"),
        ("F on tp, D on ep", "tp", "D", "F"),
        ("F on dp, D on ep", "dp", "D", "F"),
    ],
)
@pytest.mark.parametrize("place", ["for *: {}", "plan p {{ for up, down: {} }}"])
def test_a_pattern_does_not_use_nodes_twice_under_two_names(
    analyzed, place, clause, axis, dim, other
):
    plan = "p" if "plan" in place else None
    analysis = analyzed(PATTERNS + place.format(f"partition {clause}"), plan=plan)
    facts = finding(analysis, "axis_reused")  # once, though it reaches several layers
    assert facts == {"axis": axis, "dim": dim, "other": other, "layer": "up"}


def test_patterns_of_two_statements_may_take_nodes_from_one_another(analyzed, complaints):
    text = PATTERNS + "for *: partition F on ep\nfor up, down: partition B on tp\n"
    assert "axis_reused" not in complaints(analyzed(text))
    text = PATTERNS + "for *: partition B on ep, F on tp\n"
    assert finding(analyzed(text), "axis_reused")["dim"] == "F"


STORED = """
mesh dp = 2, tp = 2
dim B = 64, D = 32, F = 128
input x[B, D] partition B on dp
weight w[D, F] {own}
weight v[F, D]
layer up: h[B, F] = x * w  partition F on tp
layer down: y[B, D] = h * v  partition F on tp
output y replicated on tp
{pattern}
"""


@pytest.mark.parametrize(
    ("own", "pattern", "weight", "dim"),
    [
        ("store D on tp", "", "w", "D"),
        ("store on tp", "", "w", None),
        ("", "for up: store D on tp", "w", "D"),
        ("", "for *: store D on tp", "w", "D"),
    ],
)
def test_a_weight_is_not_stored_on_an_axis_that_cuts_it_already(
    analyzed, own, pattern, weight, dim
):
    analysis = analyzed(STORED.format(own=own, pattern=pattern))
    facts = finding(analysis, "axis_reused")
    assert facts == {"axis": "tp", "dim": dim, "other": "F", "layer": weight}
    (found,) = analysis.findings
    cannot = "store it" if dim is None else f"partition {dim}"
    said = f"axis tp partitions F of w already; it cannot {cannot} as well"
    assert catalogue.message(found) == said


@pytest.mark.parametrize(
    ("own", "pattern"),
    [
        ("store F on tp", ""),  # as it is used
        ("store D on dp", ""),
        ("", "for *: store on dp * tp"),
        ("", "for *: store on tp"),  # a flattened store takes what there is
        ("", "for *: store D on dp * tp"),
    ],
)
def test_a_store_that_has_something_to_store_is_no_mistake(analyzed, complaints, own, pattern):
    assert complaints(analyzed(STORED.format(own=own, pattern=pattern))) == []

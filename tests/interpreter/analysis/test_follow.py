"""Layers without a clause follow what arrives; disputes, partial operands, several consumers."""

HEAD = """
mesh dp = 2, tp = 4
dim B = 64, S = 32, D = 16, F = 128
"""


def layer(analysis, name):
    return next(layer for layer in analysis.layers if layer.name == name)


def test_axes_are_followed_one_by_one(headed):
    analysis = headed("""
      input x[B, D] partition B on dp
      weight w[D, F], v[F, D]
      layer up: h[B, F] = x * w partition F on tp
      layer act: a[B, F] = gelu(h)
      layer down: y[B, D] = a * v
      output y replicated on tp
    """)
    assert dict(layer(analysis, "up").partition) == {"dp": "B", "tp": "F"}
    assert dict(layer(analysis, "up").follows) == {"dp": "x"}
    assert dict(layer(analysis, "act").follows) == {"dp": "h", "tp": "h"}
    assert dict(layer(analysis, "down").follows) == {"dp": "a", "tp": "a"}
    assert dict(layer(analysis, "down").partition) == {"dp": "B", "tp": "F"}


def test_an_unpinned_input_lies_as_all_its_uses_need_it(headed):
    analysis = headed("""
      input x[B, D]
      weight w[D, F]
      layer up: h[B, F] = x * w partition B on dp, F on tp
      output h
    """)
    where = {tensor.name: str(tensor.layout.state("dp")) for tensor in analysis.tensors}
    assert where == {"x": "P(B)", "w": "R", "h": "P(B)"}
    assert [move for move in analysis.moves if move.primitive] == []


def test_an_unpinned_input_whose_uses_disagree_is_replicated_at_no_cost(headed):
    analysis = headed("""
      input x[B, D]
      weight w[D, F], v[D, F]
      layer one: g[B, F] = x * w partition B on dp
      layer two: h[B, F] = x * v partition D on dp
      output g
      output h replicated on dp
    """)
    (x,) = [tensor for tensor in analysis.tensors if tensor.name == "x"]
    assert str(x.layout.state("dp")) == "R"
    assert [m.primitive for m in analysis.moves if m.primitive] == ["All-Reduce"]


def test_operands_that_disagree_are_an_error_with_each_choice_priced(headed):
    analysis = headed("""
      input a[B, D] partition B on tp
      input b[B, D] partition D on tp
      layer add: y[B, D] = a + b
      output y
    """)
    (found,) = [f for f in analysis.findings if f.name == "operands_disagree"]
    facts = dict(found.data)
    assert (facts["layer"], facts["axis"]) == ("add", "tp")
    assert facts["choices"] == (("a", "B"), ("b", "D"))
    moved = 3 * 64 * 16 * 2 // 4 // 4  # one All-to-All: (N-1)/N of a slice, bytes per device
    assert facts["prices"] == (moved, moved)
    assert len(found.related) == 2


def test_a_partial_operand_counts_as_complete(headed, moved):
    """The residual follows x; what arrives partial is reduced onto the slices of x."""
    analysis = headed("""
      input x[B, S, D] partition S on tp
      input h[B, S, F] partition F on tp
      weight w[F, D]
      layer down: o[B, S, D] = h * w
      layer res: y[B, S, D] = x + o
      output y
    """)
    assert moved(analysis) == [("Reduce-Scatter", "o", "tp", 1)]
    assert dict(layer(analysis, "res").follows) == {"tp": "x"}


def test_partials_of_one_kind_are_added_before_they_are_reduced(headed, moved):
    analysis = headed("""
      input h[B, F] partition F on tp
      weight v[F, D], w[F, D]
      layer one: a[B, D] = h * v
      layer two: b[B, D] = h * w
      layer add: y[B, D] = a + 0.5 * b
      output y replicated on tp
    """)
    assert moved(analysis) == [("All-Reduce", "y", "tp", 1)]


def test_partial_and_complete_are_never_added(headed, moved):
    analysis = headed("""
      input x[B, D], h[B, F] partition F on tp
      weight v[F, D]
      layer one: a[B, D] = h * v
      layer add: y[B, D] = x + a
      output y
    """)
    assert moved(analysis) == [("All-Reduce", "a", "tp", 1)]


def test_what_is_wanted_twice_in_one_layout_is_moved_once(headed, moved):
    analysis = headed("""
      input x[B, D] partition D on tp
      weight v[D, F], w[D, F]
      layer one: g[B, F] = x * v partition F on tp
      layer two: h[B, F] = x * w partition F on tp
      layer mul: y[B, F] = silu(g) * h
      output y
    """)
    assert moved(analysis) == [("All-Gather", "x", "tp", 1)]


def test_a_weight_is_followed_only_where_no_activation_is_partitioned(headed):
    analysis = headed("""
      input x[B, D]
      weight w[D, F] partition F on tp
      layer up: h[B, F] = x * w
      output h
    """)
    assert dict(layer(analysis, "up").partition) == {"tp": "F"}
    assert dict(layer(analysis, "up").follows) == {"tp": "w"}


def test_a_stored_weight_is_gathered_and_not_followed(headed, moved):
    analysis = headed("""
      input x[B, D] partition B on tp
      weight w[D, F] store D on tp
      layer up: h[B, F] = x * w
      output h
    """)
    assert moved(analysis) == [("All-Gather", "w", "tp", 1)]
    assert dict(layer(analysis, "up").partition) == {"tp": "B"}


def test_a_flattened_store_takes_the_axes_that_are_left(headed):
    analysis = headed("""
      input x[B, D] partition B on dp
      weight w[D, F]
      layer up: h[B, F] = x * w partition F on tp
      output h
      for *: store on dp
    """)
    (move,) = [m for m in analysis.moves if m.primitive]
    assert (move.primitive, move.axes, move.before, move.after) == (
        "All-Gather",
        ("dp",),
        "P(flat)",
        "R",
    )
    assert move.size == 16 * 128 * 2 // 4
    (w,) = [tensor for tensor in analysis.tensors if tensor.name == "w"]
    assert w.per_device == 16 * 128 * 2 // 8


def test_a_followed_axis_keeps_its_place_and_clauses_come_in_mesh_order(headed):
    analysis = headed("""
      input x[B, D] partition B on tp
      layer a: y[B, D] = gelu(x) partition B on dp
      layer b: z[B, D] = gelu(y) partition B on tp * dp
      output z
    """)
    states = {
        s.tensor: s.layout.axes("B") for la in analysis.layers for s in la.states if s.role == "out"
    }
    assert states == {"y": ("dp", "tp"), "z": ("tp", "dp")}
    assert [m.primitive for m in analysis.moves if m.primitive] == ["Permute"]


def test_a_function_that_needs_a_dimension_whole_is_not_followed_along_it(headed, moved):
    analysis = headed("""
      input x[B, S] partition S on tp
      layer order: y[B, S] = sort over S (x)
      output y
    """)
    assert moved(analysis) == [("All-Gather", "x", "tp", 1)]


def test_a_centralized_layer_gathers_and_what_follows_stays_there(headed, moved):
    analysis = headed("""
      input x[B, D] partition B on tp
      layer one: y[B, D] = gelu(x) centralized on tp
      layer two: z[B, D] = gelu(y)
      output z replicated on tp
    """)
    assert moved(analysis) == [("Gather", "x", "tp", 1), ("Broadcast", "z", "tp", 1)]
    assert dict(layer(analysis, "one").strategy)["tp"] == "centralized"


def test_statistics_of_functions_along_a_cut_dimension(headed, moved):
    analysis = headed("""
      input x[B, D] partition D on tp
      weight g[D]
      layer norm: n[B, D] = rmsnorm over D (x, g)
      layer prob: p[B, D] = softmax over D (n)
      output p
    """)
    found = [(m.primitive, m.statistic, m.size) for m in analysis.moves if m.primitive]
    assert found == [
        ("All-Reduce", "sum of squares", 64 * 4),
        ("All-Reduce", "maximum", 64 * 4),
        ("All-Reduce", "sum", 64 * 4),
    ]


ZIGZAG = (
    HEAD
    + """
input x[B, S, D]
layer a: y[B, S, D] = gelu(x) partition S on tp zigzag
layer b: z[B, S, D] = gelu(y) {clause}
output z
"""
)


def test_a_layer_follows_how_slices_are_dealt(analyzed, moved):
    analysis = analyzed(ZIGZAG.format(clause=""))
    assert moved(analysis) == []
    (z,) = [tensor for tensor in analysis.tensors if tensor.name == "z"]
    assert z.layout.zigzag == ("tp",)


def test_slices_in_zigzag_are_permuted_for_a_layer_that_takes_them_in_order(analyzed, moved):
    assert moved(analyzed(ZIGZAG.format(clause="partition S on tp zigzag"))) == []
    assert moved(analyzed(ZIGZAG.format(clause="partition S on tp"))) == [("Permute", "y", "tp", 1)]


def test_operands_that_are_dealt_otherwise_disagree(headed):
    analysis = headed("""
      input x[B, S, D] partition S on tp zigzag
      input y[B, S, D] partition S on tp
      layer add: z[B, S, D] = x + y
      output z
    """)
    (found,) = [f for f in analysis.findings if f.name == "operands_disagree"]
    assert dict(found.data)["choices"] == (("x", "S zigzag"), ("y", "S"))


def test_pieces_of_an_axis_that_are_cut_for_different_ends_are_named_apart(analyzed):
    analysis = analyzed(
        """
mesh dp = 16
axis edp = 2, ep = 8 of dp
dim B = 64, D = 32, F = 64, E = 8
dim C = capacity(tokens = B, experts = E, top = 1)
input x[B, D] partition B on dp
weight wr[D, E], w[E, D, F]
layer r: r[B, E] = x * wr
layer send: xe[E, C, D] = dispatch(x, r)
layer up: h[E, C, F] = xe * w partition E on ep
output h
"""
    )
    (up,) = [layer for layer in analysis.layers if layer.name == "up"]
    assert up.strategy == (("dp.0", "data"), ("dp.1", "expert"))

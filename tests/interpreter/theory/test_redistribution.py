"""Transitions on one axis, alone and beside another axis, and shortest paths over several."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.interpreter.theory import primitives, redistribution
from parspec.interpreter.theory.layouts import EVERYWHERE, Layout, layout
from parspec.interpreter.theory.redistribution import (
    Step,
    cost,
    price,
    redistribute,
    search,
)
from parspec.interpreter.theory.space import Extent, Space, Wire

DIMS = ("A", "B")
ITEM = Fraction(1)
ONE_AXIS = Space((("n", 4),), (("A", Extent(24)), ("B", Extent(40))))
MESH = Space((("m", 2), ("n", 4)), (("A", Extent(24)), ("B", Extent(40)), ("K", Extent(6))))
M = 24 * 40

STATES = {
    "P(A)": layout({"A": ("n",)}),
    "P(B)": layout({"B": ("n",)}),
    "R": EVERYWHERE,
    "partial": layout({}, {"n": "sum"}),
    "C(0)": layout({}, (), {"n": (0,)}),
    "C(1)": layout({}, (), {"n": (1,)}),
}
# source, target, primitive, order, composed, approx, ring, per device; M = 960 on N = 4
TABLE = [
    ("P(A)", "P(A)", None, 0, 0, 0, 0, 0),
    ("P(A)", "P(B)", "All-to-All", 2, 2 * 720, 2 * 960, 720, 180),
    ("P(A)", "R", "All-Gather", 2, 720 + 2880, 3840, 2880, 720),
    ("P(A)", "C(0)", "Gather", 1, 720, 960, 720, 720),
    ("P(A)", "partial", None, 0, 0, 0, 0, 0),
    ("R", "P(A)", None, 0, 0, 0, 0, 0),
    ("R", "R", None, 0, 0, 0, 0, 0),
    ("R", "C(0)", None, 0, 0, 0, 0, 0),
    ("R", "partial", None, 0, 0, 0, 0, 0),
    ("partial", "P(A)", "Reduce-Scatter", 2, 720 + 2880, 3840, 2880, 720),
    ("partial", "R", "All-Reduce", 4, 2 * 3600, 7680, 2 * 2880, 1440),
    ("partial", "C(0)", "Reduce", 1, 2880, 3840, 2880, 960),
    ("partial", "partial", None, 0, 0, 0, 0, 0),
    ("C(0)", "P(A)", "Scatter", 1, 720, 960, 720, 720),
    ("C(0)", "R", "Broadcast", 1, 2880, 3840, 2880, 960),
    ("C(0)", "C(0)", None, 0, 0, 0, 0, 0),
    ("C(0)", "C(1)", "Send", 1, 960, 960, 960, 960),
    ("C(0)", "partial", None, 0, 0, 0, 0, 0),
]


def spent(steps, dims, space):
    """(primitive, order, composed, approx, ring, per device) of the one step that moves."""
    moving = [step for step in steps if step.primitive is not None]
    if not moving:
        return (None, 0, 0, 0, 0, 0)
    (step,) = moving
    priced = price(step, dims, space)
    primitive = primitives.PRIMITIVES[step.primitive]
    lists = [
        priced.groups * primitives.traffic(primitive, name, priced.size, priced.group)
        for name in primitives.PRICE_LISTS
    ]
    per_device = primitives.per_device(primitive, priced.size, priced.group)
    return (step.primitive, primitive.order, *lists, per_device)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]}->{row[1]}")
def test_every_transition_on_one_axis(row):
    source, target, *wanted = row
    steps = redistribute(STATES[source], STATES[target], DIMS, ONE_AXIS, ITEM)
    assert spent(steps, DIMS, ONE_AXIS) == tuple(wanted)


# The other axis m (2 nodes): how the variable lies there, what share of it a group on n sees, and
# how many groups move at once.
BESIDE = {
    "partitioned": (layout({"K": ("m",)}), Fraction(1, 2), 2),
    "replicated": (EVERYWHERE, Fraction(1), 2),
    "centralized": (layout({}, (), {"m": (1,)}), Fraction(1), 1),
}


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]}->{row[1]}")
def test_every_transition_beside_another_axis(row, beside):
    source, target, primitive, order, *figures = row
    other, share, groups = BESIDE[beside]
    dims = (*DIMS, "K")
    steps = redistribute(
        joined(STATES[source], other), joined(STATES[target], other), dims, MESH, ITEM
    )
    seen = 6 * share  # K multiplies M, cut by m where m partitions
    lists = [figure * seen * groups for figure in figures[:3]]
    assert spent(steps, dims, MESH) == (primitive, order, *lists, figures[3] * seen)


def joined(one: Layout, other: Layout) -> Layout:
    return layout(
        dict(one.cuts) | dict(other.cuts),
        dict(one.partial) | dict(other.partial),
        dict(one.central) | dict(other.central),
    )


EIGHT = Space((("dp", 2), ("tp", 2)), (("A", Extent(8)), ("B", Extent(8))))


def test_the_stored_order_changes_the_bill():
    wanted = layout({"A": ("tp",)})
    bad = redistribute(layout({"A": ("dp", "tp")}), wanted, DIMS, EIGHT, ITEM)
    good = redistribute(layout({"A": ("tp", "dp")}), wanted, DIMS, EIGHT, ITEM)
    assert cost(bad, DIMS, EIGHT, Fraction(4)) == 128  # f32 [8, 8] on 2x2, bytes per device
    assert cost(good, DIMS, EIGHT, Fraction(4)) == 64
    assert [step.primitive for step in bad] == ["Permute", "All-Gather"]
    assert [step.primitive for step in good] == ["All-Gather"]


def test_a_fused_gather_is_one_primitive_over_both_axes():
    (step,) = redistribute(layout({"A": ("dp", "tp")}), EVERYWHERE, DIMS, EIGHT, ITEM)
    assert (step.primitive, step.axes) == ("All-Gather", ("dp", "tp"))
    assert cost((step,), DIMS, EIGHT, ITEM) == 48


def test_partial_sums_are_sliced_before_they_are_reduced():
    steps = redistribute(layout({}, {"dp": "sum"}), layout({"A": ("tp",)}), DIMS, EIGHT, ITEM)
    assert [(step.primitive, step.axes) for step in steps] == [
        (None, ("tp",)),
        ("All-Reduce", ("dp",)),
    ]
    assert cost(steps, DIMS, EIGHT, ITEM) == 32


def test_uneven_slices_are_moved_whole():
    space = Space((("n", 4),), (("A", Extent(10)),))
    (step,) = redistribute(layout({"A": ("n",)}), EVERYWHERE, ("A",), space, ITEM)
    assert price(step, ("A",), space).size == 12  # ceil(10 / 4) = 3 each


def test_a_unit_is_never_cut():
    space = Space((("n", 4),), (("K", Extent(384, 128)),))
    assert space.slice_of("K", ("n",)) == 128
    assert space.slice_of("K", ()) == 384


layouts = st.builds(
    lambda first, second, mode: layout(
        {
            "A": tuple(a for a in first if mode[a] == "A"),
            "B": tuple(a for a in second if mode[a] == "B"),
        },
        {a: "sum" for a in mode if mode[a] == "partial"},
        {a: (0,) for a in mode if mode[a] == "C"},
    ),
    st.permutations(["m", "n"]),
    st.permutations(["m", "n"]),
    st.fixed_dictionaries(
        {a: st.sampled_from(["A", "B", "R", "partial", "C"]) for a in ("m", "n")}
    ),
)


@given(layouts, layouts)
def test_a_path_starts_and_ends_where_it_should_and_never_beats_its_parts(source, target):
    steps = redistribute(source, target, DIMS, MESH, ITEM)
    here = source
    for step in steps:
        assert step.source == here
        here = step.target
    assert here == target
    direct = cost(steps, DIMS, MESH, ITEM)
    through = redistribute(source, EVERYWHERE, DIMS, MESH, ITEM) + redistribute(
        EVERYWHERE, target, DIMS, MESH, ITEM
    )
    assert direct <= cost(through, DIMS, MESH, ITEM)


@given(layouts)
def test_staying_costs_nothing(where):
    assert redistribute(where, where, DIMS, MESH, ITEM) == ()


def test_where_links_are_known_the_cheapest_in_time_is_taken():
    """Over a slow outer link it pays to leave the slices where they are and gather inside."""
    fast = Wire("fast", Fraction(10**12), Fraction(0), Fraction(0), Fraction(1))
    slow = Wire("slow", Fraction(10**6), Fraction(1), Fraction(0), Fraction(1))
    timed = Space(EIGHT.axes, EIGHT.dims, (("dp", slow), ("tp", fast)))
    wanted = layout({"A": ("tp",)})
    for start in (layout({"A": ("dp", "tp")}), layout({"A": ("tp", "dp")})):
        steps = redistribute(start, wanted, DIMS, timed, ITEM)
        tried = [
            cost(path, DIMS, timed, ITEM)
            for path in (
                redistribute(start, wanted, DIMS, EIGHT, ITEM),
                redistribute(start, EVERYWHERE, DIMS, EIGHT, ITEM)
                + redistribute(EVERYWHERE, wanted, DIMS, EIGHT, ITEM),
            )
        ]
        assert cost(steps, DIMS, timed, ITEM) == min(tried)
    # By bytes a Permute and a gather; in time one latency of the slow link less.
    assert [
        s.primitive for s in redistribute(layout({"A": ("dp", "tp")}), wanted, DIMS, timed, ITEM)
    ] == [
        "All-Gather",
        None,
    ]


def test_many_axes_are_no_harder():
    """Ten axes on one dimension, in slices or in addends: the search stays small."""
    names = tuple(f"a{place}" for place in range(10))
    space = Space(tuple((name, 2) for name in names), (("A", Extent(2**12)), ("B", Extent(2**12))))
    cut = layout({"A": names})
    addends = layout({}, dict.fromkeys(names, "sum"))
    (gather,) = redistribute(cut, EVERYWHERE, DIMS, space, ITEM)
    assert (gather.primitive, gather.axes) == ("All-Gather", names)
    (reduce,) = redistribute(addends, EVERYWHERE, DIMS, space, ITEM)
    assert (reduce.primitive, reduce.axes) == ("All-Reduce", names)
    (turn,) = redistribute(cut, layout({"A": names[::-1]}), DIMS, space, ITEM)
    assert turn.primitive == "Permute"
    halves = layout({"A": names[:5], "B": names[5:]})
    steps = redistribute(addends, halves, DIMS, space, ITEM)
    assert [step.primitive for step in steps] == ["Reduce-Scatter", "Reduce-Scatter"]


def test_what_is_dealt_in_zigzag_is_permuted_into_order_and_back():
    ring = Space((("cp", 4),), (("A", Extent(24)), ("B", Extent(40))))
    plain, zigzag = layout({"A": ("cp",)}), layout({"A": ("cp",)}, zigzag=("cp",))
    for source, target in ((plain, zigzag), (zigzag, plain)):
        (step,) = redistribute(source, target, DIMS, ring, ITEM)
        assert (step.primitive, step.source, step.target) == ("Permute", source, target)
        # in order: 01 23 45 67, zigzag: 07 16 25 34; chunks 0 and 5 stay
        assert price(step, DIMS, ring).share == Fraction(6, 8)
        assert cost((step,), DIMS, ring, ITEM) == M // 4


def test_what_leaves_or_joins_an_axis_is_put_in_order_on_the_way():
    ring = Space((("cp", 4),), (("A", Extent(24)), ("B", Extent(40))))
    zigzag = layout({"A": ("cp",)}, zigzag=("cp",))
    (gather,) = redistribute(zigzag, EVERYWHERE, DIMS, ring, ITEM)
    (cut,) = redistribute(EVERYWHERE, zigzag, DIMS, ring, ITEM)
    (turn,) = redistribute(zigzag, layout({"B": ("cp",)}), DIMS, ring, ITEM)
    assert [gather.primitive, cut.primitive, turn.primitive] == ["All-Gather", None, "All-to-All"]
    assert cut.target == zigzag


MANY = tuple(f"a{place}" for place in range(9))
WIDE = Space(tuple((axis, 2) for axis in MANY), (("A", Extent(2**12)), ("B", Extent(2**12))))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (layout({"A": MANY[1::2], "B": MANY[::2]}), layout({"A": MANY[::-2], "B": MANY[-2::-2]})),
        (layout({"A": MANY[1::2], "B": MANY[::2]}), layout({"A": MANY[::-2]}, {"a1": "sum"})),
        (layout({"B": MANY[-2::-2]}, {"a0": "sum"}, {"a8": (0,)}), layout({"A": MANY[::-1]})),
    ],
)
def test_where_too_many_axes_change_a_plain_way_is_taken(source, target, monkeypatch):
    monkeypatch.setattr(redistribution, "SEARCHED", 200)
    steps = redistribute(source, target, DIMS, WIDE, ITEM)
    assert search(source, target, DIMS, WIDE, ITEM).steps is None
    here = source
    for step in steps:
        assert step.source == here
        here = step.target
    assert here == target


@pytest.mark.parametrize("nodes", range(1, 40))
def test_chunks_that_change_nodes_between_in_order_and_zigzag(nodes):
    stay = sum(len({2 * n, 2 * n + 1} & {n, 2 * nodes - 1 - n}) for n in range(nodes))
    (turn,) = redistribute(
        layout({"A": ("n",)}, zigzag=("n",)),
        layout({"A": ("n",)}),
        DIMS,
        space := Space((("n", nodes),), (("A", Extent(2 * nodes)), ("B", Extent(1)))),
        ITEM,
    )
    assert price(turn, DIMS, space).share == Fraction(2 * nodes - stay, 2 * nodes)


@given(
    st.lists(st.integers(1, 5), min_size=2, max_size=5).flatmap(
        lambda sizes: st.tuples(st.just(sizes), st.permutations(range(len(sizes))))
    )
)
def test_nodes_whose_slice_changes_with_the_order_of_axes(drawn):
    sizes, order = drawn
    axes = [f"a{place}" for place in range(len(sizes))]
    space = Space(tuple(zip(axes, sizes, strict=True)), (("A", Extent(prod(sizes))),))
    source, target = layout({"A": tuple(axes)}), layout({"A": tuple(axes[a] for a in order)})
    step = Step("Permute", tuple(axes), source, target)
    nodes = list(product(*map(range, sizes)))
    other = sorted(nodes, key=lambda node: [node[axis] for axis in order])
    moved = sum(one != another for one, another in zip(nodes, other, strict=True))
    if source != target:
        assert price(step, ("A",), space).share == Fraction(moved, len(nodes))


def test_whatever_is_gathered_is_searched_for():
    source = layout({"A": MANY[:5], "B": MANY[5:]})
    assert search(source, EVERYWHERE, DIMS, WIDE, ITEM).steps is not None

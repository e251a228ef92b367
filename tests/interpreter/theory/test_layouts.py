"""Layouts: one canonical form, states as text, renaming."""

from parspec.interpreter.theory.layouts import EVERYWHERE, State, layout


def test_a_state_is_written_as_in_reports():
    assert str(State("P", dim="F")) == "P(F)"
    assert str(State("R")) == "R"
    assert str(State("partial", kind="sum")) == "R(partial)"
    assert str(State("partial", kind="max")) == "R(partial max)"
    assert str(State("C", nodes=(0, 3))) == "C(0,3)"


def test_equal_layouts_compare_equal_however_they_were_put_together():
    one = layout({"B": ("dp",), "A": ("tp",), "C": ()}, {"x": "sum", "a": "max"})
    other = layout({"A": ("tp",), "B": ("dp",)}, {"a": "max", "x": "sum"})
    assert one == other
    assert hash(one) == hash(other)
    assert layout({"A": ()}) == EVERYWHERE


def test_states_axes_and_orders():
    where = layout({"B": ("pod", "dp"), "F": ("tp",)}, {"sp": "sum"}, {"pp": (2,)})
    assert [str(where.state(a)) for a in ("pod", "dp", "tp", "sp", "pp", "ep")] == [
        "P(B)",
        "P(B)",
        "P(F)",
        "R(partial)",
        "C(2)",
        "R",
    ]
    assert where.axes("B") == ("pod", "dp")
    assert where.order() == {"B": ("pod", "dp")}


def test_renaming_and_dropping_dimensions():
    where = layout({"S": ("cp",), "D": ("tp",)}, {}, {"pp": (0,)})
    assert where.renamed({"S": "T"}) == layout({"T": ("cp",), "D": ("tp",)}, {}, {"pp": (0,)})
    assert where.only(["S"]) == layout({"S": ("cp",)}, {}, {"pp": (0,)})


def test_axes_are_taken_out_and_put_on_nodes():
    where = layout({"S": ("cp", "tp"), "D": ("dp",)}, {"sp": "sum"}, {"pp": (0,)})
    assert where.without({"cp", "dp", "pp"}) == layout({"S": ("tp",)}, {"sp": "sum"})
    assert where.complete() == layout({"S": ("cp", "tp"), "D": ("dp",)}, {}, {"pp": (0,)})
    assert where.at({"pp": 3, "cp": 1, "sp": 0}) == layout(
        {"S": ("tp",), "D": ("dp",)}, {}, {"cp": (1,), "pp": (3,), "sp": (0,)}
    )
    assert where.at({}) == where

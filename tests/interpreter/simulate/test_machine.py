"""Which positions of a dimension each device has."""

import numpy as np
import pytest

from parspec.interpreter.simulate.machine import Extent, Machine, cut, share_out

MESH = Machine(
    ("a", "b"),
    (2, 3),
    {
        "even": Extent(12, 12, 1),
        "odd": Extent(7, 7, 1),
        "heads": Extent(12, 12, 4),
        "short": Extent(2, 2, 1),
    },
)


def positions(dim, axes, *device):
    return MESH.positions(dim, axes, device).tolist()


def test_an_even_dimension_is_cut_into_equal_slices():
    assert positions("even", ("a", "b"), 1, 2) == [10, 11]
    assert positions("even", ("b", "a"), 1, 2) == [10, 11]
    assert positions("even", ("a", "b"), 0, 1) == [2, 3]
    assert positions("even", ("b", "a"), 0, 1) == [4, 5]


def test_a_further_axis_cuts_what_the_first_left_and_slices_are_filled_up():
    assert positions("odd", ("a",), 1, 0) == [4, 5, 6, -1]
    assert [positions("odd", ("a", "b"), 0, b) for b in range(3)] == [[0, 1], [2, 3], [-1, -1]]
    assert [positions("odd", ("a", "b"), 1, b) for b in range(3)] == [[4, 5], [6, -1], [-1, -1]]


def test_a_unit_is_not_cut():
    assert positions("heads", ("b",), 0, 1) == [4, 5, 6, 7]
    assert positions("heads", ("a",), 1, 0) == [8, 9, 10, 11, -1, -1, -1, -1]


def test_more_nodes_than_elements_leave_slices_empty():
    assert [positions("short", ("b",), 0, b) for b in range(3)] == [[0], [1], [-1]]


def test_groups_stand_in_the_order_of_their_axes():
    assert list(MESH.groups(("b",))) == [
        ((0, 0), (0, 1), (0, 2)),
        ((1, 0), (1, 1), (1, 2)),
    ]
    (everyone,) = MESH.groups(("b", "a"))
    assert everyone == ((0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2))


@pytest.mark.parametrize("ways", [(2,), (3,), (2, 3), (3, 2)])
def test_what_is_cut_holds_all_of_it_in_order(ways):
    parts = np.concatenate(cut(np.arange(11), 0, ways, 1, -1))
    assert parts[parts >= 0].tolist() == list(range(11))


def test_a_flattened_row_is_shared_out_without_filling():
    assert [len(share) for share in share_out(np.zeros(10), (2, 2))] == [3, 3, 2, 2]

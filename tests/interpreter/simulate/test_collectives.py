"""Primitives on the arrays of one group: what every member has afterwards, and what was sent."""

import numpy as np
import pytest

from parspec.interpreter.simulate import collectives
from parspec.interpreter.simulate.collectives import joined
from parspec.interpreter.simulate.machine import cut


def slices(*rows):
    return [np.array(row, dtype=float) for row in rows]


def lists(exchange):
    return [None if array is None else array.tolist() for array in exchange.arrays]


def halves(array):
    return cut(array, 0, (2,), 1, 0.0)


def test_all_gather_puts_slices_end_to_end_and_cuts_off_what_fills_up():
    exchange = collectives.all_gather(slices([1, 2], [3, 4], [5, 0]), joined(0, 5))
    assert lists(exchange) == [[1, 2, 3, 4, 5]] * 3
    assert exchange.sent == 2 * 6  # (N−1)·M


def test_filling_inside_stays_where_it_is():
    exchange = collectives.all_gather(slices([1, 2], [3, 0], [4, 5], [0, 0]), joined(0, 5))
    assert lists(exchange)[0] == [1, 2, 3, 0, 4]


def test_gather_reaches_one_member():
    exchange = collectives.gather(slices([1], [2], [3]), joined(0, 3), 1)
    assert lists(exchange) == [None, [1, 2, 3], None]
    assert exchange.sent == 2


def test_scatter_leaves_the_root_its_own_slice():
    exchange = collectives.scatter(np.array([1.0, 2.0, 3.0, 4.0]), halves, 0)
    assert lists(exchange) == [[1, 2], [3, 4]]
    assert exchange.sent == 2


def test_broadcast_and_send():
    whole = np.array([1.0, 2.0])
    assert lists(collectives.broadcast(whole, 3)) == [[1, 2]] * 3
    assert collectives.broadcast(whole, 3).sent == 4
    assert lists(collectives.send(whole, 3, 2)) == [None, None, [1, 2]]
    assert collectives.send(whole, 3, 2).sent == 2


@pytest.mark.parametrize(("kind", "whole"), [("sum", [4, 7]), ("max", [3, 5]), ("min", [1, 2])])
def test_reductions_combine_addends_of_their_kind(kind, whole):
    addends = slices([1, 5], [3, 2])
    assert lists(collectives.all_reduce(addends, kind)) == [whole] * 2
    assert collectives.all_reduce(addends, kind).sent == 4
    assert lists(collectives.reduce(addends, kind, 1)) == [None, whole]
    assert collectives.reduce(addends, kind, 1).sent == 2
    assert lists(collectives.reduce_scatter(addends, kind, halves)) == [whole[:1], whole[1:]]
    assert collectives.reduce_scatter(addends, kind, halves).sent == 2


def test_all_to_all_keeps_each_members_own_part():
    mine = [np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])]
    exchange = collectives.all_to_all(mine, lambda a: cut(a, 1, (2,), 1, 0.0), joined(0, 2))
    assert lists(exchange) == [[[1], [3]], [[2], [4]]]
    assert exchange.sent == 2  # (N−1)/N·M


def test_permute_sends_only_what_moves():
    exchange = collectives.permute(slices([1], [2], [3], [4]), [0, 2, 1, 3])
    assert lists(exchange) == [[1], [3], [2], [4]]
    assert exchange.sent == 2

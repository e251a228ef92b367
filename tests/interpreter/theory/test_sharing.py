"""Sharing out: nodes go to the factors of a product, major first, as far as units divide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.interpreter.theory.formulas import product, symbol
from parspec.interpreter.theory.sharing import Shares, share_out


@pytest.mark.parametrize(
    ("units", "nodes", "shares"),
    [
        ((8, 4), 4, Shares(((0, 4),), 1, 0)),
        ((8, 4), 16, Shares(((0, 8), (1, 2)), 1, 1)),
        ((1, 4), 2, Shares(((1, 2),), 1, 1)),
        ((6, 4), 4, Shares((), 4, 0)),
        ((2, 3), 12, Shares(((0, 2), (1, 3)), 2, 1)),
        ((2, 2), 16, Shares(((0, 2), (1, 2)), 4, 1)),
    ],
)
def test_factors_take_what_divides(units, nodes, shares):
    assert share_out(units, nodes) == shares


def test_a_symbolic_size_divides():
    assert share_out((symbol("G"), 4), 8) == Shares(((0, 8),), 1, 0)
    assert share_out((4, 4), symbol("N")) == Shares(((0, symbol("N")),), 1, 0)


@given(st.lists(st.integers(1, 64), min_size=1, max_size=4), st.integers(1, 4096))
def test_no_node_is_lost(units, nodes):
    shares = share_out(units, nodes)
    assert product(share for _, share in shares.given) * shares.left == nodes
    assert all(units[place] % share == 0 for place, share in shares.given)

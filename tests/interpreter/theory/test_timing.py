"""Times of primitives over one link, and over several whose phases overlap."""

from fractions import Fraction

import pytest

from parspec.interpreter.theory import timing
from parspec.interpreter.theory.formulas import symbol
from parspec.interpreter.theory.primitives import PRIMITIVES
from parspec.interpreter.theory.space import Wire

FAST = Wire("nvlink", Fraction(450 * 10**9), Fraction(2, 10**6), Fraction(0), Fraction(1))
SLOW = Wire("ib", Fraction(50 * 10**9), Fraction(5, 10**6), Fraction(8, 10**6), Fraction(9, 10))
M = 2**30


def seconds(name, *axes, size=M):
    return timing.seconds(PRIMITIVES[name], size, axes)


def test_start_latency_and_bytes():
    # All-Reduce: 2(N-1) steps, 2(N-1)/N of M; half a microsecond would show
    assert seconds("All-Reduce", (8, FAST)) == pytest.approx(14 * 2e-6 + 1.75 * M / 450e9)
    assert seconds("All-Gather", (8, SLOW)) == pytest.approx(8e-6 + 7 * 5e-6 + 0.875 * M / 45e9)
    assert seconds("Send", (8, SLOW)) == pytest.approx(8e-6 + 5e-6 + M / 45e9)


def test_axes_on_one_link_are_one_ring():
    assert seconds("All-Gather", (4, FAST), (2, FAST)) == seconds("All-Gather", (8, FAST))
    assert seconds("All-to-All", (4, FAST), (2, FAST)) == seconds("All-to-All", (8, FAST))


def test_phases_on_two_links_overlap():
    inner = 7 * 2e-6 + 0.875 * M / 450e9
    outer = 8e-6 + 3 * 5e-6 + 0.75 * (M / 8) / 45e9
    assert seconds("All-Gather", (4, SLOW), (8, FAST)) == pytest.approx(max(inner, outer))


def test_every_phase_of_an_all_to_all_moves_a_nodes_slice():
    inner = 7 * 2e-6 + 0.875 * (M / 32) / 450e9
    outer = 8e-6 + 3 * 5e-6 + 0.75 * (M / 32) / 45e9
    assert seconds("All-to-All", (4, SLOW), (8, FAST)) == pytest.approx(max(inner, outer))


def test_what_is_not_known_has_no_time():
    assert seconds("All-Gather", (8, None)) is None
    assert seconds("All-Gather", (symbol("N"), FAST)) is None
    assert seconds("All-Gather", (8, FAST), size=symbol("B")) is None


def test_a_group_of_one_takes_no_time():
    assert seconds("All-Reduce", (1, SLOW)) == 0
